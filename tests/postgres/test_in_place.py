"""The layout in_place: a view has the table's name, for sessions and for production."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import servers
from cowscore import Cow
from cowscore.errors import InstallError

SCHEMA = """
create table customers (id serial primary key, name text not null check (name <> ''), vip boolean default false);
create table orders (
    id int generated always as identity primary key,
    customer int not null references customers on delete cascade,
    total numeric(10, 2) default 0,
    twice numeric generated always as (total * 2) stored
);
create table orders_base (id int primary key);
create table log (line text);
create index on orders (customer);
create view large as
    select o.id, c.name, o.total from orders o join customers c on c.id = o.customer where o.total > 10;
create view vips as select * from customers where vip;
create view guarded with (security_barrier) as select * from customers;
insert into customers (name) values ('a'), ('b');
insert into orders (customer, total) values (1, 5), (1, 50);
"""


@pytest.fixture
def base(dsn: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(SCHEMA)
        yield conn


@pytest.fixture
def cow(dsn: str, base: psycopg.Connection[Any]) -> Iterator[Cow]:
    with Cow.connect(dsn) as made:
        made.enable(layout="in_place")
        yield made


def _dump(server: servers.Server, dsn: str) -> list[str]:
    command = [str(server.programs / "pg_dump"), "--schema-only", "--schema=public", dsn]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line for line in text.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]


def test_disable_leaves_the_schema_as_it_was(server: servers.Server, dsn: str, base: psycopg.Connection[Any]) -> None:
    before = _dump(server, dsn)
    with Cow.connect(dsn) as cow:
        cow.enable(layout="in_place")
        assert {"customers_base", "orders_base2", "log"} <= {
            r[0] for r in base.execute("select relname from pg_class where relkind = 'r'")
        }
        cow.disable()
    assert _dump(server, dsn) == before


def test_enable_again_changes_nothing_and_keeps_the_layout(cow: Cow) -> None:
    report = cow.enable()
    assert (report.layout, report.statements) == ("in_place", ())
    assert {s.table: s.state for s in cow.status()} == {
        "customers": "current",
        "guarded": "read_only",
        "large": "current",
        "log": "read_only",
        "orders": "current",
        "orders_base": "current",
        "vips": "current",
    }


def test_one_layout_after_the_other(server: servers.Server, dsn: str, base: psycopg.Connection[Any]) -> None:
    before = _dump(server, dsn)
    with Cow.connect(dsn) as cow:
        for layout, other in (("overlay", "in_place"), ("in_place", "overlay"), ("overlay", "in_place")):
            assert cow.enable(layout=layout).layout == layout
            session = cow.open_session("s")
            with session.connect() as conn:
                conn.execute("insert into customers (name) values ('x')")
            assert cow.enable().statements == ()
            with pytest.raises(InstallError, match="before the layout changes"):
                cow.enable(layout=other)
            assert [c.kind for c in session.diff()] == ["insert"]
            session.discard()
        cow.disable()
    assert _dump(server, dsn) == before


def test_production_goes_through_the_view(cow: Cow, base: psycopg.Connection[Any]) -> None:
    insert = "insert into public.customers (name) values ('c') returning *"
    assert base.execute(insert).fetchall() == [(3, "c", False)]
    assert base.execute("insert into orders (customer, total) values (3, 7) returning id, twice").fetchall() == [
        (3, 14)
    ]
    assert base.execute("update orders set total = total + 5 where customer = 3 returning twice").fetchall() == [(24,)]
    assert base.execute("select name, total from public.large order by 1").fetchall() == [("a", 50), ("c", 12)]
    assert base.execute("update vips set name = 'x'").rowcount == 0
    assert base.execute("insert into customers values (1, 'q') on conflict do nothing").rowcount == 0
    assert base.execute("delete from customers where id = 3").rowcount == 1
    assert base.execute("select count(*) from orders_base2").fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("statement", "sqlstate"),
    [
        ("insert into customers (name) values ('')", "23514"),
        ("insert into customers (name) values (null)", "23502"),
        ("insert into customers values (1, 'a')", "23505"),
        ("insert into orders (customer) values (77)", "23503"),
        ("insert into orders (id, customer) values (9, 1)", "428C9"),
        ("update orders set id = 9 where id = 1", "428C9"),
        ("update orders set twice = 9 where id = 1", "428C9"),
    ],
)
def test_production_gets_the_errors_of_the_table(
    cow: Cow, base: psycopg.Connection[Any], statement: str, sqlstate: str
) -> None:
    with pytest.raises(psycopg.Error) as caught:
        base.execute(statement)
    assert caught.value.sqlstate == sqlstate


def test_no_update_of_production_is_lost(cow: Cow, base: psycopg.Connection[Any], dsn: str) -> None:
    with psycopg.connect(dsn) as other:
        other.execute("set transaction isolation level repeatable read")
        other.execute("select total from orders where id = 1")
        base.execute("update orders set total = total + 1 where id = 1")
        with pytest.raises(psycopg.errors.SerializationFailure):
            other.execute("update orders set total = total + 1 where id = 1")
        other.rollback()
        other.execute("update orders set total = total + 1 where id = 1")
    assert base.execute("select total from orders where id = 1").fetchall() == [(7,)]


def test_a_session_by_qualified_names(cow: Cow, base: psycopg.Connection[Any]) -> None:
    session = cow.open_session("s")
    with session.connect() as conn:
        conn.execute("insert into public.customers (id, name) values (10, 's')")
        conn.execute("insert into public.orders (customer, total) values (10, 20)")
        conn.execute("update public.vips set name = 'never'")
        conn.execute("update public.customers set vip = true where id = 1")
        assert conn.execute("update public.vips set name = 'z' returning id").fetchall() == [(1,)]
        conn.execute("delete from public.customers where id = 2")
        assert conn.execute("select name from public.large order by 1").fetchall() == [("s",), ("z",)]
    assert base.execute("select name from customers order by id").fetchall() == [("a",), ("b",)]
    assert session.commit() == 5
    assert base.execute("select name from customers order by id").fetchall() == [("z",), ("s",)]


@pytest.mark.parametrize("table", ["customers_base", "orders_base2", "log", "guarded"])
def test_a_session_cannot_name_the_tables_below(cow: Cow, base: psycopg.Connection[Any], table: str) -> None:
    with cow.open_session("s").connect() as conn:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute(f"delete from public.{table}")
        conn.rollback()
        # The login is in its session whatever the setting says.
        conn.execute("select set_config('cowscore.session', '', false)")
        conn.execute("update public.customers set name = 'q'")
    assert base.execute("select name from customers order by id").fetchall() == [("a",), ("b",)]


def test_the_role_of_sessions_cannot_write_outside_of_one(cow: Cow, base: psycopg.Connection[Any]) -> None:
    base.execute("set role cowscore_agent")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        base.execute("update public.customers set name = 'q'")
    base.execute("reset role")
    assert base.execute("select name from customers order by id").fetchall() == [("a",), ("b",)]


def test_roles_keep_their_rights(dsn: str, base: psycopg.Connection[Any]) -> None:
    role = "reader_" + base.info.dbname[-12:]
    base.execute(f"create role {role}; grant usage on schema public to {role}; grant select on customers to {role}")
    try:
        with Cow.connect(dsn) as cow:
            cow.enable(layout="in_place")
            base.execute(f"set role {role}")
            assert base.execute("select name from public.customers order by 1").fetchall() == [("a",), ("b",)]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                base.execute("update public.customers set name = 'x'")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                base.execute("select from public.orders")
            base.execute("reset role")
            cow.disable()
            base.execute(f"grant update (name) on customers to {role}")
            with pytest.raises(InstallError, match="only column name of customers"):
                cow.enable(layout="in_place")
    finally:
        base.execute(f"reset role; drop owned by {role}; drop role {role}")


def test_a_migration_finds_the_tables_under_their_names(cow: Cow, base: psycopg.Connection[Any]) -> None:
    session = cow.open_session("s")
    with session.connect() as conn:
        conn.execute("insert into customers (name) values ('x')")
    with cow.migrate():
        base.execute("alter table public.customers add column note text default 'n'")
    with session.connect() as conn:
        assert conn.execute("select note from public.customers order by id").fetchall() == [("n",)] * 3
    assert base.execute("insert into public.customers (name) values ('p') returning note").fetchall() == [("n",)]
    assert session.commit() == 1
    assert base.execute("select count(*) from customers_base").fetchall() == [(4,)]


def test_what_was_built_on_a_view_meanwhile_is_named(cow: Cow, base: psycopg.Connection[Any]) -> None:
    base.execute("create materialized view report as select count(*) from public.customers")
    with pytest.raises(InstallError, match="materialized view"):
        cow.disable()
    base.execute("drop materialized view report")
    base.execute("create view since as select name from public.customers")
    cow.disable()
    assert base.execute("select name from since order by 1").fetchall() == [("a",), ("b",)]
    assert base.execute("select relkind from pg_class where oid = 'customers'::regclass").fetchall() == [("r",)]
