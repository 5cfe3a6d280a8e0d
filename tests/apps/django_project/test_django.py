"""The Django integration in a real project: every database access of a request is in its session, or is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.core import checks
from django.db import connection, connections, transaction
from django.test import AsyncClient, Client, override_settings

from cowscore import Cow, Session
from cowscore.errors import NoSession
from cowscore.integrations.binding import bound

CowMiddleware = "cowscore.integrations.django.middleware.CowMiddleware"
PLAIN: dict[str, Any] = {}
POOL: dict[str, Any] = {"OPTIONS": {"pool": {"min_size": 1, "max_size": 1}}}
WAYS: dict[str, dict[str, Any]] = {
    "autocommit": {"OPTIONS": {"server_side_binding": True}},
    "persistent-atomic": {"CONN_MAX_AGE": None, "ATOMIC_REQUESTS": True},
    "pool": POOL,
    "pool-atomic": POOL | {"ATOMIC_REQUESTS": True},
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def client(request: pytest.FixtureRequest, cow: Cow, databases: dict[str, Any]) -> Iterator[Client]:
    connections["default"].close()
    databases["default"].update(request.param)
    yield Client(raise_request_exception=False)
    if getattr(connections["default"], "pool", None):
        connections["default"].close()
        connections["default"].close_pool()  # type: ignore[attr-defined]


@pytest.fixture
def plain(cow: Cow) -> Client:
    return Client(raise_request_exception=False)


def inside(session: Session | UUID) -> dict[str, str]:
    return {"X-Cow-Session": str(session.id if isinstance(session, Session) else session)}


def base(dsn: str) -> list[tuple[str, int]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute("select name, amount from public.shop_item order by id").fetchall()


BEFORE = [("pen", 1), ("cup", 2)]


def test_a_request_with_the_header_is_in_the_session_and_the_next_is_not(
    client: Client, session: Session, dsn: str
) -> None:
    operation = uuid4()
    answer = client.post("/add/ink", headers=inside(session) | {"X-Cow-Operation": str(operation)})
    assert answer.json() == {"names": ["pen", "cup", "ink"]}
    assert base(dsn) == BEFORE
    assert client.get("/names").json() == {"names": ["pen", "cup"]}
    assert client.get("/names", headers=inside(session)).json() == {"names": ["pen", "cup", "ink"]}
    (seen,) = session.operations()
    assert (seen.id, seen.label, seen.tables) == (operation, "POST /add/<str:name>", ("shop_item",))
    client.post("/add/production")
    assert base(dsn) == [("pen", 2), ("cup", 2), ("production", 0)]


def test_rollbacks_do_not_leave_the_session(client: Client, session: Session, dsn: str) -> None:
    answer = client.get("/savepoints", headers=inside(session))
    assert answer.json() == {"names": ["pen", "cup", "after savepoint", "after rollback"]}
    assert base(dsn) == BEFORE


def test_hooks_run_in_the_session(client: Client, session: Session, dsn: str) -> None:
    client.get("/hooks", headers=inside(session))
    assert len(session.diff()) == 2
    assert base(dsn) == BEFORE


def test_grouping_locks_conflicts_and_server_side_cursors(client: Client, session: Session, dsn: str) -> None:
    answer = client.get("/queries", headers=inside(session))
    assert answer.json() == {"number": 2, "locked": 2, "names": ["pen", "cup", "ink"]}
    assert base(dsn) == BEFORE


def test_an_error_in_the_view_leaves_the_connection_in_production(client: Client, session: Session, dsn: str) -> None:
    assert client.get("/fail", headers=inside(session)).status_code == 500
    assert base(dsn) == BEFORE
    assert client.get("/names").json() == {"names": ["pen", "cup"]}


def test_a_streamed_body_is_made_in_the_session(client: Client, session: Session, dsn: str) -> None:
    answer = client.get("/stream", headers=inside(session))
    assert b"".join(answer.streaming_content) == b"onetwo"  # type: ignore[attr-defined]
    assert len(session.diff()) == 2
    assert base(dsn) == BEFORE


@pytest.mark.parametrize("way", [PLAIN, {"CONN_MAX_AGE": None}], ids=["autocommit", "persistent"])
def test_async(cow: Cow, databases: dict[str, Any], session: Session, dsn: str, way: dict[str, Any]) -> None:
    databases["default"].update(way)

    async def requests() -> None:
        client = AsyncClient()
        first, second, third = await asyncio.gather(
            client.post("/add-async/ink", headers=inside(session)),
            client.post("/add-async/made"),
            client.post("/add/sync", headers=inside(session)),
        )
        assert "made" not in first.json()["names"][:2]
        assert {a.status_code for a in (first, second, third)} == {200}
        answer = await client.get("/stream_async", headers=inside(session))
        assert [piece async for piece in answer.streaming_content] == [b"one", b"two"]  # type: ignore[attr-defined]
        await sync_to_async(connections.close_all)()  # asgiref keeps its thread until the process ends

    asyncio.run(requests())
    assert base(dsn) == [*BEFORE, ("made", 0)]
    assert len(session.diff()) == 5


def test_cookie(plain: Client, session: Session, dsn: str) -> None:
    plain.get(f"/enter/{session.id}")
    assert plain.get("/add/ink").json() == {"names": ["pen", "cup", "ink"]}
    assert base(dsn) == BEFORE
    assert plain.get("/names", headers=inside(uuid4())).status_code == 400
    plain.get("/leave")
    assert plain.get("/names").json() == {"names": ["pen", "cup"]}
    plain.cookies["cowscore_session"] = str(session.id)
    assert plain.get("/add/forged").status_code == 400
    assert base(dsn) == BEFORE


def test_decorator(client: Client, session: Session, dsn: str) -> None:
    assert "decorated" in client.get(f"/decorated/{session.id}").json()["names"]
    assert len(session.diff()) == 3
    assert client.get("/names").json() == {"names": ["pen", "cup"]}
    assert base(dsn) == BEFORE


def test_refusals(client: Client, session: Session, dsn: str) -> None:
    session.close()
    for header, status in (("no uuid", 400), (str(uuid4()), 400), (str(session.id), 409)):
        assert client.post("/add/ink", headers={"X-Cow-Session": header}).status_code == status
    assert client.post("/add/ink", headers={"X-Cow-Operation": str(uuid4())}).status_code == 400
    assert base(dsn) == BEFORE
    assert client.get("/names").json() == {"names": ["pen", "cup"]}


def test_an_upsert_with_a_target_is_refused(plain: Client, session: Session, dsn: str) -> None:
    assert plain.get("/upsert", headers=inside(session)).status_code == 500
    assert base(dsn) == BEFORE
    assert plain.get("/upsert").status_code == 200
    assert base(dsn) == [("pen", 9), ("cup", 2)]


def test_every_alias_follows(plain: Client, session: Session, dsn: str) -> None:
    assert plain.get("/second", headers=inside(session)).status_code == 200
    assert base(dsn) == BEFORE
    with override_settings(COWSCORE_PASSTHROUGH=["second"]):
        plain.get("/second", headers=inside(session))
    assert base(dsn) == [*BEFORE, ("second", 0)]


def test_a_database_without_sessions_is_refused(cow: Cow, session: Session) -> None:
    with bound(session.id), pytest.raises(NoSession, match="COWSCORE_PASSTHROUGH"):
        connections["files"].cursor()
    connections["files"].cursor()


@pytest.mark.parametrize("way", [PLAIN, POOL], ids=["own", "pool"])
def test_a_connection_in_doubt_is_closed(
    cow: Cow, databases: dict[str, Any], session: Session, dsn: str, way: dict[str, Any]
) -> None:
    connections["default"].close()
    databases["default"].update(way, CONN_MAX_AGE=0 if way else None)
    client = Client(raise_request_exception=False)
    client.get("/abandon", headers=inside(session))
    assert connection.connection is None or connection.connection.closed
    connection.close()
    client.post("/add/production")
    assert base(dsn) == [("pen", 2), ("cup", 2), ("production", 0)]


def test_a_transaction_begun_elsewhere_is_refused(cow: Cow, session: Session, dsn: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select 1")
        with bound(session.id), pytest.raises(NoSession, match="begin the transaction inside"):
            cursor.execute("update shop_item set amount = 7")
    with bound(session.id), transaction.atomic():
        connection.cursor().execute("update shop_item set amount = 7")
    assert base(dsn) == BEFORE


def test_a_cursor_from_before_follows(cow: Cow, session: Session, dsn: str) -> None:
    with connection.cursor() as cursor:
        with bound(session.id):
            cursor.execute("update shop_item set amount = 7")
        assert base(dsn) == BEFORE
        cursor.execute("update shop_item set amount = 8")
    assert base(dsn) == [("pen", 8), ("cup", 8)]


def test_system_checks(cow: Cow) -> None:
    assert checks.run_checks() == []
    for middleware, found in (
        ([], "cowscore.E001"),
        ([CowMiddleware] * 2, "cowscore.E002"),
        (["django.middleware.common.CommonMiddleware", CowMiddleware], "cowscore.W001"),
    ):
        with override_settings(MIDDLEWARE=middleware):
            assert [message.id for message in checks.run_checks()] == [found]
    with override_settings(COWSCORE_PASSTHROUGH=["elsewhere"]):
        assert [message.id for message in checks.run_checks()] == ["cowscore.E003"]
