"""Runs every probe on every version and writes the page; `--look` prints what deviates from the files instead."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack

import servers
from postgres import oracle
from postgres.semantics import page, probes, running


def main() -> None:
    """From the repository: `PYTHONPATH=tests python -m postgres.semantics [--look [WORD ..]]`."""
    look = sys.argv[1:2] == ["--look"]
    words = sys.argv[2:]
    chosen = [p for p in probes.read() if not words or any(w in f"{p.kind}/{p.name}" for w in words)]
    found: dict[int, dict[tuple[str, str], str]] = {}
    servers.prepare()
    try:
        for version in servers.requested():
            started = time.monotonic()
            with oracle.pair(servers.get(version)) as pair, ExitStack() as stack:
                bench = running.Bench(pair)
                stack.callback(bench.close)
                found[version] = {(p.kind, p.name): bench.outcome(p) for p in chosen}
            print(f"PostgreSQL {version}: {len(chosen)} probes in {time.monotonic() - started:.0f} s")
    finally:
        servers.stop_all()
    for version, outcomes in found.items():
        for p in chosen:
            if p.expects(version) != outcomes[p.kind, p.name]:
                print(f"{version} {p.kind}/{p.name}: {outcomes[p.kind, p.name]}   expected: {p.expects(version)}")
    if not look:
        page.PATH.write_text(page.rendered(chosen, found))
        print(f"wrote {page.PATH}")


main()
