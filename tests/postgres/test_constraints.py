"""NOT NULL, CHECK, unique keys of every kind, exclusion constraints, and changing a key."""

from __future__ import annotations

from postgres.oracle import Case, Copy, Pair, case, check, parametrized

NOT_NULL_AND_CHECK = [
    case(
        "not-null",
        "create table t (id int primary key, a int not null, b text not null default 'x'); "
        "insert into t values (1, 1);",
        "insert into t (id) values (2)",
        "insert into t values (2, 3, null)",
        "insert into t values (null, 3)",
        "update t set a = null",
        "update t set a = default",
        "update t set id = null where id = 1",
        "select * from t",
    ),
    case(
        "check-column-and-table",
        "create table t (id int primary key, a int check (a > 0), b int, constraint ordered check (a < b), "
        "constraint named check (b <> 13)); insert into t values (1, 1, 2);",
        "insert into t values (2, 0, 1)",
        "insert into t values (2, 5, 4)",
        "insert into t values (2, 5, 13)",
        "insert into t values (2, null, null)",
        "update t set a = 7 where id = 1",
        "update t set b = 13",
        "update t set a = 3, b = 4 where id = 1 returning *",
    ),
    case(
        "check-with-function-of-the-application",
        "create function good(x int) returns boolean language sql immutable as 'select x % 2 = 0';"
        "create table t (id int primary key, a int check (good(a)));",
        "insert into t values (1, 2)",
        "insert into t values (2, 3)",
        "update t set a = 5",
    ),
    case(
        "check-not-valid",
        "create table t (id int primary key, a int); insert into t values (1, -1), (2, 2);"
        "alter table t add constraint positive check (a > 0) not valid;",
        "insert into t values (3, -1)",
        "update t set a = -5 where id = 2",
        "select * from t order by id",
    ),
    case(
        "check-not-valid-repairs-and-deletes",
        "create table t (id int primary key, a int); insert into t values (1, -1), (2, -2), (3, -3);"
        "alter table t add constraint positive check (a > 0) not valid;",
        "update t set id = 9 where id = 1",
        "update t set a = 5 where id = 1 returning *",
        "delete from t where id = 2",
        "update t set id = 4, a = 4 where id = 3 returning *",
    ),
    case(
        "not-null-and-check-before-unique",
        "create table t (id int primary key, a int not null check (a > 0)); insert into t values (1, 1);",
        "insert into t values (1, null)",
        "insert into t values (1, -1)",
        "insert into t values (1, 1)",
    ),
    case(
        "domain",
        "create domain positive as int check (value > 0); create domain mail as text not null default 'none' "
        "check (value ~ '@' or value = 'none'); create table t (id positive primary key, m mail, n positive);",
        "insert into t values (1, 'a@b', 3) returning *",
        "insert into t values (-1, 'a@b')",
        "insert into t values (2, 'nothing')",
        "insert into t values (2, null)",
        "insert into t (id) values (3) returning *",
        "update t set n = 0",
        "update t set m = 'x@y' where id = 1 returning *",
    ),
]

