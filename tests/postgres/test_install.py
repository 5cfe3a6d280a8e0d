"""enable, status and disable: nothing half done, nothing left behind, and a clear word where it cannot be done."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import conninfo, sql

import servers
from cowscore import Cow, embedded
from cowscore.errors import BadInput, ConnectionFailed, InstallError, NotInstalled
from postgres import oracle

APPLICATION = """
create role {reader};
create role {writer} login;
create table customers (id int generated always as identity primary key, name text not null, mail text unique);
create table orders (
    id serial primary key, customer int references customers on delete cascade deferrable initially deferred,
    total numeric(8, 2) check (total >= 0), lines int[], at timestamptz default now()
);
create table log (what text);
create table parts (id int, k text, primary key (id, k)) partition by list (k);
create table parts_a partition of parts for values in ('a');
create index on orders (customer, total desc) where total > 10;
create index lowered on customers (lower(name));
create view shown as select c.name, sum(o.total) from customers c join orders o on o.customer = c.id group by c.name;
create materialized view stored as select * from customers;
create sequence loose start 7;
create function touch() returns trigger language plpgsql as $$ begin NEW.at := now(); return NEW; end $$;
create trigger touched before update on orders for each row execute function touch();
create type mood as enum ('sad', 'ok');
alter table orders add column m mood default 'ok';
comment on table orders is 'what was ordered';
comment on column orders.total is 'in euro';
grant select on all tables in schema public to {reader};
grant select, insert, update, delete on customers, orders to {writer};
grant update (name) on customers to {reader};
grant usage on sequence orders_id_seq to {writer};
alter default privileges in schema public grant select on tables to {reader};
insert into customers (name, mail) values ('Ann', 'a'), ('Bob', 'b');
insert into orders (customer, total) values (1, 5), (2, 50);
insert into log values ('x'), ('x');
insert into parts values (1, 'a');
"""


@pytest.fixture
def base(dsn: str) -> Iterator[psycopg.Connection[Any]]:
    """A database with an application in it; its roles are dropped afterwards."""
    database = conninfo.conninfo_to_dict(dsn)["dbname"]
    roles = {"reader": sql.Identifier(f"{database}_reader"), "writer": sql.Identifier(f"{database}_writer")}
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(sql.SQL(APPLICATION).format(**roles))
        yield conn
        conn.execute(sql.SQL("drop owned by {reader}, {writer}").format(**roles))
        conn.execute(sql.SQL("drop role {reader}, {writer}").format(**roles))


def dump(server: servers.Server, dsn: str, *options: str) -> str:
    """What pg_dump says of the database, without the key that newer versions draw for every dump."""
    program = str(server.programs / "pg_dump")
    text = subprocess.run([program, "--dbname", dsn, *options], check=True, capture_output=True, text=True).stdout
    return re.sub(r"^\\(un)?restrict .*$", "", text, flags=re.MULTILINE)


def test_enable_is_idempotent(server: servers.Server, dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        first = cow.enable()
        assert first.statements
        modes = {name: report.mode for name, report in first.tables.items()}
        assert {n: modes[n] for n in ("customers", "orders", "log", "parts", "parts_a")} == {
            "customers": "session",
            "orders": "session",
            "log": "insert_only",
            "parts": "session",
            "parts_a": "excluded",
        }
        assert first.tables["orders"].reason == ""  # its trigger fires in a session
        assert "no primary key" in first.tables["log"].reason
        before = dump(server, dsn)
        again = cow.enable()
        assert (again.statements, again.tables) == ((), first.tables)
        assert dump(server, dsn) == before
        assert {s.state for s in cow.status() if s.mode in ("session", "insert_only")} == {"current", "read_only"}


def test_a_dry_run_changes_nothing(server: servers.Server, dsn: str, base: psycopg.Connection[Any]) -> None:
    before = dump(server, dsn)
    with Cow.connect(dsn) as cow:
        report = cow.enable(dry_run=True)
        assert "create schema" in report.sql
        assert dump(server, dsn) == before
        with pytest.raises(NotInstalled):
            cow.status()
        cow.enable()
        enabled = dump(server, dsn)
        base.execute("alter table customers add column n int")
        changed = dump(server, dsn)
        assert cow.enable(dry_run=True).statements
        assert cow.disable(dry_run=True).statements
        assert dump(server, dsn) == changed != enabled


def test_disable_leaves_the_schema_as_it_was(server: servers.Server, dsn: str, base: psycopg.Connection[Any]) -> None:
    before = dump(server, dsn)
    with Cow.connect(dsn) as cow:
        cow.enable()
        assert dump(server, dsn, "--schema", "public", "--exclude-schema", "cowscore") != ""
        session = cow.open_session()
        with session.connect() as conn:
            conn.execute("update orders set total = 1")
            conn.execute("delete from customers where id = 1")
        session.discard()
        report = cow.disable()
        assert report.kept == ()
        assert dump(server, dsn, "--schema", "public") == dump_of_schema(before, server, dsn)
        left = base.execute(
            "select nspname from pg_namespace where nspname ~ 'cow' and nspname <> 'cowscore'"
        ).fetchall()
        assert left == []
        with pytest.raises(NotInstalled, match="public"):
            cow.disable()


def dump_of_schema(before: str, server: servers.Server, dsn: str) -> str:
    """The dump from before, restored beside, cut to the schema: whole-database dumps name schemas that others lack."""
    with servers.database(server) as copy:
        psql = [str(server.programs / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "--dbname", copy]
        subprocess.run(psql, input=before, check=True, capture_output=True, text=True)
        return dump(server, copy, "--schema", "public")


def test_grants_for_production_stay_as_they_are(dsn: str, base: psycopg.Connection[Any]) -> None:
    grants = (
        "select relname, relacl::text from pg_class where relnamespace = 'public'::regnamespace "
        "and relkind <> 'S' order by 1"
    )
    before = base.execute(grants).fetchall()
    with Cow.connect(dsn) as cow:
        report = cow.enable()
        assert base.execute(grants).fetchall() == before
        assert len(report.roles) == 1
        assert report.roles[0].endswith("_writer")


def test_production_has_no_trigger_no_rule_and_the_same_plans(dsn: str, base: psycopg.Connection[Any]) -> None:
    questions = (
        "select tgname from pg_trigger order by 1",
        "select rulename, ev_class::regclass::text from pg_rewrite r join pg_class c on c.oid = r.ev_class "
        "where c.relnamespace = 'public'::regnamespace order by 2, 1",
        "explain (costs off) select * from orders where customer = 1 and total > 20 order by total desc",
        "explain (costs off) update orders set total = 1 where id = 1",
    )
    before = [base.execute(q).fetchall() for q in questions[1:]]
    with Cow.connect(dsn) as cow:
        cow.enable()
    assert [base.execute(q).fetchall() for q in questions[1:]] == before
    triggers = base.execute(
        "select t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid "
        "where c.relnamespace = 'public'::regnamespace and not t.tgisinternal"
    ).fetchall()
    assert triggers == [("touched",)]


def test_pending_changes_survive_disable_and_enable(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        cow.enable()
        session = cow.open_session()
        with session.connect() as conn:
            conn.execute("insert into customers (name) values ('Cy')")
            conn.execute("update orders set total = 7 where id = 1")
        before = session.changes()
        assert cow.disable().kept == ("customers", "orders")
        cow.enable()
        assert session.changes() == before
        assert {s.state for s in cow.status() if s.table == "orders"} == {"current"}
        with session.connect() as conn:
            assert conn.execute("select total from orders where id = 1").fetchone() == (7,)
            conn.execute("update orders set total = 8 where id = 1")
        session.commit()
        assert base.execute("select total from orders where id = 1").fetchone() == (8,)
        assert cow.disable().kept == ()


CHANGES = [
    ("alter table customers add column n int default 3", "customers", "outdated"),
    ("alter table customers alter column mail set default 'x'", "customers", "outdated"),
    ("alter table orders add constraint small check (total < 1000)", "orders", "outdated"),
    ("alter table orders add constraint once unique (total)", "orders", "outdated"),
    ("create index on orders (at)", "orders", "outdated"),
    ("create table fresh (id int primary key)", "fresh", "outdated"),
    ("alter table log add primary key (what)", "log", "outdated"),
    ("drop view public_cow.orders cascade", "orders", "drifted"),
    ("drop table public_cow_changes.orders cascade", "orders", "drifted"),
    ("drop schema public_cow cascade", "customers", "drifted"),
    ("drop table orders cascade", "orders", "drifted"),
    ("alter table orders rename to requests", "requests", "outdated"),
]


@pytest.mark.parametrize(("change", "table", "state"), CHANGES)
def test_status_and_enable_after_a_change(
    dsn: str, base: psycopg.Connection[Any], change: str, table: str, state: str
) -> None:
    base.execute("delete from log")
    with Cow.connect(dsn) as cow:
        cow.enable()
        base.execute(change)
        found = {s.table: s for s in cow.status()}
        assert found[table].state == state
        assert found[table].reason
        assert found["parts"].state == ("drifted" if "public_cow cascade" in change else "current")
        cow.enable()
        assert {s.state for s in cow.status()} <= {"current", "read_only"}
        session = cow.open_session()
        with session.connect() as conn:
            conn.execute("insert into customers (name) values ('Cy')")
        session.commit()
    assert base.execute("select count(*) from customers").fetchone() == (3,)


def test_a_table_dropped_while_enabled(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        cow.enable()
        session = cow.open_session()
        with session.connect() as conn:
            conn.execute("update customers set name = 'x' where id = 1")
            conn.execute("update orders set total = 1 where id = 1")
        with pytest.raises(psycopg.errors.DependentObjectsStillExist):
            base.execute("drop table orders")
        base.execute("drop table orders cascade")
        assert {s.table: s.state for s in cow.status()}["orders"] == "drifted"
        cow.enable()
        assert [s.table for s in cow.status() if s.table == "orders"] == []
        with session.connect() as conn:
            conn.execute("update customers set name = 'y' where id = 2")
        assert session.commit() == 2
    assert base.execute("select name from customers order by id").fetchall() == [("x",), ("y",)]


def test_two_enables_at_once(dsn: str, base: psycopg.Connection[Any]) -> None:
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def install() -> None:
        try:
            with Cow.connect(dsn) as cow:
                barrier.wait()
                cow.enable()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=install) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with Cow.connect(dsn) as cow:
        assert {s.state for s in cow.status()} <= {"current", "read_only"}
        assert cow.enable().statements == ()


def test_enable_in_several_databases_at_once(server: servers.Server) -> None:
    """Roles belong to the whole server."""
    failures: list[BaseException] = []

    def install(dsn: str) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as conn:
                conn.execute("create table t (id int primary key)")
            with Cow.connect(dsn) as cow:
                cow.enable()
                with cow.open_session().connect() as conn:
                    conn.execute("insert into t values (1)")
        except BaseException as error:
            failures.append(error)

    with servers.database(server) as a, servers.database(server) as b, servers.database(server) as c:
        threads = [threading.Thread(target=install, args=(dsn,)) for dsn in (a, b, c)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_a_schema_without_tables_and_one_that_does_not_exist(dsn: str) -> None:
    with Cow.connect(dsn) as cow:
        with pytest.raises(InstallError, match="no tables"):
            cow.enable()
        with pytest.raises(InstallError, match=r"'nowhere' does not exist; there are: public"):
            cow.enable("nowhere")
        with pytest.raises(BadInput, match="pg_catalog"):
            cow.enable("pg_catalog")
        with pytest.raises(NotInstalled):
            cow.status()


def test_wrong_arguments(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        for given in ({"exclude": ["nothing"]}, {"bookkeeping": ["nothing"]}):
            with pytest.raises(BadInput, match="nothing"):
                cow.enable(**given)  # type: ignore[arg-type]
        with pytest.raises(BadInput, match="sideways"):
            cow.enable(layout="sideways")
        with pytest.raises(NotInstalled):
            cow.status()
    with pytest.raises(ConnectionFailed, match="no_such_database"):
        Cow.connect(conninfo.make_conninfo(dsn, dbname="no_such_database"))


OPEN = [
    ("grant insert on customers to public", "customers"),
    ("grant update (name) on customers to public", "customers"),
    ("grant truncate on log to public", "log"),
    ("create schema side; create table side.open (id int); grant delete on side.open to public", "side.open"),
    ("create view mine as select * from log; grant insert on mine to public", "mine"),
    ("create function leak() returns void language sql security definer as 'delete from log'", "leak"),
]


@pytest.mark.parametrize(("opening", "name"), OPEN)
def test_what_anyone_may_write_is_refused(
    server: servers.Server, dsn: str, base: psycopg.Connection[Any], opening: str, name: str
) -> None:
    base.execute(opening)
    before = dump(server, dsn)
    with Cow.connect(dsn) as cow:
        with pytest.raises(InstallError, match=name):
            cow.enable()
        assert dump(server, dsn) == before


def test_a_trusted_function_may_stay(dsn: str, base: psycopg.Connection[Any]) -> None:
    base.execute("create function twice(n int) returns int language sql security definer as 'select 2 * n'")
    with Cow.connect(dsn) as cow:
        with pytest.raises(InstallError, match=r"twice\(integer\)"):
            cow.enable()
        cow.enable(trust=["public.twice(integer)"])
        cow.enable()


def test_excluded_tables_are_not_in_sessions(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        assert cow.enable(exclude=["log"]).tables["log"] == ("excluded", "excluded by request")
        assert cow.enable().tables["log"].mode == "excluded"
        with cow.open_session().connect() as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("insert into log values ('x')")
        assert cow.enable(exclude=[]).tables["log"].mode == "insert_only"


REFUSED = [
    ("create table kid () inherits (customers)", "customers", "inheritance"),
    ("alter table log enable row level security", "log", "row level security"),
    ("create rule r as on insert to log do also nothing", "log", "rules"),
    ("alter table log add column _cow_x int", "log", "_cow_"),
    ("create table empty ()", "empty", "no columns"),
    ("create table whole (a int, check (whole is not null))", "whole", "whole row"),
]


@pytest.mark.parametrize(("change", "table", "reason"), REFUSED)
def test_tables_that_cannot_be_overlaid_say_why(
    dsn: str, base: psycopg.Connection[Any], change: str, table: str, reason: str
) -> None:
    base.execute(change)
    with Cow.connect(dsn) as cow:
        report = cow.enable().tables[table]
        assert report.mode == "excluded"
        assert reason in report.reason
        with cow.open_session().connect() as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute(sql.SQL("delete from {}").format(sql.Identifier(table)))


def test_a_table_without_a_key(dsn: str, base: psycopg.Connection[Any]) -> None:
    with Cow.connect(dsn) as cow:
        cow.enable()
        session = cow.open_session()
        with session.connect(autocommit=True) as conn:
            conn.execute("insert into log values ('mine'), ('mine')")
            for statement in ("update log set what = 'y' where what = 'x'", "delete from log"):
                with pytest.raises(psycopg.Error) as caught:
                    conn.execute(statement)
                assert caught.value.sqlstate == "CW006"
                assert caught.value.diag.table_name == "log"
            assert conn.execute("update log set what = 'm2' where what = 'mine'").rowcount == 2
            assert conn.execute("delete from log where what = 'm2'").rowcount == 2
            conn.execute("insert into log values ('last')")
        session.commit()
    assert sorted(base.execute("select what from log").fetchall()) == [("last",), ("x",), ("x",)]


NAMES = ["knowledgebase", "farm_cow", "t_base", "Ünïcode App", 'qu"ote', "s" * 63, "user", "{0}"]


@pytest.mark.parametrize("schema", NAMES)
def test_schemas_may_have_any_name(server: servers.Server, dsn: str, schema: str) -> None:
    quoted = sql.Identifier(schema)
    pattern = ("--schema-only", "--schema", quoted.as_string(None))
    path = "-c search_path=" + quoted.as_string(None).replace(" ", "\\ ")
    with psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute(
            sql.SQL(
                "create schema {0}; create table {0}.t (id serial primary key, up int references {0}.t); "
                "create table {0}.t_cow (id int primary key); insert into {0}.t default values"
            ).format(quoted)
        )
        before = dump(server, dsn, *pattern)
        cow.enable(schema)
        assert cow.enable(schema).statements == ()
        session = cow.open_session()
        with psycopg.connect(dsn, options=path) as conn:
            cow.bind(conn, session.id)
            conn.execute("insert into t (up) values (1)")
            conn.execute("insert into t_cow values (1)")
            with pytest.raises(psycopg.errors.ForeignKeyViolation):
                conn.execute("update t set up = 77")
        with psycopg.connect(dsn, options=path) as conn:
            cow.bind(conn, session.id)
            conn.execute("insert into t (up) values (1)")
        assert len(session.changes()) == 1
        session.discard()
        cow.disable(schema)
        assert dump(server, dsn, *pattern) == before


def test_a_schema_that_has_the_name_of_an_overlay_is_left_alone(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute("create schema farm; create table farm.t (id int primary key); create schema farm_cow")
        base.execute("create table farm_cow.t (id int primary key); insert into farm_cow.t values (1)")
        with pytest.raises(InstallError, match="farm_cow exists"):
            cow.enable("farm")
        cow.enable("farm_cow")
        with pytest.raises(InstallError, match="farm_cow exists"):
            cow.enable("farm")
        with pytest.raises(BadInput, match="not an application's schema"):
            cow.enable("farm_cow_cow_changes")
        cow.disable("farm_cow")
        assert base.execute("select * from farm_cow.t").fetchall() == [(1,)]


def test_several_schemas_with_foreign_keys_between_them(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute(
            "create schema crm; create schema shop;"
            "create table crm.customers (id int primary key, name text);"
            "create table shop.orders (id int primary key, c int references crm.customers on delete cascade, n int "
            "default 0);"
            "insert into crm.customers values (1, 'a'), (2, 'b'); insert into shop.orders values (1, 1);"
        )
        cow.enable("shop")
        session = cow.open_session("only the shop")
        path = "-c search_path=shop,crm"
        with psycopg.connect(dsn, options=path, autocommit=True) as conn:
            cow.bind(conn, session.id)
            conn.execute("insert into orders values (2, 2)")
            with pytest.raises(psycopg.errors.ForeignKeyViolation):
                conn.execute("insert into orders values (3, 3)")
            with pytest.raises(psycopg.errors.UndefinedTable):
                conn.execute("delete from customers")
        session.commit()
        cow.enable("crm")
        assert {(s.schema, s.state) for s in cow.status()} == {("crm", "current"), ("shop", "outdated")}
        cow.enable("shop")
        session = cow.open_session("both")
        with psycopg.connect(dsn, options=path, autocommit=True) as conn:
            cow.bind(conn, session.id)
            conn.execute("insert into customers values (3, 'c')")
            conn.execute("insert into orders values (3, 3)")
            conn.execute("delete from customers where id = 1")
            assert conn.execute("select id from orders order by id").fetchall() == [(2,), (3,)]
        assert {(c.schema, c.table, c.derived) for c in session.changes()} == {
            ("crm", "customers", False),
            ("shop", "orders", False),
            ("shop", "orders", True),
        }
        session.commit()
        assert base.execute("select id from shop.orders order by id").fetchall() == [(2,), (3,)]
        assert {s.state for s in cow.status()} == {"current"}
        cow.disable("crm")
        assert {s.schema for s in cow.status()} == {"shop"}


def test_without_rights(server: servers.Server, dsn: str, base: psycopg.Connection[Any]) -> None:
    before = dump(server, dsn)
    database = conninfo.conninfo_to_dict(dsn)["dbname"]
    base.execute(sql.SQL("alter role {} password 'pw'").format(sql.Identifier(f"{database}_writer")))
    login = conninfo.make_conninfo(dsn, user=f"{database}_writer", password="pw")
    with Cow.connect(login) as cow:
        with pytest.raises(InstallError, match="owner with CREATEROLE"):
            cow.enable()
        with pytest.raises(NotInstalled):
            cow.status()
    assert dump(server, dsn) == before
    with Cow.connect(dsn) as cow:
        cow.enable()
    with Cow.connect(login) as cow:
        for call in (cow.enable, cow.disable):
            with pytest.raises(InstallError):
                call()
    with Cow.connect(dsn) as cow:
        assert {s.state for s in cow.status()} <= {"current", "read_only"}
    assert oracle.digest(base)


@pytest.fixture
def owner(server: servers.Server) -> Iterator[str]:
    """The login of a database's owner who is no superuser but may create roles, on a server that never saw cowscore."""
    root = Path(tempfile.mkdtemp(prefix="cowscore-owner-", dir=embedded.temporary_root()))
    root.chmod(0o755)
    running = embedded.start(server.programs, root / "data", embedded.THROWAWAY)
    try:
        with psycopg.connect(running.dsn, autocommit=True) as conn:
            conn.execute("create role boss login createrole password 'pw'")
            conn.execute("create database application owner boss")
        yield conninfo.make_conninfo(running.dsn, user="boss", password="pw", dbname="application")
    finally:
        embedded.stop(server.programs, running.data)
        shutil.rmtree(root)


