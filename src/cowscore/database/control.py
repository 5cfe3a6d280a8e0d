"""The control schema `cowscore`: roles, numbered migrations, functions."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import Any

import psycopg
from psycopg import sql

from cowscore.database.names import AGENT_ROLE, WRITER_ROLE
from cowscore.database.templates import fill, read_sql
from cowscore.errors import InstallError

MINIMUM_SERVER = 150000
KEEPS_ASIDE = 2
"""The version of the control schema from which on changes that do not fit are kept aside."""

_AGENT_MAY_CALL = (
    "session()",
    "require_carried(uuid)",
    "reader()",
    "dear_row()",
    "dear_pair()",
    "require_session(uuid)",
    "session_path(name[])",
    "session_path_undone(name[])",
    "bind(uuid, uuid, boolean, text)",
    "local_bind()",
    "unbind()",
    "operations(uuid)",
    "changes(uuid)",
    "dependencies(uuid)",
    "conflicts(uuid, uuid[])",
    "last_change()",
    "sets(oid, integer)",
)
_WRITER_MAY_CALL = (
    "begin_write()",
    "unchecked_since(oid)",
    "unfired_since(oid)",
    "skips_duplicates()",
    "overrides(text)",
)


def migrations() -> tuple[tuple[int, str], ...]:
    """Number and SQL of each migration, in order."""
    folder = resources.files("cowscore.database") / "sql" / "migrations"
    files = sorted(f.name for f in folder.iterdir() if f.name.endswith(".sql"))
    return tuple((int(f.removesuffix(".sql")), read_sql(f"migrations/{f.removesuffix('.sql')}")) for f in files)


def functions() -> tuple[str, ...]:
    """SQL of every control function."""
    folder = resources.files("cowscore.database") / "sql" / "control"
    return tuple(read_sql(f"control/{f.removesuffix('.sql')}") for f in sorted(f.name for f in folder.iterdir()))


def functions_digest() -> str:
    """Changes whenever a control function does."""
    return hashlib.sha256("\n".join(functions()).encode()).hexdigest()


def installed_version(conn: psycopg.Connection[Any]) -> int:
    """The number of the newest migration applied, 0 where there is no control schema."""
    row = conn.execute("select pg_catalog.to_regclass('cowscore.migrations') is not null").fetchone()
    if row is None or not row[0]:
        return 0
    row = conn.execute("select coalesce(pg_catalog.max(version), 0) from cowscore.migrations").fetchone()
    return int(row[0]) if row else 0


def is_outdated(conn: psycopg.Connection[Any]) -> bool:
    """True where the control schema is missing, lacks a migration, or has other functions than these."""
    if installed_version(conn) != migrations()[-1][0]:
        return True
    row = conn.execute(
        "select pg_catalog.obj_description(pg_catalog.to_regnamespace('cowscore'), 'pg_namespace')"
    ).fetchone()
    return not row or row[0] != functions_digest()


def statements(conn: psycopg.Connection[Any]) -> list[str]:
    """What brings the control schema of this database up to date, in order; all of it can be run again.

    Raises InstallError where the server is too old or the schema was made by a newer cowscore.
    """
    if conn.info.server_version < MINIMUM_SERVER:
        major = conn.info.server_version // 10000
        raise InstallError(f"PostgreSQL {major} is too old; cowscore needs 15 or newer")
    known = migrations()
    installed = installed_version(conn)
    if installed > known[-1][0]:
        raise InstallError(
            f"the database's cowscore schema has version {installed}, this cowscore knows {known[-1][0]}: "
            "upgrade cowscore"
        )
    # Functions name each other; they are created in the order of their files.
    result = ["set local check_function_bodies = off", *_roles(conn)]
    for number, text in known:
        if number > installed:
            result.append(text)
            result.append(
                sql.SQL("insert into cowscore.migrations (version) values ({})")
                .format(sql.Literal(number))
                .as_string(None)
            )
    result += functions()
    result += _grants()
    return result


def overlay_schemas(conn: psycopg.Connection[Any]) -> dict[str, str]:
    """Every schema that an enable made, with the application's schema that it belongs to."""
    if not installed_version(conn):
        return {}
    rows = conn.execute(
        "select part, schema_name from cowscore.schemas, "
        "pg_catalog.unnest(array[view_schema, changes_schema, functions_schema]) part"
    ).fetchall()
    return dict(rows)


def role_exists(conn: psycopg.Connection[Any], role: str) -> bool:
    """True where the server has a role of that name."""
    row = conn.execute("select exists (select from pg_catalog.pg_roles where rolname = %s)", [role]).fetchone()
    return bool(row and row[0])


def _roles(conn: psycopg.Connection[Any]) -> list[str]:
    agent, writer = sql.Identifier(AGENT_ROLE), sql.Identifier(WRITER_ROLE)
    result = [
        fill("catalog/create_role", role=sql.Identifier(role))
        for role in (AGENT_ROLE, WRITER_ROLE)
        if not role_exists(conn, role)
    ]
    result.append(sql.SQL("grant {} to {}").format(agent, writer).as_string(None))
    superuser = conn.execute("select rolsuper from pg_catalog.pg_roles where rolname = current_user").fetchone()
    if not (superuser and superuser[0]):
        result.append(sql.SQL("grant {}, {} to current_user").format(agent, writer).as_string(None))
    return result


def _grants() -> list[str]:
    agent, writer = sql.Identifier(AGENT_ROLE), sql.Identifier(WRITER_ROLE)
    result = [
        sql.SQL("revoke all on all functions in schema cowscore from public").as_string(None),
        sql.SQL("grant usage on schema cowscore to {}").format(agent).as_string(None),
        sql.SQL("grant usage on sequence cowscore.change_seq to {}").format(writer).as_string(None),
    ]
    result.append(sql.SQL("grant select (session_id, blocks) on cowscore.held to {}").format(agent).as_string(None))
    for role, signatures in ((agent, _AGENT_MAY_CALL), (writer, _WRITER_MAY_CALL)):
        result += [
            sql.SQL("grant execute on function cowscore.{} to {}").format(sql.SQL(s), role).as_string(None)
            for s in signatures
        ]
    return result
