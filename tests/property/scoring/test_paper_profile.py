"""The paper profile against the published library itself, on random schemas and sessions."""

from __future__ import annotations

import asyncio
import math
import uuid
from datetime import date, datetime, timedelta
from decimal import Decimal

import agentcow.scoring.compare
import pytest
from agentcow.scoring import CowWrite, TableMeta, f1, get_session_operations, precision, recall, score_sessions
from hypothesis import given
from hypothesis import strategies as st

from cowscore.model import Change, Column, ForeignKey, Table
from cowscore.scoring import ScoringConfig, score

EPOCH = datetime(2026, 1, 1)
LONG = ["ab" * 110, "ba" * 110 + "c", "abc " * 60]
"""Where difflib's heuristic for frequent characters sets in, and its blocks differ from an edit distance."""
WORDS = st.one_of(st.sampled_from(["todo", "done", *LONG]), st.text(alphabet="abc", max_size=8))
VALUES = {
    "text": WORDS,
    "character varying(300)": WORDS,
    "boolean": st.booleans(),
    "integer": st.integers(0, 3),
    "numeric(8,2)": st.sampled_from([Decimal("1.0"), Decimal("1"), Decimal("2.50")]),
    "jsonb": st.sampled_from([{}, {"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, {"a": 1.0}, [1], "x"]),
    "date": st.sampled_from([date(2026, 5, 1), date(2026, 6, 1)]),
    "timestamp with time zone": st.sampled_from([EPOCH, EPOCH + timedelta(days=1)]),
    "time without time zone": st.sampled_from([EPOCH.time(), (EPOCH + timedelta(hours=1)).time()]),
    "text[]": st.sampled_from([["a"], ["a", "b"]]),
}
TYPES = st.one_of(st.just("text"), st.sampled_from(sorted(VALUES)))
KEYS = {
    "uuid": st.integers(1, 6).map(lambda n: uuid.UUID(int=n)),
    "integer": st.integers(1, 6),
    "text": st.sampled_from(["T-1", "T-2", "T-3", "T-4"]),
}
NAMES = ["title", "note", "created_at", "updated_at", "timestamp", "seen_timestamp", "due", "deleted_at", "rank"]


@st.composite
def schemas(draw: st.DrawFn) -> list[Table]:
    """Up to three tables; later ones may reference earlier ones and themselves, one may have a composite key."""
    tables: list[Table] = []
    for name in ["a_list", "b_item", "c_link"][: draw(st.integers(1, 3))]:
        own = draw(st.sampled_from(sorted(KEYS)))
        columns = [Column(name="id", type=own)]
        keys = []
        for target in [*tables, None]:
            if draw(st.booleans()):
                kind = own if target is None else target.columns[0].type
                column = f"{'parent' if target is None else target.name}_id"
                columns.append(Column(name=column, type=kind))
                keys.append(
                    ForeignKey(
                        name=f"{name}_{column}",
                        columns=(column,),
                        ref_schema="public",
                        ref_table=name if target is None else target.name,
                        ref_columns=("id",),
                    )
                )
        for column in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
            columns.append(Column(name=column, type=draw(TYPES)))
        key = ("id", columns[1].name) if len(columns) > 1 and keys and draw(st.booleans()) else ("id",)
        tables.append(Table(name=name, columns=tuple(columns), key=key, foreign_keys=tuple(keys)))
    return tables


@st.composite
def sessions(draw: st.DrawFn, tables: list[Table]) -> list[Change]:
    """Up to a dozen writes by up to five operations, which may come back to a row and interleave."""
    operations = [uuid.uuid5(uuid.NAMESPACE_OID, str(n)) for n in range(5)]
    changes: list[Change] = []
    current: dict[tuple[str, object], dict[str, object] | None] = {}
    for seq in range(1, draw(st.integers(0, 12)) + 1):
        table = draw(st.sampled_from(tables))
        row = {}
        for column in table.columns:
            references = any(column.name in key.columns for key in table.foreign_keys)
            values = KEYS[column.type] if column.name == "id" or references else VALUES[column.type]
            row[column.name] = draw(values if column.name in table.key else st.one_of(st.none(), values))
        key = tuple(row[c] for c in table.key)
        base = row if draw(st.booleans()) else None
        before = current.get((table.name, key), base)
        after = None if before is not None and draw(st.integers(0, 3)) == 0 else row
        current[table.name, key] = after
        changes.append(
            Change(
                table=table.name,
                key=key,
                kind="delete" if after is None else "update" if before else "insert",
                before=before,
                after=after,
                operation=draw(st.sampled_from(operations)),
                seq=seq,
            )
        )
    return changes


def changes_tables(changes: list[Change], tables: list[Table]) -> list[CowWrite]:
    """What the library would read back: one row per operation and key, the last written, table by table, by time."""
    rows: dict[tuple[object, ...], CowWrite] = {}
    for change in changes:
        row = change.after if change.after is not None else change.before
        assert row is not None
        table = next(t for t in tables if t.name == change.table)
        rows[change.operation, change.table, change.key] = CowWrite.from_row(
            change.table,
            dict(row)
            | {
                "session_id": uuid.UUID(int=0),
                "operation_id": change.operation,
                "_cow_deleted": change.after is None,
                "_cow_updated_at": EPOCH + timedelta(seconds=change.seq),
            },
            list(table.key),
        )
    return sorted(rows.values(), key=lambda row: (row.table_name, row.updated_at))


def metadata(tables: list[Table]) -> dict[str, TableMeta]:
    """The library's view of the tables, types as information_schema spells them."""
    spelled = {"character varying(300)": "character varying", "numeric(8,2)": "numeric", "text[]": "ARRAY"}
    return {
        table.name: TableMeta(
            pk_columns=set(table.key),
            fk_columns={c for key in table.foreign_keys for c in key.columns},
            column_types={c.name: spelled.get(c.type, c.type) for c in table.columns},
        )
        for table in tables
    }


@pytest.fixture(autouse=True, scope="module")
def exact_sums():
    """The library adds similarities in the order of a set of strings, which differs from run to run by a rounding
    error that can decide between equals; exactly rounded sums leave everything else as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agentcow.scoring.compare, "sum", math.fsum, raising=False)
        yield


@given(st.data())
def test_equals_the_published_library(data: st.DataObject) -> None:
    tables = data.draw(schemas())
    gt, agent = data.draw(sessions(tables)), data.draw(sessions(tables))
    rows_gt, rows_agent = changes_tables(gt, tables), changes_tables(agent, tables)
    theirs = asyncio.run(score_sessions(rows_gt, rows_agent, metadata(tables)))
    ours = score(gt, agent, tables, ScoringConfig.paper())

    counts = {key: theirs.counts[key] for key in ("matched", "missing", "extra")}
    assert {"matched": len(ours.matched), "missing": len(ours.missing), "extra": len(ours.extra)} == counts
    assert [o.id for o in ours.operations] == get_session_operations(rows_agent)
    assert ours.gt_operations == theirs.counts["gt_ops"]
    assert ours.struct == theirs.struct_score
    assert ours.content == pytest.approx(theirs.content_score, abs=1e-12)
    assert {o.id: o.struct_utility for o in ours.operations} == theirs.op_struct_scores
    content = {o.id: o.content_utility for o in ours.operations if o.content_utility is not None}
    assert content == pytest.approx(theirs.op_content_scores, abs=1e-12)
    assert ours.efficiency == theirs.efficiency
    assert (ours.precision, ours.recall, ours.f1) == (precision(theirs), recall(theirs), f1(theirs))


@given(st.data())
def test_equals_it_with_row_functions(data: st.DataObject) -> None:
    tables = data.draw(schemas())
    gt, agent = data.draw(sessions(tables)), data.draw(sessions(tables))

    def same_references(gt_row: dict[str, object], agent_row: dict[str, object]) -> float:
        assert gt_row.get("title") == agent_row.get("title")
        shared = [c for c in gt_row if c.endswith("_id")]
        return 2.0 * sum(gt_row[c] == agent_row[c] for c in shared) / max(1, len(shared))

    functions = {tables[0].name: same_references}
    rows = changes_tables(gt, tables), changes_tables(agent, tables)
    theirs = asyncio.run(score_sessions(*rows, metadata(tables), row_similarity=functions))
    ours = score(gt, agent, tables, ScoringConfig(profile="paper", comparators=functions))
    assert ours.struct == theirs.struct_score
    assert ours.content == pytest.approx(theirs.content_score, abs=1e-12)
