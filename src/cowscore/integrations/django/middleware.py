"""The middleware: a request with a session header or the signed cookie runs inside that session, or is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from uuid import uuid4

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import Error
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.urls import Resolver404, resolve

from cowscore.errors import BadInput, NoSession
from cowscore.integrations.binding import Binding, activated, has_binder
from cowscore.integrations.django.connection import release_connections
from cowscore.integrations.django.cookie import session_of_cookie
from cowscore.integrations.headers import OPERATION_HEADER, SESSION_HEADER, HeaderNames, parse_headers, refusal


class CowMiddleware:
    """Makes the session of a request the current binding while everything below runs, the response's stream included.

    Malformed headers, a cookie with a bad signature, and a header and a cookie that name different sessions are
    answered with 400. The default database is bound first: an unknown session is answered with 400 and a closed one
    with 409 before any code of the application ran.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.names = HeaderNames(
            session=getattr(settings, "COWSCORE_SESSION_HEADER", SESSION_HEADER),
            operation=getattr(settings, "COWSCORE_OPERATION_HEADER", OPERATION_HEADER),
        )
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        """Serve one request; a coroutine where the project runs under ASGI."""
        if self.is_async:
            return self._serve_async(request)
        try:
            binding = self._asked(request)
        except BadInput as error:
            return _refuse(400, str(error))
        if binding is None:
            return self.get_response(request)
        with activated(binding):
            try:
                refused = _enter(binding)
                response = refused or _outcome(binding, self.get_response(request))
            finally:
                release_connections()
        return _follow_stream(binding, response)

    async def _serve_async(self, request: HttpRequest) -> HttpResponseBase:
        try:
            binding = self._asked(request)
        except BadInput as error:
            return _refuse(400, str(error))
        if binding is None:
            response: HttpResponseBase = await self.get_response(request)
            return response
        with activated(binding):
            try:
                refused = await sync_to_async(_enter)(binding)
                response = refused or _outcome(binding, await self.get_response(request))
            finally:
                await sync_to_async(release_connections)()
        return _follow_stream(binding, response)

    def _asked(self, request: HttpRequest) -> Binding | None:
        headers = parse_headers(request.headers.items(), self.names)
        cookie = session_of_cookie(request)
        if headers is None and cookie is None:
            return None
        session, operation = headers or (cookie, None)
        assert session is not None
        if cookie is not None and cookie != session:
            raise BadInput(f"{self.names.session} names session {session}, the cookie {cookie}; send one of them")
        return Binding(session=session, operation=operation or uuid4(), describe=lambda: _label(request))


def _enter(binding: Binding) -> HttpResponseBase | None:
    """Bind the default database, which tells whether the session is there. Gives the refusal, None if there is none."""
    if not has_binder():
        return _refuse(503, "'cowscore.integrations.django' is not in INSTALLED_APPS: no session can be honoured")
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        return None
    try:
        with connection.cursor():
            return None
    except (Error, NoSession):
        if binding.failure is None:
            raise
        return _refuse(*refusal(binding.failure, binding.session))


def _outcome(binding: Binding, response: HttpResponseBase) -> HttpResponseBase:
    """A bind refused later (a further database) decides the answer, whatever the application made of it."""
    return response if binding.failure is None else _refuse(*refusal(binding.failure, binding.session))


def _label(request: HttpRequest) -> str:
    """METHOD and route, else the path as sent."""
    try:
        route = "/" + resolve(request.path_info, getattr(request, "urlconf", None)).route.removeprefix("/")
    except Resolver404:
        route = request.path_info
    return f"{request.method} {route}"


def _refuse(status: int, detail: str) -> HttpResponseBase:
    return JsonResponse({"detail": detail}, status=status)


def _follow_stream(binding: Binding, response: Any) -> HttpResponseBase:
    """The body of a streaming response is made after the middleware has returned: each piece in the session too."""
    if getattr(response, "streaming", False):
        content = response.streaming_content
        response.streaming_content = _pieces_async(binding, content) if response.is_async else _pieces(binding, content)
    return response  # type: ignore[no-any-return]


def _pieces(binding: Binding, content: Iterator[Any]) -> Iterator[Any]:
    iterator = iter(content)
    while True:
        with activated(binding):
            try:
                piece = next(iterator)
            except StopIteration:
                return
        yield piece


async def _pieces_async(binding: Binding, content: AsyncIterator[Any]) -> AsyncIterator[Any]:
    iterator = aiter(content)
    while True:
        with activated(binding):
            try:
                piece = await anext(iterator)
            except StopAsyncIteration:
                return
        yield piece
