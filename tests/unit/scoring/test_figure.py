"""The worked example of the paper (Figure 3), number by number."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from cowscore.scoring import ScoringConfig, overall_with_efficiency, score
from cowscore.scoring.credit import shapley
from scoring_sessions import Session, op, table

TASKS = table("tasks", {"id": "text", "status": "text"})
COMMENTS = table("comments", {"id": "text", "task_id": "text"}, references={"task_id": "tasks"})
T103 = {"id": "T-103", "status": "todo"}


def ground_truth() -> Session:
    return (
        Session()
        .update(TASKS, T103, 1, status="done")
        .insert(TASKS, {"id": "T-106", "status": "todo"}, 2)
        .insert(COMMENTS, {"id": "C-201", "task_id": "T-106"}, 3)
        .insert(TASKS, {"id": "T-108", "status": "todo"}, 4)
    )


def agent() -> Session:
    return (
        Session()
        .insert(TASKS, {"id": "T-106", "status": "todo"}, 1)
        .insert(COMMENTS, {"id": "C-201", "task_id": "T-106"}, 2)
        .update(TASKS, T103, 3, status="done")
        .insert(TASKS, {"id": "T-107", "status": "todo"}, 4)
        .insert(COMMENTS, {"id": "C-202", "task_id": "T-107"}, 5)
    )


@pytest.fixture(scope="module")
def result():
    config = ScoringConfig(
        scores={"overall_with_efficiency": overall_with_efficiency, "rows": lambda s: len(s.matched)}
    )
    return score(ground_truth().changes, agent().changes, [TASKS, COMMENTS], config)


def test_rows(result):
    assert [row.key for row in result.matched] == [("T-103",), ("T-106",), ("C-201",)]
    assert [row.key for row in result.missing] == [("T-108",)]
    assert [row.key for row in result.extra] == [("T-107",), ("C-202",)]
    assert [row.kind for row in result.matched] == ["update", "insert", "insert"]
    assert all(row.similarity == 1.0 for row in result.matched)


def test_session_scores(result):
    assert result.struct == 0.5
    assert result.content == result.content_all == 1.0
    assert result.overall == 0.75
    assert result.precision == 0.6
    assert result.recall == 0.75
    assert result.f1 == pytest.approx(2 / 3)
    assert result.efficiency == 0.8


def test_operation_utilities(result):
    found = [(o.id, Fraction(o.struct_utility).limit_denominator(1000)) for o in result.operations]
    quarter = Fraction(1, 4)
    expected = [quarter, quarter, quarter, Fraction(-3, 20), Fraction(-1, 10)]
    assert found == [(op(i), utility) for i, utility in enumerate(expected, start=1)]
    assert [o.content_utility for o in result.operations] == [1.0, 1.0, 1.0, None, None]
    assert sum(o.struct_utility for o in result.operations) == pytest.approx(result.struct)


def test_credit_is_fair_and_adds_up(result):
    """The comment on T-106 comes after it in every order, and may thus come after more extra rows."""
    first, second, third, fourth, fifth = (o.credit for o in result.operations)
    assert first > third > second > 0 > fourth
    assert fifth < 0
    assert sum(o.credit for o in result.operations) == pytest.approx(result.struct)
    assert {o.credit_error for o in result.operations} == {0.0}


def test_what_is_lost_without_an_operation_and_what_depends_on_it(result):
    found = [Fraction(o.leave_one_out).limit_denominator(1000) for o in result.operations]
    assert found == [Fraction(1, 3), Fraction(1, 6), Fraction(1, 6), Fraction(-1, 4), Fraction(-1, 10)]


def test_credit_of_a_very_long_session_still_adds_up():
    rows = {op(i): (i % 3, i % 5) for i in range(3000)}
    credits = shapley(rows, 3000, {})
    assert sum(c.value for c in credits.values()) == pytest.approx(3000 / (3000 + 6000), abs=1e-9)


def test_one_parent_of_many_is_enumerated():
    rows = {op(i): (1, 0) if i % 4 else (0, 1) for i in range(60)}
    credits = shapley(rows, 50, {op(i): (op(0),) for i in range(1, 60)})
    assert {c.error for c in credits.values()} == {0.0}
    assert sum(c.value for c in credits.values()) == pytest.approx(45 / 65)


def test_both_overall_scores(result):
    assert result.scores["overall_with_efficiency"] == pytest.approx(0.71)
    assert result.scores["rows"] == 3.0
    assert score(ground_truth().changes, agent().changes, [TASKS, COMMENTS]).scores == {
        "overall_with_efficiency": pytest.approx(0.71)
    }


def test_the_paper_profile_does_not_reproduce_its_own_figure():
    result = score(ground_truth().changes, agent().changes, [TASKS, COMMENTS], ScoringConfig.paper())
    assert ("T-108",) in [row.gt_key for row in result.matched]
    assert len(result.matched) == 4


def test_to_dict_is_json(result):
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["struct"] == 0.5
    assert plain["operations"][3]["id"] == str(op(4))
    assert plain["missing"][0]["key"] == ["T-108"]
