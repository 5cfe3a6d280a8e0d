"""The login made for a session: whatever it sends, it stays in that session and writes nothing to base."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg import conninfo

import servers
from cowscore import Cow
from cowscore.database import Session
from postgres import oracle

SCHEMA = """
create table t (id int primary key, a text, n int default 0);
create table child (id serial primary key, t int references t on delete cascade);
create view shown as select * from t;
create materialized view stored as select * from t;
create function touch() returns int language sql as 'update public.t set n = n + 1 returning n';
create function touch_unqualified() returns int language sql as 'update t set n = n + 1 returning n';
create function standard_touch() returns int language sql begin atomic update t set n = n + 1 returning n; end;
insert into t values (1, 'a'), (2, 'b');
insert into child (t) values (1);
"""


@dataclass
class Desk:
    """A session with its login's connection, another session with something in it, and base."""

    cow: Cow
    base: psycopg.Connection[Any]
    other: Session
    session: Session
    conn: psycopg.Connection[Any]


@pytest.fixture(scope="module")
def room(server: servers.Server) -> Iterator[tuple[Cow, psycopg.Connection[Any], Session]]:
    """One for all tests of this file, as none may change anything outside the session."""
    with servers.database(server) as dsn, psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute(SCHEMA)
        cow.enable()
        other = cow.open_session("other")
        with other.connect() as writer:
            writer.execute("insert into t values (50, 'of the other')")
        yield cow, base, other


@pytest.fixture
def desk(room: tuple[Cow, psycopg.Connection[Any], Session]) -> Iterator[Desk]:
    """The room with a session of the test's own."""
    session = room[0].open_session("mine")
    with session.connect(autocommit=True) as conn:
        conn.execute("insert into t values (3, 'mine')")
        yield Desk(*room, session, conn)


WRITES = [
    "insert into t values (4, 'x')",
    "update t set a = 'x'",
    "delete from t where id = 1",
    "insert into {t} values (4, 'x')",
    "update {t} set a = 'x'",
    "delete from {t}",
]
QUALIFIED = [
    "insert into public.t values (4, 'x')",
    "update public.t set a = 'x'",
    "delete from public.t",
    "truncate public.t",
    "truncate public.t cascade",
    "truncate t",
    "drop table public.t cascade",
    "alter table public.t add column z int",
    "create trigger z before update on public.t for each row execute function suppress_redundant_updates_trigger()",
    "create rule z as on update to public.t do instead nothing",
    "lock table public.t in exclusive mode",
    "merge into public.t x using (values (1)) v(id) on x.id = v.id when matched then delete",
    "with x as (delete from public.t returning *) select * from x",
    "do $$ begin delete from public.t; end $$",
    "do $$ begin execute 'delete from public.t'; end $$",
    "select touch()",
    "update public.shown set a = 'x'",
    "select standard_touch()",
    "refresh materialized view public.stored",
    "create index on public.t (a)",
    "create table public.mine (id int)",
    "create view public_cow.mine as select 1",
    "create function public.mine() returns int language sql as 'select 1'",
    "grant all on public.t to public",
    "alter view public_cow.t owner to current_user",
    "drop view public_cow.t",
    "drop trigger _cow_insert on public_cow.t",
    "alter table public_cow_changes.t disable trigger all",
    "insert into public_cow_changes.t select * from public_cow_changes.t",
    "update public_cow_changes.t set a = 'x'",
    "delete from public_cow_changes.t",
    "update cowscore.sessions set state = 'closed'",
    "delete from cowscore.operations",
    "insert into cowscore.writers select pg_current_xact_id(), gen_random_uuid(), gen_random_uuid(), true, 1",
    "select * from cowscore.logins",
    "select * from cowscore.sessions",
    "select * from pg_catalog.pg_authid",
    "create role z superuser",
    "alter role current_user superuser",
    "alter role current_user createrole",
    "create extension if not exists plpgsql_check",
    "create schema z",
    "create database z",
    "copy public.t from program 'echo 9'",
    "copy t to '/tmp/cowscore_t'",
    "copy (select 1) to program 'cat'",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "select setval('child_id_seq', 1)",
    "alter sequence child_id_seq restart",
    "cluster public.t using t_pkey",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres' limit 1",
]


