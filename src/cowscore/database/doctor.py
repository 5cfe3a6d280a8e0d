"""What can go wrong with an overlay after `enable`, found by looking at the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from cowscore.database import control, leaks, status
from cowscore.database.carry import held_sessions
from cowscore.database.templates import read_sql


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that should be mended."""

    subject: str
    problem: str
    remedy: str


def examine(conn: psycopg.Connection[Any]) -> tuple[Finding, ...]:
    """Everything found, the dangerous first. Raises NotInstalled where there is no control schema."""
    findings: list[Finding] = []
    with conn.transaction():
        rows = status.registry(conn)
        trusted = {f for r in rows for f in r["trusted_functions"]}
        findings += [
            Finding(subject=name, problem=f"{role} may write it, so a session could", remedy="revoke that")
            for role, name in leaks.writable_past_the_overlay(conn)
        ]
        findings += [
            Finding(
                subject=function,
                problem="SECURITY DEFINER, and anyone may call it: a session could write base tables through it",
                remedy="revoke EXECUTE from PUBLIC, or enable again with it in trust",
            )
            for function in leaks.definer_functions(conn, [r["table_oid"] for r in rows], trusted)
        ]
        findings += [
            Finding(subject=r[0], problem="a session's login that has outlived its session", remedy="drop the role")
            for r in conn.execute(read_sql("catalog/stray_logins")).fetchall()
        ]
    if control.installed_version(conn) >= control.KEEPS_ASIDE:
        findings += [
            Finding(
                subject=f"session {h.session}",
                problem=f"its changes of {h.schema}.{h.table} are kept aside: {h.reason}",
                remedy="cowscore enable --using, or discard the session"
                if h.blocks
                else "commit or discard the session",
            )
            for schema in sorted({r["schema_name"] for r in rows})
            for h in held_sessions(conn, schema)
        ]
    findings += [
        Finding(subject=f"{t.schema}.{t.table}", problem=f"{t.state}: {t.reason}", remedy="cowscore enable")
        for t in status.status(conn)
        if t.state in ("outdated", "drifted")
    ]
    return tuple(findings)
