"""Rights: of the agent and the writer role in the overlay, and of the application's roles to enter sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

from cowscore.database.carry import Script
from cowscore.database.catalog import Relation
from cowscore.database.names import AGENT_ROLE, WRITER_ROLE, SchemaNames, given_name
from cowscore.database.render import Rendered
from cowscore.database.templates import name, raw, read_sql


def grant(conn: psycopg.Connection[Any], script: Script, names: SchemaNames, rendered: Mapping[str, Rendered]) -> None:
    """What the agent and the writer role may do with an overlay that was just made."""
    agent, writer = name(AGENT_ROLE), name(WRITER_ROLE)
    changes, functions = name(names.changes), name(names.functions)
    parts = {"agent": agent, "writer": writer, "changes": changes, "functions": functions}
    parts["schema"] = name(names.schema)
    for template in (
        "revoke all on all functions in schema {functions} from public",
        "grant usage on schema {changes} to {agent}",
        "grant usage on schema {schema} to {agent}",
        "grant usage, create on schema {functions} to {writer}",
    ):
        script.compose(template, **parts)
    for table in rendered:
        at = raw(rendered[table].at)
        script.compose("grant select, insert, update, delete on {t} to {agent}", t=at, agent=agent)
        script.compose("grant select, insert, update on {t} to {writer}", t=name(names.changes, table), writer=writer)
        if rendered[table].given:
            given = name(names.changes, given_name(table))
            script.compose("grant select, insert, update, delete on {t} to {writer}", t=given, writer=writer)
        if rendered[table].rows:
            script.compose("grant usage on schema {functions} to {agent}", **parts)
            at = raw(rendered[table].rows)
            script.compose("grant select, insert, update, delete on {t} to {agent}", t=at, agent=agent)
    if not script.dry_run:
        rows = conn.execute(
            "select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
            "where n.nspname = %s and c.relkind = 'v'",
            [names.functions],
        ).fetchall()
        for row in rows:
            script.compose("grant select on {w} to {writer}", w=name(names.functions, row[0]), writer=writer)
    for part in rendered.values():
        for function in part.writer_functions:
            script.compose("alter function {f}() owner to {writer}", f=raw(function), writer=writer)
        for function in part.called_functions:
            script.compose("grant execute on function {f}() to {agent}", f=raw(function), agent=agent)
    script.compose("revoke create on schema {functions} from {writer}", **parts)
    for sequence in _sequences(conn, names.schema):
        script.compose("grant usage on sequence {s} to {agent}", s=name(names.schema, sequence), agent=agent)


def revoke(conn: psycopg.Connection[Any], script: Script, schema: str) -> None:
    """Takes back what they may do outside the overlay's own schemas, which are dropped."""
    agent = name(AGENT_ROLE)
    exists = conn.execute(
        "select pg_catalog.to_regnamespace(%s) is not null", [name(schema).as_string(None)]
    ).fetchone()
    if not exists or not exists[0]:
        return
    for sequence in _sequences(conn, schema):
        script.compose("revoke usage on sequence {s} from {agent}", s=name(schema, sequence), agent=agent)
    script.compose("revoke usage on schema {s} from {agent}", s=name(schema), agent=agent)


def _sequences(conn: psycopg.Connection[Any], schema: str) -> list[str]:
    rows = conn.execute(read_sql("catalog/sequences"), {"schema": name(schema).as_string(None)}).fetchall()
    return [r[0] for r in rows]


def let_the_application_in(
    conn: psycopg.Connection[Any], script: Script, relations: tuple[Relation, ...]
) -> tuple[str, ...]:
    """Roles that write the tables in production are the application: they may enter sessions."""
    if script.dry_run:
        return ()
    rows = conn.execute(read_sql("catalog/privileges"), {"tables": [r.oid for r in relations]}).fetchall()
    for row in rows:
        script.compose("grant {agent} to {role}", agent=name(AGENT_ROLE), role=name(row[0]))
    return tuple(r[0] for r in rows)
