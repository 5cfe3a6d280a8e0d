"""Every row of the semantics matrix: what running gives is what its file and the page say.

Layout `overlay` on each version, `in_place` on the newest that is asked for (on 15: `COWSCORE_TEST_PG=15`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cowscore.model import Layout
from postgres import oracle
from postgres.semantics import page, probes
from postgres.semantics.page import Column
from postgres.semantics.probes import LAYOUTS, Probe
from postgres.semantics.running import Bench
from servers import VERSIONS, Server, requested

pytestmark = pytest.mark.slow

PROBES = probes.read()
EACH = pytest.mark.parametrize("probe", [pytest.param(p, id=f"{p.kind}/{p.name}") for p in PROBES])
Shown = dict[Column, dict[tuple[str, str], str]]


def _bench(server: Server, layout: Layout) -> Iterator[Bench]:
    with oracle.pair(server) as pair:
        made = Bench(pair, layout)
        yield made
        made.close()


@pytest.fixture(scope="session")
def overlay(server: Server) -> Iterator[Bench]:
    yield from _bench(server, "overlay")


@pytest.fixture(scope="session")
def in_place(server: Server) -> Iterator[Bench]:
    yield from _bench(server, "in_place")


@pytest.fixture(scope="session")
def shown() -> Shown:
    return page.shown(page.PATH.read_text())


def _check(bench: Bench, probe: Probe, shown: Shown) -> None:
    found, version = bench.outcome(probe), bench.pair.version
    assert found == probe.expects(version, bench.layout)
    on_page = shown[bench.layout, version][probe.kind, page.cell(probe.name)]
    assert on_page == page.cell(found), "the page says otherwise"


@EACH
def test_probe(overlay: Bench, probe: Probe, shown: Shown) -> None:
    _check(overlay, probe, shown)


@pytest.mark.parametrize("server", requested()[-1:], indirect=True, ids=lambda version: f"pg{version}", scope="session")
@EACH
def test_probe_in_place(in_place: Bench, probe: Probe, shown: Shown) -> None:
    _check(in_place, probe, shown)


def test_page_has_these_rows_and_no_others(shown: Shown) -> None:
    rows = [(p.kind, page.cell(p.name)) for p in PROBES]
    columns = [(layout, version) for layout in LAYOUTS for version in VERSIONS]
    assert {column: list(found) for column, found in shown.items()} == dict.fromkeys(columns, rows)


def test_page_is_written_from_the_files() -> None:
    columns: list[Column] = [(layout, version) for layout in LAYOUTS for version in VERSIONS]
    outcomes = {(layout, v): {(p.kind, p.name): p.expects(v, layout) for p in PROBES} for layout, v in columns}
    assert page.PATH.read_text() == page.rendered(PROBES, outcomes)