HARMLESS = [
    "insert into shown values (9, 'x')",
    "update shown set a = 'x'",
    "delete from shown",
    "vacuum full public.t",
    "analyze public.t",
    "refresh materialized view concurrently stored",
    "select nextval('child_id_seq')",
    "notify x",
]


@pytest.mark.parametrize("statement", HARMLESS)
def test_what_is_let_through_leaves_base_alone(desk: Desk, statement: str) -> None:
    before = oracle.digest(desk.base), desk.other.changes()
    with suppress(psycopg.Error):
        desk.conn.execute(statement)
    assert (oracle.digest(desk.base), desk.other.changes()) == before


@pytest.mark.parametrize("statement", QUALIFIED)
def test_no_way_past_the_overlay(desk: Desk, statement: str) -> None:
    before = oracle.digest(desk.base), len(desk.other.changes()), len(desk.cow.sessions())
    with pytest.raises(psycopg.Error) as caught:
        desk.conn.execute(statement)
    assert caught.value.sqlstate is not None
    assert (oracle.digest(desk.base), len(desk.other.changes()), len(desk.cow.sessions())) == before


CONTROL = [
    "commit('{own}')",
    "commit('{other}')",
    "discard('{own}')",
    "discard('{other}')",
    "close_session('{own}')",
    "close_session('{other}')",
    "fork('{own}')",
    "fork('{other}')",
    "open_session('z')",
    "login('{own}', '{{public}}')",
    "login('{other}', '{{public}}')",
    "first_write('{own}', null)",
    "first_write('{other}', gen_random_uuid())",
    "begin_write()",
    "lock_session('{other}', '{{open}}')",
    "retire_session('{other}')",
    "rehead('{other}')",
    "replay('{own}', null, 'ours')",
    "apply_run('{own}', '{{1}}', 'public_cow_functions', 't_', 'I', null)",
    "lock_base('{own}', null)",
    "versions('{other}')",
    "pending('{other}', null)",
    "unbind()",
    "bind('{other}', null, false)",
    "bind('{other}')",
    "bind(null, null, false)",
    "operations('{other}')",
    "changes('{other}')",
    "dependencies('{other}')",
    "conflicts('{other}', null)",
]


@pytest.mark.parametrize("call", CONTROL)
def test_control_functions_are_not_for_the_login(desk: Desk, call: str) -> None:
    before = oracle.digest(desk.base), desk.session.changes(), desk.other.changes()
    with pytest.raises(psycopg.Error) as caught:
        desk.conn.execute(f"select cowscore.{call.format(own=desk.session.id, other=desk.other.id)}")
    assert caught.value.sqlstate in ("42501", "CW001", "CW002")
    assert (oracle.digest(desk.base), desk.session.changes(), desk.other.changes()) == before
    assert desk.session.record().state == desk.other.record().state == "open"


def test_rendered_functions_are_not_for_the_login(desk: Desk) -> None:
    functions = desk.base.execute(
        "select p.oid::regprocedure::text from pg_proc p where pronamespace = 'public_cow_functions'::regnamespace"
    ).fetchall()
    assert len(functions) > 10
    for (function,) in functions:
        allowed = desk.conn.execute("select has_schema_privilege('public_cow_functions', 'usage')").fetchone()
        assert allowed == (False,), function


ESCAPES = [
    "set role none",
    "reset role",
    "set session authorization default",
    "reset session authorization",
    "reset all",
    "discard all",
    "set search_path = public",
    "set search_path = public, public_cow",
    "set search_path = ''",
    "set local search_path = public",
    "select set_config('search_path', 'public', false)",
    "set cowscore.session = '{other}'",
    "select set_config('cowscore.session', '{other}', false)",
    "set cowscore.session = ''",
    "set cowscore.session = 'nonsense'",
    "reset cowscore.session",
    "set cowscore.operation = '{operation}'",
    "set session_replication_role = replica",
    "set row_security = off",
    "set role cowscore_agent",
    "set role cowscore_writer",
    "set role postgres",
    "set session authorization postgres",
    "set session authorization {login}",
    "alter role current_user set search_path = public",
    "create temporary view t as select * from public.t",
    "create temporary table t (id int primary key, a text, n int default 0)",
    "create function pg_temp.session() returns uuid language sql as $$ select '{other}'::uuid $$",
    "set transaction_isolation = serializable",
    "set cowscore.checked_1 = '9'",
]