def test_an_owner_with_createrole_needs_no_superuser(owner: str) -> None:
    with psycopg.connect(owner, autocommit=True) as base, Cow.connect(owner) as cow:
        assert base.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() == (False,)
        base.execute(
            "create table customers (id int generated always as identity primary key, name text);"
            "create table orders (id serial primary key, customer int references customers on delete cascade);"
            "insert into customers (name) values ('Ann')"
        )
        cow.enable()
        assert cow.enable().statements == ()
        assert {s.state for s in cow.status()} == {"current"}
        before = oracle.digest(base)
        session, other = cow.open_session(), cow.open_session()
        with session.connect() as conn:
            conn.execute("insert into customers (name) values ('Bob')")
            conn.execute("insert into orders (customer) values (2)")
            conn.execute("delete from customers where id = 1")
            assert conn.execute("select name from customers").fetchall() == [("Bob",)]
        with other.connect() as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("delete from public.customers")
        with psycopg.connect(owner) as conn:
            conn.execute("select cowscore.bind(%s)", [other.id])
            conn.execute("update customers set name = 'Z'")
        assert oracle.digest(base) == before
        assert [c.kind for c in session.changes()] == ["insert", "insert", "delete"]
        assert session.fork().rehearse().ok
        session.commit()
        other.discard()
        assert base.execute("select name from customers").fetchall() == [("Bob",)]
        logins = "select count(*) from pg_roles where rolname like 'cowscore_s_%'"
        assert base.execute(logins).fetchone() == (0,)
        cow.disable()
