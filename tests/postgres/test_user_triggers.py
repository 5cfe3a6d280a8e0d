"""The application's own row and statement triggers fire in a session as on plain tables, and commit repeats them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from cowscore.database import Session
from postgres.oracle import Case, Copy, Pair, case, check, digest, enabled, parametrized

BEFORE: tuple[Case, ...] = (
    case(
        "touch",
        """
        create table t (id int primary key, name text, n int not null default 0, at timestamptz);
        insert into t values (1, 'a', 0), (2, 'b', 0);
        create function touch() returns trigger language plpgsql as
        $$ begin NEW.at := '2020-01-01'; NEW.n := OLD.n + 1; return NEW; end $$;
        create trigger touch before update on t for each row execute function touch();
        """,
        "update t set name = 'x' where id = 1 returning *",
        "update t set name = 'y' returning *",
        "update t set name = name where id = 2 returning *",
        "insert into t values (3, 'c') returning *",
        "delete from t where id = 3 returning *",
    ),
    case(
        "not_idempotent",
        """
        create table t (id int primary key, name text, n int default 0);
        insert into t values (1, 'a'), (2, 'b');
        create function loud() returns trigger language plpgsql as
        $$ begin NEW.name := NEW.name || '!'; NEW.n := NEW.n + 1; return NEW; end $$;
        create trigger loud before insert or update on t for each row execute function loud();
        """,
        "insert into t values (3, 'c') returning *",
        "update t set name = 'x' where id = 1 returning *",
        "update t set name = 'y' where id = 3 returning *",
        "update t set n = n",
    ),
    case(
        "insert_fills_in",
        """
        create table t (id int primary key, slug text not null, title text,
            k text generated always as (slug || id) stored);
        create table child (id int primary key, t_id int references t);
        create function fill() returns trigger language plpgsql as
        $$ begin NEW.id := coalesce(NEW.id, 100 + (select count(*) from t));
        if NEW.slug is null then NEW.slug := lower(NEW.title); end if; return NEW; end $$;
        create trigger fill before insert on t for each row execute function fill();
        """,
        "insert into t (title) values ('One'), ('Two') returning *",
        "insert into child values (1, 101)",
        "insert into t (title, slug) values ('Three', 'given') returning *",
        "insert into t (title) values (null)",
        "insert into t (id, title) values (100, 'again')",
        "insert into t (id, title, k) values (100, 'again', 'k')",
    ),
    case(
        "order_condition_columns",
        """
        create table t (id int primary key, a text, b text, log text default '');
        insert into t values (1, 'a', 'b'), (2, 'aa', 'bb');
        create function note() returns trigger language plpgsql as $$ begin
        NEW.log := NEW.log || tg_name || tg_argv[0] || tg_op || tg_when || tg_level || tg_table_name || ' ';
        return NEW; end $$;
        create trigger z before insert or update on t for each row execute function note('z');
        create trigger "A" before insert or update of a on t for each row execute function note(' when (x) it''s');
        create trigger m before update of b, a on t for each row when (OLD.b is distinct from NEW.b)
        execute function note('m) EXECUTE FUNCTION x(');
        create trigger off before update on t for each row execute function note('off');
        alter table t disable trigger off;
        """,
        "update t set a = 'x' returning *",
        "update t set a = a where id = 1 returning *",
        "update t set b = b returning *",
        "update t set b = 'y' returning *",
        "update t set log = '' where id = 2",
        "insert into t values (3, 'c', 'c') returning *",
    ),
    case(
        "skip_and_raise",
        """
        create table t (id int primary key, state text);
        insert into t values (1, 'open'), (2, 'closed'), (3, 'locked');
        create function guard() returns trigger language plpgsql as $$ begin
        if tg_op <> 'INSERT' and OLD.state = 'closed' then return null; end if;
        if tg_op <> 'INSERT' and OLD.state = 'locked' then
            raise exception 'row % is locked', OLD.id using errcode = 'P4711', constraint = 'lock', column = 'state';
        end if;
        if tg_op = 'INSERT' and NEW.state = 'skip' then return null; end if;
        if tg_op = 'DELETE' then return OLD; end if; return NEW; end $$;
        create trigger guard before insert or update or delete on t for each row execute function guard();
        """,
        "update t set state = 'x' where id < 3 returning *",
        "delete from t where id = 2 returning *",
        "delete from t where id = 3",
        "update t set state = 'y'",
        "insert into t values (4, 'skip'), (5, 'new') returning *",
        "delete from t where id <> 3",
        "begin",
        "savepoint s",
        "update t set state = 'z' where id = 3",
        "rollback to s",
        "insert into t values (6, 'n') returning *",
        "commit",
    ),
    case(
        "changes_its_own_row",
        """
        create table t (id int primary key, name text, n int default 0);
        insert into t values (1, 'a'), (2, 'b'), (3, 'c');
        create function twice() returns trigger language plpgsql as $$ begin
        if OLD.name = 'a' then update t set n = n + 1 where id = OLD.id; end if;
        if OLD.name = 'b' then delete from t where id = OLD.id; end if;
        if OLD.name = 'c' then update t set n = n + 1 where id = OLD.id + 1; end if;
        return coalesce(NEW, OLD); end $$;
        create trigger twice before update of name or delete on t for each row execute function twice();
        """,
        "update t set name = 'x' where id = 1",
        "update t set name = 'x' where id = 2",
        "delete from t where id = 1",
        "insert into t values (4, 'd')",
        "update t set name = 'x' where id = 3 returning *",
        "update t set n = 5 where id = 1 returning *",
    ),
    case(
        "functions_of_the_server",
        """
        create table t (id int generated always as identity primary key, "select" text, "B b" text, tsv tsvector,
            n int generated by default as identity, h text generated always as (upper("B b")) stored);
        insert into t ("select", "B b") values ('cats and dogs', 'x');
        create trigger a before insert or update on t for each row
        execute function tsvector_update_trigger(tsv, 'pg_catalog.english', 'select', 'B b');
        create trigger z before update on t for each row execute function suppress_redundant_updates_trigger();
        create function up() returns trigger language plpgsql as
        $$ begin NEW."B b" := coalesce(NEW."B b", 'n' || NEW.n || NEW.id); return NEW; end $$;
        create trigger "Up" before insert on t for each row execute function up();
        """,
        """insert into t ("select") values ('birds'), ('mice') returning *""",
        """insert into t (id, "select", n) overriding system value values (90, 'x', 7) returning *""",
        """update t set "select" = "select" where id = 1 returning *""",
        """update t set "select" = 'fish' where id = 1 returning *""",
        "update t set n = default where id = 90 returning *",
        "update t set h = 'x'",
        Copy('copy t ("select") from stdin', "one\ntwo\n"),
    ),
    case(
        "merge",
        """
        create table t (id int primary key, name text, n int default 0);
        insert into t values (1, 'a'), (2, 'b');
        create function note() returns trigger language plpgsql as
        $$ begin NEW.name := NEW.name || tg_op; return NEW; end $$;
        create trigger note before insert or update of name on t for each row execute function note();
        """,
        """merge into t using (values (1, 'm'), (3, 'n')) v (i, s) on t.id = v.i
        when matched then update set name = s when not matched then insert (id, name) values (i, s)""",
        since=17,
    ),
)

AFTER: tuple[Case, ...] = (
    case(
        "audit",
        """
        create table t (id int primary key, name text, n int default 0);
        create table audit (op text, old jsonb, new jsonb, of bigint);
        insert into t values (1, 'a'), (2, 'b'), (3, 'c');
        create function note() returns trigger language plpgsql as $$ begin
        insert into audit (op, old, new, of)
        select tg_op || tg_when || tg_name, to_jsonb(OLD), to_jsonb(NEW), sum(n) from t;
        return null; end $$;
        create trigger note after insert or update or delete on t for each row execute function note();
        """,
        "insert into t values (4, 'd', 5), (5, 'e', 6) returning *",
        "update t set n = n + 1, name = upper(name) where id in (1, 4) returning *",
        "delete from t where id > 3",
        "update t set id = 10 where id = 1",
        "update t set n = 0 where false",
        "begin",
        "insert into t values (1, 'again')",
        "update t set n = 3 where id = 1",
        "savepoint s",
        "delete from t where id = 1",
        "rollback to s",
        "update t set n = 4 where id = 1",
        "commit",
        "select * from audit",
    ),
    case(
        "condition_and_columns",
        """
        create table t (id int primary key, a int, b int);
        create table log (text text);
        insert into t values (1, 1, 1), (2, 2, 2);
        create function note() returns trigger language plpgsql as
        $$ begin insert into log (text) values (tg_name || OLD.a || NEW.a); return NEW; end $$;
        create trigger a after update of a on t for each row execute function note();
        create trigger b after update on t for each row when (OLD.b <> NEW.b) execute function note();
        create trigger "!c" after update of b, a on t for each row when (NEW.* is distinct from OLD.*)
        execute function note();
        """,
        "update t set a = a + 1",
        "update t set b = b + 1 where id = 1",
        "update t set a = a + 1, b = 7",
        "update t set b = b",
        "select * from log",
    ),
    case(
        "a_column_set_to_what_it_was",
        """
        create table t (id int primary key, a int, b int);
        create table log (text text);
        insert into t values (1, 1, 1), (2, 2, 2);
        create function note() returns trigger language plpgsql as
        $$ begin insert into log (text) values (tg_name || OLD.a || NEW.a); return NEW; end $$;
        create trigger a after update of a on t for each row execute function note();
        create trigger b before update of b on t for each row execute function note();
        """,
        "update t set a = a",
        "update t set b = b, a = a",
        "select * from log",
        commits=False,  # a commit writes the columns that changed
    ),
    case(
        "raises",
        """
        create table account (id int primary key, balance int);
        insert into account values (1, 100), (2, 50);
        create function total() returns trigger language plpgsql as $$ begin
        if (select sum(balance) from account) <> 150 then
            raise exception 'sum is %', (select sum(balance) from account) using errcode = '23000';
        end if; return null; end $$;
        create trigger total after insert or update or delete on account for each row execute function total();
        """,
        "update account set balance = balance - 10 where id = 1",
        "update account set balance = balance + case id when 1 then 10 else -10 end returning *",
        "delete from account",
        "insert into account values (3, 0)",
        "insert into account values (4, 1)",
    ),
    case(
        "cascades",
        """
        create table p (id int primary key, n int default 0);
        create table c (id int primary key, p_id int references p on delete cascade on update cascade, at text);
        create table g (id int primary key, c_id int references c on delete set null);
        create table log (text text);
        insert into p values (1), (2), (3); insert into c values (1, 1), (2, 1), (3, 2);
        insert into g values (1, 1), (2, 3);
        create function note() returns trigger language plpgsql as
        $$ begin insert into log (text) values (tg_table_name || tg_op); return null; end $$;
        create function touch() returns trigger language plpgsql as $$ begin NEW.at := 'moved'; return NEW; end $$;
        create function counted() returns trigger language plpgsql as $$ begin
        update p set n = (select count(*) from c where p_id = p.id) where id in (OLD.p_id, NEW.p_id);
        return null; end $$;
        create trigger log after update or delete on c for each row execute function note();
        create trigger log after update on g for each row execute function note();
        create trigger touch before update on c for each row execute function touch();
        create trigger counted after insert or update or delete on c for each row execute function counted();
        """,
        "insert into c values (4, 3, 'new')",
        "delete from c where id = 4 returning *",
        "delete from p where id = 2",
        "update p set id = 11 where id = 1",
        "select * from c order by id",
        "select text from log",
    ),
    case(
        "recursion",
        """
        create table node (id int primary key, parent int references node on delete cascade,
            depth int, n int default 0);
        create function deeper() returns trigger language plpgsql as $$ begin
        NEW.depth := coalesce((select depth + 1 from node where id = NEW.parent), 0); return NEW; end $$;
        create function up() returns trigger language plpgsql as $$ begin
        update node set n = n + 1 where id = NEW.parent; return null; end $$;
        create trigger deeper before insert or update of parent on node for each row execute function deeper();
        create trigger up after insert or update of n on node for each row execute function up();
        insert into node values (1, null), (2, 1);
        """,
        "insert into node values (3, 2) returning *",
        "insert into node values (4, 3), (5, 3)",
        "select * from node order by id",
        "update node set parent = 1 where id = 5 returning *",
        "delete from node where id = 3",
    ),
)

STATEMENT: tuple[Case, ...] = (
    case(
        "statement_level",
        """
        create table t (id int primary key, a int, b int);
        create table log (text text);
        insert into t values (1, 1, 1), (2, 2, 2);
        create function note() returns trigger language plpgsql as $$ begin
        insert into log (text) select tg_op || tg_when || tg_level || tg_name || tg_nargs || count(*) from t;
        return null; end $$;
        create trigger before before insert or update or delete on t for each statement execute function note();
        create trigger of_a after update of a on t for each statement execute function note(1);
        create trigger after after insert or delete on t for each statement when (current_user is not null)
        execute function note();
        create trigger row after insert or update on t for each row execute function note();
        """,
        "update t set a = 5",
        "update t set b = 5",
        "insert into t values (3), (4)",
        "delete from t where id > 2",
        "select text from log",
    ),
)


@parametrized(BEFORE)
def test_before_row_triggers(case: Case, pair: Pair) -> None:
    check(pair, case)


@parametrized(AFTER)
def test_after_row_triggers(case: Case, pair: Pair) -> None:
    check(pair, case)


@parametrized(STATEMENT)
def test_statement_triggers(case: Case, pair: Pair) -> None:
    check(pair, case)


AUDITED = """
create table p (id int primary key, name text);
create table c (id int primary key, p_id int references p on delete cascade, n int default 0);
create table audit (what text);
insert into p values (1, 'a'), (2, 'b'); insert into c values (1, 1), (2, 2);
create function note() returns trigger language plpgsql as
$$ begin insert into {audit} values (tg_op || ' ' || current_user); return coalesce(NEW, OLD); end $$;
create trigger note {timing} insert or update or delete on c for each {level} execute function note();
"""


@contextmanager
def _session(pair: Pair, schema: str) -> Iterator[Session]:
    with enabled(pair, schema):
        yield pair.cow.open_session()


def _fails(session: Session, sqlstate: str, statement: str) -> None:
    with session.connect() as conn, pytest.raises(psycopg.Error) as caught:
        conn.execute(statement)
    assert caught.value.sqlstate == sqlstate, caught.value


@pytest.mark.parametrize("level", ["row", "statement"])
@pytest.mark.parametrize("timing", ["before", "after"])
def test_a_trigger_that_names_base_fails_and_writes_nothing(pair: Pair, timing: str, level: str) -> None:
    with _session(pair, AUDITED.format(audit="public.audit", timing=timing, level=level)) as session:
        before = digest(pair.base)
        for statement in (
            "insert into c values (3, 1)",
            "update c set n = 1",
            "delete from c where id = 1",
            "delete from p where id = 1",  # the cascade writes with the rights of another role
        ):
            _fails(session, "42501", statement)
        assert digest(pair.base) == before
        assert session.changes() == ()


def test_triggers_have_the_rights_of_the_session_and_their_rows_are_derived(pair: Pair) -> None:
    with _session(pair, AUDITED.format(audit="audit", timing="after", level="row")) as session:
        with session.connect() as conn:
            conn.execute("insert into c values (3, 1)")
            assert conn.execute("select what = 'INSERT ' || current_user from audit").fetchall() == [(True,)]
        assert [(c.table, c.derived) for c in session.changes()] == [("c", False), ("audit", True)]
        assert session.commit() == 1
        assert pair.base.execute("select count(*) from audit").fetchone() == (1,)


@pytest.mark.parametrize("pinned", ["", "set search_path = public"])
def test_security_definer_stays_with_the_commit(pair: Pair, pinned: str) -> None:
    schema = AUDITED.format(audit="audit", timing="after", level="row")
    schema += f"alter function note() security definer {pinned}; revoke execute on function note from public;"
    with _session(pair, schema) as session:
        reasons = {t.table: t.reason for t in pair.cow.status()}
        assert reasons["c"] == "triggers fire at commit, not in a session: note (SECURITY DEFINER)"
        with session.connect() as conn:
            conn.execute("insert into c values (3, 1)")
        assert pair.base.execute("select count(*) from audit").fetchone() == (0,)
        assert session.commit() == 1
        assert pair.base.execute("select count(*) from audit").fetchone() == (1,)


@pytest.mark.parametrize("timing", ["before", "after"])
def test_a_function_made_security_definer_later_does_not_fire(pair: Pair, timing: str) -> None:
    with _session(pair, AUDITED.format(audit="public.audit", timing=timing, level="row")) as session:
        before = digest(pair.base)
        pair.base.execute("alter function note() security definer")
        _fails(session, "CW006", "insert into c values (3, 1)")
        _fails(session, "CW006", "delete from p")
        _fails(
            session,
            "CW006",
            f"set cowscore.fires = '{timing} insert'; insert into public_cow_functions.c values (3, 1)",
        )
        assert digest(pair.base) == before


def test_triggers_do_not_fire_with_the_rights_of_another_role(pair: Pair) -> None:
    with _session(pair, AUDITED.format(audit="public.audit", timing="after", level="row")) as session:
        before = digest(pair.base)
        with pair.base.transaction(force_rollback=True):
            pair.base.execute("select cowscore.bind(%s)", [session.id])
            pair.base.execute("reset role")
            with pytest.raises(psycopg.Error) as caught:
                pair.base.execute("insert into c values (3, 1)")
            assert caught.value.sqlstate == "CW006"
        assert digest(pair.base) == before


@pytest.mark.parametrize(
    ("trigger", "why"),
    [
        ("after insert on c referencing new table as n for each row", "transition tables"),
        ("after insert on c referencing new table as n for each statement", "transition tables"),
        ("!after insert on c deferrable initially deferred for each row", "deferrable"),
        ("!after insert on c for each row", ""),
        ("after insert on c for each row when (pg_trigger_depth() = 0)", "pg_trigger_depth()"),
    ],
)
def test_what_cannot_be_the_same_stays_with_the_commit(pair: Pair, trigger: str, why: str) -> None:
    constraint = "constraint " if trigger.startswith("!") else ""
    schema = AUDITED.format(audit="audit", timing="after", level="row") + (
        f"create {constraint}trigger other {trigger.removeprefix('!')} execute function note();"
    )
    with _session(pair, schema) as session:
        reason = {t.table: t.reason for t in pair.cow.status()}["c"]
        assert reason == (f"triggers fire at commit, not in a session: other ({why})" if why else "")
        with session.connect() as conn:
            conn.execute("insert into c values (3, 1)")
            assert conn.execute("select count(*) from audit").fetchone() == (1 if why else 2,)
        session.commit()
        assert pair.base.execute("select count(*) from audit").fetchone() == (2,)


SOFT = """
create table t (id int primary key, name text, gone bool default false);
insert into t values (1, 'a'), (2, 'b');
create function softly() returns trigger language plpgsql as $$ begin {body} return {null}; end $$;
create trigger softly before delete on t for each row execute function softly();
"""


def test_soft_deletion_stays_with_the_commit(pair: Pair) -> None:
    with _session(pair, SOFT.format(body="update t set gone = true where id = OLD.id;", null="null")) as session:
        reason = {t.table: t.reason for t in pair.cow.status()}["t"]
        assert reason == ("triggers fire at commit, not in a session: softly (writes other rows and may skip its own)")
        with session.connect() as conn:
            conn.execute("delete from t where id = 1")
        session.commit()
        assert pair.base.execute("select id, gone from t order by id").fetchall() == [(1, True), (2, False)]


def test_soft_deletion_that_hides_fails(pair: Pair) -> None:
    hide = "create function hide(int) returns void language sql as 'update t set gone = true where id = $1';"
    schema = SOFT.format(body="perform hide(OLD.id);", null="null").replace("create function", hide + "create function")
    with _session(pair, schema) as session:
        before = digest(pair.base)
        _fails(session, "CW006", "delete from t where id = 1")
        assert session.changes() == ()
        assert digest(pair.base) == before


@pytest.mark.parametrize(
    "change",
    [
        "alter table c disable trigger note",
        "alter table c enable replica trigger note",
        "drop trigger note on c",
        "alter trigger note on c rename to other",
        "create trigger two before update on c for each row execute function note()",
        "create or replace trigger note after update on c for each row execute function note()",
        "alter function note() security definer; revoke execute on function note from public",
    ],
)
def test_a_changed_trigger_makes_the_table_outdated(pair: Pair, change: str) -> None:
    with _session(pair, AUDITED.format(audit="audit", timing="before", level="row")) as session:
        with session.connect() as conn:
            conn.execute("insert into c values (3, 1)")
        assert {t.table: t.state for t in pair.cow.status()}["c"] == "current"
        pair.base.execute(change)
        assert {t.table: t.state for t in pair.cow.status()}["c"] == "outdated"
        pair.cow.enable()
        assert {t.table: t.state for t in pair.cow.status()}["c"] == "current"
        assert session.commit() == 1  # what the session holds survives


def test_fork_and_discard_take_rows_as_they_were_given_along(pair: Pair) -> None:
    schema = """
    create table t (id int primary key, name text);
    create function loud() returns trigger language plpgsql as
    $$ begin NEW.name := NEW.name || '!'; return NEW; end $$;
    create trigger loud before insert or update on t for each row execute function loud();
    """
    with _session(pair, schema) as session:
        with session.connect(autocommit=True) as conn:
            conn.execute("insert into t values (1, 'a')")
            conn.execute("insert into t values (2, 'b')")
        fork = session.fork()
        first = session.operations()[0].id
        session.discard([first])
        assert [c.after["name"] for c in session.changes() if c.after] == ["b!"]
        assert session.commit() == 1
        fork.discard([fork.operations()[1].id])
        assert fork.commit() == 1
        assert pair.base.execute("select name from t order by id").fetchall() == [("a!",), ("b!",)]


def test_tables_without_triggers_have_none_of_this(pair: Pair) -> None:
    with _session(pair, AUDITED.format(audit="audit", timing="before", level="row")):
        rows = pair.base.execute(
            "select c.relname, array_agg(t.tgname::text order by t.tgname) from pg_trigger t "
            "join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'public_cow'::regnamespace group by 1"
        ).fetchall()
        assert dict(rows)["audit"] == ["_cow_delete", "_cow_insert", "_cow_update"]
        assert dict(rows)["p"] == ["_cow_delete", "_cow_insert", "_cow_statement", "_cow_update"]
        found = pair.base.execute(
            "select relname from pg_class where relname like 'given %' and relkind = 'r'"
        ).fetchall()
        assert found == [("given c",)]
