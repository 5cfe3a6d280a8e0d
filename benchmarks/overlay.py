"""Speed inside a session: plain PostgreSQL, cowscore and agent-cow 0.1.7 side by side, in one run on one server.

    python benchmarks/overlay.py [--rows 1000000] [--dsn CONNECTION] [--version 16|18] [--out results.md|results.json]

A table of ROWS rows with 8 columns and two secondary indexes, and a child table of the same size with an index on its
foreign key. Each side gets a database of its own, copied from one template; cowscore and agent-cow hold a session of
1,000 changes, half of them in each table, and 20 other sessions of 100. Every side is driven by the same client
(psycopg, one connection, autocommit, synchronous_commit off so that no disk hides the difference), plain and cowscore
in turns, so that noise of the machine meets both. Half of the rows asked for are rows that the session changed.
Reported are medians of what the client waits for; statements are measured both planned anew each time and prepared, as
psycopg, asyncpg and most drivers send what they send repeatedly. Targets are set for the latter.

Without --dsn a server of its own is started; with it, the role must be able to create databases.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import platform
import random
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
from agentcow.postgres import (
    apply_cow_variables,
    build_cow_variable_statements,
    deploy_cow_functions,
    enable_cow_schema,
)
from psycopg import conninfo, sql

from cowscore import Cow, embedded

SIDES = ("plain", "cowscore", "agent-cow")
CHANGES = 1000
OTHER_SESSIONS = 20
OTHER_CHANGES = 100
SESSIONS_OPENED = 1000
BULK = 10_000
TARGET = 3.0
"""Ratio to plain that the cases marked as targets must keep."""

TABLES = """
create table parent (
    id bigint primary key, code text not null, owner_id bigint not null, status text not null, title text not null,
    amount numeric(12, 2) not null, created_at timestamptz not null, note text
);
create table child (
    id bigint primary key, parent_id bigint not null references parent, kind text not null, body text not null,
    quantity integer not null, price numeric(12, 2) not null, created_at timestamptz not null, note text
);
"""
ROWS = """
insert into parent
select n, 'P-' || n, n %% (%(rows)s / 10), (array['open', 'doing', 'done'])[1 + n %% 3], 'Parent number ' || n,
       n %% 1000, '2020-01-01'::timestamptz + n * interval '1 second', md5(n::text)
from generate_series(1, %(rows)s) n;
insert into child
select n, 1 + n %% %(rows)s, (array['note', 'task'])[1 + n %% 2], 'Child number ' || n, n %% 10, n %% 100,
       '2020-01-01'::timestamptz + n * interval '1 second', md5(n::text)
