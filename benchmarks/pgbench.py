"""The unmodified pgbench in a session and on plain tables: same transactions, same result, and how fast.

    python benchmarks/pgbench.py [--scale 10] [--transactions 2000] [--dsn CONNECTION] [--version 16|18]

Two databases are filled by `pgbench -i`. The TPC-B-like and the select-only script run on one of them as it is, and on
the other through `session.dsn()`, with one client and a fixed seed, then with four. Base tables must stay what they
were and, after the run of one client, a commit must give exactly what the plain run gave: the script fails if not.
Without --dsn a server of its own is started; with it, `pgbench` must be on the PATH and the role able to create
databases. Latencies are pgbench's averages.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import conninfo, sql

from cowscore import Cow, embedded
from cowscore.experiments.base_hash import hash_base

CONTENTS = {
    "pgbench_accounts": "select * from pgbench_accounts order by aid",
    "pgbench_branches": "select * from pgbench_branches order by bid",
    "pgbench_tellers": "select * from pgbench_tellers order by tid",
    # mtime is the time of each run.
    "pgbench_history": "select tid, bid, aid, delta, filler from pgbench_history order by 1, 2, 3, 4",
}
SCRIPTS = ("tpcb-like", "select-only")
SEED = 42


@contextlib.contextmanager
def database(server: str) -> Iterator[str]:
    """A new database, dropped at the end."""
    name = f"pgbench_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
        try:
            yield conninfo.make_conninfo(server, dbname=name)
        finally:
            conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def pgbench(program: Path, dsn: str, *options: str) -> str:
    result = subprocess.run([program, *options, dsn], capture_output=True, text=True, check=False)
    if result.returncode or "ERROR" in result.stderr:
        sys.exit(f"pgbench {' '.join(options)} failed:\n{result.stderr}")
    return result.stdout


def latency(program: Path, dsn: str, script: str, clients: int, transactions: int, protocol: str) -> float:
    """Milliseconds of a transaction, on average, as pgbench reports it."""
    said = pgbench(
        program,
        dsn,
        f"--builtin={script}",
        f"--client={clients}",
        f"--transactions={transactions // clients}",
        f"--protocol={protocol}",
        f"--random-seed={SEED}",
        "--no-vacuum",
    )
    found = re.search(r"latency average = ([\d.]+) ms", said)
    if not found or f"actually processed: {transactions // clients * clients}/" not in said:
        sys.exit(f"pgbench did not finish:\n{said}")
    return float(found[1])


def base(dsn: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as conn:
        return hash_base(conn)


def contents(dsn: str, table: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as conn:
        return conn.execute(CONTENTS[table].encode()).fetchall()


def compare(program: Path, plain: str, enabled: str, transactions: int) -> Iterator[str]:
    """Rows of a Markdown table; exits where the two sides differ."""
    before = base(enabled)
    with Cow.connect(enabled) as cow:
        cow.enable()
        first = cow.open_session("one client, to be committed")
        several = cow.open_session("several clients")
        # Select-only changes nothing, and the runs of four clients come after the comparison of contents.
        for script in SCRIPTS:
            times = [latency(program, dsn, script, 1, transactions, "simple") for dsn in (plain, first.dsn())]
            yield row(script, 1, "simple", times)
        if base(enabled) != before:
            sys.exit("a session changed base tables")
        first.commit()
        for table in CONTENTS:
            if contents(plain, table) != contents(enabled, table):
                sys.exit(f"{table}: the committed session differs from the same run on plain tables")
        before = base(enabled)
        for script in SCRIPTS:
            for clients, protocol in ((1, "prepared"), (4, "simple")):
                times = [latency(program, d, script, clients, transactions, protocol) for d in (plain, several.dsn())]
                yield row(script, clients, protocol, times)
        if base(enabled) != before:
            sys.exit("a session changed base tables")


def row(script: str, clients: int, protocol: str, times: list[float]) -> str:
    plain, cow = times
    return f"| {script} | {clients} | {protocol} | {plain:.2f} ms | {cow:.2f} ms ({cow / plain:.1f}x) |"


def main() -> None:
    """Parses the arguments, runs, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=10, help="pgbench -s: 100,000 accounts each")
    parser.add_argument("--transactions", type=int, default=2000, help="of each run")
    parser.add_argument("--dsn", help="server to use; default: one of its own")
    parser.add_argument("--version", type=int, default=18, help="version of its own server, 16 or 18")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if arguments.dsn:
            found = shutil.which("pgbench") or sys.exit("pgbench is not on the PATH")
            server, program = arguments.dsn, Path(found)
        else:
            server = stack.enter_context(embedded.server(arguments.version))
            program = embedded.shipped_programs(arguments.version) / "pgbench"
        plain, enabled = stack.enter_context(database(server)), stack.enter_context(database(server))
        for dsn in (plain, enabled):
            pgbench(program, dsn, "--initialize", "--quiet", f"--scale={arguments.scale}")
        print("| script | clients | protocol | plain | in a session |\n|---|---:|---|---:|---:|")
        for line in compare(program, plain, enabled, arguments.transactions):
            print(line, flush=True)
        print("\nBase tables unchanged; the committed session equals the same transactions on plain tables.")


if __name__ == "__main__":
    main()
