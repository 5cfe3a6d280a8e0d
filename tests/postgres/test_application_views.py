"""Views of the application show the session, and what is written through them stays in it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from cowscore import Cow

SCHEMA = """
create table tasks (id serial primary key, title text, done bool default false);
create table secrets (id int primary key, word text);
insert into tasks (title) values ('a'), ('b');
create view open_tasks as select id, title from tasks where not done with check option;
create view "How Many" ("N") as select count(*) from open_tasks;
create view told as select * from secrets;
create view ruled as select id, title from tasks;
create rule quiet as on delete to ruled do instead nothing;
"""


@pytest.fixture
def cow(dsn: str) -> Iterator[Cow]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(SCHEMA)
    with Cow.connect(dsn) as cow:
        yield cow


def test_reads_and_writes_through_a_view_belong_to_the_session(cow: Cow, dsn: str) -> None:
    cow.enable()
    session = cow.open_session()
    with session.connect(autocommit=True) as conn:
        conn.execute("update open_tasks set title = 'z' where id = 1")
        conn.execute("insert into open_tasks (title) values ('c')")
        assert sorted(conn.execute("select title from open_tasks").fetchall()) == [("b",), ("c",), ("z",)]
        assert conn.execute('select "N" from "How Many"').fetchone() == (3,)
    with psycopg.connect(dsn) as conn:
        assert conn.execute('select "N" from "How Many"').fetchone() == (2,)
        assert conn.execute("select title from tasks order by id").fetchall() == [("a",), ("b",)]
    assert {d.table for d in session.diff()} == {"tasks"}
    assert session.commit() == 2


def test_a_view_on_what_sessions_do_not_see_gets_no_twin(cow: Cow) -> None:
    report = cow.enable(exclude=["secrets"])
    assert report.tables["told"].mode == "excluded"
    assert "public.secrets" in report.tables["told"].reason
    with cow.open_session().connect() as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("select * from told")


def test_a_view_with_rules_of_its_own_can_only_be_read(cow: Cow) -> None:
    cow.enable()
    with cow.open_session().connect(autocommit=True) as conn:
        assert len(conn.execute("select * from ruled").fetchall()) == 2
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("delete from ruled")


def test_a_view_that_was_redefined_is_outdated_until_enabled_again(cow: Cow, dsn: str) -> None:
    cow.enable()
    assert cow.enable().statements == ()
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create or replace view open_tasks as select id, title from tasks")
    states = {entry.table: entry.state for entry in cow.status()}
    assert (states["open_tasks"], states["tasks"]) == ("outdated", "current")
    cow.enable()
    assert {entry.state for entry in cow.status()} <= {"current", "read_only"}


def test_a_security_barrier_holds_rows_back_from_writes_too(cow: Cow, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create view first_task with (security_barrier) as select * from tasks where id = 1")
    cow.enable()
    with cow.open_session().connect(autocommit=True) as conn:
        assert conn.execute("update first_task set title = 'z'").rowcount == 1
        assert conn.execute("delete from first_task").rowcount == 1
        assert conn.execute("select title from tasks").fetchall() == [("b",)]


def test_a_view_that_groups_by_a_key_and_shows_more_is_excluded(cow: Cow, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create view grouped as select id, title, count(*) from tasks group by id")
    report = cow.enable().tables["grouped"]
    assert report.mode == "excluded"
    assert "primary key in GROUP BY" in report.reason
