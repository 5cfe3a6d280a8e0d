"""Every built-in type and the user-defined kinds: round trip, update, comparison, key of that type."""

from __future__ import annotations

from postgres.oracle import Case, Pair, case, check, parametrized

VALUES: dict[str, tuple[str, str, str]] = {
    "smallint": ("-32768", "0", "32767"),
    "integer": ("-2147483648", "0", "2147483647"),
    "bigint": ("-9223372036854775808", "0", "9223372036854775807"),
    "numeric": ("1.10", "'NaN'", "'-Infinity'"),
    "numeric(8, 3)": ("1.1", "-99999.999", "0.0005"),
    "real": ("'1e30'", "'NaN'", "'-0'"),
    "double precision": ("0.1", "'-Infinity'", "1e300"),
    "money": ("'12.34'", "'-0.01'", "'0'"),
    "text": ("''", "'ä \\ '' \" %s'", "repeat('x', 3000)"),
    "varchar(5)": ("'abc'", "'abc  '", "''"),
    "char(5)": ("'abc'", "'b'", "''"),
    '"char"': ("'a'", "'b'", "''"),
    "name": ("'a'", "'B c'", "repeat('n', 63)"),
    "bytea": ("'\\x00ff'", "''", "decode(repeat('ab', 3000), 'hex')"),
    "boolean": ("true", "false", "'yes'"),
    "date": ("'2024-02-29'", "'infinity'", "'0044-03-15 BC'"),
    "time": ("'00:00'", "'24:00'", "'12:34:56.789'"),
    "timetz": ("'12:00+02'", "'12:00-03:30'", "'00:00Z'"),
    "timestamp": ("'2024-01-01 00:00:00.000001'", "'-infinity'", "'epoch'"),
    "timestamptz": ("'2024-01-01 00:00+02'", "'infinity'", "'2024-06-01 12:00:00.5Z'"),
    "timestamptz(0)": ("'2024-01-01 00:00:00.6Z'", "'2024-01-01Z'", "'2025-01-01Z'"),
    "interval": ("'1 year 2 days -3 hours'", "'1 month'", "'30 days'"),
    "uuid": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'00000000-0000-0000-0000-000000000000'", "md5('x')::uuid"),
    "inet": ("'10.0.0.1/8'", "'::1'", "'10.0.0.1'"),
    "cidr": ("'10.0.0.0/8'", "'192.168.0.0/16'", "'::/0'"),
    "macaddr": ("'08:00:2b:01:02:03'", "'00:00:00:00:00:00'", "'ff:ff:ff:ff:ff:ff'"),
    "macaddr8": ("'08:00:2b:01:02:03:04:05'", "'00:00:00:00:00:00:00:00'", "'ff:ff:ff:ff:ff:ff:ff:ff'"),
    "bit(4)": ("B'1010'", "B'0000'", "B'1111'"),
    "bit varying": ("B'1'", "B''", "B'010101'"),
    "jsonb": ('\'{"a": [1, null], "b": "x"}\'', "'[]'", "'null'"),
    "json": ('\'{"a" :  1, "a": 2}\'', "'[1, 2]'", "'null'"),
    "xml": ("'<a b=\"1\">x</a>'", "'plain'", "'<c/>'"),
    "jsonpath": ("'$.a'", "'strict $.b[*]'", "'$'"),
    "tsvector": ("'a:1 b:2'", "''", "'fat:2,4 cat:3'"),
    "tsquery": ("'a & b'", "'!c'", "'fat <-> cat'"),
    "point": ("'(1,2)'", "'(0,0)'", "'(-1,NaN)'"),
    "line": ("'{1,2,3}'", "'{1,0,0}'", "'{0,1,0}'"),
    "lseg": ("'[(0,0),(1,1)]'", "'[(1,1),(2,2)]'", "'[(0,0),(0,1)]'"),
    "box": ("'(1,1),(0,0)'", "'(2,2),(1,1)'", "'(3,1),(0,0)'"),
    "path": ("'((0,0),(1,1))'", "'[(0,0),(1,1)]'", "'((0,0))'"),
    "polygon": ("'((0,0),(1,1),(1,0))'", "'((0,0))'", "'((5,5),(6,6),(5,6))'"),
    "circle": ("'<(0,0),1>'", "'<(1,1),2>'", "'<(0,0),0>'"),
    "oid": ("1", "0", "4294967295"),
    "regclass": ("'pg_class'", "'pg_type'", "0"),
    "regtype": ("'int4'", "'text'", "0"),
    "pg_lsn": ("'0/0'", "'16/B374D848'", "'FFFFFFFF/FFFFFFFF'"),
    "xid8": ("'1'", "'0'", "'99'"),
    "xid": ("'1'", "'3'", "'99'"),
    "tid": ("'(0,1)'", "'(0,2)'", "'(5,1)'"),
    "int4range": ("'[1,5)'", "'empty'", "'[,3]'"),
    "numrange": ("'[1.0,2.0)'", "'(,)'", "'[1.00,3)'"),
    "tstzrange": ("'[2024-01-01Z,2024-02-01Z)'", "'empty'", "'[2025-01-01Z,)'"),
    "daterange": ("'[2024-01-01,2024-02-01]'", "'empty'", "'[,2020-01-01)'"),
    "int4multirange": ("'{[1,3),[5,7)}'", "'{}'", "'{[2,3)}'"),
    "int[]": ("'{1,2,NULL}'", "'{}'", "'[5:6]={7,8}'"),
    "text[][]": ("'{{a,b},{c,d}}'", "'{}'", "'{{\"x y\",NULL}}'"),
    "numeric[]": ("'{1.0,2}'", "'{1.00,3}'", "'{}'"),
    "jsonb[]": ('\'{"{\\"a\\": 1}"}\'', "'{}'", "'{NULL}'"),
    "interval[]": ("'{1 day}'", "'{}'", "'{1 month,30 days}'"),
    "mood": ("'sad'", "'ok'", "'happy'"),
    "mood[]": ("'{sad,ok}'", "'{}'", "'{happy}'"),
    "pair": ("'(1,a)'", "'(,)'", "row(2, 'b c')::pair"),
    "pair[]": ("array[row(1, 'a')::pair]", "'{}'", "array[row(2, 'x')::pair, null]"),
    "positive": ("1", "2", "3"),
    "pairs": ("'(1,a)'", "'(2,b)'", "'(3,)'"),
    "floatrange": ("'[1.5,2.5)'", "'empty'", "'(,)'"),
}
NO_EQUALITY = {"json", "xml", "point", "jsonpath"}
"""Types that cannot be compared with `=`, or only by an operator that means something else."""
UNINDEXED = {*NO_EQUALITY, "line", "lseg", "box", "path", "polygon", "circle", "xid"}
"""Types without a btree operator class."""
TYPES = (
    "create type mood as enum ('sad', 'ok', 'happy'); create type pair as (n int, t text);"
    "create domain positive as int check (value > 0); create domain pairs as pair;"
    "create type floatrange as range (subtype = float8);"
)


