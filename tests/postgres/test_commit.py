"""Commit: all, selected operations, conflicts, what is written and in which order; rehearsals and dependencies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from cowscore import Cow
from cowscore.database import Session
from cowscore.errors import BadInput, Conflict, OperationsNotClosed, SessionClosed
from postgres import oracle

SHOP = """
create table customers (id int primary key, name text not null, city text, score int default 0, code text unique);
create table orders (
    id serial primary key, customer int references customers on delete cascade, total int default 1 check (total > 0)
);
create table log (what text);
insert into customers values (1, 'Ann', 'Kiel', 1, 'a'), (2, 'Bob', 'Bonn', 2, 'b'), (3, 'Cy', 'Ulm', 3, 'c');
insert into orders (customer) values (1), (1), (2);
"""


@dataclass
class Shop:
    cow: Cow
    base: psycopg.Connection[Any]

    def work(self, *statements: str) -> Session:
        """A session in which each statement is an operation."""
        session = self.cow.open_session()
        with session.connect(autocommit=True) as conn:
            for statement in statements:
                conn.execute(statement)
        return session

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.base.execute(query).fetchall()


@pytest.fixture
def shop(pair: oracle.Pair) -> Iterator[Shop]:
    with oracle.enabled(pair, SHOP):
        yield Shop(pair.cow, pair.base)


def ids(session: Session) -> list[UUID]:
    return [o.id for o in session.operations()]


def test_commit_all(shop: Shop) -> None:
    session = shop.work(
        "insert into customers values (4, 'Di')",
        "insert into orders (customer, total) values (4, 5), (3, 6)",
        "update customers set city = 'X' where id in (1, 4)",
        "delete from customers where id = 2",
        "insert into log values ('done'), ('done')",
    )
    assert session.commit() == 8
    assert shop.rows("select id, city from customers order by id") == [(1, "X"), (3, "Ulm"), (4, "X")]
    assert shop.rows("select customer, total from orders order by id") == [(1, 1), (1, 1), (4, 5), (3, 6)]
    assert shop.rows("select what from log") == [("done",), ("done",)]
    assert session.record().state == "committed"
    for again in (session.commit, session.discard, session.close, session.dsn):
        with pytest.raises(SessionClosed, match="committed"):
            again()
    assert len(session.changes()) == 9, "what was done stays on record"


def test_a_closed_session_can_be_committed(shop: Shop) -> None:
    session = shop.work("insert into customers values (4, 'Di')")
    session.close()
    assert session.commit() == 1
    assert shop.rows("select count(*) from customers") == [(4,)]


def test_an_empty_session_can_be_committed(shop: Shop) -> None:
    assert shop.work("select 1", "update customers set city = city where false").commit() == 0


def test_only_changed_columns_are_written(shop: Shop) -> None:
    session = shop.work(
        "update customers set city = 'mine' where id = 1", "update customers set score = 9 where id = 1"
    )
    shop.base.execute("update customers set name = 'theirs' where id = 1")
    session.commit(on_conflict="merge")
    assert shop.rows("select name, city, score from customers where id = 1") == [("theirs", "mine", 9)]


def test_generated_numbers_are_kept(shop: Shop) -> None:
    session = shop.work("insert into orders (customer) values (1)")
    shop.base.execute("insert into orders (customer) values (2)")
    number = session.changes()[0].key
    session.commit()
    assert shop.rows("select id from orders where customer = 1 order by id desc limit 1") == [number]


def test_commit_selected(shop: Shop) -> None:
    session = shop.work(
        "insert into customers values (4, 'Di')",
        "insert into orders (customer) values (4)",
        "update customers set city = 'three' where id = 1",
        "update customers set city = 'four' where id = 1",
        "delete from customers where id = 3",
    )
    one, two, three, four, five = ids(session)
    with pytest.raises(OperationsNotClosed, match=str(one)):
        session.commit([two])
    with pytest.raises(OperationsNotClosed, match=str(three)):
        session.commit([str(four), one])
    with pytest.raises(OperationsNotClosed, match="no operation"):
        session.commit([uuid4()])
    assert shop.rows("select count(*) from customers") == [(3,)]
    assert session.commit([two, one]) == 2
    assert session.record().state == "open"
    assert session.commit([three]) == 1
    assert shop.rows("select city from customers where id = 1") == [("three",)]
    with session.connect(autocommit=True) as conn:
        assert conn.execute("select city from customers where id = 1").fetchone() == ("four",)
        assert conn.execute("select count(*) from customers").fetchone() == (3,)
        conn.execute("update customers set name = 'D' where id = 4")
    assert session.commit([one, two]) == 0
    assert session.commit() == 3
    assert shop.rows("select id, name, city from customers order by id") == [
        (1, "Ann", "four"),
        (2, "Bob", "Bonn"),
        (4, "D", None),
    ]
    assert five in ids(session)


def test_an_operation_that_was_committed_writes_no_more(shop: Shop) -> None:
    session, operation = shop.cow.open_session(), uuid4()
    with session.connect(operation, autocommit=True) as conn:
        conn.execute("insert into customers values (4, 'Di')")
        with session.connect(autocommit=True) as other:
            other.execute("insert into customers values (5, 'Ed')")
        session.commit([operation])
        with pytest.raises(psycopg.Error) as caught:
            conn.execute("insert into customers values (6, 'Flo')")
        assert caught.value.sqlstate == "CW003"


def test_dependencies(shop: Shop) -> None:
    session = shop.work(
        "insert into customers (id, name, code) values (4, 'Di', 'd')",
        "insert into orders (customer) values (4)",
        "update customers set city = 'x' where id = 4",
        "update customers set city = 'x' where id = 1",
        "update customers set code = 'z' where id = 2",
        "insert into customers (id, name, code) values (5, 'Ed', 'b')",
        "delete from orders where customer = 2",
        "delete from customers where id = 2",
        "insert into customers (id, name) values (2, 'New')",
    )
    o = {operation.id: operation.ordinal for operation in session.operations()}
    pairs = {(o[a], o[b]) for a, b in session.dependencies()}
    assert pairs == {(2, 1), (3, 1), (6, 5), (8, 5), (8, 7), (9, 8)}


def test_every_closed_selection_can_be_committed(shop: Shop) -> None:
    statements = (
        "update customers set code = 'tmp' where id = 1",
        "update customers set code = 'a' where id = 2",
        "insert into customers (id, name, code) values (4, 'Di', 'b')",
        "insert into orders (id, customer) values (100, 4)",
        "delete from orders where id = 1",
        "insert into orders (id, customer) values (1, 3)",
        "insert into log values ('x')",
    )
    for number in range(7):
        session = shop.work(*statements)
        order = ids(session)
        wanted = {order[number]}
        pairs = session.dependencies()
        while more := {b for a, b in pairs if a in wanted} - wanted:
            wanted |= more
        if len(wanted) > 1:
            with pytest.raises(OperationsNotClosed):
                session.commit([order[number]])
        shop.base.execute("begin")
        shop.base.execute("select cowscore.commit(%s, %s)", [session.id, list(wanted)])
        shop.base.execute("rollback")
        session.discard()


CONFLICTS: Sequence[tuple[str, str, str, dict[str, str]]] = [
    # what the session does, what production does, the rows afterwards under each policy ("!" for a conflict)
    (
        "same-column",
        "update customers set city = 'mine' where id = 1",
        "update customers set city = 'theirs' where id = 1",
        {"abort": "!", "ours": "Ann,mine,1", "theirs": "Ann,theirs,1", "merge": "!"},
    ),
    (
        "other-column",
        "update customers set city = 'mine' where id = 1",
        "update customers set name = 'theirs' where id = 1",
        {"abort": "!", "ours": "theirs,mine,1", "theirs": "theirs,Kiel,1", "merge": "theirs,mine,1"},
    ),
    (
        "deleted-under-update",
        "update customers set city = 'mine' where id = 1",
        "delete from customers where id = 1",
        {"abort": "!", "ours": "!", "theirs": "", "merge": "!"},
    ),
    (
        "updated-under-delete",
        "delete from customers where id = 1",
        "update customers set city = 'theirs' where id = 1",
        {"abort": "!", "ours": "", "theirs": "Ann,theirs,1", "merge": "!"},
    ),
    (
        "deleted-on-both-sides",
        "delete from customers where id = 1",
        "delete from customers where id = 1",
        {"ours": "", "theirs": ""},
    ),
    (
        "no-conflict",
        "update customers set city = 'mine' where id = 1",
        "update customers set city = 'theirs' where id = 2",
        {"abort": "Ann,mine,1", "ours": "Ann,mine,1", "theirs": "Ann,mine,1", "merge": "Ann,mine,1"},
    ),
    (
        "changed-and-changed-back",
        "update customers set city = 'mine' where id = 1",
        "update customers set city = 'x' where id = 1; update customers set city = 'Kiel' where id = 1",
        {"abort": "Ann,mine,1"},
    ),
]


@pytest.mark.parametrize(
    ("mine", "theirs", "policy", "result"),
    [
        pytest.param(mine, theirs, policy, result, id=f"{name}-{policy}")
        for name, mine, theirs, results in CONFLICTS
        for policy, result in results.items()
    ],
)
def test_conflicts(shop: Shop, mine: str, theirs: str, policy: str, result: str) -> None:
    session = shop.work(mine, "insert into log values ('beside')")
    shop.base.execute(theirs)
    before = oracle.digest(shop.base)
    rehearsal = session.rehearse(on_conflict=policy)
    assert rehearsal.ok == (result != "!")
    if result == "!":
        with pytest.raises(Conflict, match="customers"):
            session.commit(on_conflict=policy)
        assert oracle.digest(shop.base) == before
        assert session.record().state == "open"
        return
    session.commit(on_conflict=policy)
    row = shop.rows("select concat_ws(',', name, city, score) from customers where id = 1")
    assert "".join(r[0] for r in row) == result
    assert shop.rows("select what from log") == [("beside",)]


def test_conflicts_are_described(shop: Shop) -> None:
    session = shop.work(
        "update customers set city = 'mine', score = 7 where id = 1",
        "delete from customers where id = 3",
        "insert into customers (id, name) values (4, 'Di')",
    )
    assert session.conflicts() == ()
    shop.base.execute(
        "update customers set city = 'theirs', name = 'A' where id = 1; delete from customers where id = 3"
    )
    shop.base.execute("insert into customers (id, name) values (4, 'taken')")
    found = {c.key["id"]: c for c in session.conflicts()}
    assert {k: (c.table, c.reason, c.columns, c.mine) for k, c in found.items()} == {
        1: ("customers", "changed", ("name", "city"), ("city", "score")),
        3: ("customers", "deleted", ("id", "name", "city", "score", "code"), ()),
        4: ("customers", "exists", ("id", "name", "city", "score", "code"), ()),
    }
    assert found[1].before is not None
    assert found[1].base is not None
    assert (found[1].before["city"], found[1].base["city"]) == ("Kiel", "theirs")
    assert found[3].base is None


def test_a_policy_that_does_not_exist(shop: Shop) -> None:
    session = shop.work("delete from orders")
    for call in (session.commit, session.rehearse):
        with pytest.raises(BadInput, match="mine"):
            call(on_conflict="mine")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="merge"):
        shop.base.execute("select cowscore.commit(%s, null, 'mine')", [session.id])


TAKEN = [
    ("insert into customers (id, name) values (4, 'Di')", "insert into customers (id, name) values (4, 'x')", "23505"),
    (
        "insert into customers (id, name, code) values (4, 'Di', 'k')",
        "insert into customers (id, name, code) values (5, 'x', 'k')",
        "23505",
    ),
    ("insert into orders (customer) values (3)", "delete from customers where id = 3", "23503"),
    ("update orders set total = 5 where id = 3", "alter table orders add check (total < 5)", "23514"),
    ("update customers set id = 40 where id = 3", "insert into customers values (40, 'x')", "23505"),
]


@pytest.mark.parametrize(("mine", "theirs", "sqlstate"), TAKEN)
def test_what_base_no_longer_allows(shop: Shop, mine: str, theirs: str, sqlstate: str) -> None:
    session = shop.work("insert into log values ('first')", mine)
    shop.base.execute(theirs)
    before = oracle.digest(shop.base)
    rehearsal = session.rehearse()
    assert [(v.sqlstate, v.table is not None, v.constraint is not None) for v in rehearsal.violations] == [
        (sqlstate, True, True)
    ]
    assert (rehearsal.ok, rehearsal.written) == (False, 0)
    with pytest.raises(psycopg.Error) as caught:
        session.commit()
    assert caught.value.sqlstate == sqlstate
    assert oracle.digest(shop.base) == before
    assert session.record().state == "open"
    assert session.commit([ids(session)[0]]) == 1


def test_rehearse_writes_nothing_and_tells_what_triggers_would(shop: Shop) -> None:
    shop.base.execute(
        "create function noted() returns trigger language plpgsql as "
        "$$ begin insert into log values (tg_op); return null; end $$;"
        "create trigger noted after insert or update or delete on customers for each row execute function noted();"
    )
    session = shop.work(
        "insert into customers (id, name) values (4, 'Di')",
        "update customers set city = 'x' where id = 3",
        "delete from customers where id = 1",
    )
    before = oracle.digest(shop.base)
    rehearsal = session.rehearse()
    assert oracle.digest(shop.base) == before
    assert rehearsal.ok
    assert rehearsal.written == 3
    assert {(d.table, d.inserted, d.updated, d.deleted) for d in rehearsal.derived} == {
        ("log", 3, 0, 0),
        ("orders", 0, 0, 2),
    }
    session.commit()
    assert sorted(shop.rows("select what from log")) == [("DELETE",), ("INSERT",), ("UPDATE",)]
    assert shop.rows("select count(*) from orders") == [(1,)]


def test_the_trigger_of_the_application_decides_at_commit(shop: Shop) -> None:
    shop.base.execute(
        "create function loud() returns trigger language plpgsql as $$ begin NEW.name := upper(NEW.name); "
        "return NEW; end $$;"
        "create trigger loud before insert or update of name on customers for each row execute function loud();"
    )
    session = shop.work(
        "insert into customers (id, name) values (4, 'Di')", "update customers set city = 'x' where id = 1"
    )
    session.commit()
    assert shop.rows("select name from customers where id in (1, 4) order by id") == [("Ann",), ("DI",)]


def test_commit_inside_the_callers_transaction(shop: Shop) -> None:
    session = shop.work("insert into customers (id, name) values (4, 'Di')")
    with shop.base.transaction(force_rollback=True):
        assert shop.base.execute("select cowscore.commit(%s)", [session.id]).fetchone() == (1,)
        assert shop.rows("select count(*) from customers") == [(4,)]
        assert shop.rows("show search_path") == [('"$user", public',)]
    assert shop.rows("select count(*) from customers") == [(3,)]
    assert session.record().state == "open"


def test_two_sessions_one_after_the_other(shop: Shop) -> None:
    first = shop.work("update customers set city = 'first' where id = 1", "update customers set score = 5 where id = 2")
    second = shop.work(
        "update customers set city = 'second' where id = 1", "update customers set city = 's' where id = 2"
    )
    first.commit()
    with pytest.raises(Conflict):
        second.commit()
    with pytest.raises(Conflict):
        second.commit(on_conflict="merge")
    assert second.commit([ids(second)[1]], on_conflict="merge") == 1
    assert second.commit(on_conflict="theirs") == 0
    assert shop.rows("select city, score from customers where id < 3 order by id") == [("first", 1), ("s", 5)]


def test_a_row_written_again_after_it_was_committed(shop: Shop) -> None:
    session = shop.work(
        "insert into customers (id, name) values (4, 'Di')", "update customers set city = 'a' where id = 1"
    )
    session.commit([ids(session)[0]])
    with session.connect(autocommit=True) as conn:
        conn.execute("update customers set name = 'D2' where id = 4")
        conn.execute("delete from customers where id = 4")
        conn.execute("insert into customers (id, name) values (4, 'D3')")
    session.commit()
    assert shop.rows("select name from customers where id = 4") == [("D3",)]


SCRIPTS = {
    "unique-value-reused": (
        "delete from customers where id = 1",
        "insert into customers (id, name, code) values (4, 'Di', 'a')",
        "update customers set code = 'q' where id = 2",
        "update customers set code = 'b' where id = 4",
        "insert into customers (id, name, code) values (5, 'Ed', 'a')",
    ),
    "swap-by-a-third-value": (
        "update customers set code = 't' where id = 1",
        "update customers set code = 'a' where id = 2",
        "update customers set code = 'b' where id = 1",
    ),
    "keys-rotated": (
        "delete from orders",
        "update customers set id = 10 where id = 1",
        "update customers set id = 1 where id = 2",
        "update customers set id = 2 where id = 10",
        "insert into orders (customer) values (1), (2)",
    ),
    "deleted-and-back": (
        "delete from customers where id = 1",
        "insert into customers (id, name) values (1, 'Again')",
        "insert into orders (customer) values (1)",
        "delete from customers where id = 1",
        "insert into customers (id, name) values (1, 'Third')",
    ),
    "never-there": (
        "insert into customers (id, name) values (4, 'Di')",
        "insert into orders (customer) values (4)",
        "delete from customers where id = 4",
    ),
    "child-before-parent-goes": (
        "update orders set customer = null where customer = 1",
        "delete from customers where id = 1",
        "update orders set customer = 2 where customer is null",
    ),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_order_of_writes(shop: Shop, script: str) -> None:
    session = shop.work(*SCRIPTS[script])
    with shop.base.transaction(force_rollback=True):
        for statement in SCRIPTS[script]:
            shop.base.execute(statement)
        expected = (
            shop.rows("select * from customers order by id"),
            shop.rows("select customer, total from orders order by 1"),
        )
    session.commit()
    got = shop.rows("select * from customers order by id"), shop.rows("select customer, total from orders order by 1")
    assert got == expected


def test_foreign_keys_in_a_circle(shop: Shop) -> None:
    shop.base.execute(
        "create table team (id int primary key, lead int);"
        "create table person (id int primary key, team int not null references team deferrable initially deferred);"
        "alter table team add foreign key (lead) references person deferrable initially immediate;"
        "insert into team values (1, null); insert into person values (1, 1); update team set lead = 1;"
    )
    shop.cow.enable()
    session = shop.cow.open_session()
    with session.connect() as conn:
        conn.execute("insert into person values (2, 2)")
        conn.execute("insert into team values (2, 2)")
        conn.execute("insert into person values (3, 2)")
        conn.execute("update team set lead = 3 where id = 2")
        conn.commit()
        conn.execute("set constraints all deferred")
        conn.execute("delete from team where id = 1")
        conn.execute("delete from person where id = 1")
    assert session.commit() > 0
    assert shop.rows("select * from team") == [(2, 3)]
    assert shop.rows("select * from person order by id") == [(2, 2), (3, 2)]
    other = shop.cow.open_session()
    with other.connect() as conn:
        conn.execute("set constraints all deferred")
        conn.execute("insert into team values (3, 9)")
        conn.execute("insert into person values (9, 3)")
    assert len(other.operations()) == 1
    other.commit([other.operations()[0].id])
    assert shop.rows("select lead from team where id = 3") == [(9,)]


def test_a_thousand_rows_commit(shop: Shop) -> None:
    session = shop.work(
        "insert into customers (id, name) select n, 'n' || n from generate_series(1001, 2000) n",
        "update customers set score = id where id > 1000",
        "delete from customers where id % 2 = 0 and id > 1000",
    )
    session.commit()
    assert shop.rows("select count(*), sum(score) from customers where id > 1000") == [(500, 750000)]
