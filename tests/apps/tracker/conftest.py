"""A seeded tracker per server version, copied for each test that changes data."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from fastapi import FastAPI
from psycopg import conninfo, sql
from sqlalchemy import Engine, create_engine
from starlette.testclient import TestClient

import servers
from cowscore.demo.seed import api_key, seed
from cowscore.demo.tracker import create_app, create_schema


def engine_on(dsn: str) -> Engine:
    """An engine with libpq's idea of a connection string."""
    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn))


@pytest.fixture(scope="session")
def seeded(server: servers.Server) -> Iterator[str]:
    with servers.database(server) as dsn:
        engine = engine_on(dsn)
        create_schema(engine)
        seed(engine)
        engine.dispose()
        yield dsn


@pytest.fixture
def tracker_dsn(server: servers.Server, seeded: str) -> Iterator[str]:
    name = f"tracker_{uuid.uuid4().hex}"
    template = sql.Identifier(conninfo.conninfo_to_dict(seeded)["dbname"])
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), template))
        yield conninfo.make_conninfo(seeded, dbname=name)
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def app(tracker_dsn: str) -> Iterator[FastAPI]:
    engine = engine_on(tracker_dsn)
    yield create_app(engine)
    engine.dispose()


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, headers={"X-Api-Key": api_key()})
