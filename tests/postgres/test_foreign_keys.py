"""Foreign keys: missing parents, every referential action, deferral, MATCH FULL, self references, cycles."""

from __future__ import annotations

import pytest

from postgres.oracle import Case, Pair, case, check, enabled, parametrized

ACTIONS = ("no action", "restrict", "cascade", "set null", "set default")


def family(action: str, *, deferrable: str = "") -> str:
    """A parent with two children and one without, the action on delete and on update."""
    return f"""
    create table parent (id int primary key, code text unique, name text);
    create table child (
        id int primary key, parent_id int default 9, code text default 'z', n int default 0,
        constraint by_id foreign key (parent_id) references parent on delete {action} on update {action} {deferrable},
        constraint by_code foreign key (code) references parent (code)
        on delete {action} on update {action} {deferrable}
    );
    insert into parent values (1, 'a', 'A'), (2, 'b', 'B'), (3, 'c', 'C'), (9, 'z', 'default');
    insert into child values (1, 1, 'a'), (2, 1, 'b'), (3, 2, null), (4, null, 'b');
    """


STEPS = (
    "insert into child (id, parent_id, code) values (10, 77, 'a')",
    "insert into child (id, parent_id, code) values (10, 1, 'nope')",
    "insert into child (id, parent_id, code) values (10, null, null) returning *",
    "insert into child (id) values (11) returning *",
    "update child set parent_id = 77 where id = 1",
    "update child set parent_id = 2, n = 5 where id = 1 returning *",
    "update child set n = 6 where id = 1 returning *",
    "delete from parent where id = 3 returning *",
    "update parent set id = 20 where id = 2 returning *",
    "select * from child order by id",
    "update parent set code = 'bb' where code = 'b' returning *",
    "select * from child order by id",
    "delete from parent where id = 1",
    "select * from child order by id",
    "delete from parent where code in ('b', 'bb')",
    "select * from child order by id",
    "delete from child where id = 2",
    "delete from parent where id in (2, 20)",
    "delete from child",
    "delete from parent",
    "select * from parent order by id",
)
EVERY_ACTION = [case(a.replace(" ", "-"), family(a), *STEPS) for a in ACTIONS]
EVERY_ACTION_DEFERRED = [
    case(
        a.replace(" ", "-") + "-deferred",
        family(a, deferrable="deferrable initially deferred"),
        "begin",
        "insert into child (id, parent_id, code) values (10, 77, 'a')",
        "insert into parent values (77, 'q', 'late')",
        "commit",
        "begin",
        "insert into child (id, parent_id) values (11, 78)",
        "select count(*) from child",
        "commit",
        "begin",
        "delete from parent where id = 1",
        "select * from child order by id",
        "insert into parent values (1, 'a', 'again')",
        "commit",
        "select * from child order by id",
        "begin",
        "update parent set id = 30 where id = 2",
        "set constraints all immediate",
        "rollback",
        "begin",
        "delete from parent where code = 'b'",
        "savepoint a",
        "set constraints by_code immediate",
        "rollback to a",
        "delete from child",
        "commit",
        "select * from parent order by id",
    )
    for a in ACTIONS
]