UNIQUE = [
    case(
        "primary-key",
        "create table t (id int primary key, a text); insert into t values (1, 'a'), (2, 'b');",
        "insert into t values (1, 'x')",
        "insert into t values (3, 'c'), (3, 'd')",
        "update t set id = 2 where id = 1",
        "update t set id = 1 where id = 1 returning *",
        "insert into t values (4, 'e')",
        "insert into t values (4, 'f')",
        "delete from t where id = 1",
        "update t set id = 1 where id = 2 returning *",
        "insert into t values (2, 'again') returning *",
    ),
    case(
        "unique-multi-column",
        "create table t (id int primary key, a int, b text, unique (a, b)); "
        "insert into t values (1, 1, 'x'), (2, 1, 'y');",
        "insert into t values (3, 1, 'x')",
        "insert into t values (3, 1, null), (4, 1, null) returning *",
        "update t set b = 'y' where id = 1",
        "update t set a = 2, b = 'y' where id = 1 returning *",
        "update t set b = 'x' where id = 2 returning *",
    ),
    case(
        "unique-nulls-not-distinct",
        "create table t (id int primary key, a int, unique nulls not distinct (a)); "
        "insert into t values (1, null), (2, 2);",
        "insert into t values (3, null)",
        "update t set a = null where id = 2",
        "update t set a = 1 where id = 1 returning *",
        "insert into t values (3, null) returning *",
    ),
    case(
        "unique-index-not-constraint",
        "create table t (id int primary key, a int); create unique index only_one on t (a); "
        "insert into t values (1, 1);",
        "insert into t values (2, 1)",
        "insert into t values (2, 2)",
        "update t set a = 1 where id = 2",
    ),
    case(
        "unique-partial",
        "create table t (id int primary key, a int, gone boolean default false); "
        "create unique index live on t (a) where not gone; "
        "insert into t values (1, 1, false), (2, 2, false), (3, 1, true);",
        "insert into t values (4, 1)",
        "insert into t values (4, 1, true) returning *",
        "update t set gone = false where id = 3",
        "update t set gone = true where id = 1 returning *",
        "update t set gone = false where id = 3 returning *",
        "insert into t values (5, 1)",
    ),
    case(
        "unique-expression",
        "create table t (id int primary key, mail text, n int); "
        "create unique index lowered on t (lower(mail), (n % 10)); "
        "insert into t values (1, 'A@x', 3), (2, 'b@x', 3);",
        "insert into t values (3, 'a@X', 13)",
        "insert into t values (3, 'a@X', 14) returning *",
        "update t set mail = 'B@X' where id = 1",
        "update t set n = 4 where id = 1",
        "update t set mail = 'A@X' where id = 1 returning *",
    ),
    case(
        "unique-expression-and-predicate",
        "create table t (id int primary key, name text, kind text); "
        "create unique index i on t ((coalesce(name, '') || '.' || kind)) where kind <> 'free'; "
        "insert into t values (1, 'a', 'k');",
        "insert into t values (2, 'a', 'k')",
        "insert into t values (2, 'a', 'free'), (3, 'a', 'free'), (4, null, 'k')",
        "insert into t values (5, null, 'k')",
        "update t set kind = 'k' where id = 2",
    ),
    case(
        "unique-case-insensitive-collation",
        "create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
        "create table t (id int primary key, a text collate ci unique); insert into t values (1, 'Abc');",
        "insert into t values (2, 'aBC')",
        "select * from t where a = 'ABC'",
        "insert into t values (2, 'abd')",
        "update t set a = 'ABC' where id = 2",
        "update t set a = 'ABC' where id = 1 returning *",
    ),
    case(
        "unique-several-violated-at-once",
        "create table t (id int primary key, a int unique, b int unique); insert into t values (1, 1, 1), (2, 2, 2);",
        "insert into t values (1, 1, 1)",
        "insert into t values (3, 1, 2)",
        "update t set a = 1, b = 1 where id = 2",
    ),
    case(
        "unique-shift-in-one-statement",
        "create table t (id int primary key, a int unique); insert into t values (1, 1), (2, 2), (3, 3);",
        "update t set a = a + 10",
        "select * from t order by id",
    ),
    case(
        "unique-deferrable-swap",
        "create table t (id int primary key, a int, constraint a_once unique (a) deferrable initially immediate); "
        "insert into t values (1, 1), (2, 2), (3, 3);",
        "update t set a = a % 3 + 1",
        "select * from t order by id",
        "update t set a = 1",
        "insert into t values (4, 1)",
        "begin",
        "set constraints a_once deferred",
        "update t set a = 3 where id = 1",
        "update t set a = 2 where id = 2",
        "commit",
        "select * from t order by id",
    ),
    case(
        "unique-initially-deferred",
        "create table t (id int primary key, a int, constraint a_once unique (a) deferrable initially deferred); "
        "insert into t values (1, 1), (2, 2);",
        "begin",
        "update t set a = 2 where id = 1",
        "update t set a = 1 where id = 2",
        "commit",
        "select * from t order by id",
        "begin",
        "insert into t values (3, 1)",
        "select count(*) from t",
        "commit",
        "begin",
        "insert into t values (3, 1)",
        "set constraints a_once immediate",
        "rollback",
        "begin",
        "insert into t values (3, 1)",
        "update t set a = 3 where id = 3",
        "set constraints all immediate",
        "commit",
        "select * from t order by id",
    ),
    case(
        "primary-key-deferrable",
        "create table t (id int, a int, constraint pk primary key (id) deferrable initially deferred); "
        "insert into t values (1, 1), (2, 2);",
        "insert into t values (3, 3) returning *",
        "update t set a = 9 where id = 2 returning *",
        "delete from t where id = 1",
        "select * from t order by id",
    ),
    case(
        "unique-freed-and-reused-in-one-transaction",
        "create table t (id int primary key, code text unique); insert into t values (1, 'a'), (2, 'b');",
        "begin",
        "delete from t where id = 1",
        "insert into t values (3, 'a')",
        "update t set code = 'c' where id = 2",
        "insert into t values (4, 'b')",
        "commit",
        "select * from t order by id",
        "delete from t where id = 4",
        "update t set code = 'b' where id = 2 returning *",
    ),
    case(
        "unique-swap-through-a-third-value",
        "create table t (id int primary key, code text unique not null); insert into t values (1, 'a'), (2, 'b');",
        "begin",
        "update t set code = 'tmp' where id = 1",
        "update t set code = 'a' where id = 2",
        "update t set code = 'b' where id = 1",
        "commit",
        "select * from t order by id",
    ),
    case(
        "unique-key-instead-of-primary-key",
        "create table t (code text not null unique, a int); insert into t values ('x', 1), ('y', 2);",
        "insert into t values ('x', 3)",
        "update t set a = 9 where code = 'x' returning *",
        "update t set code = 'y' where code = 'x'",
        "update t set code = 'z' where code = 'x' returning *",
        "delete from t where code = 'y'",
        "insert into t values (null, 1)",
        "select * from t order by code",
    ),
    case(
        "no-key-insert-and-own-rows",
        "create table t (a int, b text); insert into t values (1, 'base'), (1, 'base');",
        "insert into t values (2, 'new'), (2, 'new') returning *",
        "select * from t",
        "insert into t select * from t",
        "select count(*) from t",
        "update t set b = 'own' where a = 2 and false",
    ),
]

