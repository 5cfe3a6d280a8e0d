"""Ways past the overlay: what a session, with the rights of PUBLIC and of the agent role, could write without it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import psycopg

from cowscore.database import control
from cowscore.database.names import AGENT_ROLE
from cowscore.database.templates import read_sql


def writable_past_the_overlay(conn: psycopg.Connection[Any]) -> tuple[tuple[str, str], ...]:
    """Pairs (role, relation) of what PUBLIC, or else the agent role, may write outside cowscore's own schemas."""
    found = {row[0]: "PUBLIC" for row in _open_writes(conn, "public")}
    if control.role_exists(conn, AGENT_ROLE):
        for row in _open_writes(conn, AGENT_ROLE):
            found.setdefault(row[0], AGENT_ROLE)
    return tuple((role, relation) for relation, role in found.items())


def _open_writes(conn: psycopg.Connection[Any], role: str) -> list[tuple[str]]:
    views: list[str] = []
    if control.installed_version(conn):
        views = [r[0] for r in conn.execute(read_sql("catalog/views_in_place")).fetchall()]
    parameters = {"role": role, "own": _own_schemas(conn), "views": views}
    return conn.execute(read_sql("catalog/open_writes"), parameters).fetchall()


def definer_functions(
    conn: psycopg.Connection[Any], tables: Sequence[int], trusted: Collection[str]
) -> tuple[str, ...]:
    """Signatures of SECURITY DEFINER functions that anyone may call and whose owner may write one of `tables` (oids).

    `trusted`: names or signatures to leave out. Functions of extensions are left out too.
    """
    own = [*_own_schemas(conn), "pg_catalog"]
    rows = conn.execute(read_sql("catalog/definer_functions"), {"own": own, "tables": list(tables)}).fetchall()
    return tuple(r[0] for r in rows if r[0] not in trusted and r[0].split("(")[0] not in trusted)


def _own_schemas(conn: psycopg.Connection[Any]) -> list[str]:
    return ["cowscore", *control.overlay_schemas(conn)]
