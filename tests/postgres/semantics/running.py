"""Runs a probe on plain tables and in a session, and says in one line what differs."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from cowscore import Session
from cowscore.errors import CowscoreError
from cowscore.model import Layout
from postgres import oracle
from postgres.oracle import Outcome, Pair
from postgres.semantics.probes import SAME, UNKNOWN, Probe, Step

ROLES = ("semantics_reader", "semantics_writer")
"""Roles that probes may grant to; they belong to the server, so they outlive the probe."""
SHOWN = 70
_Connection = psycopg.Connection[Any]
_Ends = tuple[list[_Connection], list[_Connection]]


class Bench:
    """Two databases for one probe after another. Probes over one setup share the enabled schema: commits are undone."""

    def __init__(self, pair: Pair, layout: Layout) -> None:
        self.pair = pair
        self.layout = layout
        self._setup: str | None = None
        self._stack = ExitStack()
        for role in ROLES:
            pair.plain.execute(
                f"do $$ begin create role {role}; exception when duplicate_object or unique_violation then null; end $$"
            )

    def close(self) -> None:
        """Takes the last overlay away."""
        self._stack.close()
        self._setup = None

    def outcome(self, probe: Probe) -> str:
        """`same`, `refused (SQLSTATE message)` or `differs (how)`; `-` where the server does not know the syntax."""
        if self.pair.version < probe.since:
            return UNKNOWN
        try:
            oracle.renew(self.pair.plain, probe.setup)
        except pytest.skip.Exception:  # what a server built without XML or an extension says
            return UNKNOWN
        try:
            self._enable(probe.setup)
        except (psycopg.Error, CowscoreError) as error:
            return f"refused by enable ({str(error).splitlines()[0]})"
        session = self.pair.cow.open_session(probe.name)
        with ExitStack() as stack:
            return _outcome(self.pair, probe, session, stack)

    def _enable(self, setup: str) -> None:
        if setup == self._setup and not re.search("serial|identity|sequence", setup):
            return
        self.close()
        self._stack.enter_context(oracle.enabled(self.pair, setup, self.layout))
        self._setup = setup


def _outcome(pair: Pair, probe: Probe, session: Session, stack: ExitStack) -> str:
    names, before = oracle.tables(pair.plain), oracle.digest(pair.base)
    plain = [_beside(pair.plain, stack) for _ in range(1 + any(s.second for s in probe.script))]
    inside = [_beside(pair.base, stack) if probe.role else _in_session(session, stack) for _ in plain]
    for conn in (*plain, *inside):
        oracle._show_as_text(conn)
        if probe.role:
            conn.execute(f"set session authorization {probe.role}")
    if probe.role:
        try:
            inside[0].execute("select cowscore.bind(%s, null, false)", [session.id])
        except psycopg.Error as error:
            return f"refused by bind ({error.sqlstate} {error.diag.message_primary})"
    for step in probe.script:
        expected, got = (_run(ends[step.second], step) for ends in (plain, inside))
        if got != expected:
            return difference(expected, got)
    _end_transactions((plain, inside))
    readable = _readable(inside[0], names)
    if not probe.role and oracle.contents(inside[0], readable) != oracle.contents(pair.plain, readable):
        return "differs (contents of the tables)"
    assert oracle.digest(pair.base) == before, "base changed under the session"
    stack.close()
    return _committed(pair, session, names) if probe.commits else SAME


def _readable(conn: _Connection, names: list[str]) -> list[str]:
    """Tables that sessions see: some are excluded on their own account."""
    query = "select name from unnest(%s::text[]) name where has_table_privilege(quote_ident(name), 'select')"
    return [r[0] for r in conn.execute(query, [names])]


def _committed(pair: Pair, session: Session, names: list[str]) -> str:
    """What a commit would leave; it is undone, for the next probe."""
    with pair.base.transaction(force_rollback=True):
        try:
            pair.base.execute("select cowscore.commit(%s)", [session.id])
        except psycopg.Error as error:
            return f"refused at commit ({error.sqlstate} {error.diag.message_primary})"
        if oracle.contents(pair.base, names, "public") != oracle.contents(pair.plain, names):
            return "differs (contents of the tables after commit)"
    return SAME


def _beside(conn: _Connection, stack: ExitStack) -> _Connection:
    made = psycopg.connect(conn.info.dsn, password=conn.info.password or None, autocommit=True)
    stack.callback(made.close)
    return made


def _in_session(session: Session, stack: ExitStack) -> _Connection:
    made = session.connect(autocommit=True)
    stack.callback(made.close)
    return made


def _end_transactions(ends: _Ends) -> None:
    for a, b in zip(*ends, strict=True):
        if a.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            a.rollback()
            b.rollback()


def _run(conn: _Connection, step: Step) -> Outcome:
    if step.listens:
        return Outcome(rows=[f"{n.channel}: {n.payload}" for n in conn.notifies(timeout=0.2, stop_after=1)])
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
        return _named(f"refused ({got.error[0]} {got.error[1]})")
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


def _named(text: str) -> str:
    """Without the random name of the database."""
    return re.sub(r"test_[0-9a-f]{32}", "x", text)


def _short(value: object) -> str:
    text = re.sub(r"\s+", " ", ", ".join(value) if isinstance(value, list) else str(value))
    text = text or "none"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
