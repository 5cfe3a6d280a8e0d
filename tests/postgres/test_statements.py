"""INSERT, UPDATE and DELETE in all their forms, defaults, identity, generated columns, transactions."""

from __future__ import annotations

from postgres.oracle import Case, Copy, Pair, case, check, parametrized

SHOP = """
create table customers (id int primary key, name text not null, city text default 'Bonn',
    score numeric(6, 2) default 0);
create table orders (
    id serial primary key, customer_id int not null references customers, total int not null default 10, note text
);
insert into customers values (1, 'Ann', 'Kiel', 1), (2, 'Bob', null, 2.5), (3, 'Cy', 'Ulm', 0);
insert into orders (customer_id, total, note) values (1, 10, 'a'), (1, 20, null), (2, 30, 'c');
"""

INSERTS = [
    case(
        "insert-values",
        SHOP,
        "insert into customers values (4, 'Di', 'Jena', 3)",
        "select * from customers order by id",
        "insert into customers (name, id) values ('Ed', 5)",
        "select * from customers where city = 'Bonn'",
    ),
    case(
        "insert-omitted-against-explicit-null",
        SHOP,
        "insert into customers (id, name) values (4, 'Di') returning *",
        "insert into customers (id, name, city) values (5, 'Ed', null) returning *",
        "insert into customers (id, name, city) values (6, 'Flo', default) returning *",
        "insert into customers (id, name, city) values (7, null, 'x')",
        "insert into customers (id, city) values (8, 'x')",
    ),
    case(
        "insert-several-rows-with-default",
        SHOP,
        "insert into customers values (4, 'D', default, 1), (5, 'E', null, default), (6, 'F', 'x', 3) returning *",
        "insert into orders (customer_id, total) values (4, default), (5, 7) returning id, total, note",
    ),
    case("insert-partial-columns-by-position", SHOP, "insert into customers values (4, 'D') returning *"),
    case(
        "insert-select",
        SHOP,
        "insert into customers select id + 10, name || '!', city, score * 2 from customers where id < 3 returning *",
        "insert into orders (customer_id, total) select customer_id, sum(total) from orders group by customer_id "
        "order by customer_id returning id, customer_id, total",
        "insert into customers select * from customers where false",
    ),
    case("insert-select-from-itself-conflicts", SHOP, "insert into customers select * from customers"),
    case(
        "insert-default-values",
        "create table t (id serial primary key, a int default 3, b text)",
        "insert into t default values returning *",
        "insert into t default values",
        "select * from t order by id",
    ),
    case(
        "insert-returning-expressions",
        SHOP,
        "insert into customers values (4, 'Di') returning upper(name) as loud, id * 2, city is null as lost",
        "insert into customers as c values (5, 'Ed') returning c.name, c.*",
    ),
    case(
        "insert-from-cte",
        SHOP,
        "with n as (select max(id) + 1 as id from customers) insert into customers select id, 'New' from n returning *",
    ),
    case(
        "insert-from-values-list", SHOP, "insert into customers (id, name) select * from (values (4, 'a'), (5, 'b')) v"
    ),
    case("insert-too-many-values", SHOP, "insert into customers values (4, 'a', 'b', 1, 2)"),
    case("insert-wrong-type", SHOP, "insert into customers values ('four', 'a')", "select count(*) from customers"),
    case("insert-unknown-column", SHOP, "insert into customers (idd) values (4)"),
    case("insert-numeric-overflow", SHOP, "insert into customers values (4, 'a', 'b', 123456.78)"),
    case("insert-rounds-to-scale", SHOP, "insert into customers values (4, 'a', 'b', 1.239) returning score"),
    case("insert-parameters", SHOP, ("insert into customers values (%s, %s, %s, %s) returning *", [4, "D", None, 1])),
    case(
        "insert-failing-row-undoes-the-statement",
        SHOP,
        "insert into customers values (4, 'a'), (5, null), (6, 'c')",
        "select count(*) from customers",
    ),
    case(
        "insert-subquery-in-values",
        SHOP,
        "insert into customers values ((select max(id) from customers) + 1, (select name from customers where id = 1))",
        "insert into customers values ((select max(id) from customers) + 1, 'second') returning *",
    ),
    case(
        "on-conflict-do-nothing-checks-before-it-skips",
        SHOP,
        "insert into customers values (1, null) on conflict do nothing",
        "insert into customers values (4, 'new'), (1, null) on conflict do nothing returning *",
        "insert into customers values (4, 'new'), (1, 'dup') on conflict do nothing returning *",
        "select * from customers order by id",
    ),
    case(
        "on-conflict-do-nothing-without-target",
        SHOP,
        "insert into customers values (1, 'dup'), (4, 'new') on conflict do nothing",
        "insert into customers values (1, 'dup') on conflict do nothing returning *",
        "insert into customers values (5, 'x'), (5, 'y') on conflict do nothing returning *",
        "insert into customers values (6, null) on conflict do nothing",
        "insert into customers select * from customers on conflict do nothing",
        "select * from customers order by id",
    ),
]

