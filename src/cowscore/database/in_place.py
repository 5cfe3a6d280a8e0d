"""The layout `in_place`: a table makes way for the overlay view, which takes its name, and gets it back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from cowscore.database import control
from cowscore.database.application_views import defined
from cowscore.database.carry import Script
from cowscore.database.catalog import Relation
from cowscore.database.names import AGENT_ROLE, base_name, shortened
from cowscore.database.status import WRITABLE, views_in_place
from cowscore.database.templates import name, raw, read_sql
from cowscore.errors import InstallError

_CALLED_IN_PRODUCTION = (
    "session()",
    "reader()",
    "dear_row()",
    "dear_pair()",
    "require_carried(uuid)",
    "skips_duplicates()",
    "overrides(text)",
)


def named(conn: psycopg.Connection[Any], schema: str, relations: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """The relations, each that sessions can write with the name that its table has, or will have."""
    rows = conn.execute(read_sql("catalog/taken_names"), {"schema": name(schema).as_string(None)}).fetchall()
    taken = {r[0] for r in rows}
    result = []
    for relation in relations:
        if relation.mode in WRITABLE and not relation.base_name:
            relation = replace(relation, base_name=base_name(relation.table.name, taken))
            taken.add(relation.base_name)
        result.append(relation)
    return tuple(result)


def require_rights(conn: psycopg.Connection[Any], relations: Iterable[Relation]) -> None:
    """Raises InstallError where a role could do less through the view than it can on the table."""
    names_of = {r.oid: r.table.name for r in relations if r.mode in WRITABLE}
    for row in _rights(conn, names_of):
        if row["column"] is not None and row["right"] != "SELECT":
            raise InstallError(
                f"{row['role']} may {row['right']} only column {row['column']} of {names_of[row['table_oid']]}, but in "
                "place every write sets all columns; grant it on the table, exclude the table, or use layout overlay"
            )
    found = conn.execute(read_sql("catalog/unusable_identities"), {"tables": list(names_of)}).fetchone()
    if found:
        raise InstallError(
            f"{found[0]} may insert into a table but not draw from the sequence of its identity column, which in place "
            f"it has to; grant usage on sequence {found[1]} to it, or use layout overlay"
        )


def make_way(script: Script, relations: Iterable[Relation]) -> None:
    """Renames every table whose name a view will have."""
    for r in relations:
        if r.mode in WRITABLE:
            script.compose(
                "alter table {table} rename to {base}",
                table=name(r.table.schema, r.table.name),
                base=name(r.base_name),
            )


def take_over(conn: psycopg.Connection[Any], script: Script, schema: str, relations: Iterable[Relation]) -> None:
    """Lets production use the overlay views as it used the tables."""
    script.run("grant usage on schema cowscore to public")
    for function in _CALLED_IN_PRODUCTION:
        script.compose("grant execute on function cowscore.{f} to public", f=raw(function))
    script.run("grant select (session_id, blocks) on cowscore.held to public")
    names_of = {r.oid: r.table.name for r in relations if r.mode in WRITABLE}
    for row in _rights(conn, names_of):
        script.compose(
            "grant {right}{column} on {view} to {role}{option}",
            right=raw(row["right"].lower()),
            column=sql.SQL(" ({})").format(name(row["column"])) if row["column"] else raw(""),
            view=name(schema, names_of[row["table_oid"]]),
            role=raw(row["role"]),
            option=raw(" with grant option" if row["grantable"] else ""),
        )


def step_back(conn: psycopg.Connection[Any], script: Script, schema: str) -> None:
    """Gives every table its name back, and its readers the table. Nothing happens where no view has its name.

    Must run with an empty search_path. Raises InstallError where something made since depends on a view.
    """
    tables = views_in_place(conn, schema)
    if not tables:
        return
    present = {n: oid for n in tables if (oid := _view(conn, schema, n))}
    readers = _readers(conn, list(present.values()))
    agent = name(AGENT_ROLE)
    for table in present:
        script.compose("alter view {v} rename to {aside}", v=name(schema, table), aside=name(_aside(table)))
    for table, base in tables.items():
        script.compose("alter table if exists {b} rename to {t}", b=name(schema, base), t=name(table))
    for row in readers:
        script.run(defined(row["schema"], row, row["options"]))
    for view in conn.execute(read_sql("catalog/redirected"), {"schema": schema}).fetchall():
        script.compose("revoke all on {view} from {agent}", view=name(schema, view[0]), agent=agent)
    for table in present:
        _drop(script, schema, table)
    script.compose("update cowscore.tables set base_name = null where schema_name = {s}", s=sql.Literal(schema))


def _aside(table: str) -> str:
    return shortened(f"_cow_{table}")


def _drop(script: Script, schema: str, table: str) -> None:
    try:
        script.compose("drop view {v}", v=name(schema, _aside(table)))
    except psycopg.errors.DependentObjectsStillExist as error:
        raise InstallError(
            f"something depends on the view {schema}.{table}, which has to make way for the table: "
            f"{error.diag.message_detail}; drop it, and make it anew afterwards"
        ) from error


def _view(conn: psycopg.Connection[Any], schema: str, table: str) -> int:
    row = conn.execute(
        "select c.oid from pg_catalog.pg_class c where c.oid = pg_catalog.to_regclass(%s) and c.relkind = 'v'",
        [name(schema, table).as_string(None)],
    ).fetchone()
    return int(row[0]) if row else 0


def _readers(conn: psycopg.Connection[Any], relations: list[int]) -> list[dict[str, Any]]:
    parameters = {"relations": relations, "own": list(control.overlay_schemas(conn))}
    return conn.cursor(row_factory=dict_row).execute(read_sql("catalog/dependents"), parameters).fetchall()


def _rights(conn: psycopg.Connection[Any], tables: Iterable[int]) -> list[dict[str, Any]]:
    return conn.cursor(row_factory=dict_row).execute(read_sql("catalog/rights"), {"tables": list(tables)}).fetchall()
