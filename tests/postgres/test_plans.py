"""Shapes of the plans in a session, which the form of the view is there for; production's plans do not change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import servers
from cowscore import Cow, Session

# Statistics are taken once: plans before and after enable are compared to the last digit.
SCHEMA = """
create table parents (id integer primary key, code text not null, score integer not null, note text)
    with (autovacuum_enabled = off);
create table children (id integer primary key, parent_id integer not null references parents, label text not null)
    with (autovacuum_enabled = off);
insert into parents select n, 'c' || n % 5000, n % 7919, repeat('x', 40) from generate_series(1, 50000) n;
insert into children select n, 1 + n % 50000, 'l' || n from generate_series(1, 50000) n;
create index on parents (code);
create index on parents (score);
create index on children (parent_id);
analyze;
"""
LOOKUPS = {
    "key": "select * from parents where id = 777",
    "secondary index": "select * from parents where code = 'c77'",
    "ordered limit": "select * from parents order by score limit 20",
    "join": "select p.id, c.label from parents p join children c on c.parent_id = p.id where p.code = 'c77'",
    "update": "update parents set note = 'y' where id = 778",
}
JIT_STARTS_AT = 100000
"""jit_above_cost: a lookup whose estimated cost is above it waits for a compiler."""


@pytest.fixture(scope="module")
def dsn(server: servers.Server) -> Iterator[str]:
    with servers.database(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(SCHEMA)
        yield dsn


@pytest.fixture(scope="module")
def before(dsn: str) -> dict[str, Any]:
    """Production's plans before enable."""
    with psycopg.connect(dsn) as conn:
        return {name: explain(conn, query) for name, query in LOOKUPS.items()}


@pytest.fixture(scope="module")
def session(dsn: str, before: dict[str, Any]) -> Iterator[Session]:
    """A session with 1,000 changes beside two others with 300 each."""
    with Cow.connect(dsn) as cow:
        cow.enable()
        sessions = [cow.open_session(f"s{n}") for n in range(3)]
        for one, changes in zip(sessions, (1000, 300, 300), strict=True):
            with one.connect(autocommit=True) as conn:
                conn.execute("update parents set score = score + 1 where id <= %s", [changes])
                conn.execute("update children set label = label || '!' where id <= %s", [changes])
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute("analyze public_cow_changes.parents, public_cow_changes.children")
        yield sessions[0]


def explain(conn: psycopg.Connection[Any], query: str) -> dict[str, Any]:
    row = conn.execute(b"explain (verbose, format json) " + query.encode()).fetchone()
    assert row is not None
    plan = row[0] if isinstance(row[0], list) else json.loads(row[0])
    conn.rollback()
    return dict(plan[0]["Plan"])


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def kinds(plan: dict[str, Any]) -> set[str]:
    return {node["Node Type"] for node in nodes(plan)}


def scans(plan: dict[str, Any], relation: str) -> set[str]:
    """How the plan reads base and changes tables of that name."""
    return {node["Node Type"] for node in nodes(plan) if node.get("Relation Name") == relation}


@pytest.mark.parametrize("lookup", ["key", "secondary index", "update"])
def test_lookups_use_indexes_on_both_arms(session: Session, lookup: str) -> None:
    with session.connect() as conn:
        plan = explain(conn, LOOKUPS[lookup])
    assert "Seq Scan" not in scans(plan, "parents")
    assert scans(plan, "parents") & {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}
    assert plan["Total Cost"] < JIT_STARTS_AT


def test_an_ordered_limit_merges_two_indexes(session: Session) -> None:
    with session.connect() as conn:
        plan = explain(conn, LOOKUPS["ordered limit"])
    assert "Merge Append" in kinds(plan)
    assert not kinds(plan) & {"Sort", "Incremental Sort"}
    assert "Seq Scan" not in scans(plan, "parents")


def test_parents_find_their_children_by_index(session: Session) -> None:
    with session.connect() as conn:
        plan = explain(conn, LOOKUPS["join"])
    assert "Nested Loop" in kinds(plan)
    assert "Seq Scan" not in scans(plan, "parents") | scans(plan, "children")
    # The session's own rows may be hashed to hide what they replace; base never is.
    for node in nodes(plan):
        if node["Node Type"] == "Hash":
            assert {inner["Schema"] for inner in nodes(node) if "Schema" in inner} == {"public_cow_changes"}


def test_production_plans_are_what_they_were(session: Session, dsn: str, before: dict[str, Any]) -> None:
    with psycopg.connect(dsn) as conn:
        assert {name: explain(conn, query) for name, query in LOOKUPS.items()} == before


@pytest.mark.parametrize(
    "query", ["select * from parents where id = 777", "update parents set note = 'z' where id = 777"]
)
def test_a_lookup_reads_one_row_of_a_session_that_statistics_do_not_know(server: servers.Server, query: str) -> None:
    with servers.database(server) as dsn, psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute(SCHEMA)
        cow.enable()
        # Statistics would come from elsewhere and at any time.
        base.execute("alter table public_cow_changes.parents set (autovacuum_enabled = off)")
        with cow.open_session("grows").connect(autocommit=True) as conn:
            conn.execute("update parents set score = score + 1 where id <= 5000")
            row = conn.execute(b"explain (analyze, format json) " + query.encode()).fetchone()
    assert row is not None
    read = [
        node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        for node in nodes(row[0][0]["Plan"])
        if node.get("Relation Name") == "parents" and node["Node Type"] != "ModifyTable"
    ]
    assert len(read) == 3
    assert max(read) <= 1
