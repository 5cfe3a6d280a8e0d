"""discover and execute against a real HTTP application on a port of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict

from cowscore.errors import ConnectionFailed, InstallError
from cowscore.surface.openapi import Surface
from cowscore.surface.serving import serving
from cowscore.surface.tools import LimitReached, Tools

SESSION = UUID("123e4567-e89b-12d3-a456-426614174000")


class Patch(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    body: str = ""


def application() -> FastAPI:
    app = FastAPI()

    @app.patch("/things/{pk}", operation_id="update_thing", summary="Update thing")
    def update(pk: str, patch: Patch, request: Request, tag: str | None = None) -> dict[str, Any]:
        headers = {name: request.headers.get(name) for name in ("x-cow-session", "x-cow-operation")}
        return {"pk": pk, "tag": tag, **patch.model_dump(), **headers}

    @app.get("/things", operation_id="list_things")
    def things() -> list[str]:
        return []

    @app.get("/away", operation_id="away")
    def away() -> RedirectResponse:
        return RedirectResponse("https://example.invalid/")

    return app


@pytest.fixture(scope="module")
def surface() -> Iterator[Surface]:
    app = application()
    with serving(app) as url, httpx.Client(base_url=url) as client:
        yield Surface(app.openapi(), client)


def test_discover_describes_the_endpoint(surface: Surface) -> None:
    (endpoint,) = surface.discover("update a thing", limit=1)
    shown = endpoint.describe()
    assert (shown["operation_id"], shown["method"], shown["path"]) == ("update_thing", "PATCH", "/things/{pk}")
    assert [(p["name"], p["in"], p["required"]) for p in shown["parameters"]] == [
        ("pk", "path", True),
        ("tag", "query", False),
    ]
    assert shown["body"]["properties"]["name"] == {"type": "string", "title": "Name"}
    assert surface.discover("issue") == []


def test_execute_puts_arguments_where_they_belong_and_names_session_and_operation(surface: Surface) -> None:
    first = surface.execute("update_thing", {"pk": "a?b é", "tag": "x", "name": "n"}, SESSION)
    assert first.status == 200
    assert first.body == {
        "pk": "a?b é",
        "tag": "x",
        "name": "n",
        "body": "",
        "x-cow-session": str(SESSION),
        "x-cow-operation": str(first.operation),
    }
    assert surface.execute("update_thing", {"pk": "1", "name": "n"}, SESSION).operation != first.operation


def test_a_body_field_called_body_is_a_field(surface: Surface) -> None:
    assert surface.execute("update_thing", {"pk": "1", "name": "n", "body": "text"}).body["body"] == "text"


def test_without_a_session_no_headers_are_sent(surface: Surface) -> None:
    assert surface.execute("update_thing", {"pk": "1", "name": "n"}).body["x-cow-session"] is None


@pytest.mark.parametrize(
    ("operation_id", "arguments", "message"),
    [
        ("update_item", {}, "unknown operation 'update_item'"),
        ("update_thing", {"id": "1", "name": "n"}, "needs path parameter 'pk'"),
        ("list_things", {"slug": "x"}, "list_things takes no 'slug'"),
        ("update_thing", {"pk": "..", "name": "n"}, "cannot be '..'"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_without_a_request(
    surface: Surface, operation_id: str, arguments: dict[str, Any], message: str
) -> None:
    answer = surface.execute(operation_id, arguments, SESSION)
    assert answer.status is None
    assert message in str(answer.error)
    assert answer.describe() == {"error": answer.error}


def test_the_application_judges_the_body(surface: Surface) -> None:
    answer = surface.execute("update_thing", {"pk": "1", "name": "n", "slug": "x"})
    assert answer.status == 422
    assert answer.body["detail"][0]["type"] == "extra_forbidden"
    assert "extra_forbidden" in str(answer.error)


def test_redirects_are_shown_and_not_followed(surface: Surface) -> None:
    assert surface.execute("away", {}).status == 307


def test_an_application_that_is_not_there_is_no_answer() -> None:
    app = application()
    with serving(app) as url:
        pass
    with httpx.Client(base_url=url) as client, pytest.raises(ConnectionFailed, match="GET http"):
        Surface(app.openapi(), client).execute("list_things", {})


def test_a_ranker_by_meaning_can_be_plugged_in(surface: Surface) -> None:
    with httpx.Client() as client:
        by_length = Surface(application().openapi(), client, ranker=lambda texts: lambda query: [len(t) for t in texts])
    assert by_length.discover("issue", limit=1)[0].operation_id == "update_thing"


def test_tools_log_every_call_and_end_at_the_limit(surface: Surface) -> None:
    tools = Tools(surface, SESSION, limit=3)
    assert tools.discover("thing")["endpoints"]
    assert tools.execute("list_things", {}) == {"status": 200, "body": []}
    assert "error" in tools.execute("nothing", {"a": 1})
    assert tools.calls_left == 0
    with pytest.raises(LimitReached, match="all 3 calls"):
        tools.discover("again")
    discover, executed, refused = tools.calls
    assert (discover.ordinal, discover.tool, discover.arguments, discover.found) == (
        1,
        "discover",
        {"query": "thing"},
        2,
    )
    assert (executed.operation_id, executed.status, executed.error) == ("list_things", 200, None)
    assert executed.operation is not None
    assert executed.milliseconds > 0
    assert (refused.status, refused.operation, refused.failed) == (None, None, True)
    assert refused.arguments == {"operation_id": "nothing", "arguments": {"a": 1}}


def test_serving_says_that_startup_failed() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    with pytest.raises(InstallError, match="did not start"), serving(broken):
        pass
