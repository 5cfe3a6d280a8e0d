"""Laws of the default profile on random sessions."""

from __future__ import annotations

import itertools
import random
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cowscore.model import Change, Column, ForeignKey, Table
from cowscore.scoring import ScoringConfig, metrics, orders, score
from cowscore.scoring.credit import shapley


def reference(table: str, column: str, target: str) -> ForeignKey:
    return ForeignKey(
        name=f"{table}_{column}_fkey", columns=(column,), ref_schema="public", ref_table=target, ref_columns=("id",)
    )


TASKS = Table(
    name="tasks",
    columns=(
        Column(name="id", type="uuid"),
        Column(name="title", type="text"),
        Column(name="done", type="boolean"),
        Column(name="parent_id", type="uuid"),
    ),
    key=("id",),
    foreign_keys=(reference("tasks", "parent_id", "tasks"),),
)
NOTES = Table(
    name="notes",
    columns=(
        Column(name="id", type="integer", identity="always"),
        Column(name="task_id", type="uuid"),
        Column(name="body", type="text"),
    ),
    key=("id",),
    foreign_keys=(reference("notes", "task_id", "tasks"),),
)
TAGS = Table(
    name="tags",
    columns=(Column(name="task_id", type="uuid"), Column(name="tag", type="text"), Column(name="n", type="integer")),
    key=("task_id", "tag"),
    foreign_keys=(reference("tags", "task_id", "tasks"),),
)
TABLES = [TASKS, NOTES, TAGS]
TEXTS = st.sampled_from(["", "red", "read", "blue", "a long title", "a longer title"])


@st.composite
def sessions(draw: st.DrawFn) -> list[Change]:
    """A consistent session over three tables: base tasks 1 to 3 exist, new rows may reference new and base tasks."""
    rows: dict[tuple[str, tuple[object, ...]], dict[str, object]] = {
        ("tasks", (uuid.UUID(int=n),)): {"id": uuid.UUID(int=n), "title": "base", "done": False, "parent_id": None}
        for n in (1, 2, 3)
    }
    changes: list[Change] = []
    fresh = draw(st.integers(100, 10_000))
    for seq in range(1, draw(st.integers(0, 10)) + 1):
        table = draw(st.sampled_from(TABLES))
        present = [key for name, key in rows if name == table.name]
        verb = draw(st.sampled_from(["insert", "update", "delete"])) if present else "insert"
        tasks = [key[0] for name, key in rows if name == "tasks"]
        values: dict[str, object] = {
            "id": uuid.UUID(int=fresh + seq) if table is TASKS else fresh + seq,
            "title": draw(TEXTS),
            "body": draw(TEXTS),
            "tag": draw(TEXTS),
            "n": draw(st.integers(0, 2)),
            "done": draw(st.booleans()),
            "parent_id": draw(st.sampled_from([None, *tasks])),
            "task_id": draw(st.sampled_from([None, *tasks])),
        }
        before = None if verb == "insert" else rows[table.name, draw(st.sampled_from(present))]
        after = None if verb == "delete" else {c.name: values[c.name] for c in table.columns}
        if before is not None and after is not None:
            after |= {c: before[c] for c in table.key}
        row = after if after is not None else before
        assert row is not None
        key = tuple(row[c] for c in table.key)
        held = [values.get(c) for values in rows.values() for c in ("parent_id", "task_id")]
        if (verb == "insert" and (table.name, key) in rows) or (verb == "delete" and key[0] in held):
            continue
        rows.pop((table.name, key), None)
        if after is not None:
            rows[table.name, key] = after
        operation = uuid.UUID(int=draw(st.integers(1, 4)))
        changes.append(
            Change(table=table.name, key=key, kind=verb, before=before, after=after, operation=operation, seq=seq)
        )
    return changes


def renamed(changes: list[Change]) -> list[Change]:
    """The same session with other generated keys."""

    def moved(value: object) -> object:
        return uuid.UUID(int=value.int + 10**6) if isinstance(value, uuid.UUID) and value.int > 3 else value

    def row(table: str, values: dict[str, object] | None) -> dict[str, object] | None:
        if values is None:
            return None
        plain = {c: moved(v) for c, v in values.items()}
        return plain | {"id": plain["id"] + 10**6} if table == "notes" else plain

    result = []
    for c in changes:
        before, after = row(c.table, c.before), row(c.table, c.after)
        key_columns = next(t.key for t in TABLES if t.name == c.table)
        key = tuple((after or before)[column] for column in key_columns)
        result.append(
            Change(table=c.table, key=key, kind=c.kind, before=before, after=after, operation=c.operation, seq=c.seq)
        )
    return result


