"""Behaviour of the default profile, case by case."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from cowscore.errors import BadInput
from cowscore.scoring import ScoringConfig, score
from scoring_sessions import Session, op, table

TASKS = table(
    "tasks",
    {
        "id": "uuid",
        "title": "text",
        "priority": "character varying(20)",
        "due": "date",
        "parent_id": "uuid",
        "created_at": "timestamp with time zone",
        "deleted_at": "timestamp with time zone",
    },
    references={"parent_id": "tasks"},
    defaults={"priority": "'none'::character varying"},
)
COMMENTS = table("comments", {"id": "serial", "task_id": "uuid", "body": "text"}, references={"task_id": "tasks"})
LABELS = table("labels", {"id": "integer", "name": "text"})
LINKS = table(
    "links",
    {"task_id": "uuid", "label_id": "integer"},
    key=("task_id", "label_id"),
    references={"task_id": "tasks", "label_id": "labels"},
)
NUMBERED_LINKS = table(
    "numbered_links",
    {"id": "uuid", "task_id": "uuid", "label_id": "integer"},
    references={"task_id": "tasks", "label_id": "labels"},
    unique=(("task_id", "label_id"),),
)
ALL = [TASKS, COMMENTS, LABELS, LINKS, NUMBERED_LINKS]


def task(number: int, title: str = "Write the report", **more):
    clock = datetime(2026, 1, 1, 12, 0, number % 60, 123456 + number, tzinfo=UTC)
    plain = {"title": title, "priority": "none", "due": None, "parent_id": None, "deleted_at": None}
    return {"id": UUID(int=number), "created_at": clock} | plain | more


def run(gt: Session, agent: Session, config: ScoringConfig | None = None):
    return score(gt.changes, agent.changes, ALL, config)


def counts(result):
    return len(result.matched), len(result.missing), len(result.extra)


def test_nothing_on_either_side():
    result = run(Session(), Session())
    assert (result.struct, result.content, result.overall) == (1.0, 1.0, 1.0)
    assert (result.precision, result.recall, result.f1, result.efficiency) == (1.0, 1.0, 1.0, 1.0)
    assert result.operations == []


def test_doing_nothing_is_neither_right_nor_efficient():
    result = run(Session().insert(TASKS, task(1), 1), Session())
    assert (result.struct, result.content, result.overall, result.efficiency) == (0.0, 0.0, 0.0, 0.0)
    assert (result.precision, result.recall, result.f1) == (1.0, 0.0, 0.0)


def test_doing_something_where_nothing_was_to_do():
    result = run(Session(), Session().insert(TASKS, task(1), 1).insert(TASKS, task(2), 2))
    assert (result.struct, result.content, result.efficiency) == (0.0, 0.0, 0.0)
    assert (result.precision, result.recall, result.f1) == (0.0, 1.0, 0.0)
    assert [o.struct_utility for o in result.operations] == [-1.0, 0.0]
    assert [o.credit for o in result.operations] == [-0.5, -0.5]


def test_updating_or_deleting_the_wrong_row_is_no_match():
    for verb in ("update", "delete"):
        gt, agent = Session(), Session()
        if verb == "update":
            gt.update(TASKS, task(1), 1, priority="high")
            agent.update(TASKS, task(2), 1, priority="high")
        else:
            gt.delete(TASKS, task(1), 1)
            agent.delete(TASKS, task(2), 1)
        result = run(gt, agent)
        assert counts(result) == (0, 1, 1)
        assert result.overall == 0.0


def test_collateral_is_what_was_done_to_existing_rows_that_nobody_asked_for():
    gt = Session().update(TASKS, task(1), 1, priority="high").insert(TASKS, task(9, "New"), 2)
    agent = Session().update(TASKS, task(1), 1, priority="high").update(TASKS, task(2), 2, priority="high")
    agent.delete(TASKS, task(3), 3).insert(TASKS, task(10, "Something else"), 4)
    result = run(gt, agent)
    assert (result.collateral, result.restraint) == (2, pytest.approx(1 / 3))
    assert (run(gt, gt).collateral, run(gt, gt).restraint) == (0, 1.0)


def test_a_bad_write_that_is_mended_is_judged_by_its_net_effect():
    gt = Session().update(TASKS, task(1), 1, priority="high")
    agent = Session().delete(TASKS, task(1), 1).insert(TASKS, task(1, priority="high"), 2)
    result = run(gt, agent)
    assert (result.overall, result.collateral) == (1.0, 0)
    assert [o.credit for o in result.operations] == [0.0, 1.0]


def test_kinds_never_match_each_other():
    result = run(Session().update(TASKS, task(1), 1, title="x"), Session().delete(TASKS, task(1), 1))
    assert counts(result) == (0, 1, 1)


def test_wrong_due_date_costs():
    gt = Session().update(TASKS, task(1), 1, due=date(2026, 5, 1))
    agent = Session().update(TASKS, task(1), 1, due=date(2026, 5, 2))
    result = run(gt, agent)
    assert result.struct == 1.0
    assert result.matched[0].fields["due"] == 0.0
    assert result.content_all == pytest.approx(4 / 5)
    assert result.content == 0.0
    assert result.overall == 0.5


def test_wrong_column_costs_visibly():
    gt = Session().update(TASKS, task(1), 1, due=date(2026, 5, 1))
    agent = Session().update(TASKS, task(1), 1, priority="high")
    result = run(gt, agent)
    assert result.matched[0].changed == ("priority", "due")
    assert result.content_all == pytest.approx(3 / 5 + similarity_of("none", "high") / 5)
    assert result.overall < 0.8


def similarity_of(a: str, b: str) -> float:
    shared = run(Session().insert(LABELS, {"id": 1, "name": a}, 1), Session().insert(LABELS, {"id": 1, "name": b}, 1))
    return shared.matched[0].fields["name"]


def test_drift_of_base_is_not_the_agents_doing():
    gt = Session().update(TASKS, task(1, title="Old title"), 1, priority="high")
    agent = Session().update(TASKS, task(1, title="Somebody renamed it since"), 1, priority="high")
    assert run(gt, agent).content == 1.0


def test_weights_may_say_otherwise():
    gt = Session().update(TASKS, task(1), 1, due=date(2026, 5, 1))
    agent = Session().update(TASKS, task(1), 1, due=date(2026, 5, 2))
    config = ScoringConfig(weights={"struct": 0.5, "content_all": 0.5})
    assert run(gt, agent, config).overall == pytest.approx(0.9)


def test_what_leaves_no_trace():
    agent = (
        Session()
        .insert(TASKS, task(1), 1)
        .delete(TASKS, task(1), 2)
        .update(TASKS, task(2), 3, title="x")
        .update(TASKS, task(2, title="x"), 4, title="Write the report")
        .update(TASKS, task(3), 5, created_at=datetime(2020, 1, 1, tzinfo=UTC))
        .insert(TASKS, task(4), 6)
    )
    result = run(Session().insert(TASKS, task(9), 1), agent)
    assert counts(result) == (1, 0, 0)
    assert result.wasted == tuple(op(i) for i in range(1, 6))
    assert result.efficiency == pytest.approx(1 / 6 * 1 / 6)


def test_deleted_and_inserted_again_is_an_update():
    row = task(1)
    agent = Session().delete(TASKS, row, 1).insert(TASKS, row | {"title": "New"}, 1)
    result = run(Session().update(TASKS, row, 1, title="New"), agent)
    assert result.matched[0].kind == "update"
    assert result.overall == 1.0


def test_a_changed_key_is_followed():
    a, b = {"id": 1, "name": "bug"}, {"id": 7, "name": "bug"}
    move = Session()._write(LABELS, a, b, 1)
    move.update(LABELS, b, 2, name="defect")
    result = run(move, move)
    assert counts(result) == (1, 0, 0)
    assert result.matched[0].changed == ("id", "name")
    stay = run(move, Session().update(LABELS, a, 1, name="defect"))
    assert counts(stay) == (1, 0, 0)
    assert stay.matched[0].fields["id"] == 0.0


def test_foreign_keys_compare_through_the_pairing_of_generated_keys():
    gt = (
        Session()
        .insert(TASKS, task(11, "API refactor"), 1)
        .insert(TASKS, task(12, "Test suite"), 1)
        .insert(COMMENTS, {"id": 5, "task_id": UUID(int=11), "body": "Ready"}, 2)
        .insert(LINKS, {"task_id": UUID(int=12), "label_id": 3}, 2)
    )
    agent = (
        Session()
        .insert(TASKS, task(22, "Test suite"), 1)
        .insert(LINKS, {"task_id": UUID(int=22), "label_id": 3}, 2)
        .insert(TASKS, task(21, "API refactor"), 3)
        .insert(COMMENTS, {"id": 5, "task_id": UUID(int=21), "body": "Ready"}, 4)
    )
    result = run(gt, agent)
    assert result.overall == 1.0
    assert {(r.table, r.gt_key, r.agent_key) for r in result.matched} == {
        ("tasks", (UUID(int=11),), (UUID(int=21),)),
        ("tasks", (UUID(int=12),), (UUID(int=22),)),
        ("comments", (5,), (5,)),
        ("links", (UUID(int=12), 3), (UUID(int=22), 3)),
    }


def test_equal_numbers_of_different_new_rows_are_not_the_same_reference():
    gt = Session().insert(TASKS, task(1, "One"), 1).insert(TASKS, task(2, "Two"), 1)
    gt.insert(COMMENTS, {"id": 1, "task_id": UUID(int=1), "body": "Hello"}, 1)
    agent = Session().insert(TASKS, task(1, "Two"), 1).insert(TASKS, task(2, "One"), 1)
    agent.insert(COMMENTS, {"id": 1, "task_id": UUID(int=1), "body": "Hello"}, 1)
    comment = next(r for r in run(gt, agent).matched if r.table == "comments")
    assert comment.fields == {"task_id": 0.0, "body": 1.0}


@pytest.mark.parametrize("links", [LINKS, NUMBERED_LINKS])
def test_a_wrong_link_is_missing_and_extra_however_links_are_keyed(links):
    def link(number: int, label: int):
        row = {"id": UUID(int=number), "task_id": UUID(int=1), "label_id": label}
        return {c.name: row[c.name] for c in links.columns}

    result = run(Session().insert(links, link(8, 3), 1), Session().insert(links, link(9, 4), 1))
    assert counts(result) == (0, 1, 1)
    assert run(Session().insert(links, link(8, 3), 1), Session().insert(links, link(9, 3), 1)).overall == 1.0


def test_a_unique_constraint_decides_before_similarity():
    users = table("users", {"id": "serial", "email": "text", "bio": "text"}, unique=(("email",),))
    gt = Session().insert(users, {"id": 1, "email": "ann@x.org", "bio": "likes long walks"}, 1)
    gt.insert(users, {"id": 2, "email": "bob@x.org", "bio": "collects stamps"}, 1)
    agent = Session().insert(users, {"id": 1, "email": "bob@x.org", "bio": "likes long walks"}, 1)
    agent.insert(users, {"id": 2, "email": "ann@x.org", "bio": "collects stamps"}, 1)
    result = score(gt.changes, agent.changes, [users])
    assert [(r.gt_key, r.agent_key) for r in result.matched] == [((1,), (2,)), ((2,), (1,))]


def test_numbers_counted_up_may_come_in_any_order():
    issues = table(
        "issues",
        {"id": "uuid", "project": "integer", "sequence_id": "integer", "name": "text"},
        unique=(("project", "sequence_id"),),
    )

    def made(*rows: tuple[int, str]) -> Session:
        session = Session()
        for number, name in rows:
            session.insert(issues, {"id": UUID(int=len(name)), "project": 1, "sequence_id": number, "name": name}, 1)
        return session

    gt = made((7, "Login fails"), (8, "Export as PDF"))
    assert score(gt.changes, made((7, "Export as PDF"), (8, "Login fails")).changes, [issues]).overall == 1.0
    wrong = score(gt.changes, made((7, "Login fails"), (12, "Export as PDF")).changes, [issues])
    assert [r.fields["sequence_id"] for r in wrong.matched] == [1.0, 0.0]


def test_below_the_floor_is_no_match():
    gt = Session().insert(TASKS, task(1, "Write the report"), 1)
    agent = Session().insert(TASKS, task(2, "XQZ"), 1)
    assert counts(run(gt, agent)) == (0, 1, 1)
    assert counts(run(gt, agent, ScoringConfig(floor=0.0))) == (1, 0, 0)


def test_self_references_are_paired_to_a_fixpoint():
    def tree(numbers: list[int]) -> Session:
        root_a, root_b, leaf_a, leaf_b = numbers
        return (
            Session()
            .insert(TASKS, task(root_a, "Backend"), 1)
            .insert(TASKS, task(root_b, "Frontend"), 1)
            .insert(TASKS, task(leaf_a, "Tests", parent_id=UUID(int=root_a)), 2)
            .insert(TASKS, task(leaf_b, "Tests", parent_id=UUID(int=root_b)), 2)
        )

    result = run(tree([1, 2, 3, 4]), tree([11, 12, 14, 13]))
    assert result.overall == 1.0


def test_children_decide_between_equal_parents():
    def two(first: str, second: str, start: int) -> Session:
        session = Session().insert(TASKS, task(start), 1).insert(TASKS, task(start + 1), 1)
        session.insert(COMMENTS, {"id": start, "task_id": UUID(int=start), "body": first}, 1)
        return session.insert(COMMENTS, {"id": start + 1, "task_id": UUID(int=start + 1), "body": second}, 1)

    assert run(two("alpha", "omega", 1), two("omega", "alpha", 11)).content == 1.0


def test_assignment_finds_what_greedy_misses():
    likeness = {("A", "x"): 0.9, ("A", "y"): 0.87, ("B", "x"): 0.9, ("B", "y"): 0.0}
    config = {"comparators": {"tasks": lambda gt, agent: likeness[gt["title"], agent["title"]]}}
    gt = Session().insert(TASKS, task(1, "A"), 1).insert(TASKS, task(2, "B"), 1)
    agent = Session().insert(TASKS, task(3, "x"), 1).insert(TASKS, task(4, "y"), 1)
    assert run(gt, agent, ScoringConfig(**config)).content == pytest.approx(0.885)
    assert run(gt, agent, ScoringConfig(profile="paper", **config)).content == pytest.approx(0.45)


def test_long_texts_do_not_collapse():
    text = "".join(random.Random(1).choice("abcdefgh ") for _ in range(250))
    gt = Session().insert(LABELS, {"id": 1, "name": text}, 1)
    agent = Session().insert(LABELS, {"id": 1, "name": "a" + text[5:] + "abc"}, 1)
    assert run(gt, agent).content > 0.97
    assert run(gt, agent, ScoringConfig.paper()).content < 0.1


def test_clock_readings_agree_and_chosen_times_do_not():
    stamp = datetime(2026, 3, 1, 9, 30, 12, 345678, tzinfo=UTC)
    gt = Session().update(TASKS, task(1), 1, deleted_at=stamp)
    later = Session().update(TASKS, task(1), 1, deleted_at=stamp + timedelta(days=3))
    assert run(gt, later).overall == 1.0
    chosen = Session().update(TASKS, task(1), 1, deleted_at=datetime(2026, 3, 1, 17, tzinfo=UTC))
    assert run(gt, chosen).content == 0.0


def test_derived_rows_are_not_scored_unless_asked_for():
    def gt() -> Session:
        return Session().insert(TASKS, task(1), 1)

    agent = gt().insert(COMMENTS, {"id": 1, "task_id": UUID(int=1), "body": "log"}, 1, derived=True)
    assert counts(run(gt(), agent)) == (1, 0, 0)
    assert counts(run(gt(), agent, ScoringConfig(include_derived=True))) == (1, 0, 1)


def test_a_row_that_a_cascade_removes_leaves_no_trace():
    agent = (
        Session()
        .insert(TASKS, task(1), 1)
        .insert(COMMENTS, {"id": 1, "task_id": UUID(int=1), "body": "x"}, 1)
        .delete(TASKS, task(1), 2)
        .delete(COMMENTS, {"id": 1, "task_id": UUID(int=1), "body": "x"}, 2, derived=True)
    )
    assert run(Session(), agent).struct == 1.0


def test_ignore():
    gt = Session().update(TASKS, task(1), 1, due=date(2026, 5, 1), title="x")
    agent = Session().update(TASKS, task(1), 1, due=date(2026, 5, 2), title="x")
    assert run(gt, agent, ScoringConfig(ignore={"tasks": ["due"]})).overall == 1.0
    assert run(gt, agent, ScoringConfig(ignore={"*": ["due"]})).overall == 1.0
    assert run(gt, agent, ScoringConfig(ignore={"public.tasks": ["*"]})).operations == []


def test_row_functions_see_translated_references():
    gt = Session().insert(TASKS, task(1, "One"), 1)
    gt.insert(COMMENTS, {"id": 1, "task_id": UUID(int=1), "body": "a"}, 1)
    agent = Session().insert(TASKS, task(2, "One"), 1)
    agent.insert(COMMENTS, {"id": 1, "task_id": UUID(int=2), "body": "b"}, 1)

    def same_task(gt_row, agent_row):
        assert gt_row["task_id"] == agent_row["task_id"]
        return 0.75

    result = run(gt, agent, ScoringConfig(comparators={"comments": same_task}))
    assert [(r.table, r.similarity) for r in result.matched] == [("tasks", 1.0), ("comments", 0.75)]


def test_application_made_text_keys_can_be_declared():
    notes = table("notes", {"id": "text", "body": "text"})
    gt = Session().insert(notes, {"id": "ck1", "body": "hello"}, 1)
    agent = Session().insert(notes, {"id": "ck2", "body": "hello"}, 1)
    assert score(gt.changes, agent.changes, [notes]).struct == 0.0
    assert score(gt.changes, agent.changes, [notes], ScoringConfig(generated_keys=frozenset({"notes"}))).struct == 1.0


def test_operations_follow_their_dependencies():
    """Operation 1 writes first, but also a comment on a task that operation 2 created."""
    agent = (
        Session()
        .update(TASKS, task(1), 1, title="x")
        .insert(TASKS, task(2), 2)
        .insert(COMMENTS, {"id": 1, "task_id": UUID(int=2), "body": "x"}, 1)
    )
    assert [o.id for o in run(agent, agent).operations] == [op(2), op(1)]


def test_bad_input():
    with pytest.raises(BadInput, match=r"public\.tasks"):
        score(Session().insert(TASKS, task(1), 1).changes, [], [LABELS])
    with pytest.raises(BadInput, match="profile"):
        ScoringConfig(profile="strict")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="floor"):
        ScoringConfig(floor=1.5)
    with pytest.raises(BadInput, match="weight"):
        ScoringConfig(weights={"structure": 1.0})


def test_to_dict_speaks_json():
    odd = table(
        "odd", {"id": "text", "price": "numeric", "data": "bytea", "at": "timestamp", "of": "uuid", "x": "jsonb"}
    )
    row = {"id": "a", "price": Decimal("1.50"), "data": b"\x00\xff", "at": datetime(2026, 1, 1), "of": UUID(int=1)}
    session = Session().insert(odd, row | {"x": {"n": float("inf")}}, 1)
    plain = json.loads(json.dumps(score(session.changes, session.changes, [odd]).to_dict(), allow_nan=False))
    found = plain["matched"][0]["agent"]
    assert (found["price"], found["data"], found["at"]) == ("1.50", "00ff", "2026-01-01T00:00:00")
    assert found["of"] == str(UUID(int=1))
