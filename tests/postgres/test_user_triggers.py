"""The application's own row and statement triggers fire in a session as on plain tables, and commit repeats them."""

from __future__ import annotations

from postgres.oracle import Case, Pair, case, check, parametrized

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
        create table t (id int primary key, slug text not null, title text, k text generated always as (slug || id) stored);
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
)


@parametrized(BEFORE)
def test_before_row_triggers(case: Case, pair: Pair) -> None:
    check(pair, case)
