"""Names that need quoting or could be mistaken, columns named like what the overlay uses, wide tables."""

from __future__ import annotations

from postgres.oracle import Case, Pair, case, check, parametrized

LONG = "t" * 63
LONG_UTF8 = "ü" * 31 + "x"

NAMES = [
    "select",
    "user",
    "Ünïcode",
    "Mixed Case",
    'with "quotes"',
    "with'quote",
    "dotted.name",
    "100%",
    "%s",
    "{braces}",
    "{0}",
    "$1",
    "$cowscore$",
    "$cowscore_$",
    "back\\slash",
    "semi;colon",
    "-- comment",
    "table",
    "NEW",
    "old",
    "knowledgebase",
    "t_base",
    "t_changes",
    "t_cow",
    "sessions",
    "operations",
    "session",
    LONG,
    LONG_UTF8,
]
COLUMNS = [
    *("session", "kind", "operation", "key", "seqs", "columns", "entity", "prev", "seq", "derived", "head"),
    *("n", "c", "o", "v", "x", "u", "p", "b", "t", "w", "h", "f", "g", "i", "s", "was", "image", "version", "reason"),
    *("new", "old", "NEW", "OLD", "found", "tg_op", "sqlstate", "_written", "written", "before", "after", "base"),
    *("select", "user", "order", "Ünïcode", "a b", 'q"q', "q'q", "d.d", "100%", "%s", "{x}", "{}", "$1", "value"),
    *("current_user", "null", "default", "row", "session_id", "operation_id", "query", "public", "e1", "_cow"),
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def table_named(name: str) -> Case:
    t, child = quoted(name), quoted("of " + name[:40])
    return case(
        f"table-{name}",
        f"create table {t} (id serial primary key, a int unique check (a < 100), b text default 'd');"
        f"create table {child} (id int primary key, up int references {t} on delete cascade);"
        f"insert into {t} (a) values (1), (2); insert into {child} values (1, 1);",
        f"insert into {t} (a) values (3) returning *",
        f"insert into {t} (a) values (3)",
        f"insert into {t} (a) values (100)",
        f"update {t} set b = 'x', id = 10 where a = 2 returning *",
        f"insert into {child} values (2, 77)",
        f"insert into {child} values (2, 10)",
        f"delete from {t} where a = 1 returning *",
        f"select * from {t} order by id",
        f"select * from {child} order by id",
    )


def key_named(name: str) -> Case:
    k = quoted(name)
    return case(
        f"key-column-{name}",
        f"create table t ({k} int primary key, a int, up int constraint up_fk references t deferrable); "
        f"create unique index on t (({k} + a)); insert into t values (1, 1), (2, 5);",
        f"insert into t ({k}, a, up) values (3, 1, 1) returning *",
        f"insert into t ({k}, a) values (3, 100)",
        f"insert into t ({k}, a) values (4, 0)",
        f"insert into t ({k}, a, up) values (5, 200, 66)",
        f"update t set a = a + 10 where {k} = 1 returning {k}",
        f"update t set {k} = {k} + 100 where {k} = 2 returning *",
        f"delete from t where {k} = 1",
        f"delete from t where {k} = 3 returning {k}",
        f"select * from t order by {k}",
    )


OTHERS = [
    case(
        "all-the-columns-at-once",
        "create table t (id int primary key, "
        + ", ".join(f"{quoted(c)} text default 'd'" for c in COLUMNS)
        + ", gen text generated always as (upper(n || c)) stored); insert into t (id) values (1);",
        "insert into t (id) values (2) returning *",
        f"update t set {', '.join(f'{quoted(c)} = id::text' for c in COLUMNS)} where id = 1 returning *",
        f"update t set {quoted('c')} = null, {quoted('o')} = 'z' where id = 2 returning gen",
        "delete from t where id = 2 returning *",
        f"select {', '.join(f't.{quoted(c)}' for c in COLUMNS)} from t order by id",
    ),
    case(
        "wide-table",
        "create table t (id int primary key, "
        + ", ".join(f"c{n} int default {n}" for n in range(300))
        + "); insert into t (id) values (1), (2);",
        "insert into t (id, c7) values (3, null) returning *",
        "update t set c299 = -1, c0 = null where id < 3 returning *",
        "delete from t where id = 2",
        "select * from t order by id",
    ),
    case(
        "many-constraints-on-one-table",
        "create table p (id int primary key); insert into p select generate_series(1, 5); "
        "create table t (id int primary key, "
        + ", ".join(f"c{n} int unique references p check (c{n} <> 4)" for n in range(30))
        + ");",
        "insert into t (id, c1, c29) values (1, 1, 2) returning c1, c29",
        "insert into t (id, c29) values (2, 2)",
        "insert into t (id, c15) values (2, 9)",
        "update t set c20 = 4",
        "update t set c20 = 3",
        "delete from p where id = 3",
        "delete from p where id = 5",
    ),
    case(
        "dropped-columns",
        "create table t (a int, id int primary key, b text, c int); insert into t values (1, 1, 'x', 2);"
        "alter table t drop column a; alter table t drop column c; alter table t add column d int default 5;",
        "insert into t values (2, 'y') returning *",
        "update t set d = 6 where id = 1 returning *",
        "insert into t values (3, 'z', 1)",
        "delete from t where id = 2",
        "select * from t order by id",
    ),
    case(
        "one-column",
        "create table t (id int primary key); insert into t values (1);",
        "insert into t values (2) returning *",
        "update t set id = 3 where id = 1 returning *",
        "update t set id = id",
        "delete from t where id = 2",
        "select * from t",
    ),
    case(
        "same-constraint-name-on-two-tables",
        "create table p (id int primary key); create table a (id int primary key, p int, "
        "constraint fk foreign key (p) references p deferrable); create table b (id int primary key, p int, "
        "constraint fk foreign key (p) references p deferrable);",
        "begin",
        "set constraints fk deferred",
        "insert into a values (1, 1)",
        "insert into b values (1, 1)",
        "insert into p values (1)",
        "commit",
        "delete from p",
    ),
    case(
        "same-constraint-name-deferred-and-not",
        "create table p (id int primary key); create table a (id int primary key, p int, "
        "constraint fk foreign key (p) references p deferrable initially deferred); "
        "create table b (id int primary key, "
        "p int, constraint fk foreign key (p) references p deferrable); insert into p values (1), (2); "
        "insert into a values (1, 1); insert into b values (1, 2);",
        "begin",
        "insert into a values (2, 9)",
        "delete from p where id = 1",
        "savepoint s",
        "delete from p where id = 2",
        "rollback to s",
        "insert into p values (1), (9)",
        "commit",
        "select * from p order by id",
    ),
    case(
        "long-names-alike",
        f"create table {'a' * 62}1 (id int primary key, x int); create table {'a' * 62}2 (id int primary key, y text);",
        f"insert into {'a' * 62}1 values (1, 1)",
        f"insert into {'a' * 62}2 values (1, 'one')",
        f"insert into {'a' * 62}2 values (1, 'two')",
        f"update {'a' * 62}1 set x = 2 returning *",
    ),
]


@parametrized([table_named(n) for n in NAMES], [key_named(c) for c in COLUMNS], OTHERS)
def test_as_plain_postgresql(pair: Pair, case: Case) -> None:
    check(pair, case)