UPDATES = [
    case(
        "update-simple",
        SHOP,
        "update customers set name = 'X' where id = 1",
        "update customers set city = null, score = score + 1",
        "update customers set name = 'Y' where id = 99",
        "select * from customers order by id",
    ),
    case(
        "update-returning", SHOP, "update customers set score = score * 2 where id < 3 returning *, score + 1 as more"
    ),
    case(
        "update-default-and-null",
        SHOP,
        "update customers set city = default where id = 1 returning *",
        "update customers set city = null where id = 1 returning *",
        "update customers set name = default where id = 1",
        "update customers set (city, score) = (default, default) where id = 3 returning *",
    ),
    case(
        "update-from",
        SHOP,
        "update customers c set score = o.total from orders o where o.customer_id = c.id and o.note > '' returning c.*",
        "select * from customers order by id",
    ),
    case(
        "update-from-several-matches-writes-once",
        "create table a (id int primary key, n int); create table b (x int primary key, a int);"
        "insert into a values (1, 0), (2, 0); insert into b values (1, 1), (2, 1), (3, 2);",
        "update a set n = n + 1 from b where b.a = a.id",
        "select * from a order by id",
        "update a set n = n + 1 from b where b.a = a.id",
        "select * from a order by id",
    ),
    case(
        "update-from-self-join",
        SHOP,
        "update customers c set name = d.name from customers d where d.id = c.id + 1 returning c.id, c.name",
    ),
    case(
        "update-multi-assignment-from-subselect",
        SHOP,
        "update customers c set (city, score) = (select note, total from orders o where o.customer_id = c.id "
        "order by o.id limit 1) returning *",
    ),
    case(
        "update-with-cte",
        SHOP,
        "with t as (select 2 as id) update customers set name = 'T' from t "
        "where t.id = customers.id returning customers.*",
    ),
    case(
        "update-swap-columns",
        "create table t (id int primary key, a int, b int); insert into t values (1, 2, 3);",
        "update t set a = b, b = a returning *",
    ),
    case(
        "update-where-subselect",
        SHOP,
        "update orders set total = 0 where customer_id in (select id from customers where city is null) returning *",
        "update customers set score = 9 where exists (select from orders o where o.customer_id = customers.id)",
        "select * from customers order by id",
    ),
    case("update-no-change", SHOP, "update customers set name = name", "select count(*) from customers"),
    case(
        "update-generated-by-case",
        SHOP,
        "update customers set name = case id when 1 then 'one' else name end where id in (1, 2) returning id, name",
    ),
    case(
        "update-limit-through-subselect",
        SHOP,
        "update orders set total = 1 where id = (select id from orders order by id desc limit 1) returning *",
    ),
    case("update-row-comparison", SHOP, "update customers set score = 7 where (id, name) = (1, 'Ann') returning *"),
    case("update-whole-row-in-returning", SHOP, "update customers c set score = 7 where id = 1 returning c"),
    case("update-syntax-error", SHOP, "update customers sett name = 'x'", "update nothing set a = 1"),
    case(
        "update-division-by-zero",
        SHOP,
        "update customers set score = 1 / (id - 1)",
        "select * from customers order by id",
    ),
    case(
        "update-sees-statement-start",
        SHOP,
        "update customers set score = (select sum(score) from customers) returning id, score",
    ),
]

