"""A migration of the application's schema while the overlay is enabled: views out of the way, and back afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from cowscore.database import control, install
from cowscore.database.carry import HeldSession
from cowscore.database.names import SchemaNames
from cowscore.database.status import exists
from cowscore.database.templates import fill, name, read_sql
from cowscore.errors import BadInput, InstallError, NotInstalled


@dataclass(slots=True)
class MigrateReport:
    """What became of the overlay and of the sessions; filled in when the migration has ended."""

    schemas: tuple[str, ...] = ()
    held: tuple[HeldSession, ...] = ()
    """Sessions with changes that do not fit a table any more."""
    suspects: tuple[UUID, ...] = ()
    """Sessions with changes of a table that got a unique or foreign key: they may violate it."""
    violating: tuple[tuple[UUID, str], ...] = ()
    """Those of them that could not be committed now, each with the error. They go on as they are."""


@contextmanager
def migration(
    conn: psycopg.Connection[Any], schemas: Iterable[str] | None = None, using: Mapping[str, str] | None = None
) -> Iterator[MigrateReport]:
    """`prepare`, the body of the `with` statement, `finish`; also where the body raises.

    No other migration, enable or disable can run beside it. Raises InstallError where one does.
    """
    row = conn.execute(read_sql("catalog/migration_lock"), {"whole_session": True}).fetchone()
    if not row or not row[0]:
        raise InstallError("another `cowscore migrate`, enable or disable is running here; wait until it has ended")
    report = MigrateReport()
    try:
        report.schemas = prepare(conn, schemas)
        keys = _keys(conn, report.schemas)
        try:
            yield report
        finally:
            report.held = finish(conn, report.schemas, using)
            report.suspects = _sessions_in(conn, {k[:2] for k in _keys(conn, report.schemas) - keys})
    finally:
        if not conn.closed:
            conn.execute("select pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended('cowscore migrate', 0))")


def prepare(conn: psycopg.Connection[Any], schemas: Iterable[str] | None = None) -> tuple[str, ...]:
    """Takes the views and functions of the overlay away, so that nothing depends on the tables. Returns the schemas.

    Waits for transactions that write in sessions. From then on, and until `finish`, every read and write in a session
    fails: the changes tables stay where they are and no session may touch them, base it may not write at all. None:
    every enabled schema. Raises NotInstalled.
    """
    with install.exclusive(conn):
        chosen = _chosen(conn, schemas)
        script = install.Script(conn, dry_run=False)
        if control.is_outdated(conn):
            for statement in control.statements(conn):
                script.run(statement)
            script.compose("comment on schema cowscore is {d}", d=sql.Literal(control.functions_digest()))
        for schema in chosen:
            install.remove_views(conn, script, schema)
        install.await_commits(script)
        for schema in chosen:
            script.compose(
                "update cowscore.schemas set enabled = false, migrating = true where schema_name = {s}",
                s=sql.Literal(schema),
            )
        return chosen


def finish(
    conn: psycopg.Connection[Any], schemas: Iterable[str], using: Mapping[str, str] | None = None
) -> tuple[HeldSession, ...]:
    """Puts the overlay back over the tables as they are now, and carries the sessions along.

    A schema that the migration dropped, or left without tables, is disabled. Raises InstallError as `enable` does; the
    schemas stay as `prepare` left them then.
    """
    done = tuple(schemas)
    with conn.transaction():
        present = [s for s in done if _has_tables(conn, s)]
        for schema in present[:-1]:
            install.enable(conn, schema, using=using)
        # Foreign keys lead from schema to schema: the first sees the others only once they are back.
        reports = [install.enable(conn, schema, using=using) for schema in reversed(present)]
        for schema in done:
            if schema not in present:
                _give_up(conn, schema)
    return tuple(dict.fromkeys(h for report in reports for h in report.held))


def _keys(conn: psycopg.Connection[Any], schemas: tuple[str, ...]) -> set[tuple[str, str, str]]:
    """(schema, table, definition) of every unique and foreign key."""
    return set(conn.execute(read_sql("catalog/key_definitions"), {"schemas": list(schemas)}).fetchall())


def _sessions_in(conn: psycopg.Connection[Any], tables: Iterable[tuple[str, str]]) -> tuple[UUID, ...]:
    found: dict[UUID, None] = {}
    for schema, table in sorted(tables):
        changes = SchemaNames(schema).changes
        if exists(conn, changes, table):
            rows = conn.execute(fill("catalog/sessions_in", changes=name(changes, table)).encode()).fetchall()
            found |= dict.fromkeys(r[0] for r in rows)
    return tuple(found)


def upgrade(conn: psycopg.Connection[Any]) -> MigrateReport:
    """Brings the control schema and every enabled schema up to this version of cowscore, in one transaction."""
    with conn.transaction():
        schemas = _chosen(conn, None)
        return MigrateReport(schemas, finish(conn, schemas))


def _chosen(conn: psycopg.Connection[Any], schemas: Iterable[str] | None) -> tuple[str, ...]:
    if not control.installed_version(conn):
        raise NotInstalled("this database has no cowscore schema; run `cowscore enable` first")
    rows = conn.execute(
        "select schema_name from cowscore.schemas s "
        "where enabled or (pg_catalog.to_jsonb(s) ->> 'migrating')::pg_catalog.bool order by 1"
    ).fetchall()
    enabled = tuple(r[0] for r in rows)
    if not enabled:
        raise NotInstalled("no schema is enabled; run the migration without cowscore")
    if schemas is None:
        return enabled
    for schema in schemas:
        if schema not in enabled:
            raise BadInput(f"schema {schema!r} is not enabled; enabled are: {', '.join(enabled)}")
    return tuple(schemas)


def _has_tables(conn: psycopg.Connection[Any], schema: str) -> bool:
    row = conn.execute(
        "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
        "where n.nspname = %s and c.relkind in ('r', 'p', 'f'))",
        [schema],
    ).fetchone()
    return bool(row and row[0])


def _give_up(conn: psycopg.Connection[Any], schema: str) -> None:
    conn.execute("update cowscore.schemas set enabled = true, migrating = false where schema_name = %s", [schema])
    install.disable(conn, schema)
