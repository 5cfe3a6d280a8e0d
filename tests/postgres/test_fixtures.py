from __future__ import annotations

import subprocess

import psycopg

import servers


def test_the_database_is_new_and_on_the_version_of_the_server(server: servers.Server, dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        assert connection.info.server_version // 10000 == server.version
        tables = connection.execute(
            "select count(*) from pg_class where relnamespace = 'public'::regnamespace"
        ).fetchone()
        assert tables == (0,)
        connection.execute("create table left_behind (id int)")


def test_the_database_of_another_test_is_gone(server: servers.Server, dsn: str) -> None:
    with servers.database(server) as second, psycopg.connect(second) as connection:
        name = connection.info.dbname
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select count(*) from pg_database where datname = %s", [name]).fetchone() == (0,)


def test_the_programs_fit_the_server(server: servers.Server, dsn: str) -> None:
    dump = subprocess.run([server.programs / "pg_dump", "-d", dsn], capture_output=True, text=True, check=True).stdout
    assert f"Dumped by pg_dump version {server.version}." in dump
