"""Proof that production was left alone: one hash for each base table."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

_TABLES = """
select c.relname,
       coalesce((select array_agg(a.attname order by k.position)
                 from pg_catalog.pg_index i
                 cross join lateral unnest(i.indkey) with ordinality as k (attnum, position)
                 join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
                 where i.indrelid = c.oid and i.indisprimary), '{}'::pg_catalog.name[])::pg_catalog.text[]
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = %s and c.relkind in ('r', 'p') and not c.relispartition
order by 1
"""
# The text of a row depends on these.
_SETTINGS = {
    "datestyle": "ISO, YMD",
    "intervalstyle": "iso_8601",
    "timezone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "search_path": "pg_catalog",
}


def hash_base(conn: psycopg.Connection[Any], schema: str = "public") -> dict[str, str]:
    """`schema.table` -> MD5 over all its rows, for every ordinary and partitioned table of the schema.

    The server reads all tables in one snapshot, rows in the order of the primary key (of their text where there is
    none), so equal data give equal hashes whatever the physical order. `conn` must be outside a transaction.
    """
    hashes: dict[str, str] = {}
    with conn.transaction():
        conn.execute("set transaction isolation level repeatable read, read only")
        for name, value in _SETTINGS.items():
            conn.execute("select pg_catalog.set_config(%s, %s, true)", [name, value])
        for table, key in conn.execute(_TABLES, [schema]).fetchall():
            row = conn.execute(_digest(schema, table, key)).fetchone()
            assert row is not None
            hashes[f"{schema}.{table}"] = row[0]
    return hashes


def _digest(schema: str, table: str, key: list[str]) -> sql.Composed:
    """Rows are hashed one by one first: a table's text as a whole may not fit into one value."""
    order = sql.SQL(", ").join(sql.SQL("t.") + sql.Identifier(column) for column in key)
    return sql.SQL(
        "select pg_catalog.md5(coalesce(pg_catalog.string_agg(pg_catalog.md5(t::pg_catalog.text), '' order by {order}),"
        " '')) from {table} t"
    ).format(order=order if key else sql.SQL("t::pg_catalog.text"), table=sql.Identifier(schema, table))
