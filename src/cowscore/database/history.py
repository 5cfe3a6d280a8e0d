"""Reading a session's versions back as typed values, and folding them into a diff."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from cowscore.database.columns import names
from cowscore.database.names import SchemaNames
from cowscore.database.templates import name, read_sql
from cowscore.model import Change, Kind, Row, RowDiff, Table

_KINDS: dict[str, Kind] = {"I": "insert", "U": "update", "D": "delete"}

Version = tuple[int, Change]
"""Number of the row (constant over the versions of one row, a changed key included) and the change."""


def read_versions(conn: psycopg.Connection[Any], session: UUID, tables: Iterable[Table]) -> list[Version]:
    """Every written version of the session in the order of writing."""
    versions: list[Version] = []
    for table in tables:
        columns = [c.name for c in table.columns]
        query = sql.SQL(read_sql("catalog/versions")).format(
            changes=name(SchemaNames(table.schema).changes, table.name),
            after=names(columns, "c"),
            before=names(columns, "o"),
        )
        for row in conn.execute(query, {"session": session}):
            versions.append(_version(table, columns, row))
    versions.sort(key=lambda v: v[1].seq)
    return versions


def _version(table: Table, columns: Sequence[str], row: Sequence[Any]) -> Version:
    seq, entity, code, operation, derived = row[:5]
    kind = _KINDS[code]
    written = dict(zip(columns, row[5 : 5 + len(columns)], strict=True))
    before = dict(zip(columns, row[5 + len(columns) :], strict=True))
    change = Change(
        schema=table.schema,
        table=table.name,
        key=tuple(written[c] for c in table.key or columns),
        kind=kind,
        before=None if kind == "insert" else before,
        after=None if kind == "delete" else written,
        operation=operation,
        seq=seq,
        derived=derived,
    )
    return entity, change


def fold(versions: Iterable[Version], tables: Iterable[Table]) -> tuple[RowDiff, ...]:
    """Net change of every row, in the order of first touch. Rows that end as they began leave no trace."""
    keys = {(t.schema, t.name): t.key for t in tables}
    rows: dict[tuple[str, str, int], list[Change]] = {}
    for entity, change in versions:
        rows.setdefault((change.schema, change.table, entity), []).append(change)
    diffs = (_net(changes, keys[changes[0].schema, changes[0].table]) for changes in rows.values())
    return tuple(d for d in diffs if d is not None)


def _net(changes: list[Change], key: tuple[str, ...]) -> RowDiff | None:
    before, after = changes[0].before, changes[-1].after
    columns = _changed_columns(before, after)
    if (before is None and after is None) or (before is not None and after is not None and not columns):
        return None
    kind: Kind = "insert" if before is None else "delete" if after is None else "update"
    return RowDiff(
        schema=changes[0].schema,
        table=changes[0].table,
        key=tuple(before[c] for c in key) if before is not None and key else changes[-1].key,
        kind=kind,
        before=before,
        after=after,
        columns=columns,
        operations=tuple(dict.fromkeys(c.operation for c in changes)),
        derived=all(c.derived for c in changes),
    )


def _changed_columns(before: Row | None, after: Row | None) -> tuple[str, ...]:
    if after is None:
        return ()
    if before is None:
        return tuple(after)
    return tuple(c for c in after if after[c] != before[c])
