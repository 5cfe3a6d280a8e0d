"""Plain PostgreSQL as the oracle: one script runs in a plain database and in a session over an equal one.

After every statement the two must agree on rows, column names, command tag, row count and, where it fails, on SQLSTATE,
message, constraint, table and column. At the end they must agree on the contents of every table; base must not have
changed; and the session, committed, must leave base as the script left the plain database.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.string import TextLoader

import servers
from cowscore import Cow
from cowscore.model import Layout

Contents = dict[str, list[str]]


@dataclass(frozen=True)
class Copy:
    """`COPY .. FROM STDIN` with its data."""

    statement: str
    data: str


Step = str | tuple[str, Sequence[Any]] | Copy


@dataclass(frozen=True)
class Case:
    """DDL and seed, then statements that run one by one on a connection in autocommit, BEGIN and COMMIT among them."""

    name: str
    schema: str
    steps: tuple[Step, ...]
    commits: bool = True
    """False where the script leaves a state that only a session can hold."""
    since: int = 15
    """The oldest major version that knows the syntax."""


def case(name: str, schema: str, *steps: Step, commits: bool = True, since: int = 15) -> Case:
    """A case; the name is the test's id."""
    return Case(name, schema, steps, commits, since)


def parametrized(*groups: Sequence[Case]) -> pytest.MarkDecorator:
    """Runs a test once for each case."""
    cases = [c for group in groups for c in group]
    names = [c.name for c in cases]
    assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)
    return pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in cases])


@dataclass(frozen=True)
class Outcome:
    """What a client can see of one statement."""

    rows: list[str] | None = None
    columns: list[str] | None = None
    tag: str | None = None
    count: int | None = None
    error: tuple[str | None, ...] | None = None


def run(conn: psycopg.Connection[Any], step: Step) -> Outcome:
    """One statement and what comes of it. Rows are sorted unless they come from a query that orders them."""
    cursor = conn.cursor()
    try:
        if isinstance(step, Copy):
            with cursor.copy(step.statement) as copy:
                copy.write(step.data)
        elif isinstance(step, tuple):
            cursor.execute(*step)
        else:
            cursor.execute(step)
    except psycopg.Error as error:
        d = error.diag
        return Outcome(error=(d.sqlstate, d.message_primary, d.constraint_name, d.table_name, d.column_name))
    if cursor.description is None:
        return Outcome(tag=cursor.statusmessage, count=cursor.rowcount)
    rows = [repr(row) for row in cursor.fetchall()]
    tag = cursor.statusmessage or ""
    text = step[0] if isinstance(step, tuple) else str(step)
    # What RETURNING gives has no order, whatever a subselect of the statement has.
    if tag.startswith(("INSERT", "UPDATE", "DELETE", "MERGE")) or not re.search(r"\border\s+by\b", text, re.IGNORECASE):
        rows.sort()
    return Outcome(rows, [c.name for c in cursor.description], tag, cursor.rowcount)


def _show_as_text(conn: psycopg.Connection[Any]) -> None:
    """Infinity, 24:00 and years before Christ have no place in Python's types."""
    for name in ("date", "time", "timetz", "timestamp", "timestamptz", "interval"):
        conn.adapters.register_loader(name, TextLoader)


def tables(conn: psycopg.Connection[Any], schema: str = "public") -> list[str]:
    """Names of the tables of a schema, partitions left out."""
    rows = conn.execute(
        "select relname from pg_class where relnamespace = %s::regnamespace and relkind in ('r', 'p') "
        "and not relispartition order by 1",
        [sql.Identifier(schema).as_string(None)],
    ).fetchall()
    return [r[0] for r in rows]


def contents(conn: psycopg.Connection[Any], names: Sequence[str], schema: str | None = None) -> Contents:
    """Every row of every table as text; with `schema` by qualified name, else as the search_path finds them."""
    result = {}
    for name in names:
        table = sql.Identifier(*([schema, name] if schema else [name]))
        rows = conn.execute(sql.SQL("select (t.*)::text from {} t").format(table)).fetchall()
        result[name] = sorted(r[0] for r in rows)
    return result


def digest(conn: psycopg.Connection[Any], schema: str = "public") -> str:
    """A hash over every row of every base table of the schema."""
    text = repr(sorted(contents(conn, tables(conn, schema), schema).items()))
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Pair:
    """Two databases for one case after another: making new ones takes longer than most cases."""

    version: int
    plain: psycopg.Connection[Any]
    base: psycopg.Connection[Any]
    cow: Cow


@contextmanager
def pair(server: servers.Server) -> Iterator[Pair]:
    """Two empty databases, dropped at the end."""
    with ExitStack() as stack:
        dsns = [stack.enter_context(servers.database(server)) for _ in range(2)]
        plain, base = (stack.enter_context(psycopg.connect(dsn, autocommit=True)) for dsn in dsns)
        _show_as_text(plain)
        yield Pair(server.version, plain, base, stack.enter_context(Cow.connect(dsns[1])))


def renew(conn: psycopg.Connection[Any], schema: str) -> None:
    """An empty schema `public`, then the DDL and seed."""
    conn.rollback()
    conn.execute("discard all")
    conn.execute("drop schema public cascade; create schema public")
    try:
        conn.execute(schema)
    except psycopg.errors.FeatureNotSupported as error:  # built without ICU or XML
        pytest.skip(str(error.diag.message_primary))


@contextmanager
def enabled(pair: Pair, schema: str, layout: Layout = "overlay") -> Iterator[None]:
    """The base database with that schema and no other, enabled; its sessions are thrown away at the end."""
    renew(pair.base, schema)
    pair.cow.enable(layout=layout)
    try:
        yield
    finally:
        for record in pair.cow.sessions():
            if record.state in ("open", "closed"):
                pair.cow.session(record.id).discard()
        pair.cow.disable()
        pair.base.execute("delete from cowscore.sessions")


def check(pair: Pair, case: Case) -> None:
    """Runs the case in both databases and asserts that nobody could tell them apart."""
    if pair.version < case.since:
        pytest.skip(f"PostgreSQL {pair.version} does not know the syntax")
    plain, base = pair.plain, pair.base
    renew(plain, case.schema)
    with enabled(pair, case.schema):
        session = pair.cow.open_session(case.name)
        names, before = tables(plain), digest(base)
        with session.connect(autocommit=True) as inside:
            _show_as_text(inside)
            for number, step in enumerate(case.steps):
                expected, got = run(plain, step), run(inside, step)
                assert got == expected, f"step {number}: {step}"
            assert inside.info.transaction_status == plain.info.transaction_status
            if plain.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                plain.rollback()
                inside.rollback()
            assert contents(inside, names) == contents(plain, names), "tables in the session"
        assert digest(base) == before, "base changed under the session"
        if case.commits:
            session.commit()
            assert contents(base, names) == contents(plain, names), "base after commit"
