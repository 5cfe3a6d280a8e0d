"""The one statement that carries versions from a changes table put aside into the new one, column by column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from cowscore.database.catalog import Relation
from cowscore.database.columns import conjunction, of
from cowscore.database.names import SchemaNames
from cowscore.database.render import Place
from cowscore.database.templates import Fragment, fill, joined, name, raw, read_sql
from cowscore.model import Column, Table


class OldColumn(NamedTuple):
    """A column of the application's as a changes table put aside has it."""

    name: str
    type: str
    number: int
    """Of the column in base, 0 where it is not known."""
    key: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """A changes table that was put aside."""

    kept_name: str
    place: sql.Identifier
    table: str
    """The name of its table at the time."""
    columns: tuple[OldColumn, ...]
    numbered: bool
    """True where column numbers of then still count."""
    given: sql.Identifier | None = None
    """The table of rows as statements gave them, put aside with it; None where no trigger could change them."""

    def source(self, column: Column) -> OldColumn | None:
        """The column that this one was; None where it was added since. A number survives a rename, a name a restore."""
        if self.numbered:
            return next((c for c in self.columns if c.number == column.number), None)
        return next((c for c in self.columns if c.name == column.name), None)


def shape_of(table: Table) -> str:
    """What the registry keeps of a table, as JSON."""
    columns = [{"number": c.number, "name": c.name, "key": c.name in table.key} for c in table.columns]
    return as_json({"columns": columns})


def as_json(value: Any) -> str:
    """JSON with its names in order."""
    return json.dumps(value, sort_keys=True)


def columns_of(conn: psycopg.Connection[Any], place: str, shape: Mapping[str, Any]) -> tuple[OldColumn, ...]:
    """The application's columns of a changes table, with the numbers that they had in base."""
    known = {c["name"]: c for c in shape.get("columns", ())}
    rows = conn.cursor(row_factory=dict_row).execute(read_sql("catalog/changes_columns"), {"changes": place}).fetchall()
    return tuple(
        OldColumn(
            r["name"], r["type"], known.get(r["name"], {}).get("number", 0), known.get(r["name"], {}).get("key", False)
        )
        for r in rows
    )


def carry(
    conn: psycopg.Connection[Any],
    names: SchemaNames,
    kept: Kept,
    target: Relation,
    using: Mapping[str, str],
    sessions: Iterable[UUID],
) -> str:
    """The statement. Raises psycopg's errors where a column's old type leads by no cast to its new one."""
    place = Place(names.schema, target.table.name, target.base_name)
    stored = [c for c in target.table.columns if not c.generated]
    added = [c for c in stored if kept.source(c) is None and f"{target.table.name}.{c.name}" not in using]
    values = [_value(conn, kept, target, column, using) for column in stored]
    defaults = [
        sql.SQL(", ({}) as {}").format(_missing(conn, target, c), name(f"_cow_fresh_{c.number}")) for c in added
    ]
    return fill(
        "table/carry",
        base=place.base,
        changes=place.changes,
        kept=kept.place,
        sessions=sql.SQL("{}::uuid[]").format(sql.Literal(list(sessions))),
        columns=sql.Composed([sql.SQL("{}, ").format(name(c.name)) for c in stored]),
        values=sql.Composed([sql.SQL("{}, ").format(v) for v in values]),
        defaults=sql.Composed(defaults),
        base_is_row=_base_is_row(kept, target) if added else raw("false"),
    )


def carry_given(
    conn: psycopg.Connection[Any],
    kept: Kept,
    kept_given: sql.Identifier,
    target: Relation,
    using: Mapping[str, str],
    sessions: Iterable[UUID],
) -> str:
    """The statement that follows `carry` where BEFORE triggers may have changed what statements gave."""
    place = Place(target.table.schema, target.table.name)
    stored = [c for c in target.table.columns if not c.generated]
    values = [
        of("c", c.name)
        if kept.source(c) is None and f"{target.table.name}.{c.name}" not in using
        else _value(conn, kept, target, c, using)
        for c in stored
    ]
    return fill(
        "table/carry_given",
        given=place.given,
        changes=place.changes,
        kept_given=kept_given,
        sessions=sql.SQL("{}::uuid[]").format(sql.Literal(list(sessions))),
        columns=sql.Composed([sql.SQL("{}, ").format(name(c.name)) for c in stored]),
        values=sql.Composed([sql.SQL("{}, ").format(v) for v in values]),
    )


def _value(
    conn: psycopg.Connection[Any], kept: Kept, target: Relation, column: Column, using: Mapping[str, str]
) -> Fragment:
    given = using.get(f"{target.table.name}.{column.name}")
    if given is not None:
        row = joined(", ", [of("v", c.name) for c in kept.columns])
        return sql.SQL("(select ({}) from (select {}) _cow_version)").format(raw(given), row)
    source = kept.source(column)
    if source is None:
        return sql.SQL("case when b.tableoid is null then f.{} else {} end").format(
            name(f"_cow_fresh_{column.number}"), of("b", column.name)
        )
    if source.type == column.type:
        return of("v", source.name)
    return _converted(conn, kept, target, column, source)


def _converted(
    conn: psycopg.Connection[Any], kept: Kept, target: Relation, column: Column, source: OldColumn
) -> Fragment:
    """As ALTER TYPE does it: by assignment, which refuses what would be cut off; else by cast; else as text."""
    value, new = of("v", source.name), raw(column.type)
    ways = (value, sql.SQL("{}::{}").format(value, new), sql.SQL("{}::pg_catalog.text::{}").format(value, new))
    for way in ways[:-1]:
        probe = sql.SQL("explain insert into {} ({}) select {} from {} v").format(
            Place(target.table.schema, target.table.name).changes, name(column.name), way, kept.place
        )
        try:
            with conn.transaction():
                conn.execute(probe)
            return way
        except (psycopg.errors.DatatypeMismatch, psycopg.errors.CannotCoerce):
            continue
    return ways[-1]


def _missing(conn: psycopg.Connection[Any], target: Relation, column: Column) -> Fragment:
    """What PostgreSQL gave rows that were there before the column: evaluated once, or anew for every row."""
    row = conn.execute(read_sql("catalog/missing_value"), {"table": target.oid, "number": column.number}).fetchone()
    if row and row[0] is not None and not column.type.endswith("]"):
        return sql.SQL("({}::{}[])[1]").format(sql.Literal(row[0]), raw(column.type))
    if column.identity and column.sequence:
        return sql.SQL("pg_catalog.nextval({}::pg_catalog.regclass)").format(sql.Literal(column.sequence))
    # The row is named so that a volatile default is evaluated for each.
    return raw(column.default) if column.default is not None else sql.SQL("null::{}").format(raw(column.type))


def _base_is_row(kept: Kept, target: Relation) -> Fragment:
    """`b` is the row of base that the version's base image was taken of."""
    tests: list[Fragment] = []
    keys = [c for c in kept.columns if c.key]
    for old in keys or [c for c in kept.columns if c.name in target.table.key]:
        column = next((c for c in target.table.columns if kept.source(c) == old), None)
        if column is None:
            return raw("false")
        tests.append(
            sql.SQL("{} {} {}::{}").format(
                of("b", column.name), raw(column.equality), of("o", old.name), raw(column.type)
            )
        )
    return conjunction(tests) if tests else raw("false")