SHAPES = [
    case(
        "set-null-column-list",
        "create table parent (a int, b int, primary key (a, b)); "
        "create table child (id int primary key, a int not null, b int, "
        "foreign key (a, b) references parent on delete set null (b)); insert into parent values (1, 1), (1, 2); "
        "insert into child values (1, 1, 1), (2, 1, 2);",
        "delete from parent where b = 1",
        "select * from child order by id",
    ),
    case(
        "set-default-column-list",
        "create table parent (a int, b int, primary key (a, b)); create table child (id int primary key, a int, "
        "b int default 0, foreign key (a, b) references parent on delete set default (b)); "
        "insert into parent values (1, 1), (1, 2), (1, 0), (2, 1); insert into child values (1, 1, 1), (2, 2, 1);",
        "delete from parent where (a, b) = (1, 1)",
        "select * from child order by id",
        "delete from parent where a = 2",
        "select * from child order by id",
    ),
    case(
        "set-default-to-the-key-that-goes-away",
        "create table parent (id int primary key); create table child (id int primary key, p int default 0 references "
        "parent on delete set default on update set default); insert into parent values (0), (1); "
        "insert into child values (1, 0), (2, 1);",
        "update parent set id = 7 where id = 0",
        "delete from parent",
        "delete from parent where id = 0",
        "delete from parent where id = 1",
        "select * from child order by id",
    ),
    case(
        "set-null-on-a-required-column",
        "create table parent (id int primary key); "
        "create table child (id int primary key, p int not null references parent "
        "on delete set null); insert into parent values (1); insert into child values (1, 1);",
        "delete from parent",
        "select * from child",
    ),
    case(
        "mixed-actions",
        "create table parent (id int primary key); create table child (id int primary key, "
        "p int references parent on delete cascade on update set null); "
        "insert into parent values (1), (2); insert into child values (1, 1), (2, 2);",
        "update parent set id = 3 where id = 1",
        "select * from child order by id",
        "delete from parent where id = 2",
        "select * from child order by id",
    ),
    case(
        "self-reference",
        "create table tree (id int primary key, up int references tree on delete cascade, name text); "
        "insert into tree values (1, null, 'root'), (2, 1, 'a'), (3, 2, 'b'), (4, 1, 'c'), (5, 5, 'own');",
        "insert into tree values (6, 6, 'own')",
        "insert into tree values (7, 8, 'x')",
        "insert into tree values (8, 9, 'x'), (9, 1, 'y') returning *",
        "update tree set up = 3 where id = 2",
        "delete from tree where id = 5",
        "select * from tree order by id",
        "delete from tree where id = 1",
        "select * from tree order by id",
    ),
    case(
        "self-reference-no-action",
        "create table tree (id int primary key, up int references tree); "
        "insert into tree values (1, null), (2, 1), (3, 2);",
        "delete from tree where id = 1",
        "delete from tree where id in (1, 2)",
        "delete from tree where id = 3",
        "delete from tree",
        "insert into tree values (1, 2), (2, 1)",
        "update tree set id = id + 10",
        "select * from tree order by id",
    ),
    case(
        "self-reference-update-cascade",
        "create table tree (id int primary key, up int references tree on update cascade on delete set null); "
        "insert into tree values (1, null), (2, 1), (3, 1), (4, 2);",
        "update tree set id = 100 where id = 1 returning *",
        "select * from tree order by id",
        "delete from tree where id = 2",
        "select * from tree order by id",
    ),
    case(
        "self-reference-deferred",
        "create table tree (id int primary key, up int references tree deferrable initially deferred); "
        "insert into tree values (1, null);",
        "begin",
        "insert into tree values (3, 4)",
        "insert into tree values (4, 1)",
        "commit",
        "begin",
        "delete from tree where id = 1",
        "commit",
        "begin",
        "delete from tree where id = 1",
        "update tree set up = null where up = 1",
        "commit",
        "select * from tree order by id",
    ),
    case(
        "cycle-deferred",
        "create table a (id int primary key, b int); create table b (id int primary key, a int not null references a "
        "deferrable initially deferred); alter table a add constraint to_b foreign key (b) references b "
        "deferrable initially immediate;",
        "insert into a values (1, 1)",
        "begin",
        "set constraints to_b deferred",
        "insert into a values (1, 1)",
        "insert into b values (1, 1)",
        "commit",
        "begin",
        "insert into b values (2, 2)",
        "insert into a values (2, 2)",
        "commit",
        "begin",
        "set constraints all deferred",
        "delete from a where id = 1",
        "delete from b where id = 1",
        "commit",
        "begin",
        "delete from b where id = 2",
        "rollback",
        "select * from a, b",
    ),
    case(
        "set-constraints",
        "create table p (id int primary key); create table c (id int primary key, "
        "p int constraint first_fk references p deferrable, q int constraint second_fk references p deferrable, "
        "r int constraint fixed_fk references p); insert into p values (1);",
        "begin",
        "set constraints first_fk deferred",
        "insert into c values (1, 5, 1, 1)",
        "savepoint s",
        "insert into c values (2, 1, 5, 1)",
        "rollback to s",
        "set constraints all deferred",
        "insert into c values (2, 1, 5, 1)",
        "savepoint t",
        "insert into c values (3, 1, 1, 5)",
        "rollback to t",
        "insert into p values (5)",
        "set constraints first_fk, second_fk immediate",
        "insert into c values (3, 6, 1, 1)",
        "rollback",
        "begin",
        "set constraints fixed_fk deferred",
        "rollback",
        "begin",
        "set constraints no_such_fk deferred",
        "rollback",
        "insert into c values (4, 7, 1, 1)",
        "select * from c",
    ),
    case(
        "match-full",
        "create table p (a int, b int, primary key (a, b)); create table c (id int primary key, a int, b int, "
        "foreign key (a, b) references p match full); insert into p values (1, 1);",
        "insert into c values (1, 1, 1), (2, null, null)",
        "insert into c values (3, 1, null)",
        "insert into c values (3, 2, 2)",
        "update c set b = null where id = 1",
        "update c set a = null, b = null where id = 1 returning *",
    ),
    case(
        "match-simple",
        "create table p (a int, b int, primary key (a, b)); create table c (id int primary key, a int, b int, "
        "foreign key (a, b) references p on delete cascade); insert into p values (1, 1);",
        "insert into c values (1, 1, 1), (2, 7, null), (3, null, 1) returning *",
        "insert into c values (4, 7, 1)",
        "update c set b = 1 where id = 2",
        "delete from p",
        "select * from c order by id",
    ),
    case(
        "three-levels",
        "create table a (id int primary key); create table b (id int primary key, a int references a on delete cascade "
        "on update cascade); create table c (id int primary key, b int references b on delete cascade on update "
        "cascade); "
        "create table d (id int primary key, c int references c on delete set null on update cascade); "
        "insert into a values (1), (2); insert into b values (1, 1), (2, 1), (3, 2); "
        "insert into c values (1, 1), (2, 2), (3, 3); "
        "insert into d values (1, 1), (2, 3);",
        "update b set id = 100 where id = 1 returning *",
        "select * from c order by id",
        "delete from a where id = 1",
        "select * from b order by id",
        "select * from c order by id",
        "select * from d order by id",
    ),
    case(
        "cascade-stopped-further-down",
        "create table a (id int primary key); "
        "create table b (id int primary key, a int references a on delete cascade); "
        "create table c (id int primary key, b int references b); insert into a values (1); "
        "insert into b values (1, 1); "
        "insert into c values (1, 1);",
        "delete from a",
        "select * from b",
        "delete from c",
        "delete from a",
        "select * from b",
    ),
    case(
        "two-ways-to-one-child",
        "create table a (id int primary key); "
        "create table b (id int primary key, x int references a on delete cascade, "
        "y int references a on delete cascade); insert into a values (1), (2); "
        "insert into b values (1, 1, 2), (2, 1, 1);",
        "delete from a",
        "select * from b",
    ),
    case(
        "child-written-and-cascaded-in-one-session",
        "create table a (id int primary key); "
        "create table b (id int primary key, a int references a on delete cascade on update "
        "cascade, n int default 0); insert into a values (1), (2); insert into b values (1, 1), (2, 2);",
        "update b set n = 5 where id = 1",
        "insert into b values (3, 1, 7)",
        "update b set a = 2 where id = 3",
        "update a set id = 50 where id = 2",
        "select * from b order by id",
        "delete from a where id = 1",
        "update b set n = n + 1",
        "select * from b order by id",
    ),
    case(
        "parent-deleted-and-inserted-again",
        "create table a (id int primary key, t text); create table b (id int primary key, a int references a); "
        "insert into a values (1, 'x'); insert into b values (1, 1);",
        "begin",
        "delete from a where id = 1",
        "rollback",
        "delete from b",
        "delete from a",
        "insert into a values (1, 'new')",
        "insert into b values (1, 1) returning *",
        "delete from a",
    ),
    case(
        "change-key-with-and-without-children",
        "create table a (id int primary key); create table b (id int primary key, a int references a); "
        "insert into a values (1), (2); insert into b values (1, 1);",
        "update a set id = 20 where id = 2",
        "update a set id = 10 where id = 1",
        "update a set id = 1 where id = 1",
        "update b set a = 20",
        "update a set id = 10 where id = 1",
        "select * from a order by id",
    ),
    case(
        "swap-keys-under-children",
        "create table a (id int primary key deferrable initially immediate, t text); "
        "create table c (x int primary key);",
        "insert into a values (1, 'a'), (2, 'b')",
        "select * from a order by id",
    ),
    case(
        "key-taken-over-by-another-row",
        "create table a (id int primary key, t text); create table b (id int primary key, a int references a); "
        "insert into a values (1, 'x'), (2, 'y'); insert into b values (1, 1);",
        "update a set id = 3 - id where id = 3",
        "with gone as (delete from a where id = 1) select 1",
        "select * from a order by id",
    ),
    case(
        "different-types",
        "create table a (id bigint primary key, n numeric unique); "
        "create table b (id int primary key, a int references a, "
        "n int references a (n) on update cascade); insert into a values (1, 1.0), (2, 2); "
        "insert into b values (1, 1, 1);",
        "insert into b values (2, 2, 2)",
        "insert into b values (3, 3, 2)",
        "update a set n = 5 where id = 2",
        "select * from b order by id",
        "delete from a where id = 1",
    ),
    case(
        "references-unique-key-with-null",
        "create table a (id int primary key, u int unique); "
        "create table b (id int primary key, u int references a (u)); "
        "insert into a values (1, null), (2, 5); insert into b values (1, 5), (2, null);",
        "update a set u = null where id = 2",
        "update a set u = 7 where id = 1",
        "insert into b values (3, 7) returning *",
        "update b set u = null",
        "update a set u = null",
        "select * from a order by id",
    ),
    case(
        "partitioned-child-and-parent",
        "create table p (id int primary key) partition by range (id); "
        "create table p1 partition of p for values from (0) to (100);"
        "create table p2 partition of p for values from (100) to (200);"
        "create table c (id int, p int references p on delete cascade, primary key (id)) partition by hash (id);"
        "create table c1 partition of c for values with (modulus 2, remainder 0);"
        "create table c2 partition of c for values with (modulus 2, remainder 1);"
        "insert into p values (1), (150); insert into c values (1, 1), (2, 150);",
        "insert into c values (3, 1) returning *",
        "delete from p where id = 150",
        "select * from c order by id",
        "insert into p values (2)",
        "update c set p = 2 where id = 1 returning *",
    ),
    case(
        "generated-column-as-foreign-key",
        "create table a (id int primary key); create table b (id int primary key, x int, "
        "a int generated always as (x / 10) stored references a); insert into a values (1), (2);",
        "insert into b values (1, 10) returning *",
        "insert into b values (2, 35)",
        "update b set x = 25 where id = 1 returning *",
        "update b set x = 99",
        "delete from a where id = 2",
        "delete from a where id = 1",
    ),
    case(
        "orders-and-lines-in-one-statement",
        "create table o (id serial primary key, t text); "
        "create table l (id serial primary key, o int not null references o "
        "on delete cascade, n int);",
        "with new as (insert into o (t) values ('a'), ('b') returning id) insert into l (o, n) "
        "select id, n from new, generate_series(1, 2) n order by id, n returning o, n",
        "with gone as (delete from l where o = 1 returning o) delete from o using gone where o.id = gone.o "
        "returning o.id",
        "select * from o order by id",
        "select * from l order by id",
    ),
    case(
        "savepoint-around-a-deferred-violation",
        family("no action", deferrable="deferrable initially deferred"),
        "begin",
        "insert into child (id, parent_id) values (50, 1)",
        "savepoint a",
        "insert into child (id, parent_id) values (51, 77)",
        "rollback to a",
        "commit",
        "select * from child order by id",
    ),
]


@parametrized(EVERY_ACTION, EVERY_ACTION_DEFERRED, SHAPES)
def test_as_plain_postgresql(pair: Pair, case: Case) -> None:
    check(pair, case)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_cascade_is_marked_as_derived(pair: Pair, action: str) -> None:
    """Base's own foreign keys do it again at commit; the session's own writes are those of its statements."""
    with enabled(pair, family(action)):
        session = pair.cow.open_session()
        with session.connect(autocommit=True) as inside:
            inside.execute("update child set code = null")
            inside.execute("update child set n = 1 where id = 1")
            if action in ("no action", "restrict"):
                inside.execute("delete from child where parent_id = 1")
            inside.execute("delete from parent where id = 1")
        changes = session.changes()
        own = [(c.table, c.kind) for c in changes if not c.derived]
        derived = {(c.table, c.kind, c.key) for c in changes if c.derived}
        assert own[-1] == ("parent", "delete")
        kind = {"cascade": "delete", "set null": "update", "set default": "update"}.get(action)
        assert derived == ({("child", kind, (1,)), ("child", kind, (2,))} if kind else set())
