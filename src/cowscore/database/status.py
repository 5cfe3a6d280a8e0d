"""The registry of enabled schemas, and how the overlay in the database compares with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import psycopg
from psycopg.rows import dict_row

from cowscore.database import control
from cowscore.database.application_views import ApplicationView, read_views
from cowscore.database.catalog import Relation, read_schema
from cowscore.database.names import SchemaNames
from cowscore.database.render import Rendered, Setting, render
from cowscore.database.templates import name, read_sql
from cowscore.errors import NotInstalled
from cowscore.model import Layout, Mode

State = Literal["current", "outdated", "drifted", "read_only"]
WRITABLE = ("session", "insert_only")
"""Modes of tables that a session can write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatus:
    """The state of one table's overlay."""

    schema: str
    table: str
    state: State
    mode: Mode
    reason: str = ""


def status(conn: psycopg.Connection[Any]) -> tuple[TableStatus, ...]:
    """The state of every table of every enabled schema, in name order. Raises NotInstalled where there is none."""
    with conn.transaction():
        rows = registry(conn)
        renamed = in_place(conn)
        result: list[TableStatus] = []
        for schema in sorted({r["schema_name"] for r in rows}):
            registered = {r["table_name"]: r for r in rows if r["schema_name"] == schema}
            first = next(iter(registered.values()))
            layout: Layout = first["layout"]
            try:
                relations = read_schema(conn, schema, first["excluded"], layout=layout, renamed=renamed)
            except psycopg.errors.InvalidSchemaName:
                relations = ()
            seen = writable_tables(conn, relations)
            own = views_in_place(conn, schema)
            views = read_views(conn, schema, seen, layout=layout, own=own) if relations else ()
            rendered = render_all(conn, relations)
            by_name = {r.table.name: r for r in relations}
            by_oid = {r.oid: r.table.name for r in relations}
            view_names = {v.name for v in views}
            result += [view_status(conn, v, registered.get(v.name)) for v in views]
            for table in (registered.keys() | by_name.keys()) - view_names:
                row = registered.get(table)
                entry = table_status(conn, schema, table, row, by_name.get(table), rendered)
                if row and table not in by_name and row["table_oid"] in by_oid:
                    entry = replace(entry, reason=f"it was renamed to {by_oid[row['table_oid']]}; enable again")
                result.append(entry)
        result.sort(key=lambda entry: (entry.schema, entry.table))
        return tuple(result)


