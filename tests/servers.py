"""PostgreSQL servers for the tests: one per major version, started on first use, shared by all workers of a run.

15 is the system's (Debian: `apt-get install postgresql`), 16 and 18 come in the wheel of `cowscore[embedded]`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import conninfo, sql

from cowscore import embedded
from cowscore.errors import MissingExtra

VERSIONS = (15, 16, 18)
SHARED = "COWSCORE_TEST_SERVERS"
"""Environment variable: the directory that the workers of one run share."""


@dataclasses.dataclass(frozen=True)
class Server:
    """A running server; `programs` has psql, pg_dump and pgbench of its version."""

    version: int
    dsn: str
    programs: Path
    data: Path


def requested() -> tuple[int, ...]:
    """The versions in COWSCORE_TEST_PG, e.g. `15,18`; all of them where it is not set."""
    chosen = os.environ.get("COWSCORE_TEST_PG", "")
    return tuple(int(version) for version in chosen.split(",")) if chosen else VERSIONS


def missing(version: int) -> str | None:
    """What to install for that version, None if it is here."""
    if version in embedded.SHIPPED:
        try:
            embedded.shipped_programs(version)
        except MissingExtra as error:
            return str(error)
        return None
    if (_system_programs(version) / "initdb").exists():
        return None
    return f"PostgreSQL {version} is not in {_system_programs(version)}: install the package postgresql-{version}"


def prepare() -> None:
    """Make the shared directory; called once per run, before the workers start."""
    directory = Path(tempfile.mkdtemp(prefix="cowscore-tests-", dir=embedded.temporary_root()))
    directory.chmod(0o755)
    os.environ[SHARED] = str(directory)


def get(version: int) -> Server:
    """The run's server of that version; the first caller among all workers starts it."""
    shared = Path(os.environ[SHARED])
    with (shared / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        card = shared / f"{version}.json"
        if not card.exists():
            if version in embedded.SHIPPED:
                programs = embedded.reachable_programs(version, shared)
            else:
                programs = _system_programs(version)
            settings = {**embedded.THROWAWAY, "max_connections": "300"}
            running = embedded.start(programs, shared / f"data{version}", settings)
            card.write_text(json.dumps({"dsn": running.dsn, "programs": str(programs), "data": str(running.data)}))
        facts = json.loads(card.read_text())
    return Server(version, facts["dsn"], Path(facts["programs"]), Path(facts["data"]))


def stop_all() -> None:
    """Stop every server of the run and remove the shared directory."""
    shared = Path(os.environ.pop(SHARED))
    for card in shared.glob("*.json"):
        facts = json.loads(card.read_text())
        embedded.stop(Path(facts["programs"]), Path(facts["data"]))
    shutil.rmtree(shared)


@contextlib.contextmanager
def database(server: Server) -> Iterator[str]:
    """A new, empty database; yields the superuser's connection string and drops it at the end, open connections too."""
    name = "test_" + uuid.uuid4().hex
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
    try:
        yield conninfo.make_conninfo(server.dsn, dbname=name)
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def _system_programs(version: int) -> Path:
    return Path(f"/usr/lib/postgresql/{version}/bin")
