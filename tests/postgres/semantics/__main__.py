"""Runs every probe on every version and writes the page; `--look` prints what deviates from the files instead."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack

import servers
from cowscore.model import Layout
from postgres import oracle
from postgres.semantics import page, probes, running
from postgres.semantics.probes import LAYOUTS, Probe


def main() -> None:
    """From the repository: `PYTHONPATH=tests python -m postgres.semantics [--look [WORD ..]]`."""
    look = sys.argv[1:2] == ["--look"]
    words = sys.argv[2:]
    chosen = [p for p in probes.read() if not words or any(w in f"{p.kind}/{p.name}" for w in words)]
    servers.prepare()
    try:
        found = {(layout, v): _outcomes(chosen, layout, v) for v in servers.requested() for layout in LAYOUTS}
    finally:
        servers.stop_all()
    for (layout, version), outcomes in found.items():
        for p in chosen:
            if p.expects(version, layout) != outcomes[p.kind, p.name]:
                expected = p.expects(version, layout)
                print(f"{layout} {version} {p.kind}/{p.name}: {outcomes[p.kind, p.name]}   expected: {expected}")
    if not look:
        page.PATH.write_text(page.rendered(chosen, found))
        print(f"wrote {page.PATH}")


def _outcomes(chosen: Sequence[Probe], layout: Layout, version: int) -> dict[tuple[str, str], str]:
    started = time.monotonic()
    with oracle.pair(servers.get(version)) as pair, ExitStack() as stack:
        bench = running.Bench(pair, layout)
        stack.callback(bench.close)
        found = {(p.kind, p.name): bench.outcome(p) for p in chosen}
    print(f"{layout} on PostgreSQL {version}: {len(chosen)} probes in {time.monotonic() - started:.0f} s", flush=True)
    return found


main()
