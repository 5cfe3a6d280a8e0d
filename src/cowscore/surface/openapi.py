"""An application's HTTP API as two operations: find an endpoint, call an endpoint inside a session."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx

from cowscore.errors import BadInput, ConnectionFailed
from cowscore.integrations.headers import OPERATION_HEADER, SESSION_HEADER
from cowscore.surface.endpoints import Endpoint, read_endpoints
from cowscore.surface.ranking import Ranker, bm25


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one `execute`."""

    operation: UUID
    """Id of the cowscore operation; the session's writes of this request carry it."""
    status: int | None = None
    """HTTP status, None where the surface refused the arguments and sent nothing."""
    body: Any = None
    """The JSON body, the text where it was no JSON, None where it was empty."""
    error: str | None = None
    """Why it failed: the surface's reason, or the application's answer for a status of 400 and above."""
    milliseconds: float = 0.0

    def describe(self) -> dict[str, Any]:
        """What an agent is told, JSON-ready."""
        if self.status is None:
            return {"error": self.error}
        return {"status": self.status, "body": self.body}


class Surface:
    """Searches the endpoints of an OpenAPI document and calls them. One instance serves any number of threads.

    `client` carries the base URL and the credentials; redirects are not followed (they could leave the application).
    `ranker` decides what `discover` finds; see `cowscore.surface.ranking` for one that searches by meaning.
    Raises BadInput for a document that is no OpenAPI 3.
    """

    def __init__(self, spec: Mapping[str, Any], client: httpx.Client, ranker: Ranker = bm25) -> None:
        self.endpoints = {endpoint.operation_id: endpoint for endpoint in read_endpoints(spec)}
        self._client = client
        self._order = tuple(self.endpoints.values())
        self._score = ranker([_text(endpoint) for endpoint in self._order])

    def discover(self, query: str, limit: int = 5) -> Sequence[Endpoint]:
        """The best endpoints for `query`, best first; none where nothing matches."""
        scores = self._score(query)
        best = sorted(range(len(self._order)), key=lambda index: -scores[index])
        return [self._order[index] for index in best[:limit] if scores[index] > 0]

    def execute(self, operation_id: str, arguments: Mapping[str, Any], session: UUID | None = None) -> Answer:
        """Call an endpoint, in a session if one is given; every call is an operation of its own.

        `arguments` holds path, query and header parameters and the fields of a JSON body by name. Where a name could
        be either it is the parameter's; `body` may hold the whole body instead. An operation or parameter the document
        does not know, and a required one that is absent, are answered without a request; the content of a body is the
        application's to judge. Raises ConnectionFailed where the application cannot be reached.
        """
        operation = uuid4()
        endpoint = self.endpoints.get(operation_id)
        if endpoint is None:
            return Answer(operation=operation, error=f"unknown operation {operation_id!r}; use discover to find one")
        try:
            request = self._request(endpoint, arguments)
        except BadInput as refusal:
            return Answer(operation=operation, error=str(refusal))
        if session is not None:
            request.headers[SESSION_HEADER] = str(session)
            request.headers[OPERATION_HEADER] = str(operation)
        start = perf_counter()
        try:
            response = self._client.send(request, follow_redirects=False)
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"{request.method} {request.url}: {error or type(error).__name__}") from error
        body = _body(response)
        return Answer(
            operation=operation,
            status=response.status_code,
            body=body,
            error=_text_of(body) if response.status_code >= 400 else None,
            milliseconds=(perf_counter() - start) * 1000,
        )

    def _request(self, endpoint: Endpoint, arguments: Mapping[str, Any]) -> httpx.Request:
        given = dict(arguments)
        path, query, headers = endpoint.path, {}, {}
        for parameter in endpoint.parameters:
            value = given.pop(parameter.name, None)
            if value is None:
                if parameter.required:
                    raise BadInput(
                        f"{endpoint.operation_id} needs {parameter.place} parameter {parameter.name!r};"
                        f" it takes: {endpoint.takes()}"
                    )
            elif parameter.place == "path":
                path = path.replace("{" + parameter.name + "}", _segment(parameter.name, value))
            elif parameter.place == "query":
                query[parameter.name] = _plain(value)
            else:
                headers[parameter.name] = _text_of(value)
        body = _body_of(endpoint, given)
        # A relative URL, so that a base URL with a path of its own is kept.
        return self._client.build_request(endpoint.method, path.lstrip("/"), params=query, headers=headers, json=body)


def _text(endpoint: Endpoint) -> str:
    parts = (endpoint.operation_id, endpoint.summary, endpoint.description, endpoint.path, *endpoint.tags)
    return " ".join(parts)


def _body_of(endpoint: Endpoint, left: dict[str, Any]) -> Any:
    """The JSON body from the arguments that are no parameters; None where there is nothing to send."""
    if endpoint.body is None:
        if left:
            raise BadInput(f"{endpoint.operation_id} takes no {sorted(left)[0]!r}; it takes: {endpoint.takes()}")
        return None
    whole = left.get("body")
    if "body" in left and "body" not in endpoint.body.get("properties", {}):
        rest = {name: value for name, value in left.items() if name != "body"}
        if isinstance(whole, Mapping):
            return {**whole, **rest}
        if rest:
            raise BadInput(f"give either body or its fields, not body and {sorted(rest)[0]!r}")
        return whole
    return left if left or endpoint.body_required else None


def _segment(name: str, value: Any) -> str:
    if not isinstance(value, (str, int)) or value in ("", ".", ".."):
        raise BadInput(f"path parameter {name!r} cannot be {value!r}")
    return quote(str(value), safe="")


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool)) else json.dumps(value)


def _body(response: httpx.Response) -> Any:
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError:
        return response.text


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
