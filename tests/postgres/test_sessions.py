"""Sessions: isolation, reading one's own writes, operations, binding from SQL, and the end of a session."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from cowscore import Cow
from cowscore.errors import BadInput, NoSession, NotInstalled, OperationsNotClosed, SessionClosed, UnknownSession
from postgres import oracle

SHOP = """
create table customers (id int primary key, name text not null, city text);
create table orders (
    id serial primary key, customer int not null references customers on delete cascade, total int default 1
);
insert into customers values (1, 'Ann', 'Kiel'), (2, 'Bob', null), (3, 'Cy', 'Ulm');
insert into orders (customer) values (1), (1), (2);
"""


@dataclass
class Shop:
    dsn: str
    cow: Cow
    base: psycopg.Connection[Any]


@pytest.fixture
def shop(dsn: str) -> Iterator[Shop]:
    with psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute(SHOP)
        cow.enable()
        yield Shop(dsn, cow, base)


def sqlstate(conn: psycopg.Connection[Any], statement: str, *parameters: Any) -> str | None:
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(statement, parameters)
    return caught.value.sqlstate


def names(conn: psycopg.Connection[Any]) -> list[str]:
    return [r[0] for r in conn.execute("select name from customers order by id").fetchall()]


def test_sessions_see_base_and_themselves_only(shop: Shop) -> None:
    before = oracle.digest(shop.base)
    first, second = shop.cow.open_session("first"), shop.cow.open_session("second")
    with first.connect() as a, second.connect() as b:
        a.execute("update customers set name = 'A1' where id = 1; insert into customers values (4, 'A4')")
        a.commit()
        b.execute("update customers set name = 'B1' where id = 1; delete from customers where id = 2")
        b.commit()
        assert names(a) == ["A1", "Bob", "Cy", "A4"]
        assert names(b) == ["B1", "Cy"]
        a.commit()
        assert names(shop.base) == ["Ann", "Bob", "Cy"]
        assert oracle.digest(shop.base) == before
        shop.base.execute(
            "update customers set name = 'Cyrus' where id = 3; update customers set name = 'An' where id = 1"
        )
        assert names(a) == ["A1", "Bob", "Cyrus", "A4"], "base is live under a session, but for what the session wrote"


def test_own_writes_are_read_on_every_connection_once_committed(shop: Shop) -> None:
    session = shop.cow.open_session()
    with session.connect() as a, session.connect(autocommit=True) as b:
        a.execute("insert into customers values (4, 'Di')")
        assert names(a)[-1] == "Di"
        assert names(b)[-1] == "Cy"
        a.commit()
        assert names(b)[-1] == "Di"
        b.execute("delete from customers where id = 4")
        assert names(a)[-1] == "Cy"


def test_the_second_writer_of_a_session_waits_and_no_update_is_lost(shop: Shop) -> None:
    session = shop.cow.open_session()
    shop.base.execute("alter table customers add column n int not null default 0")
    shop.cow.enable()

    def count(conn: psycopg.Connection[Any]) -> None:
        for _ in range(20):
            while True:
                try:
                    conn.execute("update customers set n = n + 1 where id = 1")
                    conn.commit()
                    break
                except psycopg.errors.SerializationFailure:
                    conn.rollback()

    with session.connect() as a, session.connect() as b:
        threads = [threading.Thread(target=count, args=(conn,)) for conn in (a, b)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert a.execute("select n from customers where id = 1").fetchone() == (40,)
    session.commit()
    assert shop.base.execute("select n from customers where id = 1").fetchone() == (40,)


def test_operations_are_numbered_in_the_order_of_their_first_writes(shop: Shop) -> None:
    session = shop.cow.open_session()
    one, two = uuid4(), uuid4()
    with session.connect(one) as a, session.connect(two) as b:
        b.execute("update customers set city = 'x' where id = 2")
        b.commit()
        a.execute("insert into orders (customer) values (3)")
        a.commit()
        b.execute("insert into customers values (4, 'Di')")
        b.commit()
    with session.connect() as c:
        c.execute("select 1")
        c.commit()
        c.execute("delete from orders where id = 1")
        c.execute("delete from orders where id = 2")
        c.commit()
        c.execute("insert into orders (customer) values (1)")
        c.rollback()
        c.execute("update customers set name = name where id = 77")
        c.commit()
    operations = session.operations()
    assert [o.ordinal for o in operations] == [1, 2, 3]
    assert [o.id for o in operations[:2]] == [two, one]
    assert [o.tables for o in operations] == [("customers",), ("orders",), ("orders",)]
    changes = session.changes()
    assert [c.seq for c in changes] == sorted({c.seq for c in changes})
    assert [c.operation for c in changes] == [two, one, two, operations[2].id, operations[2].id]


def test_operations_may_have_labels(shop: Shop) -> None:
    session, operation = shop.cow.open_session(), uuid4()
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        conn.execute("select cowscore.bind(%s, %s, false, 'create order')", [session.id, operation])
        conn.execute("insert into orders (customer) values (3)")
        conn.execute("select cowscore.bind(%s, null, false)", [session.id])
        conn.execute("insert into orders (customer) values (2)")
    assert [(o.id == operation, o.label) for o in session.operations()] == [(True, "create order"), (False, None)]


def test_changes_and_diff(shop: Shop) -> None:
    session = shop.cow.open_session()
    with session.connect() as conn:
        conn.execute("update customers set name = 'A' where id = 1")
        conn.execute("update customers set name = 'Ann', city = 'Bonn' where id = 1")
        conn.execute("insert into customers values (4, 'Di')")
        conn.execute("insert into customers values (5, 'Ed')")
        conn.execute("delete from customers where id = 5")
        conn.execute("update customers set city = 'there' where id = 3")
        conn.execute("update customers set city = 'Ulm' where id = 3")
        conn.execute("delete from customers where id = 2")
        conn.execute("update customers set id = 30 where id = 3")
    changes = session.changes()
    assert [(c.table, c.key, c.kind, c.derived) for c in changes] == [
        ("customers", (1,), "update", False),
        ("customers", (1,), "update", False),
        ("customers", (4,), "insert", False),
        ("customers", (5,), "insert", False),
        ("customers", (5,), "delete", False),
        ("customers", (3,), "update", False),
        ("customers", (3,), "update", False),
        ("customers", (2,), "delete", False),
        ("orders", (3,), "delete", True),
        ("customers", (30,), "update", False),
    ]
    assert changes[0].before == {"id": 1, "name": "Ann", "city": "Kiel"}
    assert changes[0].after == {"id": 1, "name": "A", "city": "Kiel"}
    assert changes[1].before == changes[0].after
    assert changes[2].before is None
    assert changes[4].after is None
    diff = {(d.table, d.key): d for d in session.diff()}
    assert {k: (d.kind, d.columns) for k, d in diff.items()} == {
        ("customers", (1,)): ("update", ("city",)),
        ("customers", (4,)): ("insert", ("id", "name", "city")),
        ("customers", (2,)): ("delete", ()),
        ("orders", (3,)): ("delete", ()),
        ("customers", (3,)): ("update", ("id",)),
    }
    assert diff["orders", (3,)].derived


def test_a_local_bind_ends_with_its_transaction(shop: Shop) -> None:
    session = shop.cow.open_session()
    with psycopg.connect(shop.dsn) as conn:
        path = conn.execute("show search_path").fetchone()
        conn.execute("select cowscore.bind(%s)", [session.id])
        conn.execute("insert into customers values (4, 'Di')")
        assert sqlstate(conn, "insert into public.customers values (5, 'Ed')") == "42501"
        conn.rollback()
        assert conn.execute("show search_path").fetchone() == path
        assert conn.execute("select current_user = session_user, cowscore.session()").fetchone() == (True, None)
        conn.commit()
        conn.execute("select cowscore.bind(%s)", [session.id])
        conn.execute("insert into customers values (4, 'Di')")
        conn.commit()
        assert names(conn) == ["Ann", "Bob", "Cy"]
    assert [c.key for c in session.changes()] == [(4,)]


def test_a_local_bind_in_autocommit_is_refused(shop: Shop) -> None:
    session = shop.cow.open_session()
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        assert sqlstate(conn, "select cowscore.bind(%s)", session.id) == "CW001"
        assert sqlstate(conn, f"select cowscore.bind('{session.id}')") == "CW001"
        assert sqlstate(conn, f"select cowscore.bind('{session.id}'); delete from customers") == "CW001"
        conn.execute("prepare b as select cowscore.bind($1)")
        assert sqlstate(conn, f"execute b('{session.id}')") == "CW001"
        for _ in range(8):  # psycopg prepares a statement that repeats
            assert sqlstate(conn, "select cowscore.bind(%s, null, true)", session.id) == "CW001"
        assert conn.execute("show search_path").fetchone() == ('"$user", public',)
        conn.execute("begin")
        conn.execute("select cowscore.bind(%s)", [session.id])
        conn.execute("delete from customers where id = 3")
        conn.execute("commit")
        conn.execute("begin read only")
        conn.execute("select cowscore.bind(%s)", [session.id])
        assert names(conn) == ["Ann", "Bob"]
        conn.execute("commit")
    assert names(shop.base) == ["Ann", "Bob", "Cy"]
    assert shop.base.execute("select count(*) from cowscore.local_binds").fetchone() == (0,)


def test_a_lasting_bind_ends_with_unbind(shop: Shop) -> None:
    session = shop.cow.open_session()
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        conn.execute("select cowscore.bind(%s, null, false)", [session.id])
        conn.execute("delete from customers where id = 3")
        assert names(conn) == ["Ann", "Bob"]
        conn.execute("select cowscore.unbind()")
        assert names(conn) == ["Ann", "Bob", "Cy"]
        conn.execute("update customers set city = 'Hier' where id = 2")
    assert shop.base.execute("select city from customers where id = 2").fetchone() == ("Hier",)


def test_binding_a_psycopg_connection(shop: Shop) -> None:
    session, operation = shop.cow.open_session(), uuid4()
    with psycopg.connect(shop.dsn) as conn:
        shop.cow.bind(conn, session.id, operation=operation)
        conn.execute("insert into customers values (4, 'Di')")
        with pytest.raises(NoSession, match="inside a transaction"):
            shop.cow.bind(conn, session.id)
        conn.commit()
        shop.cow.bind(conn, str(session.id))
        conn.execute("insert into customers values (5, 'Ed')")
    first, second = session.operations()
    assert first.id == operation
    assert second.id != operation
    with pytest.raises(UnknownSession), psycopg.connect(shop.dsn) as conn:
        shop.cow.bind(conn, uuid4())
    with pytest.raises(UnknownSession, match="nonsense"), psycopg.connect(shop.dsn) as conn:
        shop.cow.bind(conn, "nonsense")


@pytest.mark.parametrize(
    "statement", ["insert into {t} values (9, 'x')", "update {t} set name = 'x'", "delete from {t}"]
)
def test_the_overlay_without_a_session_refuses_to_write(shop: Shop, statement: str) -> None:
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        assert sqlstate(conn, statement.format(t="public_cow.customers")) == "CW001"
        conn.execute("set cowscore.session = 'nonsense'")
        assert sqlstate(conn, statement.format(t="public_cow.customers")) == "22P02"
        conn.execute(f"set cowscore.session = '{uuid4()}'")
        assert sqlstate(conn, statement.format(t="public_cow.customers")) == "CW002"
    assert names(shop.base) == ["Ann", "Bob", "Cy"]


def test_sessions_that_are_not_there(shop: Shop) -> None:
    unknown = uuid4()
    with pytest.raises(UnknownSession, match=str(unknown)):
        shop.cow.session(unknown)
    with pytest.raises(UnknownSession, match="not-a-uuid"):
        shop.cow.session("not-a-uuid")
    with psycopg.connect(shop.dsn) as conn:
        for call in ("bind(%s)", "close_session(%s)", "commit(%s)", "discard(%s)", "fork(%s)", "login(%s, '{public}')"):
            assert sqlstate(conn, f"select cowscore.{call}", unknown) == "CW002", call
            conn.rollback()
        for call in ("operations", "changes", "dependencies", "conflicts"):
            assert sqlstate(conn, f"select * from cowscore.{call}(%s)", unknown) == "CW002", call
            conn.rollback()
        assert sqlstate(conn, "select cowscore.bind(null)") == "CW001"
        conn.rollback()
        assert sqlstate(conn, "select cowscore.bind('nonsense')") == "22P02"


def test_a_closed_session_cannot_change(shop: Shop) -> None:
    session = shop.cow.open_session()
    with session.connect() as pinned, psycopg.connect(shop.dsn, autocommit=True) as bound:
        pinned.execute("insert into customers values (4, 'Di')")
        pinned.commit()
        bound.execute("select cowscore.bind(%s, null, false)", [session.id])
        session.close()
        assert sqlstate(bound, "delete from customers") == "CW003"
        assert sqlstate(bound, "insert into customers values (5, 'Ed')") == "CW003"
    changes = session.changes()
    assert [c.key for c in changes] == [(4,)]
    for action in (session.close, session.dsn, session.connect):
        with pytest.raises(SessionClosed):
            action()
    with pytest.raises(SessionClosed):
        session.discard([session.operations()[0].id])
    with psycopg.connect(shop.dsn) as conn:
        assert sqlstate(conn, "select cowscore.bind(%s)", session.id) == "CW003"
    assert session.changes() == changes
    assert session.record().state == "closed"
    assert session.record().closed_at is not None


def test_closing_waits_for_a_transaction_that_writes(shop: Shop) -> None:
    session = shop.cow.open_session()
    with psycopg.connect(shop.dsn) as conn:
        conn.execute("select cowscore.bind(%s)", [session.id])
        conn.execute("insert into customers values (4, 'Di')")
        closing = threading.Thread(target=session.close)
        closing.start()
        while not shop.base.execute("select from pg_stat_activity where wait_event_type = 'Lock'").fetchall():
            assert closing.is_alive()
        conn.execute("insert into customers values (5, 'Ed')")
        conn.commit()
        closing.join()
    assert [c.key for c in session.changes()] == [(4,), (5,)]


def test_open_with_everything(shop: Shop) -> None:
    own = UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7")
    session = shop.cow.open_session("Kickoff", "ground_truth", {"prompt": "do", "n": [1, None]}, id=str(own))
    record = session.record()
    assert (record.id, record.name, record.kind, record.state) == (own, "Kickoff", "ground_truth", "open")
    assert record.metadata == {"prompt": "do", "n": [1, None]}
    with pytest.raises(BadInput, match=str(own)):
        shop.cow.open_session(id=own)
    with pytest.raises(UnknownSession, match="xyz"):
        shop.cow.open_session(id="xyz")
    assert shop.cow.sessions()[0] == record


def test_opening_from_sql(shop: Shop) -> None:
    own = uuid4()
    assert shop.base.execute("select cowscore.open_session('a', 'agent', '{}', %s)", [own]).fetchone() == (own,)
    row = shop.base.execute("select cowscore.open_session('b', 'ground_truth', '{\"x\": 1}')").fetchone()
    assert row is not None
    assert shop.cow.session(row[0]).record().metadata == {"x": 1}
    assert shop.cow.open_session().record().kind == "agent"


def test_without_an_overlay(dsn: str) -> None:
    with Cow.connect(dsn) as cow:
        for call in (cow.status, cow.disable, cow.open_session, cow.sessions, cow.tables):
            with pytest.raises(NotInstalled, match="enable"):
                call()


def test_discard_all(shop: Shop) -> None:
    before = oracle.digest(shop.base)
    session = shop.cow.open_session()
    with session.connect() as conn:
        conn.execute("delete from customers; insert into customers values (4, 'Di')")
    session.discard()
    assert session.record().state == "discarded"
    assert (session.changes(), session.operations()) == ((), ())
    with pytest.raises(SessionClosed):
        session.commit()
    with pytest.raises(SessionClosed):
        session.discard()
    assert oracle.digest(shop.base) == before
    rows = shop.base.execute("select count(*) from public_cow_changes.customers").fetchone()
    assert rows == (0,)


def test_discard_selected(shop: Shop) -> None:
    session = shop.cow.open_session()
    statements = [
        "update customers set city = 'one' where id = 1",
        "insert into customers values (4, 'Di')",
        "update customers set city = 'three' where id = 1",
        "insert into orders (customer) values (4)",
        "delete from customers where id = 2",
    ]
    with session.connect() as conn:
        for statement in statements:
            conn.execute(statement)
            conn.commit()
        ids = [o.id for o in session.operations()]
        for first, needed_by in ((0, 2), (1, 3)):
            with pytest.raises(OperationsNotClosed, match=str(ids[needed_by])):
                session.discard([ids[first]])
        with pytest.raises(OperationsNotClosed, match="no operation"):
            session.discard([uuid4()])
        session.discard([ids[2]])
        session.discard([str(ids[4])])
        assert conn.execute("select city from customers where id = 1").fetchone() == ("one",)
        assert names(conn) == ["Ann", "Bob", "Cy", "Di"]
        assert conn.execute("select count(*) from orders").fetchone() == (4,)
        conn.execute("update customers set city = 'again' where id in (1, 2)")
        conn.commit()
        session.discard([ids[1], ids[3]])
        assert names(conn) == ["Ann", "Bob", "Cy"]
    session.commit()
    cities = shop.base.execute("select city from customers order by id").fetchall()
    assert cities == [("again",), ("again",), ("Ulm",)]


def test_fork_all_and_selected(shop: Shop) -> None:
    session = shop.cow.open_session("trunk", "ground_truth", {"k": 1})
    with session.connect() as conn:
        for statement in (
            "update customers set city = 'one' where id = 1",
            "insert into customers values (4, 'Di')",
            "update customers set city = 'two' where id = 1",
            "insert into orders (customer) values (4)",
        ):
            conn.execute(statement)
            conn.commit()
    ids = [o.id for o in session.operations()]
    with pytest.raises(OperationsNotClosed, match=str(ids[0])):
        session.fork([ids[2]])
    whole, part = session.fork(), session.fork([ids[1], ids[3]], name="branch")
    assert part.record().name == "branch"
    assert part.record().forked_from == session.id
    assert part.record().metadata == {"k": 1}
    assert [o.id for o in whole.operations()] == ids
    assert [c.seq for c in whole.changes()] == [c.seq for c in session.changes()]
    assert [o.id for o in part.operations()] == [ids[1], ids[3]]
    with whole.connect() as a, part.connect() as b:
        assert a.execute("select city from customers where id = 1").fetchone() == ("two",)
        assert b.execute("select city from customers where id = 1").fetchone() == ("Kiel",)
        b.execute("update customers set city = 'mine' where id = 1")
        b.execute("delete from customers where id = 4")
        b.commit()
        assert names(a) == ["Ann", "Bob", "Cy", "Di"]
        assert names(b) == ["Ann", "Bob", "Cy"]
    session.discard()
    assert len(whole.changes()) == 4
    whole.close()
    again = whole.fork()
    assert again.record().state == "open"
    again.commit()
    assert shop.base.execute("select city from customers where id = 1").fetchone() == ("two",)


def test_a_thousand_sessions_are_a_thousand_rows(shop: Shop) -> None:
    relations = "select count(*) from pg_class"
    before = shop.base.execute(relations).fetchone()
    for n in range(1000):
        shop.cow.open_session(str(n))
    assert shop.base.execute("select count(*) from cowscore.sessions").fetchone() == (1000,)
    assert shop.base.execute(relations).fetchone() == before
