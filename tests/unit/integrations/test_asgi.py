from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import BackgroundTasks, FastAPI, WebSocket
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cowscore.integrations import binding
from cowscore.integrations.asgi import CowMiddleware
from cowscore.integrations.binding import bound, current_binding

SESSION = UUID("123e4567-e89b-12d3-a456-426614174000")


def seen() -> dict[str, Any]:
    now = current_binding()
    return {} if now is None else {"session": now.session, "operation": now.operation, "label": now.describe()}


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    monkeypatch.setattr(binding, "_binders", {"test"})
    application = FastAPI()
    application.add_middleware(CowMiddleware)
    application.state.background = []

    @application.get("/sync/{number}")
    def sync(number: int) -> dict[str, Any]:
        return seen()

    @application.get("/async")
    async def asynchronous(tasks: BackgroundTasks) -> dict[str, Any]:
        tasks.add_task(lambda: application.state.background.append(seen()))
        return seen()

    @application.get("/refused/{sqlstate}")
    def refused(sqlstate: str, raises: bool = False) -> dict[str, Any]:
        now = current_binding()
        assert now is not None
        now.failure = sqlstate
        if raises:
            raise RuntimeError("the driver's error")
        return {"the application": "made nothing of it"}

    @application.get("/broken")
    def broken() -> None:
        raise RuntimeError("a bug of the application")

    @application.websocket("/socket")
    async def socket(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(str(seen().get("session")))
        await socket.close()

    return application


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app)


def test_without_headers_nothing_is_bound(client: TestClient) -> None:
    assert client.get("/sync/1").json() == {}
    assert client.get("/async").json() == {}


@pytest.mark.parametrize(("path", "label"), [("/sync/1", "GET /sync/{number}"), ("/async", "GET /async")])
def test_request_runs_in_its_session_under_the_route_s_label(client: TestClient, path: str, label: str) -> None:
    operation = uuid4()
    answer = client.get(path, headers={"X-Cow-Session": str(SESSION), "X-Cow-Operation": str(operation)})
    assert answer.json() == {"session": str(SESSION), "operation": str(operation), "label": label}
    assert current_binding() is None


def test_each_request_is_an_operation_of_its_own(client: TestClient) -> None:
    headers = {"X-Agent-Session-Id": str(SESSION)}
    operations = {client.get("/sync/1", headers=headers).json()["operation"] for _ in range(3)}
    assert len(operations) == 3


def test_background_tasks_stay_in_the_session(app: FastAPI, client: TestClient) -> None:
    client.get("/async", headers={"X-Cow-Session": str(SESSION)})
    assert [task["session"] for task in app.state.background] == [SESSION]


@pytest.mark.parametrize(
    "headers",
    [{"X-Cow-Session": "7"}, {"X-Cow-Operation": str(SESSION)}, {"X-Cow-Session": str(SESSION), "x-operation-id": "7"}],
)
def test_malformed_is_400_before_the_application_runs(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.get("/broken", headers=headers)
    assert answer.status_code == 400
    assert "must be a UUID" in answer.json()["detail"] or "without" in answer.json()["detail"]


@pytest.mark.parametrize(("sqlstate", "status"), [("CW001", 500), ("CW002", 400), ("CW003", 409), ("42883", 500)])
@pytest.mark.parametrize("raises", [True, False])
def test_refused_bind_answers_whatever_the_application_made_of_it(
    client: TestClient, sqlstate: str, status: int, raises: bool
) -> None:
    answer = client.get(f"/refused/{sqlstate}?raises={raises}", headers={"X-Cow-Session": str(SESSION)})
    assert answer.status_code == status
    assert str(SESSION) in answer.json()["detail"]


def test_other_errors_pass_through(client: TestClient) -> None:
    with pytest.raises(RuntimeError, match="a bug of the application"):
        client.get("/broken", headers={"X-Cow-Session": str(SESSION)})


def test_session_header_without_database_integration_is_503(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binding, "_binders", set())
    assert client.get("/broken", headers={"X-Cow-Session": str(SESSION)}).status_code == 503
    assert client.get("/async").status_code == 200


def test_websockets_are_bound_or_refused(client: TestClient) -> None:
    with client.websocket_connect("/socket", headers={"X-Cow-Session": str(SESSION)}) as socket:
        assert socket.receive_text() == str(SESSION)
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client.websocket_connect("/socket", headers={"X-Cow-Session": "7"}),
    ):
        pass
    assert refused.value.code == 1008


def test_bound_block_for_scripts() -> None:
    with bound(SESSION, label="nightly") as outer:
        assert current_binding() is outer
        assert outer.describe() == "nightly"
        with bound(uuid4()) as inner:
            assert current_binding() is inner
        assert current_binding() is outer
    assert current_binding() is None
