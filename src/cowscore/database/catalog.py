"""pg_catalog -> model: what a schema holds, and which of it a session can write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import psycopg
from psycopg.rows import dict_row

from cowscore.database.templates import read_sql
from cowscore.database.triggers import Trigger, left_to_commit, read_trigger
from cowscore.model import Action, Column, ForeignKey, Layout, Mode, Table, UniqueKey

_ACTIONS: dict[str, Action] = {
    "a": "no action",
    "r": "restrict",
    "c": "cascade",
    "n": "set null",
    "d": "set default",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A btree index to mirror on the changes table."""

    name: str
    columns: tuple[str | None, ...]
    """None for an expression."""
    elements: tuple[str, ...]
    """Each with collation, operator class and order, as CREATE INDEX takes it."""
    predicate: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A table of the application with everything that rendering needs."""

    oid: int
    table: Table
    mode: Mode
    reason: str
    """Why it has that mode, empty for a plain `session` table with nothing to tell."""
    indexes: tuple[Index, ...] = ()
    referenced_by: tuple[ForeignKey, ...] = ()
    """Foreign keys that point here; their `schema` and `table` say where they live."""
    checks: tuple[str, ...] = ()
    """Name and definition of every CHECK constraint."""
    not_valid: tuple[tuple[str, str], ...] = ()
    """Name and expression of every CHECK constraint that base rows may violate."""
    triggers: tuple[Trigger, ...] = ()
    """Its own, in the order in which they fire."""
    ref_oids: dict[str, int] = field(default_factory=dict)
    """Name of the foreign key -> oid of the table it refers to."""
    base_name: str = ""
    """What the table is called while a view has its name; empty where none has."""


def read_schema(
    conn: psycopg.Connection[Any],
    schema: str,
    exclude: Iterable[str] = (),
    *,
    layout: Layout = "overlay",
    renamed: Mapping[tuple[str, str], str] | None = None,
) -> tuple[Relation, ...]:
    """All tables of `schema`, in name order, each with its mode and the reason for it.

    `renamed`: (schema, name in the catalog) -> name, of the tables whose name a view has. Must run inside a
    transaction: it empties the search_path for its own duration, so that every expression prints with qualified names.
    Raises psycopg's InvalidSchemaName where the schema does not exist.
    """
    cursor = conn.cursor(row_factory=dict_row)
    previous = cursor.execute("select pg_catalog.current_setting('search_path') as path").fetchone()
    cursor.execute("select pg_catalog.set_config('search_path', '', true)")
    tables = cursor.execute(read_sql("catalog/tables"), {"schema": _quoted(conn, schema)}).fetchall()
    parameters = {"tables": [t["oid"] for t in tables]}
    columns = _grouped(cursor.execute(read_sql("catalog/columns"), parameters).fetchall(), "table_oid")
    indexes = _grouped(cursor.execute(read_sql("catalog/indexes"), parameters).fetchall(), "table_oid")
    foreign_keys = cursor.execute(read_sql("catalog/foreign_keys"), parameters).fetchall()
    triggers = _grouped(cursor.execute(read_sql("catalog/triggers"), parameters).fetchall(), "table_oid")
    cursor.execute("select pg_catalog.set_config('search_path', %s, true)", [previous["path"] if previous else ""])
    _call_by_their_names(schema, tables, foreign_keys, renamed or {})
    outgoing = _grouped(foreign_keys, "table_oid")
    incoming = _grouped(foreign_keys, "ref_oid")
    excluded = frozenset(exclude)
    parts = (columns, indexes, outgoing, incoming, triggers)
    return tuple(
        _relation(row, schema, (layout, excluded), *(part[row["oid"]] for part in parts))
        for row in sorted(tables, key=lambda t: str(t["name"]))
    )


def _call_by_their_names(
    schema: str,
    tables: list[dict[str, Any]],
    foreign_keys: list[dict[str, Any]],
    renamed: Mapping[tuple[str, str], str],
) -> None:
    for row in tables:
        row["base_name"] = row["name"] if (schema, row["name"]) in renamed else ""
        row["name"] = renamed.get((schema, row["name"]), row["name"])
    for row in foreign_keys:
        for end in ("table", "ref"):
            place, called = f"{end}_schema", "table_name" if end == "table" else "ref_table"
            row[called] = renamed.get((row[place], row[called]), row[called])


def _relation(
    row: dict[str, Any],
    schema: str,
    choices: tuple[Layout, frozenset[str]],
    columns: list[dict[str, Any]],
    indexes: list[dict[str, Any]],
    outgoing: list[dict[str, Any]],
    incoming: list[dict[str, Any]],
    trigger_rows: list[dict[str, Any]],
) -> Relation:
    cols = tuple(_column(c) for c in columns)
    unique_keys = tuple(_unique_key(i) for i in indexes if i["is_unique"] or i["is_exclusion"])
    table = Table(
        schema=schema,
        name=row["name"],
        columns=cols,
        key=_identifying_key(cols, unique_keys),
        unique_keys=unique_keys,
        foreign_keys=tuple(_foreign_key(f) for f in outgoing),
    )
    triggers = tuple(read_trigger(t, has_key=bool(table.key)) for t in trigger_rows)
    mode, reason = _mode(row, table, choices, triggers)
    return Relation(
        oid=row["oid"],
        table=table,
        mode=mode,
        reason=reason,
        indexes=tuple(_index(i) for i in indexes if i["method"] == "btree"),
        referenced_by=tuple(_foreign_key(f) for f in incoming),
        checks=tuple(row["checks"]),
        not_valid=tuple((n, e) for n, e in row["not_valid"]),
        triggers=triggers,
        ref_oids={f["name"]: f["ref_oid"] for f in outgoing},
        base_name=row["base_name"],
    )


def _mode(
    row: dict[str, Any], table: Table, choices: tuple[Layout, frozenset[str]], triggers: tuple[Trigger, ...]
) -> tuple[Mode, str]:
    layout, excluded = choices
    if table.name in excluded:
        return "excluded", "excluded by request"
    refusals = (
        (row["is_partition"], "a partition: sessions go through the partitioned table"),
        (row["kind"] == "f", "a foreign table"),
        (row["row_security"], "row level security: a session would see every row"),
        (row["inherits"] or row["is_inherited"], "table inheritance: rows of the children cannot be told apart"),
        (row["has_rules"], "rewrite rules would not apply in a session"),
        (not row["readable"], "the installing role may not read it"),
        (any(c.name.startswith("_cow_") for c in table.columns), "a column name starts with _cow_"),
        (not table.columns, "no columns"),
        (row["has_row_check"], "a CHECK over the whole row, which other columns beside it would change"),
    )
    for applies, reason in refusals + (_refusals_in_place(table, triggers) if layout == "in_place" else ()):
        if applies:
            return "excluded", reason
    if not table.key:
        return (
            "insert_only",
            "no primary key and no unique key over NOT NULL columns: base rows can be read, not changed",
        )
    return "session", left_to_commit(triggers)


def _refusals_in_place(table: Table, triggers: tuple[Trigger, ...]) -> tuple[tuple[bool, str], ...]:
    """Where production would do something else through a view: row by row, and with every column set."""
    enabled = [t for t in triggers if t.enabled]
    settable = [c for c in table.columns if not c.generated and c.identity != "always"]
    return (
        (not table.key, "no key: in place, production's UPDATE and DELETE could not find its rows"),
        (not settable, "in place, there is no column for an UPDATE to set"),
        (any(not t.row for t in enabled), "a statement trigger: in place, it would fire for each row of production"),
        (any(t.columns for t in enabled), "a trigger of UPDATE OF: in place, every UPDATE of production would fire it"),
    )


def _identifying_key(columns: tuple[Column, ...], unique_keys: tuple[UniqueKey, ...]) -> tuple[str, ...]:
    required = {c.name for c in columns if c.not_null and c.generated != "virtual"}
    usable = [
        u for u in unique_keys if u.columns and not u.predicate and not u.exclusion and required.issuperset(u.columns)
    ]
    usable.sort(key=lambda u: (not u.primary, u.deferrable, len(u.columns)))
    return usable[0].columns if usable else ()


def _column(row: dict[str, Any]) -> Column:
    generated = {"s": "stored", "v": "virtual"}.get(row["generated"], "")
    return Column(
        name=row["name"],
        number=row["number"],
        type=row["type"],
        not_null=row["not_null"],
        default=None if generated else row["expression"],
        identity=cast(Any, {"a": "always", "d": "by default"}.get(row["identity"], "")),
        generated=cast(Any, generated),
        generated_as=row["expression"] if generated else None,
        sequence=row["sequence"],
        equality=row["equality"],
    )


def _unique_key(row: dict[str, Any]) -> UniqueKey:
    plain = all(row["columns"])
    return UniqueKey(
        name=row["name"],
        columns=tuple(row["columns"]) if plain else (),
        expressions=tuple(row["elements"]),
        operators=tuple(row["operators"]),
        predicate=row["predicate"],
        primary=row["is_primary"],
        constraint=row["is_constraint"],
        exclusion=row["is_exclusion"],
        nulls_not_distinct=row["nulls_not_distinct"],
        deferrable=row["deferrable"],
        initially_deferred=row["initially_deferred"],
    )


def _index(row: dict[str, Any]) -> Index:
    parts = zip(row["columns"], row["elements"], row["qualifiers"], row["orders"], strict=True)
    return Index(
        name=row["name"],
        columns=tuple(row["columns"]),
        elements=tuple(
            (element if column else f"({element})") + qualifier + order for column, element, qualifier, order in parts
        ),
        predicate=row["predicate"],
    )


def _foreign_key(row: dict[str, Any]) -> ForeignKey:
    return ForeignKey(
        name=row["name"],
        schema=row["table_schema"],
        table=row["table_name"],
        columns=tuple(row["columns"]),
        ref_schema=row["ref_schema"],
        ref_table=row["ref_table"],
        ref_columns=tuple(row["ref_columns"]),
        operators=tuple(row["operators"]),
        on_update=_ACTIONS[row["on_update"]],
        on_delete=_ACTIONS[row["on_delete"]],
        set_columns=tuple(row["set_columns"]),
        match_full=row["match_full"],
        deferrable=row["deferrable"],
        initially_deferred=row["initially_deferred"],
    )


def _grouped(rows: list[dict[str, Any]], column: str) -> defaultdict[int, list[dict[str, Any]]]:
    groups: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def _quoted(conn: psycopg.Connection[Any], name: str) -> str:
    return psycopg.sql.Identifier(name).as_string(conn)
