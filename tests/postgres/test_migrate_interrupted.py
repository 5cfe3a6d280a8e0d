"""A migration that fails or is killed: sessions are refused, base is safe, and the overlay can be put back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import servers
from cowscore import Cow
from cowscore.errors import BadInput, InstallError, NotEnabled, NotInstalled
from postgres import oracle

pytestmark = pytest.mark.slow

SCHEMA = """
create table people (id int primary key, name text);
create table notes (id int primary key, person int references people, body text);
insert into people values (1, 'Ann'), (2, 'Bob');
insert into notes values (1, 1, 'first');
"""
ADD = "alter table people add column age int default 3"


@pytest.fixture
def base(dsn: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(SCHEMA)
        yield conn


@pytest.fixture
def cow(dsn: str, base: psycopg.Connection[Any]) -> Iterator[Cow]:
    with Cow.connect(dsn) as cow:
        cow.enable()
        yield cow


def migrate(dsn: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`cowscore migrate` as a program of its own."""
    program = [sys.executable, "-m", "cowscore.cli", "migrate", "--dsn", dsn, *arguments]
    return subprocess.run(program, capture_output=True, text=True, env={**os.environ, "DATABASE_URL": dsn})


def psql(server: servers.Server, statement: str) -> tuple[str, ...]:
    """A command that runs the statement in production, over a variable of its environment."""
    program = f'{server.programs}/psql -X -q -v ON_ERROR_STOP=1 -d "$DATABASE_URL" -c "{statement}"'
    return ("sh", "-c", program)


def test_a_command_migrates(server: servers.Server, dsn: str, base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (3, 'Cy')")
    done = migrate(dsn, "--json", "--", *psql(server, ADD))
    assert (done.returncode, '"held": []' in done.stdout) == (0, True), done.stderr
    assert "the overlay of public is back" in done.stderr
    with session.connect() as inside:
        assert inside.execute("select * from people where id = 3").fetchone() == (3, "Cy", 3)


def test_a_command_that_fails_leaves_the_overlay(
    server: servers.Server, dsn: str, base: psycopg.Connection[Any], cow: Cow
) -> None:
    done = migrate(dsn, "--", *psql(server, ADD), ";", "exit 3")
    assert done.returncode == 0
    done = migrate(dsn, "--", "sh", "-c", "exit 3")
    assert done.returncode == 1
    assert "exit code 3" in done.stderr
    done = migrate(dsn, "--", str(Path(dsn) / "nothing"))
    assert done.returncode == 2
    assert {s.state for s in cow.status()} == {"current"}
    with cow.open_session().connect() as inside:
        inside.execute("insert into people values (3, 'Cy')")


def test_what_does_not_fit_ends_with_1(
    server: servers.Server, dsn: str, base: psycopg.Connection[Any], cow: Cow
) -> None:
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (3, null)")
    done = migrate(dsn, "--", *psql(server, "alter table people alter name set not null"))
    assert done.returncode == 1
    assert f"session {session.id} refused until they fit: changes of public.people are kept aside" in done.stderr
    done = migrate(dsn, "--using", "people.name=coalesce(name, '')", "--", "true")
    assert done.returncode == 0, done.stderr
    assert session.commit() == 1
    assert migrate(dsn, "--using", "name", "--", "true").returncode == 2


def test_a_killed_migration_fails_closed_and_is_put_back(
    server: servers.Server, dsn: str, base: psycopg.Connection[Any], cow: Cow
) -> None:
    session, empty = cow.open_session(), cow.open_session()
    with session.connect(autocommit=True) as inside, empty.connect(autocommit=True) as idle:
        inside.execute("insert into people values (3, 'Cy')")
        done = migrate(dsn, "--", "sh", "-c", " ".join(("kill -9 $PPID;", "exit 0")))
        assert done.returncode == -9
        base.execute(ADD)
        before = oracle.digest(base)
        for conn in (inside, idle):
            for statement in ("select * from people", "insert into notes values (9, 1, 'x')", "delete from people"):
                with pytest.raises(psycopg.Error):
                    conn.execute(statement)
        for attempt in (session.connect, empty.commit, session.commit, session.changes):
            with pytest.raises(NotEnabled, match="being migrated"):
                attempt()
        assert {s.state for s in cow.status()} == {"drifted"}
        assert cow.doctor()
        assert oracle.digest(base) == before
        cow.enable()
        assert inside.execute("select * from people where id = 3").fetchone() == (3, "Cy", 3)
    assert {s.state for s in cow.status()} == {"current"}
    session.commit()


def test_another_migration_puts_a_killed_one_back(dsn: str, base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (3, 'Cy')")
    migrate(dsn, "--", "sh", "-c", "kill -9 $PPID")
    with cow.migrate() as report:
        base.execute(ADD)
    assert report.schemas == ("public",)
    assert session.commit() == 1


def test_nothing_else_runs_beside_a_migration(dsn: str, base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with Cow.connect(dsn) as other:
        with cow.migrate(["public"]):
            with pytest.raises(InstallError, match="another"), other.migrate():
                raise AssertionError
            for attempt in (other.enable, other.disable):
                with pytest.raises(InstallError, match="is running"):
                    attempt()
            with psycopg.connect(dsn) as conn, pytest.raises(psycopg.Error) as refused:
                conn.execute("select cowscore.bind(%s, null, false)", [session.id])
            assert refused.value.sqlstate == "CW007"
        assert other.enable().statements == ()
    with pytest.raises(ZeroDivisionError), cow.migrate():
        1 / 0  # noqa: B018
    assert {s.state for s in cow.status()} == {"current"}


def test_it_waits_for_writers(dsn: str, base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (3, 'Cy')")
        hasty = Cow.connect(dsn + " options='-c lock_timeout=200ms'")
        with hasty, pytest.raises(psycopg.errors.LockNotAvailable), hasty.migrate():
            raise AssertionError
    assert {s.state for s in cow.status()} == {"current"}
    assert session.commit() == 1


def test_usage(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        for attempt in (cow.upgrade, cow.migrate().__enter__):
            with pytest.raises(NotInstalled):
                attempt()
        cow.enable()
        with pytest.raises(BadInput, match="nowhere"), cow.migrate(["nowhere"]):
            raise AssertionError
        cow.disable()
        with pytest.raises(NotInstalled), cow.migrate():
            raise AssertionError


def test_a_schema_that_a_migration_drops(base: psycopg.Connection[Any], cow: Cow) -> None:
    base.execute("create schema other; create table other.t (id int primary key, p int references public.people)")
    cow.enable("other")
    cow.enable()
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (3, 'Cy')")
    with cow.migrate() as report:
        base.execute("alter table other.t add column n int; alter table people add column m int")
    assert report.schemas == ("other", "public")
    assert {s.state for s in cow.status()} == {"current"}
    with cow.migrate():
        base.execute("drop schema other cascade")
    assert {(s.schema, s.state) for s in cow.status()} == {("public", "current")}
    assert session.commit() == 1