@pytest.mark.parametrize("escape", ESCAPES)
def test_after_any_setting_writes_stay_in_the_session(desk: Desk, escape: str) -> None:
    """The setting may be refused or may be useless; then every kind of write follows, by every name of the table."""
    before = oracle.digest(desk.base), desk.other.changes()
    other_login = conninfo.conninfo_to_dict(desk.other.dsn())["user"]
    operation = desk.other.operations()[0].id
    statement = escape.format(other=desk.other.id, operation=operation, login=other_login)
    for begin in (False, True):
        with desk.session.connect(autocommit=True) as conn:
            if begin:
                conn.execute("begin")
                conn.execute("savepoint s")
            for text in (statement, *(w.format(t=t) for t in ("public.t", "public_cow.t") for w in WRITES)):
                with suppress(psycopg.Error):
                    conn.execute(text)
                if conn.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
                    conn.execute("rollback to s")
            if begin:
                conn.execute("commit")
    assert oracle.digest(desk.base) == before[0]
    assert desk.other.changes() == before[1]
    assert [row.operation for row in desk.other.changes()] == [operation]


def test_a_connection_can_only_be_made_for_the_own_session(desk: Desk) -> None:
    given = conninfo.conninfo_to_dict(desk.session.dsn())
    given["options"] = f"-c cowscore.session={desk.other.id} -c search_path=public -c role=none"
    with psycopg.connect(conninfo.make_conninfo(**given), autocommit=True) as conn:
        assert conn.execute("select cowscore.session()").fetchone() == (desk.session.id,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("insert into t values (9, 'x')")
    assert desk.base.execute("select count(*) from t").fetchone() == (2,)


def test_base_and_other_sessions_cannot_be_read(desk: Desk) -> None:
    """A silently stale read of base is worse than an error, and another agent's work is none of this one's business."""
    for text in (
        "select * from public.t",
        "table public.child",
        "copy public.t to stdout",
        "select * from public.stored",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            desk.conn.execute(text)
    with pytest.raises(psycopg.Error):
        desk.conn.execute("select count(*) from public_cow_changes.t")
    assert desk.conn.execute("select a from t where id = 50").fetchall() == []
    assert desk.conn.execute("explain select * from t").fetchall()


def test_a_leaky_function_does_not_show_rows_of_other_sessions(desk: Desk) -> None:
    """A cheap function in a condition may be called before the view's own conditions are."""
    desk.conn.execute(
        "create function pg_temp.peek(a text) returns boolean language plpgsql cost 0.0000001 as "
        "$$ begin raise notice 'saw %', a; return true; end $$"
    )
    seen: list[str] = []
    desk.conn.add_notice_handler(lambda notice: seen.append(str(notice.message_primary)))
    desk.conn.execute("select * from t where pg_temp.peek(a)")
    assert "saw mine" in seen
    assert "saw of the other" not in seen


def test_a_function_of_the_application_works_on_the_session(desk: Desk) -> None:
    assert desk.conn.execute("select touch_unqualified()").fetchone() == (1,)
    assert desk.base.execute("select max(n) from t").fetchone() == (0,)
    assert desk.conn.execute("select max(n) from t").fetchone() == (1,)


def test_the_login_goes_with_the_session(desk: Desk) -> None:
    given = desk.session.dsn()
    role = conninfo.conninfo_to_dict(given)["user"]
    assert desk.session.dsn() == given
    desk.session.close()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(given)
    assert desk.base.execute("select count(*) from pg_roles where rolname = %s", [role]).fetchone() == (0,)
    with pytest.raises(psycopg.Error) as caught:
        desk.conn.execute("insert into t values (7, 'late')")
    assert caught.value.sqlstate in ("CW002", "CW003", "42501", "42704", "28000")
    assert len(desk.session.changes()) == 1
