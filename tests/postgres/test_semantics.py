"""Every row of the semantics matrix, on each version: what running gives is what its file and the page say."""

from __future__ import annotations

import pytest

from postgres.oracle import Pair
from postgres.semantics import page, probes, running
from postgres.semantics.probes import Probe

PROBES = probes.read()


@pytest.fixture(scope="session")
def prepared(pair: Pair) -> Pair:
    running.prepare(pair)
    return pair


@pytest.fixture(scope="session")
def shown() -> dict[int, dict[tuple[str, str], str]]:
    return page.shown(page.PATH.read_text())


@pytest.mark.parametrize("probe", [pytest.param(p, id=f"{p.kind}/{p.name}") for p in PROBES])
def test_probe(prepared: Pair, probe: Probe, shown: dict[int, dict[tuple[str, str], str]]) -> None:
    found = running.outcome(prepared, probe)
    assert found == probe.expects(prepared.version)
    assert shown[prepared.version][probe.kind, page.cell(probe.name)] == page.cell(found), "the page says otherwise"


def test_page_has_these_rows_and_no_others(shown: dict[int, dict[tuple[str, str], str]]) -> None:
    rows = [(p.kind, page.cell(p.name)) for p in PROBES]
    assert {version: list(found) for version, found in shown.items()} == dict.fromkeys((15, 16, 18), rows)


def test_page_is_written_from_the_files() -> None:
    outcomes = {v: {(p.kind, p.name): p.expects(v) for p in PROBES} for v in (15, 16, 18)}
    assert page.PATH.read_text() == page.rendered(PROBES, outcomes)
