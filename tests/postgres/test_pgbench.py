"""The unmodified pgbench in a session: no error, base untouched, a commit that equals the same run on plain tables."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import psycopg
import pytest

import servers
from cowscore import Cow
from cowscore.experiments.base_hash import hash_base

TABLES = {
    "pgbench_accounts": "select * from pgbench_accounts order by aid",
    "pgbench_branches": "select * from pgbench_branches order by bid",
    "pgbench_tellers": "select * from pgbench_tellers order by tid",
    # mtime is when each transaction ran.
    "pgbench_history": "select tid, bid, aid, delta, filler from pgbench_history order by 1, 2, 3, 4",
}
RUN = ("--random-seed=7", "--client=1", "--transactions=40", "--no-vacuum")


def pgbench(server: servers.Server, dsn: str, *options: str) -> str:
    result = subprocess.run(
        [server.programs / "pgbench", *options, dsn], capture_output=True, text=True, check=False, timeout=600
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def contents(dsn: str) -> dict[str, list[tuple[object, ...]]]:
    with psycopg.connect(dsn) as conn:
        return {table: conn.execute(query.encode()).fetchall() for table, query in TABLES.items()}


@pytest.fixture
def plain(server: servers.Server) -> Iterator[str]:
    """A second database, for the same run without cowscore."""
    with servers.database(server) as dsn:
        pgbench(server, dsn, "--initialize", "--quiet", "--scale=1")
        yield dsn


@pytest.fixture
def cow(server: servers.Server, dsn: str) -> Iterator[Cow]:
    pgbench(server, dsn, "--initialize", "--quiet", "--scale=1")
    with Cow.connect(dsn) as cow:
        assert cow.enable().tables["pgbench_history"].mode == "insert_only"
        yield cow


def test_the_same_transactions_come_out_the_same(server: servers.Server, cow: Cow, dsn: str, plain: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        before = hash_base(conn)
    session = cow.open_session("pgbench")
    said = pgbench(server, session.dsn(), *RUN)
    assert "number of transactions actually processed: 40/40" in said
    assert "number of failed transactions: 0" in said
    assert len(session.operations()) == 40
    pgbench(server, plain, *RUN)
    with psycopg.connect(dsn, autocommit=True) as conn:
        assert hash_base(conn) == before
    session.commit()
    assert contents(dsn) == contents(plain)


@pytest.mark.parametrize("script", ["select-only", "simple-update", "tpcb-like"])
@pytest.mark.parametrize("protocol", ["simple", "prepared"])
def test_every_script_and_protocol_with_several_clients(
    server: servers.Server, cow: Cow, dsn: str, script: str, protocol: str
) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        before = hash_base(conn)
    session = cow.open_session("pgbench")
    options = (f"--builtin={script}", f"--protocol={protocol}", "--client=3", "--transactions=10", "--no-vacuum")
    said = pgbench(server, session.dsn(), "--random-seed=11", *options)
    assert "number of failed transactions: 0" in said
    assert "actually processed: 30/30" in said
    with psycopg.connect(dsn, autocommit=True) as conn:
        assert hash_base(conn) == before
