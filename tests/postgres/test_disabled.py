"""Sessions that outlive the overlay, and roles that come later than it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from cowscore import Cow
from cowscore.errors import NotEnabled


@pytest.fixture
def conn(dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create table tasks (id int primary key, title text); insert into tasks values (1, 'a')")
        yield conn


def test_a_pending_session_is_out_of_reach_while_its_schema_is_disabled(dsn: str, conn: psycopg.Connection) -> None:
    with Cow.connect(dsn) as cow:
        cow.enable()
        session = cow.open_session("pending")
        with session.connect(autocommit=True) as client:
            client.execute("update tasks set title = 'b'")
        assert cow.disable().kept == ("tasks",)
        for look in (session.commit, session.discard, session.fork, session.diff, session.changes, session.operations):
            with pytest.raises(NotEnabled, match="public"):
                look()
        assert session.record().state == "open"
        cow.enable()
        assert [d.columns for d in session.diff()] == [("title",)]
        assert session.commit() == 1
    assert conn.execute("select title from tasks").fetchall() == [("b",)]


def test_sessions_of_other_schemas_go_on(dsn: str, conn: psycopg.Connection) -> None:
    conn.execute("create schema app; create table app.notes (id int primary key)")
    with Cow.connect(dsn) as cow:
        cow.enable()
        cow.enable("app")
        pending, other = cow.open_session("pending"), cow.open_session("other")
        with pending.connect(autocommit=True) as client:
            client.execute("delete from tasks")
        cow.disable()
        with psycopg.connect(dsn, autocommit=True) as client:
            cow.bind(client, other.id)
            client.execute("insert into app_cow.notes values (1)")
        assert other.commit() == 1


def test_enable_lets_a_role_in_that_came_later(dsn: str, conn: psycopg.Connection) -> None:
    with Cow.connect(dsn) as cow:
        cow.enable()
        role = f"late_{conn.info.backend_pid}"
        name = psycopg.sql.Identifier(role)
        conn.execute(psycopg.sql.SQL("create role {}; grant all on tasks to {}").format(name, name))
        try:
            assert cow.enable().roles == (role,)
            session = cow.open_session()
            conn.execute(psycopg.sql.SQL("set session authorization {}").format(name))
            with conn.transaction():
                conn.execute("select cowscore.bind(%s)", [session.id])
                conn.execute("update tasks set title = 'c'")
            conn.execute("reset session authorization")
            assert len(session.diff()) == 1
        finally:
            conn.execute("reset session authorization")
            conn.execute(psycopg.sql.SQL("drop owned by {}; drop role {}").format(name, name))
