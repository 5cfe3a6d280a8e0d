"""One hash per base table: equal for equal data, different for any difference, whatever the client's settings."""

from __future__ import annotations

import psycopg

from cowscore.experiments.base_hash import hash_base

SCHEMA = """
create schema "my App";
create table "my App"."Keyed" (b int, a int, at timestamptz, raw bytea, span interval, x float8, primary key (a, b));
create table "my App".plain (n int, t text);
create table "my App".parts (id int primary key) partition by range (id);
create table "my App".parts_1 partition of "my App".parts for values from (0) to (10);
create view "my App".v as select 1;
insert into "my App"."Keyed" values (1, 2, '2026-01-01 12:00+00', '\\x00ff', '1 day 2 hours', 0.1),
    (2, 1, null, null, null, null);
insert into "my App".plain values (1, 'a'), (1, 'a'), (null, '');
insert into "my App".parts values (1);
"""


def test_hashes(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn, psycopg.connect(dsn, autocommit=True) as odd:
        conn.execute(SCHEMA)
        first = hash_base(conn, "my App")
        assert sorted(first) == ["my App.Keyed", "my App.parts", "my App.plain"]
        for setting in ("timezone = 'Asia/Tokyo'", "datestyle = 'German'", "bytea_output = escape", "search_path = ''"):
            odd.execute(f"set {setting}")
        assert hash_base(odd, "my App") == first
        assert odd.execute("show timezone").fetchone() == ("Asia/Tokyo",)

        # The same rows, written again in another physical order.
        conn.execute('update "my App"."Keyed" set x = x where a = 1; update "my App".plain set n = n where t = $$a$$')
        assert hash_base(conn, "my App") == first

        conn.execute('update "my App"."Keyed" set raw = null where a = 2')
        conn.execute('delete from "my App".plain where n is null')
        second = hash_base(conn, "my App")
        assert {name for name in first if first[name] != second[name]} == {"my App.Keyed", "my App.plain"}
        conn.execute('delete from "my App".parts_1')
        assert hash_base(conn, "my App")["my App.parts"] != first["my App.parts"]


def test_null_is_not_an_empty_string(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create table t (id int primary key, a text, b text); insert into t values (1, null, '')")
        first = hash_base(conn)
        conn.execute("update t set a = '', b = null")
        assert hash_base(conn) != first
