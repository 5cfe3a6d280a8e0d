"""Runs a probe on plain tables and in a session, and says in one line what differs."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from cowscore.errors import CowscoreError
from postgres import oracle
from postgres.oracle import Outcome, Pair
from postgres.semantics.probes import SAME, UNKNOWN, Probe, Step

ROLES = ("semantics_reader", "semantics_writer")
"""Roles that probes may grant to; they belong to the server, so they outlive the probe."""
SHOWN = 70
_Connection = psycopg.Connection[Any]


def prepare(pair: Pair) -> None:
    """Makes the roles that probes name."""
    for role in ROLES:
        pair.plain.execute(
            f"do $$ begin create role {role}; exception when duplicate_object or unique_violation then null; end $$"
        )


def outcome(pair: Pair, probe: Probe) -> str:
    """`same`, `refused (SQLSTATE message)` or `differs (how)`; `-` where the version does not know the syntax or is built without it."""
    if pair.version < probe.since:
        return UNKNOWN
    try:
        oracle._renew(pair.plain, probe.setup)
    except pytest.skip.Exception:  # what a server built without XML or an extension says
        return UNKNOWN
    with ExitStack() as stack:
        try:
            stack.enter_context(oracle.enabled(pair, probe.setup))
        except (psycopg.Error, CowscoreError) as error:
            return f"refused by enable ({str(error).splitlines()[0]})"
        session = pair.cow.open_session(probe.name)
        names, before = oracle.tables(pair.plain), oracle.digest(pair.base)
        second = any(s.second for s in probe.script)
        plain = [pair.plain, *([stack.enter_context(_beside(pair.plain))] if second else [])]
        inside = [stack.enter_context(session.connect(autocommit=True)) for _ in plain]
        for conn in (*plain, *inside):
            oracle._show_as_text(conn)
        for step in probe.script:
            expected, got = (_run(ends[step.second], step) for ends in (plain, inside))
            if got != expected:
                return difference(expected, got)
        _end_transactions(plain, inside)
        if oracle.contents(inside[0], names) != oracle.contents(pair.plain, names):
            return "differs (contents of the tables)"
        assert oracle.digest(pair.base) == before, "base changed under the session"
        if probe.commits:
            for conn in inside:
                conn.close()
            return _committed(pair, session, names)
    return SAME


def _committed(pair: Pair, session: Any, names: list[str]) -> str:
    try:
        session.commit()
    except psycopg.Error as error:
        return f"refused at commit ({error.sqlstate} {error.diag.message_primary})"
    except CowscoreError as error:
        return f"refused at commit ({error})"
    if oracle.contents(pair.base, names) != oracle.contents(pair.plain, names):
        return "differs (contents of the tables after commit)"
    return SAME


def _beside(conn: _Connection) -> _Connection:
    return psycopg.connect(conn.info.dsn, password=conn.info.password or None, autocommit=True)


def _end_transactions(plain: list[_Connection], inside: list[_Connection]) -> None:
    for a, b in zip(plain, inside, strict=True):
        if a.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            a.rollback()
            b.rollback()


def _run(conn: _Connection, step: Step) -> Outcome:
    if step.listens:
        return Outcome(rows=[f"{n.channel}: {n.payload}" for n in conn.notifies(timeout=0.3, stop_after=1)])
    if step.data is not None:
        return oracle.run(conn, oracle.Copy(step.statement, step.data))
    if step.copies_out:
        return _copied_out(conn, step.statement)
    return oracle.run(conn, step.statement)


def _copied_out(conn: _Connection, statement: str) -> Outcome:
    cursor = conn.cursor()
    try:
        with cursor.copy(statement) as copy:
            rows = [repr(bytes(part)) for part in copy]
    except psycopg.Error as error:
        d = error.diag
        return Outcome(error=(d.sqlstate, d.message_primary, d.constraint_name, d.table_name, d.column_name))
    return Outcome(rows=sorted(rows), tag=cursor.statusmessage, count=cursor.rowcount)


def difference(expected: Outcome, got: Outcome) -> str:
    """What a client in a session saw, against what it would have seen."""
    if got.error and not expected.error:
        return f"refused ({got.error[0]} {got.error[1]})"
    if expected.error and not got.error:
        return f"differs (no error; plain {expected.error[0]} {expected.error[1]})"
    if expected.error and got.error:
        parts = ("SQLSTATE", "message", "constraint", "table", "column")
        changed = [f"{p} {g}; plain {e}" for p, e, g in zip(parts, expected.error, got.error, strict=True) if e != g]
        return f"differs ({', '.join(changed)})"
    for part in ("columns", "rows", "tag", "count"):
        want, have = getattr(expected, part), getattr(got, part)
        if want != have:
            return f"differs ({part} {_short(have)}; plain {_short(want)})"
    return SAME


def _short(value: object) -> str:
    text = re.sub(r"\s+", " ", ", ".join(value) if isinstance(value, list) else str(value))
    text = text or "none"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
