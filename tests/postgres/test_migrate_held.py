"""Changes that do not fit a table after its migration: kept aside, with the reason, and no way past them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from cowscore import Cow, Session
from cowscore.errors import NotCarried

pytestmark = pytest.mark.slow

SCHEMA = """
create table people (id int primary key, name text, age text default '1');
create table notes (id int primary key, body text);
insert into people values (1, 'Ann', '30'), (2, 'Bob', '40');
insert into notes values (1, 'first');
"""
MISFITS = {
    "check": ("alter table people add constraint short check (length(name) < 6)", "short"),
    "not null": ("alter table people alter name set not null", "name"),
    "cast": ("alter table people alter age drop default, alter age type int using age::int", "integer"),
    "shorter": ("alter table people alter name type varchar(6)", "value too long"),
    "key lost": ("alter table people drop constraint people_pkey", "no key"),
    "excluded": ("alter table people enable row level security", "row level security"),
}


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


def _misfit(cow: Cow) -> Session:
    session = cow.open_session()
    with session.connect(autocommit=True) as inside:
        inside.execute("insert into people values (10, 'Maximilian', 'many'), (11, null, '5')")
        inside.execute("update people set name = 'Annabelle' where id = 1")
        inside.execute("insert into notes values (2, 'second')")
    return session


def _fit(cow: Cow) -> Session:
    session = cow.open_session()
    with session.connect(autocommit=True) as inside:
        inside.execute("insert into people values (20, 'Cy', '5')")
    return session


@pytest.mark.parametrize(("migration", "word"), MISFITS.values(), ids=MISFITS.keys())
def test_what_does_not_fit_is_kept_and_refused(
    dsn: str, base: psycopg.Connection[Any], cow: Cow, migration: str, word: str
) -> None:
    session, other = _misfit(cow), _fit(cow)
    before = session.changes()
    inside, bound = session.connect(autocommit=True), psycopg.connect(dsn, autocommit=True)
    cow.bind(bound, session.id)
    with cow.migrate() as report:
        base.execute(migration)
    everyone = {session.id, other.id} if word == "row level security" else {session.id}
    assert {h.session for h in report.held} == everyone
    assert all(h.table == "people" and h.blocks and word in h.reason for h in report.held)
    for conn in (inside, bound):
        for statement in ("select * from notes", "insert into notes values (3, 'x')"):
            with pytest.raises(psycopg.Error) as refused:
                conn.execute(statement)
            assert refused.value.sqlstate == "CW008"
        conn.close()
    for attempt in (session.connect, session.commit, session.changes, session.diff, session.fork, session.rehearse):
        with pytest.raises(NotCarried, match="people"):
            attempt()
    if session.id in everyone and other.id not in everyone:
        assert other.commit() == 1
    findings = [f for f in cow.doctor() if str(session.id) in f.subject]
    assert len(findings) == 1
    assert before
    session.discard()
    assert cow.enable().held == () or word == "row level security"


def test_using_makes_it_fit(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = _misfit(cow)
    before = session.diff()
    migration = "update people set age = '0' where age !~ '^[0-9]+$'; alter table people alter age drop default, "
    with cow.migrate() as report:
        base.execute(migration + "alter age type int using age::int")
    assert [h.session for h in report.held] == [session.id]
    using = {"people.age": "case when age ~ '^[0-9]+$' then age::int else 0 end"}
    assert cow.enable(using=using).held == ()
    after = session.diff()
    assert [(d.table, d.key, d.kind) for d in after] == [(d.table, d.key, d.kind) for d in before]
    with session.connect() as inside:
        assert inside.execute("select id, age from people order by 1").fetchall() == [
            (1, 30),
            (2, 40),
            (10, 0),
            (11, 5),
        ]
    session.commit()
    assert base.execute("select sum(age) from people").fetchone() == (75,)


def test_it_fits_again_when_the_migration_is_taken_back(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = _misfit(cow)
    before = session.changes()
    with cow.migrate():
        base.execute("alter table people alter name set not null")
    with cow.migrate() as report:
        base.execute("alter table people alter name drop not null")
    assert report.held == ()
    assert session.changes() == before
    assert base.execute("select count(*) from cowscore.kept").fetchone() == (0,)
    session.commit()


def test_a_dropped_table_with_changes_is_told_and_the_session_goes_on(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = _misfit(cow)
    with cow.migrate() as report:
        base.execute("drop table people")
    assert [(h.session, h.table, h.reason, h.blocks) for h in report.held] == [
        (session.id, "people", "the table was dropped", False)
    ]
    kept = base.execute("select kept_name from cowscore.kept").fetchone()
    assert kept is not None
    rows = base.execute(f"select count(*) from public_cow_changes.\"{kept[0]}\" where _cow_kind <> 'B'").fetchone()
    assert rows == (3,)
    assert session.commit() == 1
    with cow.migrate() as report:
        base.execute("create table people (id int primary key, name text, age text)")
    assert report.held == ()
    assert base.execute("select count(*) from cowscore.kept").fetchone() == (0,)


def test_a_table_made_anew_under_the_same_name_is_another(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = _misfit(cow)
    with cow.migrate() as report:
        base.execute("drop table people; create table people (id int primary key, name text, age text default '1')")
    assert [(h.table, h.blocks) for h in report.held] == [("people", False)]
    with session.connect() as inside:
        assert inside.execute("select * from people").fetchall() == []


def test_disable_keeps_what_was_put_aside(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = _misfit(cow)
    before = session.changes()
    with cow.migrate():
        base.execute("alter table people alter name set not null")
    assert cow.disable().kept
    base.execute("alter table people alter name drop not null")
    assert cow.enable().held == ()
    assert session.changes() == before


KEYS = {
    "unique": ("alter table people add unique (name)", "duplicate key value"),
    "foreign key": ("alter table people add foreign key (id) references notes deferrable", "foreign key"),
}


@pytest.mark.parametrize(("migration", "word"), KEYS.values(), ids=KEYS.keys())
def test_a_new_key_that_a_session_violates_is_told(
    base: psycopg.Connection[Any], cow: Cow, migration: str, word: str
) -> None:
    base.execute("insert into notes values (2, 'b')")
    session, other = cow.open_session(), cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (10, 'Ann')")
    with other.connect() as inside:
        inside.execute("update people set age = '9' where id = 2")
    with cow.migrate() as report:
        base.execute(migration)
    assert report.held == ()
    assert [id for id, _ in report.violating] == [session.id]
    assert word in report.violating[0][1]
    session.discard([o.id for o in session.operations()])
    assert session.rehearse().ok
    other.commit()


def test_versions_of_a_row_agree_on_a_volatile_default(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with session.connect(autocommit=True) as inside:
        inside.execute("insert into people values (10, 'Max'), (11, 'Moritz')")
        inside.execute("update people set name = 'Maxim' where id = 10")
        inside.execute("update people set name = 'Anna' where id = 1")
    with cow.migrate():
        base.execute("alter table people add column token uuid not null default gen_random_uuid()")
    changed = [d for d in session.diff() if d.kind == "update"]
    assert [d.columns for d in changed] == [("name",)]
    versions = [c.after for c in session.changes() if c.key == (10,)]
    assert len({v["token"] for v in versions if v}) == 1
    assert session.conflicts() == ()
    session.commit()
    assert base.execute("select count(distinct token) from people").fetchone() == (4,)


def test_what_production_changed_is_a_conflict_after_a_migration_too(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("update people set name = 'Anna' where id = 1")
    base.execute("update people set name = 'Annette' where id = 1")
    with cow.migrate():
        base.execute("alter table people rename name to called; alter table people add n int default 1")
    (conflict,) = session.conflicts()
    assert (conflict.reason, conflict.columns) == ("changed", ("called",))


def test_history_of_committed_sessions_follows(base: psycopg.Connection[Any], cow: Cow) -> None:
    session = cow.open_session()
    with session.connect() as inside:
        inside.execute("insert into people values (10, 'Max', '3')")
    session.commit()
    with cow.migrate():
        base.execute("alter table people rename to persons; alter table persons drop age")
    assert [(c.table, c.after) for c in session.changes()] == [("persons", {"id": 10, "name": "Max"})]