@given(sessions(), sessions())
def test_scores_are_in_range_and_add_up(gt, agent):
    result = score(gt, agent, TABLES)
    counts = len(result.matched), len(result.missing), len(result.extra)
    assert result.struct == metrics.struct(*counts)
    for value in (result.struct, result.content, result.content_all, result.overall, result.efficiency):
        assert 0.0 <= value <= 1.0
    nothing = score(gt, [], TABLES).struct
    assert sum(o.struct_utility for o in result.operations) == pytest.approx(result.struct - nothing)
    assert sum(o.credit for o in result.operations) == pytest.approx(result.struct - nothing)


@given(sessions())
def test_the_same_work_under_other_generated_keys_is_perfect(session):
    result = score(session, renamed(session), TABLES)
    assert (result.struct, result.overall) == (1.0, 1.0)


@given(sessions(), sessions(), st.integers())
def test_the_order_of_input_changes_nothing(gt, agent, seed):
    shuffle = random.Random(seed)
    mixed = [shuffle.sample(side, len(side)) for side in (gt, agent, TABLES)]
    assert score(*mixed).to_dict() == score(gt, agent, TABLES).to_dict()


@given(
    st.lists(st.tuples(TEXTS, st.booleans()), max_size=4),
    st.lists(st.tuples(TEXTS, st.booleans()), max_size=4),
    st.sampled_from([0.0, 0.5, 0.9]),
)
def test_assignment_equals_brute_force(gt, agent, floor):
    def session(rows: list[tuple[str, bool]], start: int) -> list[Change]:
        result = []
        for i, (title, done) in enumerate(rows):
            row = {"id": uuid.UUID(int=start + i), "title": title, "done": done, "parent_id": None}
            result.append(
                Change(
                    table="tasks", key=(row["id"],), kind="insert", before=None, after=row,
                    operation=uuid.UUID(int=1), seq=i,
                )
            )  # fmt: skip
        return result

    config = ScoringConfig(floor=floor)
    ours, theirs = session(gt, 10), session(agent, 20)

    def alone(a: Change, b: Change) -> float:
        """Similarity of one pair, 0 where it is below the floor."""
        matched = score([a], [b], TABLES, config).matched
        return matched[0].similarity if matched else 0.0

    few, many = sorted((ours, theirs), key=len)
    best = max(
        sum(alone(*((a, b) if few is ours else (b, a))) for a, b in zip(few, chosen, strict=True))
        for chosen in itertools.permutations(many, len(few))
    )
    result = score(ours, theirs, TABLES, config)
    assert sum(row.similarity for row in result.matched) == pytest.approx(best)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[tuple[int, ...]]]:
    """Operations as (matched, extra) rows, and for each the earlier ones it needs."""
    rows = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6))
    needs = [tuple(j for j in range(i) if draw(st.integers(0, 3)) == 0) for i in range(len(rows))]
    return rows, needs


def credits_by_definition(rows, needs, expected) -> list[float]:
    """The marginal worth of each operation, averaged over all orders that respect what it needs."""

    def worth(members: tuple[int, ...]) -> float:
        matched, extra = (sum(rows[i][side] for i in members) for side in (0, 1))
        return metrics.struct(matched, expected - matched, extra)

    orders = [
        order
        for order in itertools.permutations(range(len(rows)))
        if all(order.index(n) < order.index(i) for i in order for n in needs[i])
    ]
    average = [0.0] * len(rows)
    for order in orders:
        for place, member in enumerate(order):
            average[member] += (worth(order[: place + 1]) - worth(order[:place])) / len(orders)
    return average


def credits(rows, needs, expected):
    operations = [uuid.UUID(int=i) for i in range(len(rows))]
    return list(
        shapley(
            dict(zip(operations, rows, strict=True)),
            expected,
            {o: tuple(operations[n] for n in need) for o, need in zip(operations, needs, strict=True)},
        ).values()
    )


@given(graphs(), st.integers(0, 3))
def test_shapley_equals_its_definition(graph, missing):
    rows, needs = graph
    expected = missing + sum(m for m, _ in rows)
    found = [c.value for c in credits(rows, needs, expected)]
    assert found == pytest.approx(credits_by_definition(rows, needs, expected), abs=1e-12)


@given(graphs())
@settings(max_examples=20)
def test_sampled_credit_adds_up_and_is_near_its_definition(graph):
    rows, needs = graph
    expected = sum(m for m, _ in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "STATES", 0)
        found = credits(rows, needs, expected)
    exact = credits_by_definition(rows, needs, expected)
    assert sum(c.value for c in found) == pytest.approx(sum(exact))
    for c, value in zip(found, exact, strict=True):
        assert abs(c.value - value) <= 6 * c.error + 0.01