def value_of(type_: str) -> Case:
    first, second, third = VALUES[type_]
    where = "id = 1" if type_ in NO_EQUALITY else f"a = {first}::{type_}"
    return case(
        f"value-{type_}",
        f"{TYPES} create table t (id int primary key, a {type_}, n int default 0, d {type_} default {third}); "
        f"insert into t (id, a) values (1, {first}), (2, null);",
        f"insert into t (id, a) values (3, {second}), (4, {third}) returning *",
        f"update t set n = n + 1 where {where} returning id, n",
        f"update t set a = {third} where id = 1 returning *",
        "update t set n = n + 1 where id = 1",
        f"update t set a = {second} where id = 2",
        "update t set a = default, d = null where id = 3 returning *",
        "delete from t where id = 4 returning *",
        "insert into t select id + 10, a, n, d from t",
        "select id, a::text, n, d::text from t order by id",
    )


def key_of(type_: str) -> Case:
    first, second, third = VALUES[type_]
    return case(
        f"key-{type_}",
        f"{TYPES} create table p (k {type_} primary key, n int); "
        f"create table c (id int primary key, k {type_} references p on delete cascade on update cascade);"
        f"insert into p values ({first}, 1), ({second}, 2); insert into c values (1, {first}), (2, {second});",
        f"insert into p values ({first}, 3)",
        f"insert into p values ({third}, 3) returning *",
        f"update p set n = n + 10 where k = {first}::{type_} returning n",
        f"insert into c values (3, {third})",
        f"delete from p where k = {second}::{type_} returning n",
        f"update p set k = {second} where k = {third}::{type_} returning *",
        "select id, k::text from c order by id",
        f"update p set k = {first} where k = {second}::{type_}",
        f"delete from p where k = {first}::{type_}",
        "select k::text, n from p order by n",
        "select id, k::text from c order by id",
    )


OTHERS = [
    case(
        "composite-fields-and-array-elements",
        TYPES + "create table t (id int primary key, p pair, a int[], j jsonb); "
        "insert into t values (1, '(1,a)', '{1,2,3}', '{\"x\": 1}');",
        "update t set p.n = 5 returning *",
        "update t set a[2] = 9, a[5] = 7 returning *",
        "update t set j['y'] = '2' returning *",
        "update t set a[1:2] = '{0,0}', p.t = null returning *",
        "insert into t (id, p.n, a[2]) values (2, 3, 4) returning *",
        "select (p).n, a[2], j->'x' from t order by id",
    ),
    case(
        "enum-grows",
        TYPES + "create table t (m mood primary key); alter type mood add value 'great' after 'ok';"
        "insert into t values ('ok');",
        "insert into t values ('great') returning *",
        "select * from t order by m",
        "insert into t values ('awful')",
    ),
    case(
        "equal-but-not-the-same",
        "create table t (id int primary key, n numeric, f float8, i interval, c varchar); "
        "insert into t values (1, 1.0, 0, '30 days', 'a');",
        "update t set n = 1.00 returning n",
        "update t set f = '-0' returning f",
        "update t set i = '1 month' returning i",
        "update t set c = 'a ' returning c || '|'",
        "update t set n = n",
        "select n, f, i, c from t",
    ),
    case(
        "large-values",
        "create table t (id int primary key, a text, b bytea); "
        "insert into t values (1, repeat('a', 1000000), repeat('b', 500000)::bytea);",
        "update t set id = 2 returning id",
        "insert into t select 3, a || 'x', b from t returning length(a), length(b)",
        "update t set a = md5(a) where id = 3 returning a",
        "delete from t where length(a) > 100",
    ),
    case(
        "parameters",
        TYPES + "create table t (id int primary key, j jsonb, a int[], d date, n numeric, m mood)",
        (
            "insert into t values (%s, %s, %s, %s, %s, %s) returning *",
            [1, '{"a": 1}', [1, 2], "2024-01-01", "1.50", "ok"],
        ),
        ("update t set a = %s, m = %s where id = any (%s) returning *", [[3], None, [1, 2]]),
        ("select * from t where d = %s and n > %s", ["2024-01-01", 1]),
    ),
]


@parametrized([value_of(t) for t in VALUES], [key_of(t) for t in VALUES if t not in UNINDEXED], OTHERS)
def test_as_plain_postgresql(pair: Pair, case: Case) -> None:
    check(pair, case)