from generate_series(1, %(rows)s) n;
"""
INDEXES = """
create index on parent (owner_id);
create index on parent (created_at);
create index on child (parent_id);
"""


@dataclass(frozen=True)
class Case:
    """One measured statement."""

    name: str
    statement: str
    parameters: Callable[[Workload], tuple[Any, ...]]
    target: bool = False
    prepared: bool = True
    """Also run as a prepared statement."""
    heavy: bool = False
    """Fewer repetitions."""


@dataclass
class Workload:
    """Which rows the statements ask for; one seed gives every side the same ones."""

    rows: int
    random: random.Random
    fresh: int = 0

    def key(self) -> int:
        """A parent, every second time one that the session updated."""
        if self.random.random() < 0.5:
            return self.random.choice(updated(self.rows))
        return self.random.randrange(1, self.rows // 2)

    def new(self) -> int:
        """A key that nobody uses."""
        self.fresh += 1
        return 10 * self.rows + self.fresh

    def block(self) -> tuple[int, int]:
        """Bounds of the keys of a bulk statement, away from the session's changes."""
        first = self.rows // 2 + self.random.randrange(self.rows // 2 - self.size)
        return first, first + self.size - 1

    @property
    def size(self) -> int:
        """Rows of a bulk statement."""
        return min(BULK, self.rows // 10)


def updated(rows: int) -> range:
    """Keys that the measured session updates, in both tables."""
    return range(1, rows // 2, rows // 2 // (CHANGES * 7 // 20))[: CHANGES * 7 // 20]


def stamp(n: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S+00", time.gmtime(1577836800 + n))


CASES = (
    Case("lookup by key", "select * from parent where id = %s", lambda w: (w.key(),), target=True),
    Case(
        "lookup by secondary index (10 rows)",
        "select * from parent where owner_id = %s",
        lambda w: (w.key() % (w.rows // 10),),
        target=True,
    ),
    Case(
        "ORDER BY indexed LIMIT 20", "select * from parent order by created_at desc limit 20", lambda w: (), target=True
    ),
    Case(
        "ORDER BY indexed LIMIT 20, from the middle",
        "select * from parent where created_at > %s order by created_at limit 20",
        lambda w: (stamp(w.key()),),
    ),
    Case(
        "join of one parent with its children, by a non-key filter",
        "select p.title, c.* from parent p join child c on c.parent_id = p.id where p.created_at = %s",
        lambda w: (stamp(w.key()),),
        target=True,
    ),
    Case(
        "UPDATE of one row", "update parent set note = %s where id = %s", lambda w: (str(w.new()), w.key()), target=True
    ),
    Case(
        "INSERT of one row, with a foreign key",
        "insert into child values (%s, %s, 'note', 'A new child', 1, 1, '2024-01-01', null)",
        lambda w: (w.new(), w.key()),
    ),
    Case("DELETE of one row", "delete from child where id = %s", lambda w: (w.key(),)),
    Case("count(*)", "select count(*) from parent", lambda w: (), prepared=False, heavy=True),
    Case(
        "aggregate over the join of both tables",
        "select p.status, sum(c.price) from parent p join child c on c.parent_id = p.id group by 1",
        lambda w: (),
        prepared=False,
        heavy=True,
    ),
    Case(
        "UPDATE of 10,000 rows",
        "update parent set amount = amount + 1 where id between %s and %s",
        lambda w: w.block(),
        prepared=False,
        heavy=True,
    ),
    Case(
        "INSERT of 10,000 rows, with a foreign key",
        "insert into child select %s + n, n, 'note', 'Many', 1, 1, '2024-01-01', null from generate_series(1, %s) n",
        lambda w: (w.new() * 100_000, w.size),
        prepared=False,
        heavy=True,
    ),
)


@dataclass
class Times:
    """Seconds of one case on one side."""

    seconds: list[float] = field(default_factory=list)
    failure: str = ""

    @property
    def median(self) -> float | None:
        return statistics.median(self.seconds) if self.seconds else None


# --- databases -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def databases(server: str, rows: int) -> Iterator[dict[str, str]]:
    """One database for each side, with the same rows; dropped at the end."""
    names = {side: f"bench_{side.replace('-', '')}_{uuid.uuid4().hex[:8]}" for side in SIDES}
    with psycopg.connect(server, autocommit=True) as conn:
        try:
            first = names["plain"]
            conn.execute(sql.SQL("create database {} template template0").format(sql.Identifier(first)))
            dsn = conninfo.make_conninfo(server, dbname=first)
            with psycopg.connect(dsn, autocommit=True) as inside:
                inside.execute(TABLES)
                psycopg.ClientCursor(inside).execute(ROWS, {"rows": rows})
                inside.execute(INDEXES)
                inside.execute("vacuum analyze")
            for side in SIDES[1:]:
                statement = sql.SQL("create database {} template {}")
                conn.execute(statement.format(sql.Identifier(names[side]), sql.Identifier(first)))
            conn.execute("checkpoint")
            yield {side: conninfo.make_conninfo(server, dbname=name) for side, name in names.items()}
        finally:
            for name in names.values():
                conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def changes(rows: int, count: int, offset: int = 0) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Statements that together change `count` rows, half of them in each table: 7 in 10 updated, 2 inserted, 1 deleted.

    No parent that is asked for is deleted: they lie in the first half, deletes take the last rows.
    """
    keys = [k + offset for k in updated(rows)][: count * 7 // 20]
    first = 2 * rows + offset * CHANGES
    doomed = [rows - offset * CHANGES - n for n in range(1, count // 20 + 1)]
    yield "update parent set status = 'changed' where id = any (%s)", (keys,)
    yield "update child set kind = 'changed' where id = any (%s)", (keys,)
    yield (
        "insert into parent select n, 'P-' || n, n %% 100, 'new', 'New', 1, '2019-01-01'::timestamptz, null "
        "from generate_series(%s, %s) n",
        (first, first + count // 10 - 1),
    )
    yield (
        "insert into child select n, 1 + n %% 100, 'new', 'New', 1, 1, '2019-01-01'::timestamptz, null "
        "from generate_series(%s, %s) n",
        (first, first + count // 10 - 1),
    )
    yield "delete from child where id = any (%s)", (doomed,)
    yield "delete from parent where id = any (%s)", ([n + 1 for n in doomed],)  # whose children these were


def cowscore_side(dsn: str, rows: int) -> tuple[str, float]:
    """The connection string of the measured session, and the seconds that 1,000 new sessions took."""
    with Cow.connect(dsn) as cow:
        cow.enable()
        for number in range(OTHER_SESSIONS + 1):
            session = cow.open_session(name=f"session {number}")
            with session.connect() as conn:
                for statement, parameters in changes(rows, OTHER_CHANGES if number else CHANGES, number):
                    conn.execute(statement, parameters)
            if not number:
                inside = session.dsn()
        began = time.perf_counter()
        for number in range(SESSIONS_OPENED):
            cow.open_session(name=f"empty {number}")
        opened = time.perf_counter() - began
    return inside, opened


async def agent_cow_side(dsn: str, rows: int) -> list[str]:
    """Enables agent-cow by its own API; the statements that put a connection into the measured session."""
    conn = await asyncpg.connect(**_for_asyncpg(dsn))

    class Executor:
        async def execute(self, statement: str) -> list[tuple[Any, ...]]:
            return [tuple(r) for r in await conn.fetch(statement)]

    await deploy_cow_functions(Executor())
    await enable_cow_schema(Executor(), schema="public")
    own: list[str] = []
    for number in range(OTHER_SESSIONS + 1):
        session, operation = uuid.uuid4(), uuid.uuid4()
        own = own or build_cow_variable_statements(session, operation)
        async with conn.transaction():
            await apply_cow_variables(Executor(), session, operation)
            for statement, parameters in changes(rows, OTHER_CHANGES if number else CHANGES, number):
                await conn.execute(_numbered(statement), *parameters)
    await conn.close()
    # For the whole connection, which its API does per transaction: a statement less for each measured one.
    return [s.replace("SET LOCAL", "SET") for s in own]


def _numbered(statement: str) -> str:
    for n in range(1, statement.count("%s") + 1):
        statement = statement.replace("%s", f"${n}", 1)
    return statement.replace("%%", "%").replace("$1, $2)", "$1::bigint, $2::bigint)")


def _for_asyncpg(dsn: str) -> dict[str, Any]:
    known = {"host": "host", "port": "port", "user": "user", "password": "password", "dbname": "database"}
    return {known[k]: v for k, v in conninfo.conninfo_to_dict(dsn).items() if k in known}


# --- measuring -------------------------------------------------------------------------------------------------------


def measure(conns: dict[str, psycopg.Connection[Any]], case: Case, prepare: bool, limits: Limits) -> dict[str, Times]:
    """Runs the case on plain PostgreSQL and on cowscore in turns, then on agent-cow.

    A side that has used up its time leaves the rest to the others. agent-cow comes last and alone, because reading a
    whole table for each lookup, as it does, empties the caches that the others work from.
    """
    times = {side: Times() for side in conns}
    loads = {
        side: Workload(limits.rows, random.Random(f"{case.name} {prepare}"), fresh=limits.fresh()) for side in conns
    }
    repetitions = limits.heavy if case.heavy else limits.light
    for sides in (SIDES[:2], SIDES[2:]):
        for number in range(repetitions + limits.warm_up):
            for side in sides:
                if not times[side].failure and sum(times[side].seconds) <= limits.seconds:
                    took = run_once(conns[side], case, case.parameters(loads[side]), prepare, times[side], limits)
                    if took is not None and (number >= limits.warm_up or took > 1):
                        times[side].seconds.append(took)
    return times


def run_once(
    conn: psycopg.Connection[Any],
    case: Case,
    parameters: tuple[Any, ...],
    prepare: bool,
    times: Times,
    limits: Limits,
) -> float | None:
    """Seconds until the client has every row; None, with the reason in `times`, if the statement fails."""
    began = time.perf_counter()
    try:
        cursor = conn.execute(case.statement, parameters, prepare=prepare)
        if cursor.description:
            cursor.fetchall()
    except psycopg.errors.QueryCanceled:
        times.failure = f"> {limits.seconds:g} s"
        return None
    except psycopg.Error as error:
        times.failure = f"fails: {error.diag.message_primary}"
        return None
    return time.perf_counter() - began


@dataclass
class Limits:
    """How often and how long."""

    rows: int
    light: int
    heavy: int
    seconds: float
    warm_up: int = 6
    used: int = 0

    def fresh(self) -> int:
        """Where the unused keys of the next workload start."""
        self.used += 1
        return self.used * self.rows


def connect(sides: dict[str, str], agent_cow: Iterable[str], seconds: float) -> dict[str, psycopg.Connection[Any]]:
    conns = {}
    for side, dsn in sides.items():
        conn = conns[side] = psycopg.connect(dsn, autocommit=True)
        conn.execute("set synchronous_commit = off")
        conn.execute(sql.SQL("set statement_timeout = {}").format(sql.Literal(int(seconds * 1000))))
    for statement in agent_cow:
        conns["agent-cow"].execute(statement.encode())
    return conns


def run(server: str, limits: Limits) -> dict[str, Any]:
    """Everything measured, as JSON would hold it."""
    with databases(server, limits.rows) as sides:
        say("tables filled")
        inside, opened = cowscore_side(sides["cowscore"], limits.rows)
        say("cowscore session filled")
        variables = asyncio.run(agent_cow_side(sides["agent-cow"], limits.rows))
        say("agent-cow session filled")
        for dsn in sides.values():
            with psycopg.connect(dsn, autocommit=True) as conn:
                conn.execute("vacuum analyze")
        conns = connect({**sides, "cowscore": inside}, variables, limits.seconds)
        version = conns["plain"].info.server_version
        results = []
        for case in CASES:
            for prepare in (False, True) if case.prepared else (False,):
                times = measure(conns, case, prepare, limits)
                results.append(row(case, prepare, times))
                say(line(results[-1]))
        for conn in conns.values():
            conn.close()
    return {
        "rows": limits.rows,
        "server": f"{version // 10000}.{version % 10000}",
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "sessions_opened": SESSIONS_OPENED,
        "sessions_seconds": opened,
        "cases": results,
    }


def row(case: Case, prepare: bool, times: dict[str, Times]) -> dict[str, Any]:
    plain = times["plain"].median
    result: dict[str, Any] = {"case": case.name, "prepared": prepare, "target": case.target}
    for side, t in times.items():
        ratio = t.median / plain if plain and t.median is not None else None
        result[side] = {"ms": t.median and t.median * 1000, "n": len(t.seconds), "ratio": ratio, "failure": t.failure}
    return result


# --- output ----------------------------------------------------------------------------------------------------------


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def line(result: dict[str, Any]) -> str:
    cells = [result["case"], "prepared" if result["prepared"] else "planned each time"]
    for side in SIDES:
        got = result[side]
        if got["ms"] is None:
            cells.append(got["failure"] or "not run")
        elif side == "plain":
            cells.append(f"{got['ms']:.2f} ms")
        else:
            cells.append(f"{got['ms']:.2f} ms ({got['ratio']:.{1 if got['ratio'] < 100 else 0}f}x)")
    return "| " + " | ".join(cells) + " |"


def markdown(results: dict[str, Any]) -> str:
    """The tables that go into the documentation."""
    lines = [
        f"PostgreSQL {results['server']}, {results['rows']:,} rows in each table, {results['machine']}.",
        "",
        "| statement | planning | plain | cowscore | agent-cow 0.1.7 |",
        "|---|---|---:|---:|---:|",
        *(line(r) for r in results["cases"]),
        "",
        f"{results['sessions_opened']:,} sessions opened in {results['sessions_seconds']:.2f} s.",
    ]
    missed = [r["case"] for r in results["cases"] if r["target"] and r["prepared"] and r["cowscore"]["ratio"] > TARGET]
    lines.append(
        f"Prepared and over {TARGET:g}x plain: {', '.join(missed)}."
        if missed
        else f"Prepared, every target is within {TARGET:g}x plain."
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Parses the arguments, runs, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of each table, at least 100,000")
    parser.add_argument("--dsn", help="server to use; default: one of its own")
    parser.add_argument("--version", type=int, help="version of its own server, 16 or 18")
    parser.add_argument("--out", type=Path, help="results.md or results.json; default: Markdown on stdout")
    parser.add_argument("--repeat", type=int, default=200, help="runs of each light statement")
    parser.add_argument("--seconds", type=float, default=5, help="time that one case may take on one side")
    arguments = parser.parse_args()
    if arguments.rows < 100_000:
        parser.error("--rows must be at least 100,000")
    limits = Limits(arguments.rows, arguments.repeat, max(arguments.repeat // 40, 1), arguments.seconds)
    own = contextlib.nullcontext(arguments.dsn) if arguments.dsn else embedded.server(arguments.version)
    with own as server:
        results = run(server, limits)
    as_json = arguments.out is not None and arguments.out.suffix == ".json"
    text = json.dumps(results, indent=2) + "\n" if as_json else markdown(results)
    if arguments.out:
        arguments.out.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
