"""enable and disable killed at any point: whole or not at all, and production never notices."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import conninfo

from cowscore import Cow
from cowscore.errors import NotInstalled
from postgres import oracle

TABLES = 15
SCHEMA = "".join(
    f"create table t{n} (id serial primary key, a int unique, up int references t{max(n - 1, 0)});"
    f"insert into t{n} (a) values (1), (2);"
    for n in range(TABLES)
)


@pytest.fixture
def base(dsn: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(SCHEMA)
        yield conn


def relations(conn: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    return conn.execute(
        "select n.nspname, c.relname, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace "
        "where n.nspname !~ '^(pg_|information_schema)' order by 1, 2"
    ).fetchall()


def start(dsn: str, command: str) -> subprocess.Popen[bytes]:
    """The command line in a process of its own, which sleeps nowhere: killing it hits whatever it does just then."""
    environment = {**os.environ, "COWSCORE_DSN": conninfo.make_conninfo(dsn, application_name="victim")}
    program = "import cowscore.cli as c; print('ready', flush=True); input(); c.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, command],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def wait_until_gone(conn: psycopg.Connection[Any]) -> None:
    while conn.execute("select from pg_stat_activity where application_name = 'victim'").fetchall():
        time.sleep(0.01)


def whole_or_nothing(dsn: str, conn: psycopg.Connection[Any], untouched: list[tuple[Any, ...]]) -> str:
    with Cow.connect(dsn) as cow:
        try:
            states = {s.state for s in cow.status()}
        except NotInstalled:
            assert relations(conn) == untouched
            return "nothing"
        if states:
            assert states == {"current"}
            assert len(cow.status()) == TABLES
            return "whole"
        return "nothing"


@pytest.mark.parametrize("how", ["kill", "terminate"])
def test_enable_is_whole_or_nothing(dsn: str, base: psycopg.Connection[Any], how: str) -> None:
    untouched, before, ends = relations(base), oracle.digest(base), set()
    for delay in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4):
        process = start(dsn, "enable")
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        while (
            process.poll() is None
            and not base.execute("select from pg_stat_activity where application_name = 'victim'").fetchall()
        ):
            time.sleep(0.001)
        time.sleep(delay)
        if how == "kill":
            process.send_signal(signal.SIGKILL)
        else:
            base.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'")
        process.communicate()
        wait_until_gone(base)
        ends.add(whole_or_nothing(dsn, base, untouched))
        assert oracle.digest(base) == before
        base.execute("insert into t1 (a) values (99); delete from t1 where a = 99")
    assert "nothing" in ends
    with Cow.connect(dsn) as cow:
        cow.enable()
        session = cow.open_session()
        with session.connect() as conn:
            conn.execute("update t1 set a = 5 where id = 1")
        session.commit()
    assert base.execute("select a from t1 where id = 1").fetchone() == (5,)


def test_disable_is_whole_or_nothing(dsn: str, base: psycopg.Connection[Any]) -> None:
    before = oracle.digest(base)
    for delay in (0.0, 0.02, 0.05):
        with Cow.connect(dsn) as cow:
            cow.enable()
            untouched = [r for r in relations(base) if r[0] in ("public", "cowscore")]
        process = start(dsn, "disable")
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        while (
            process.poll() is None
            and not base.execute("select from pg_stat_activity where application_name = 'victim'").fetchall()
        ):
            time.sleep(0.001)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        wait_until_gone(base)
        if whole_or_nothing(dsn, base, untouched) == "nothing":
            assert relations(base) == untouched
        assert oracle.digest(base) == before


def test_the_backend_dies_while_a_session_writes(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        cow.enable()
        session = cow.open_session()
        with session.connect() as conn:
            conn.execute("update t1 set a = a + 10")
            conn.commit()
            conn.execute("delete from t1")
            pid = conn.info.backend_pid
            base.execute("select pg_terminate_backend(%s)", [pid])
            with pytest.raises(psycopg.OperationalError):
                conn.execute("select 1")
        while base.execute("select from pg_stat_activity where pid = %s", [pid]).fetchall():
            time.sleep(0.01)
        with session.connect() as conn:
            assert conn.execute("select a from t1 order by id").fetchall() == [(11,), (12,)]
        session.commit()
    assert base.execute("select a from t1 order by id").fetchall() == [(11,), (12,)]