DELETES = [
    case(
        "delete-simple",
        SHOP,
        "delete from customers where id = 3",
        "delete from orders",
        "delete from customers where id = 9",
        "select count(*) from orders",
        "select * from customers order by id",
    ),
    case("delete-returning", SHOP, "delete from orders where total > 10 returning *, total * 2 as twice"),
    case(
        "delete-using",
        SHOP,
        "delete from orders o using customers c where c.id = o.customer_id and c.city = 'Kiel' returning o.id, c.name",
    ),
    case(
        "delete-using-several-matches",
        SHOP,
        "delete from customers c using orders o where o.total > c.score and c.id = 3 returning c.*",
        "select * from customers order by id",
    ),
    case(
        "delete-with-cte",
        SHOP,
        "with x as (select min(id) as id from orders) delete from orders using x "
        "where x.id = orders.id returning orders.*",
    ),
    case(
        "delete-where-not-exists",
        SHOP,
        "delete from customers c where not exists (select from orders o where o.customer_id = c.id) returning name",
    ),
    case(
        "delete-then-insert-again",
        SHOP,
        "delete from customers where id = 3",
        "insert into customers values (3, 'again') returning *",
        "delete from customers where id = 3 returning *",
        "insert into customers values (3, 'third')",
        "update customers set city = 'z' where id = 3",
        "select * from customers order by id",
    ),
    case(
        "delete-inserted-row",
        SHOP,
        "insert into customers values (4, 'D')",
        "delete from customers where id = 4",
        "delete from customers where id = 4",
        "select * from customers order by id",
    ),
    case(
        "delete-updated-row",
        SHOP,
        "update customers set name = 'Z' where id = 3",
        "delete from customers where name = 'Z'",
        "select * from customers order by id",
    ),
]

CTES = [
    case(
        "cte-delete-into-insert",
        SHOP + "create table archive (id int primary key, total int);",
        "with gone as (delete from orders where total >= 20 returning id, total) "
        "insert into archive select id, total from gone returning *",
        "select * from orders order by id",
    ),
    case(
        "cte-insert-then-select",
        SHOP,
        "with n as (insert into customers values (4, 'D') returning *) "
        "select n.name, (select count(*) from customers) from n",
    ),
    case(
        "cte-insert-parent-and-child",
        SHOP,
        "with n as (insert into customers values (4, 'D') returning id) "
        "insert into orders (customer_id, total) select id, 5 from n returning id, customer_id",
        "select count(*) from orders",
    ),
    case(
        "cte-two-updates",
        SHOP,
        "with a as (update customers set score = 1 where id = 1 returning id), "
        "b as (update customers set score = 2 where id = 2 returning id) select * from a union all select * from b",
        "select * from customers order by id",
    ),
    case(
        "cte-update-unused",
        SHOP,
        "with a as (update customers set name = 'x' where id = 1) select 1",
        "select * from customers order by id",
    ),
    case(
        "cte-recursive-insert",
        SHOP,
        "with recursive n(i) as (select 4 union all select i + 1 from n where i < 8) "
        "insert into customers (id, name) select i, 'n' || i from n",
        "select * from customers order by id",
    ),
]

