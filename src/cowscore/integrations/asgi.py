"""Pure ASGI middleware: a request with a session header runs inside that session, or is refused."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from uuid import uuid4

from cowscore.errors import BadInput
from cowscore.integrations.binding import Binding, activated, has_binder
from cowscore.integrations.headers import OPERATION_HEADER, SESSION_HEADER, HeaderNames, parse_headers, refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_UNBOUND = "this process has no database integration installed, so the session header cannot be honoured"


class CowMiddleware:
    """Reads the session headers of a request and makes them the current binding while the application runs.

    Malformed headers are answered with 400 before the application runs. A bind that the database refuses is answered
    with 400 (unknown session), 409 (closed session) or 500 (a connection that cannot be bound), whatever the
    application made of the error. A session header in a process without a database integration is answered with 503.
    """

    def __init__(
        self, app: ASGIApp, session_header: str = SESSION_HEADER, operation_header: str = OPERATION_HEADER
    ) -> None:
        self.app = app
        self.names = HeaderNames(session=session_header, operation=operation_header)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection (ASGI)."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        try:
            asked = parse_headers(headers, self.names)
        except BadInput as error:
            await _refuse(scope, send, 400, str(error))
            return
        if asked is None:
            await self.app(scope, receive, send)
        elif not has_binder():
            await _refuse(scope, send, 503, _UNBOUND)
        else:
            session, operation = asked
            binding = Binding(session=session, operation=operation or uuid4(), describe=lambda: _label(scope))
            await self._serve(binding, scope, receive, send)

    async def _serve(self, binding: Binding, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_unless_refused(message: Message) -> None:
            nonlocal started
            if binding.failure and not started:
                return
            started = True
            await send(message)

        try:
            with activated(binding):
                await self.app(scope, receive, send_unless_refused)
        except Exception:
            if binding.failure is None or started:
                raise
        if binding.failure and not started:
            await _refuse(scope, send, *refusal(binding.failure, binding.session))


def _label(scope: Scope) -> str:
    """METHOD and path template once the framework has routed the request, else the path as sent."""
    route = scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", None) or scope["path"]
    return f"{scope.get('method', 'WEBSOCKET')} {path}"


async def _refuse(scope: Scope, send: Send, status: int, detail: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": detail[:120]})
        return
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