def registry(conn: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    """One row per table of the enabled schemas. Raises NotInstalled where there is no control schema."""
    if not control.installed_version(conn):
        raise NotInstalled("this database has no cowscore schema; run `cowscore enable` first")
    return conn.cursor(row_factory=dict_row).execute(read_sql("catalog/registry")).fetchall()


def in_place(conn: psycopg.Connection[Any]) -> dict[tuple[str, str], str]:
    """(schema, what the table is called) -> its own name, which an overlay view has."""
    if not control.installed_version(conn):
        return {}
    return {(schema, base): table for schema, table, base in conn.execute(read_sql("catalog/in_place")).fetchall()}


def views_in_place(conn: psycopg.Connection[Any], schema: str) -> dict[str, str]:
    """Tables of `schema` whose name an overlay view has -> what each is called."""
    return {table: base for (s, base), table in in_place(conn).items() if s == schema}


def writable_tables(conn: psycopg.Connection[Any], relations: tuple[Relation, ...]) -> dict[tuple[str, str], str]:
    """(schema, table) of what sessions can write -> `base_name`: of `relations`, and of the other enabled schemas."""
    schemas = {r.table.schema for r in relations}
    here = {(r.table.schema, r.table.name): r.base_name for r in relations if r.mode in WRITABLE}
    if not control.installed_version(conn):
        return here
    others = {
        (r["schema_name"], r["table_name"]): r.get("base_name") or ""
        for r in registry(conn)
        if r["enabled"] and r["mode"] in WRITABLE and r["schema_name"] not in schemas
    }
    return here | others


def settings(conn: psycopg.Connection[Any], relations: tuple[Relation, ...]) -> tuple[Setting, ...]:
    """What rendering needs, for each table of `relations` that a session can write."""
    writable = writable_tables(conn, relations)
    return tuple(Setting(r, writable, conn.info.server_version) for r in relations if r.mode in WRITABLE)


def render_all(conn: psycopg.Connection[Any], relations: tuple[Relation, ...]) -> dict[str, Rendered]:
    """The SQL of every writable table, by its name."""
    return {s.relation.table.name: render(s) for s in settings(conn, relations)}


def is_current(
    conn: psycopg.Connection[Any],
    schema: str,
    relations: tuple[Relation, ...],
    rendered: Mapping[str, Rendered],
    bookkeeping: Iterable[str],
    views: tuple[ApplicationView, ...],
    layout: Layout,
) -> bool:
    """True where an enable would change nothing."""
    marked = set(bookkeeping)
    registered = {r["table_name"]: r for r in registry(conn) if r["schema_name"] == schema}
    if registered.keys() != {*(r.table.name for r in relations), *(v.name for v in views)}:
        return False
    if any(r["layout"] != layout for r in registered.values()):
        return False
    if not all(view_status(conn, v, registered[v.name]).state in ("current", "read_only") for v in views):
        return False
    return all(
        registered[r.table.name]["mode"] == r.mode
        and registered[r.table.name]["bookkeeping"] == (r.table.name in marked)
        and table_status(conn, schema, r.table.name, registered[r.table.name], r, rendered).state
        in ("current", "read_only")
        for r in relations
    )


def view_status(conn: psycopg.Connection[Any], view: ApplicationView, row: dict[str, Any] | None) -> TableStatus:
    """The state of the twin of a view of the application."""
    mode: Mode = "view" if view.statement else "excluded"
    state: State = "current" if view.writable else "read_only"
    reason = view.reason
    if row is None:
        state, reason = "outdated", "new since enable; enable again"
    elif view.twin and not exists(conn, SchemaNames(view.schema).view, view.name):
        state, reason = "drifted", "its twin in the overlay is gone; enable again"
    elif row["digest"] != view.digest:
        state, reason = "outdated", "its definition changed since enable; enable again"
    return TableStatus(schema=view.schema, table=view.name, state=state, mode=mode, reason=reason)


def table_status(
    conn: psycopg.Connection[Any],
    schema: str,
    table: str,
    row: dict[str, Any] | None,
    relation: Relation | None,
    rendered: Mapping[str, Rendered],
) -> TableStatus:
    """The state of one table from its registry row, its definition now, and the SQL that would be rendered now."""
    if row is None:
        mode = relation.mode if relation else "excluded"
        return TableStatus(
            schema=schema, table=table, state="outdated", mode=mode, reason="new since enable; enable again"
        )
    mode = row["mode"]
    if relation is None:
        return TableStatus(schema=schema, table=table, state="drifted", mode=mode, reason="it was dropped; enable")
    if mode == "excluded" and relation.mode == "excluded":
        return TableStatus(schema=schema, table=table, state="read_only", mode=mode, reason=row["reason"])
    names = SchemaNames(schema)
    views = schema if relation.base_name else names.view
    for place, what in ((views, "overlay view"), (names.changes, "changes table")):
        if not exists(conn, place, table):
            return TableStatus(
                schema=schema, table=table, state="drifted", mode=mode, reason=f"its {what} is gone; enable again"
            )
    if table not in rendered or rendered[table].digest != row["digest"] or relation.oid != row["table_oid"]:
        reason = "its definition changed since enable; enable again"
        return TableStatus(schema=schema, table=table, state="outdated", mode=mode, reason=reason)
    state: State = "read_only" if mode == "insert_only" else "current"
    return TableStatus(schema=schema, table=table, state=state, mode=mode, reason=row["reason"])


def exists(conn: psycopg.Connection[Any], schema: str, table: str) -> bool:
    """True where the schema has a relation of that name."""
    qualified = name(schema, table).as_string(None)
    row = conn.execute("select pg_catalog.to_regclass(%s) is not null", [qualified]).fetchone()
    return bool(row and row[0])