DEFAULTS = [
    case(
        "serial-and-explicit",
        "create table t (id serial primary key, a text)",
        "insert into t (a) values ('a'), ('b') returning *",
        "insert into t values (10, 'c')",
        "insert into t (a) values ('d') returning id",
        "insert into t values (4, 'dup')",
        "insert into t values (3, 'dup')",
        "insert into t (id, a) values (default, 'e') returning *",
        "insert into t (id, a) values (null, 'e')",
        "select currval('t_id_seq')",
    ),
    case(
        "bigserial-with-seed",
        "create table t (id bigserial primary key, a text); insert into t (a) values ('x'), ('y');",
        "insert into t (a) values ('z') returning id",
        "select * from t order by id",
    ),
    case(
        "identity-always",
        "create table t (id int generated always as identity primary key, a text)",
        "insert into t (a) values ('a') returning *",
        "insert into t values (7, 'b')",
        "insert into t (id, a) values (default, 'c') returning *",
        "insert into t (id, a) overriding system value values (7, 'd') returning *",
        "insert into t (id, a) overriding user value values (99, 'e') returning *",
        "update t set id = 50 where a = 'a'",
        "select count(*) from t",
    ),
    case(
        "identity-always-updated-to-default",
        "create table t (id int generated always as identity primary key, a text); "
        "insert into t (a) values ('a'), ('b');",
        "update t set id = default where a = 'a' returning *",
        "update t set id = null where a = 'a'",
        # Base refuses to be given the number that the session drew.
        commits=False,
    ),
    case(
        "identity-always-explicit-null",
        "create table t (id int generated always as identity primary key, a text)",
        "insert into t (id, a) values (null, 'c')",
        "select * from t",
    ),
    case(
        "identity-by-default",
        "create table t (id int generated by default as identity primary key, a text)",
        "insert into t (a) values ('a') returning *",
        "insert into t values (7, 'b') returning *",
        "insert into t (id, a) overriding user value values (99, 'e') returning *",
        "insert into t (id, a) overriding system value values (98, 'f') returning *",
        "update t set id = 50 where a = 'a' returning *",
        "insert into t (id, a) values (null, 'x')",
        "insert into t (a) select 's' || n from generate_series(1, 3) n returning id",
    ),
    case(
        "identity-options",
        "create table t (id int generated always as identity (start 100 increment 10) primary key, a int)",
        "insert into t (a) values (1), (2) returning id",
    ),
    case(
        "generated-stored",
        "create table t (id int primary key, a int, b int generated always as (a * 2) stored, "
        "c text generated always as (upper(id::text || 'x')) stored); insert into t (id, a) values (1, 1);",
        "insert into t (id, a) values (2, 5) returning *",
        "insert into t values (3, 6, default) returning b",
        "insert into t values (4, 6, 7)",
        "update t set a = 10 where id = 1 returning *",
        "update t set b = 5 where id = 1",
        "update t set b = default where id = 1 returning *",
        "select * from t where b > 10 order by id",
        "delete from t where b = 20 returning *",
    ),
    case(
        "generated-null-and-check",
        "create table t (id int primary key, a int, "
        "b int generated always as (a + 1) stored check (b < 100)); insert into t (id, a) values (1, null);",
        "select * from t",
        "update t set a = 98 returning b",
        "update t set a = 99",
        "insert into t values (2, 100)",
    ),
    case(
        "generated-in-unique-key",
        "create table t (id int primary key, mail text, low text generated always as (lower(mail)) "
        "stored unique); insert into t (id, mail) values (1, 'A@x');",
        "insert into t (id, mail) values (2, 'a@X')",
        "insert into t (id, mail) values (2, 'b@X') returning *",
        "update t set mail = 'A@X' where id = 2",
        "update t set mail = 'c' where id = 1 returning low",
        "update t set mail = 'A@X' where id = 2 returning *",
    ),
    case(
        "generated-virtual",
        "create table t (id int primary key, a int, b int generated always as (a * 2) virtual);"
        "insert into t (id, a) values (1, 1);",
        "insert into t (id, a) values (2, 5) returning *",
        "update t set a = 7 where id = 1 returning *",
        "select * from t where b = 14",
        "update t set b = 1",
        "insert into t values (3, 1, 1)",
        since=18,
    ),
    case(
        "default-expressions",
        "create function f() returns int language sql immutable as 'select 42';"
        "create table t (id int primary key, a int default f(), b text default 'x' || 'y', c int[] default '{1,2}', "
        "d jsonb default '{\"a\": 1}', e text default current_user = 'x' , g timestamptz default '2024-01-01 00:00Z')",
        "insert into t (id) values (1) returning *",
        "insert into t (id, a, g) values (2, null, null) returning *",
    ),
    case(
        "default-from-own-sequence",
        "create sequence s start 5; create table t (id int primary key default nextval('s'), "
        "code text default 'C-' || nextval('s'))",
        "insert into t default values returning *",
        "insert into t default values returning *",
    ),
]

