"""Every row of the semantics matrix, on each version: what running gives is what its file and the page say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from postgres import oracle
from postgres.semantics import page, probes
from postgres.semantics.probes import Probe
from postgres.semantics.running import Bench
from servers import VERSIONS, Server

pytestmark = pytest.mark.slow

PROBES = probes.read()


@pytest.fixture(scope="session")
def bench(server: Server) -> Iterator[Bench]:
    with oracle.pair(server) as pair:
        made = Bench(pair)
        yield made
        made.close()


@pytest.fixture(scope="session")
def shown() -> dict[int, dict[tuple[str, str], str]]:
    return page.shown(page.PATH.read_text())


@pytest.mark.parametrize("probe", [pytest.param(p, id=f"{p.kind}/{p.name}") for p in PROBES])
def test_probe(bench: Bench, probe: Probe, shown: dict[int, dict[tuple[str, str], str]]) -> None:
    found = bench.outcome(probe)
    assert found == probe.expects(bench.pair.version)
    assert shown[bench.pair.version][probe.kind, page.cell(probe.name)] == page.cell(found), "the page says otherwise"


def test_page_has_these_rows_and_no_others(shown: dict[int, dict[tuple[str, str], str]]) -> None:
    rows = [(p.kind, page.cell(p.name)) for p in PROBES]
    assert {version: list(found) for version, found in shown.items()} == dict.fromkeys(VERSIONS, rows)


def test_page_is_written_from_the_files() -> None:
    outcomes = {v: {(p.kind, p.name): p.expects(v) for p in PROBES} for v in VERSIONS}
    assert page.PATH.read_text() == page.rendered(PROBES, outcomes)