EXCLUDE = [
    case(
        "exclude-ranges",
        "create table t (id int primary key, during int4range, constraint no_overlap exclude using gist (during "
        "with &&)); "
        "insert into t values (1, '[1,5)'), (2, '[10,20)');",
        "insert into t values (3, '[4,6)')",
        "insert into t values (3, '[5,10)') returning *",
        "update t set during = '[1,11)' where id = 1",
        "update t set during = '[2,4)' where id = 1 returning *",
        "insert into t values (4, null), (5, 'empty') returning *",
        "delete from t where id = 2",
        "insert into t values (6, '[12,13)')",
    ),
    case(
        "exclude-partial-with-expression",
        "create table t (id int primary key, a int, b int, void boolean not null default false, "
        "constraint no_overlap exclude using gist (int4range(a, b) with &&) where (not void)); "
        "insert into t values (1, 1, 5);",
        "insert into t values (2, 2, 3)",
        "insert into t values (2, 2, 3, true) returning *",
        "update t set void = false where id = 2",
        "update t set void = true where id = 1",
        "update t set void = false where id = 2 returning *",
    ),
    case(
        "exclude-btree-equality",
        "create table t (id int primary key, a int, exclude using btree (a with =)); insert into t values (1, 1);",
        "insert into t values (2, 1)",
        "insert into t values (2, 2) returning *",
    ),
    case(
        "exclude-deferred",
        "create table t (id int primary key, r int4range, constraint apart exclude using gist (r with &&) "
        "deferrable initially deferred); insert into t values (1, '[1,5)'), (2, '[5,9)');",
        "begin",
        "update t set r = '[5,9)' where id = 1",
        "update t set r = '[1,5)' where id = 2",
        "commit",
        "select * from t order by id",
        "insert into t values (3, '[2,3)')",
    ),
    case(
        "deferrable-without-a-key",
        "create table t (a int unique nulls not distinct deferrable, b int); insert into t values (1, 1);",
        "insert into t values (1, 2)",
        "insert into t values (null, 2)",
        "insert into t values (null, 3)",
    ),
    case(
        "deferrable-nulls-not-distinct",
        "create table t (id int primary key, a int, constraint a_once unique nulls not distinct (a) deferrable); "
        "insert into t values (1, null);",
        "insert into t values (2, null)",
        "insert into t values (3, 3)",
        "update t set a = null where id = 3",
    ),
]