TRANSACTIONS = [
    case(
        "several-writes-of-one-row",
        SHOP,
        "begin",
        "insert into customers values (4, 'D')",
        "update customers set name = 'D2' where id = 4",
        "update customers set city = 'x' where id = 4 returning *",
        "delete from customers where id = 4",
        "insert into customers values (4, 'D3') returning *",
        "update customers set score = 5 where id = 4",
        "commit",
        "select * from customers order by id",
    ),
    case(
        "rollback",
        SHOP,
        "begin",
        "insert into customers values (4, 'D')",
        "update customers set name = 'q'",
        "delete from orders",
        "rollback",
        "select * from customers order by id",
        "select count(*) from orders",
        "insert into customers values (4, 'D') returning *",
    ),
    case(
        "savepoints",
        SHOP,
        "begin",
        "update customers set name = 'one' where id = 1",
        "savepoint a",
        "update customers set name = 'two' where id = 1",
        "insert into customers values (4, 'D')",
        "rollback to a",
        "select * from customers order by id",
        "savepoint b",
        "insert into customers values (4, 'E')",
        "release b",
        "delete from customers where id = 3",
        "rollback to a",
        "insert into customers values (4, 'F')",
        "commit",
        "select * from customers order by id",
    ),
    case(
        "error-then-rollback-to-savepoint",
        SHOP,
        "begin",
        "savepoint a",
        "insert into customers values (1, 'dup')",
        "select 1",
        "rollback to a",
        "insert into customers values (4, 'ok')",
        "savepoint c",
        "delete from customers where id = 1",
        "rollback to c",
        "commit",
        "select * from customers order by id",
    ),
    case(
        "failed-transaction-commits-nothing",
        SHOP,
        "begin",
        "insert into customers values (4, 'D')",
        "insert into customers values (4, 'E')",
        "commit",
        "select count(*) from customers",
    ),
    case(
        "savepoint-around-cascades-and-checks",
        SHOP,
        "begin",
        "savepoint a",
        "delete from orders where customer_id = 1",
        "delete from customers where id = 1",
        "rollback to a",
        "delete from customers where id = 1",
        "rollback to a",
        "insert into orders (customer_id) values (77)",
        "rollback to a",
        "update customers set score = 3 where id = 1 returning *",
        "commit",
    ),
    case(
        "repeatable-read",
        SHOP,
        "begin isolation level repeatable read",
        "select count(*) from customers",
        "insert into customers values (4, 'D')",
        "update customers set name = 'x' where id = 4 returning *",
        "commit",
        "select * from customers order by id",
    ),
    case(
        "serializable",
        SHOP,
        "begin isolation level serializable",
        "update customers set score = score + 1 returning *",
        "delete from orders where id = 1",
        "commit",
        "select * from customers order by id",
    ),
    case(
        "read-only",
        SHOP,
        "begin read only",
        "select count(*) from customers",
        "insert into customers values (4, 'D')",
        "rollback",
        "begin transaction read only",
        "update customers set name = 'x'",
        "rollback",
    ),
    case(
        "and-chain",
        SHOP,
        "begin",
        "insert into customers values (4, 'D')",
        "commit and chain",
        "insert into customers values (5, 'E')",
        "rollback and chain",
        "insert into customers values (6, 'F')",
        "commit",
        "select * from customers order by id",
    ),
    case(
        "cursor",
        SHOP,
        "begin",
        "insert into customers values (4, 'D')",
        "declare c scroll cursor for select id, name from customers order by id",
        "fetch 2 from c",
        "update customers set name = 'later' where id = 4",
        "fetch all from c",
        "fetch prior from c",
        "move first in c",
        "fetch next from c",
        "close c",
        "commit",
    ),
    case(
        "cursor-with-hold",
        SHOP,
        "begin",
        "declare c cursor with hold for select id from customers order by id",
        "commit",
        "fetch 1 from c",
        "delete from customers where id = 3",
        "fetch all from c",
        "close c",
    ),
    case(
        "prepared-statements",
        SHOP,
        "prepare i (int, text) as insert into customers (id, name) values ($1, $2) returning *",
        "execute i(4, 'D')",
        "execute i(5, 'E')",
        "execute i(4, 'dup')",
        "prepare u (text, int) as update customers set name = $1 where id = $2",
        "execute u('n', 4)",
        "execute u('m', 77)",
        *[f"execute u('g{n}', 5)" for n in range(7)],
        "prepare d as delete from customers where id = $1",
        "execute d(5)",
        "select * from customers order by id",
        "deallocate all",
    ),
    case(
        "copy-from",
        SHOP,
        Copy("copy customers (id, name, city) from stdin", "4\tD\tx\n5\tE\t\\N\n"),
        Copy("copy customers from stdin with (format csv)", "6,F,,1.5\n7,G,y,2\n"),
        Copy("copy customers (id, name) from stdin", "8\tH\n"),
        Copy("copy customers (id, name) from stdin", "9\tI\n1\tdup\n"),
        Copy("copy customers (id, name) from stdin", "9\t\\N\n"),
        Copy("copy customers from stdin", "x\n"),
        "select * from customers order by id",
    ),
    case(
        "copy-from-serial-and-generated",
        "create table t (id serial primary key, a int, b int generated always as (a + 1) stored)",
        Copy("copy t (a) from stdin", "1\n2\n"),
        "select * from t order by id",
    ),
    case("copy-query-to", SHOP, "insert into customers values (4, 'D')", "select * from customers order by id"),
    case(
        "do-block",
        SHOP,
        "do $$ begin for i in 4..6 loop insert into customers values (i, 'n' || i); end loop; "
        "update customers set score = 9 where id > 4; end $$",
        "select * from customers order by id",
        "do $$ begin insert into customers values (1, 'dup'); exception when unique_violation then "
        "insert into customers values (9, 'caught'); end $$",
        "select * from customers order by id",
    ),
    case(
        "plpgsql-found-and-row-count",
        SHOP + "create table log (id int primary key, n int, f boolean);",
        "do $$ declare n int; begin update customers set score = 1; get diagnostics n = row_count; "
        "insert into log values (1, n, found); delete from customers where id = 77; get diagnostics n = row_count; "
        "insert into log values (2, n, found); insert into customers values (7, 'x') returning id into n; "
        "insert into log values (3, n, found); end $$",
        "select * from log order by id",
    ),
    case(
        "function-of-the-application",
        SHOP + "create function rename(i int, n text) returns customers language sql as "
        "$$ update customers set name = n where id = i returning * $$;",
        "select * from rename(1, 'R')",
        "select * from customers order by id",
    ),
    case(
        "without-a-key",
        "create table t (a int, b text); insert into t values (1, 'base'), (1, 'base');",
        "insert into t values (2, 'x'), (2, 'x'), (3, null), (4, 'd') returning *",
        "update t set b = 'y' where a = 2",
        "update t set a = 5 where a = 3 returning *",
        "delete from t where a = 4 returning *",
        "insert into t values (2, 'y')",
        "delete from t where a = 2 returning *",
        "insert into t values (6, 'z'), (6, 'z')",
        "update t set b = b || a where a > 4",
        "select * from t order by a, b",
    ),
    case(
        "temporary-table",
        SHOP,
        "create temporary table tmp (id int, name text)",
        "insert into tmp values (4, 'T'), (5, 'U')",
        "insert into customers (id, name) select * from tmp",
        "update tmp set name = c.name from customers c where c.id = tmp.id",
        "select * from tmp order by id",
        "drop table tmp",
    ),
    case(
        "many-rows",
        "create table t (id int primary key, a int, b text); "
        "insert into t select n, n % 7, 'r' || n from generate_series(1, 2000) n; create index on t (a);",
        "update t set a = a + 1 where id % 3 = 0",
        "delete from t where id % 5 = 0",
        "insert into t select n, 0, 'n' from generate_series(2001, 2500) n",
        "select a, count(*), sum(id) from t group by a order by a",
        "select * from t where a = 3 order by id desc limit 5",
        "update t set id = id + 10000",
        "select min(id), max(id), count(*) from t",
    ),
]

