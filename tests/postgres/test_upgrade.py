"""Upgrading what an older cowscore made equals a fresh install."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

import servers
from cowscore import Cow
from cowscore.database import control
from postgres.test_install import dump

SCHEMA = "create table people (id int primary key, name text); insert into people values (1, 'Ann')"
VERSIONS = [number for number, _ in control.migrations()]


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes the control schema of a version: its migrations only. Functions are replaced by every upgrade."""
    whole = control.migrations()

    def set_version(number: int) -> None:
        monkeypatch.setattr(control, "migrations", lambda: whole[:number])

    return set_version


def _control_schema(server: servers.Server, dsn: str) -> str:
    return dump(server, dsn, "--schema-only", "--schema", "cowscore")


def _apply(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        for statement in control.statements(conn):
            conn.execute(statement.encode())


@pytest.mark.parametrize("start", VERSIONS)
def test_step_by_step_equals_fresh(
    server: servers.Server, dsn: str, start: int, older: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        # Functions of today may name tables of today; an old version had its own, all of which are replaced.
        patch.setattr(control, "functions", tuple)
        patch.setattr(control, "_grants", list)
        for number in range(start, VERSIONS[-1]):
            older(number)
            _apply(dsn)
        older(VERSIONS[-1])
    _apply(dsn)
    with servers.database(server) as fresh:
        _apply(fresh)
        assert _control_schema(server, dsn) == _control_schema(server, fresh)


def test_upgrade_with_a_session_open(server: servers.Server, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute(SCHEMA)
        cow.enable()
        session = cow.open_session()
        with session.connect() as inside:
            inside.execute("insert into people values (2, 'Bob')")
        before = _control_schema(server, dsn)
        _forget_version_2(base)
        assert {s.state for s in cow.status()} == {"current"}
        assert cow.enable(dry_run=True).statements
        base.execute("alter table people add column n int default 4")
        report = cow.upgrade()
        assert (report.schemas, report.held) == (("public",), ())
        assert _sorted_columns(_control_schema(server, dsn)) == _sorted_columns(before)
        assert cow.enable().statements == ()
        assert {s.state for s in cow.status()} == {"current"}
        assert session.commit() == 1
        assert base.execute("select * from people where id = 2").fetchone() == (2, "Bob", 4)


def test_a_restored_database_has_other_oids(server: servers.Server, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as base, Cow.connect(dsn) as cow:
        base.execute("create table other (id int primary key, gone text, word text); alter table other drop gone")
        base.execute(SCHEMA)
        cow.enable()
        session = cow.open_session()
        with session.connect() as inside:
            inside.execute("insert into people values (2, 'Bob')")
            inside.execute("insert into other values (1, 'x')")
        changes = session.changes()
        text = dump(server, dsn)
    with servers.database(server) as copy:
        psql = [str(server.programs / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "--dbname", copy]
        subprocess.run(psql, input=text, check=True, capture_output=True, text=True)
        with psycopg.connect(copy, autocommit=True) as base, Cow.connect(copy) as cow:
            base.execute("alter table other add column n int default 4")
            assert cow.enable().held == ()
            assert [(c.table, c.key) for c in cow.session(session.id).changes()] == [(c.table, c.key) for c in changes]
            assert cow.session(session.id).commit() == 2
            assert base.execute("select * from other").fetchall() == [(1, "x", 4)]


def _forget_version_2(base: psycopg.Connection[Any]) -> None:
    """The database as version 1 left it."""
    base.execute(
        "drop table cowscore.held, cowscore.kept; alter table cowscore.tables drop shape, drop base_name; "
        "alter table cowscore.schemas drop migrating; delete from cowscore.migrations where version > 1"
    )


def _sorted_columns(text: str) -> list[str]:
    return sorted(line.strip().rstrip(",") for line in text.splitlines())