KEYS = [
    case(
        "change-key",
        "create table t (id int primary key, a text); insert into t values (1, 'a'), (2, 'b'), (3, 'c');",
        "update t set id = 10 where id = 1 returning *",
        "select * from t order by id",
        "update t set a = 'A' where id = 10",
        "insert into t values (1, 'new') returning *",
        "update t set id = 11 where id = 10",
        "update t set id = 10 where id = 1",
        "delete from t where id = 11 returning *",
        "update t set id = id + 100 where id in (2, 3)",
        "select * from t order by id",
    ),
    case(
        "change-key-there-and-back",
        "create table t (id int primary key, a text); insert into t values (1, 'a'), (2, 'b');",
        "begin",
        "update t set id = 5 where id = 1",
        "update t set id = 1 where id = 5",
        "commit",
        "update t set a = 'z' where id = 1 returning *",
        "select * from t order by id",
    ),
    case(
        "swap-through-temporary-key",
        "create table t (id int primary key, a text); insert into t values (1, 'a'), (2, 'b');",
        "begin",
        "update t set id = -1 where id = 1",
        "update t set id = 1 where id = 2",
        "update t set id = 2 where id = -1",
        "commit",
        "select * from t order by id",
        "update t set a = a || a",
        "delete from t where id = 1 returning *",
    ),
    case(
        "rotate-three-keys",
        "create table t (id int primary key, a text); insert into t values (1, 'a'), (2, 'b'), (3, 'c');",
        "update t set id = 0 where id = 1",
        "update t set id = 1 where id = 2",
        "update t set id = 2 where id = 3",
        "update t set id = 3 where id = 0",
        "select * from t order by id",
    ),
    case(
        "take-the-key-of-a-deleted-row",
        "create table t (id int primary key, a text); insert into t values (1, 'a'), (2, 'b');",
        "delete from t where id = 1",
        "update t set id = 1 where id = 2 returning *",
        "update t set a = 'moved'",
        "insert into t values (2, 'new')",
        "select * from t order by id",
        "delete from t where id = 1",
        "insert into t values (1, 'third')",
        "select * from t order by id",
    ),
    case(
        "composite-key",
        "create table t (a int, b text, c int, primary key (a, b)); insert into t values (1, 'x', 1), (1, 'y', 2);",
        "insert into t values (1, 'x', 5)",
        "insert into t values (2, 'x', 5) returning *",
        "update t set c = c + 1 where a = 1 returning *",
        "update t set b = 'y' where a = 2 returning *",
        "update t set a = 1 where a = 2",
        "delete from t where (a, b) = (1, 'x')",
        "select * from t order by a, b",
    ),
    case(
        "uuid-key",
        "create table t (id uuid primary key, a int); "
        "insert into t values ('00000000-0000-0000-0000-000000000001', 1);",
        "insert into t values ('00000000-0000-0000-0000-000000000001', 2)",
        "insert into t values ('00000000-0000-0000-0000-00000000000a', 2) returning *",
        "update t set a = 5 where id = '00000000-0000-0000-0000-000000000001' returning *",
        "delete from t where a = 2",
    ),
    case(
        "text-key-and-trailing-spaces",
        "create table t (id varchar(10) primary key, c char(5)); insert into t values ('a', 'x'), ('a ', 'y');",
        "insert into t values ('a', 'z')",
        "update t set c = 'new' where id = 'a ' returning *",
        "insert into t values ('A', 'z')",
        "select * from t where c = 'new'",
        "insert into t values ('01234567890', 'z')",
    ),
    case(
        "char-key-ignores-trailing-spaces",
        "create table t (id char(5) primary key, a int); insert into t values ('ab', 1);",
        "insert into t values ('ab  ', 2)",
        "update t set a = 3 where id = 'ab' returning *",
        "update t set id = 'ab ' where id = 'ab' returning *",
        "select * from t",
    ),
    case(
        "numeric-key-equal-but-not-the-same",
        "create table t (id numeric primary key, a int); insert into t values (1.0, 1), (2, 2);",
        "insert into t values (1.00, 5)",
        "update t set a = 9 where id = 1",
        "update t set id = 1.000 where id = 1 returning *",
        "delete from t where id = 2.0",
        "select * from t order by id",
    ),
    case(
        "partitioned",
        "create table t (id int, day date, a text, primary key (id, day)) partition by range (day);"
        "create table t1 partition of t for values from ('2024-01-01') to ('2025-01-01');"
        "create table t2 partition of t for values from ('2025-01-01') to ('2026-01-01');"
        "insert into t values (1, '2024-05-05', 'a'), (2, '2025-05-05', 'b');",
        "insert into t values (3, '2024-06-06', 'c') returning *",
        "update t set a = 'A' where id = 1 returning *",
        "update t set day = '2025-01-02' where id = 1 returning *",
        "delete from t where id = 2",
        "select * from t order by id",
    ),
    case(
        "delete-and-insert-in-one-transaction",
        "create table t (id int primary key, a text, b int default 7); insert into t values (1, 'a', 1), (2, 'b', 2);",
        "begin",
        "delete from t",
        "insert into t (id, a) values (1, 'again')",
        "update t set b = null where id = 1",
        "commit",
        "select * from t order by id",
        "begin",
        "insert into t values (9, 'x')",
        "delete from t where id = 9",
        "insert into t values (9, 'y')",
        "rollback",
        "select * from t order by id",
    ),
    case(
        "copy-violates",
        "create table t (id int primary key, a int check (a > 0), b int unique); insert into t values (1, 1, 1);",
        Copy("copy t from stdin", "2\t1\t1\n"),
        Copy("copy t from stdin", "2\t0\t2\n"),
        Copy("copy t from stdin", "2\t1\t2\n3\t1\t3\n"),
        "select * from t order by id",
    ),
]


@parametrized(NOT_NULL_AND_CHECK, UNIQUE, EXCLUDE, KEYS)
def test_as_plain_postgresql(pair: Pair, case: Case) -> None:
    check(pair, case)