READS = [
    case(
        "reads-after-writes",
        SHOP,
        "insert into customers values (4, 'D')",
        "update orders set total = 99 where id = 2",
        "delete from orders where id = 3",
        "select c.name, o.total from customers c left join orders o on o.customer_id = c.id order by c.id, o.id",
        "select city, count(*), sum(score) from customers group by city order by city",
        "select name, row_number() over (order by score desc, id) from customers order by id",
        "select distinct city from customers order by city nulls first",
        "select exists (select from orders where total = 99)",
        "select id from customers except select customer_id from orders order by id",
        "select * from customers c cross join lateral ("
        "select count(*) n from orders o where o.customer_id = c.id) x order by c.id",
        "select count(*) filter (where total > 20) from orders",
        "select * from customers order by id limit 2 offset 1",
        "select * from customers order by id fetch first 2 rows with ties",
        "table orders order by id",
    ),
    case(
        "locking-reads",
        SHOP,
        "begin",
        "select * from customers where id = 1 for update",
        "select * from customers where id = 1 for share skip locked",
        "select * from orders for no key update nowait",
        "commit",
    ),
    case(
        "aggregates-and-json",
        SHOP,
        "update customers set city = 'Q' where id = 2",
        "select jsonb_agg(c order by id) from customers c",
        "select to_jsonb(c) from customers c where id = 2",
        "select string_agg(name, ',' order by id) from customers",
        "select c.*::text from customers c",
        "select row_to_json(c) from customers c where id = 1",
    ),
]


@parametrized(INSERTS, UPDATES, DELETES, CTES, DEFAULTS, TRANSACTIONS, READS)
def test_as_plain_postgresql(pair: Pair, case: Case) -> None:
    check(pair, case)
