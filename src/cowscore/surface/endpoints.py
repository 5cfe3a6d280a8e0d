"""Reads an OpenAPI document into endpoints that can be searched, shown to an agent and called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cowscore.errors import BadInput

Place = Literal["path", "query", "header"]
Schema = dict[str, Any]

_TEMPLATE = re.compile(r"\{([^}]+)\}")
_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
# The session is the trial's, never the agent's to choose, and credentials are the client's.
_RESERVED = {"x-cow-session", "x-cow-operation", "x-agent-session-id", "x-operation-id", "authorization", "cookie"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter outside the body."""

    name: str
    place: Place
    required: bool
    schema: Schema
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One operation of the application."""

    operation_id: str
    method: str
    """Upper case."""
    path: str
    """With parameters in braces."""
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: Schema | None = None
    """JSON schema of the request body, references resolved; None where it takes none."""
    body_required: bool = False

    def describe(self) -> dict[str, Any]:
        """What `discover` tells an agent, JSON-ready."""
        parameters = [
            {
                "name": item.name,
                "in": item.place,
                "required": item.required,
                "schema": item.schema,
                **({"description": item.description} if item.description else {}),
            }
            for item in self.parameters
        ]
        shown: dict[str, Any] = {"operation_id": self.operation_id, "method": self.method, "path": self.path}
        shown |= {"summary": self.summary, "description": self.description, "parameters": parameters}
        if self.body is not None:
            shown["body"] = self.body
        return shown

    def takes(self) -> str:
        """The names that `execute` accepts, as a phrase for error messages."""
        names = [item.name for item in self.parameters]
        if self.body is not None:
            names += [f"{name} (body)" for name in self.body.get("properties", {})]
        return ", ".join(names) or "nothing"


def read_endpoints(spec: Mapping[str, Any]) -> tuple[Endpoint, ...]:
    """The operations of an OpenAPI 3 document, in its order.

    An operation without an id gets `method_path`. Raises BadInput for what is no OpenAPI 3 document, a reference that
    leads nowhere, and an operation id used twice.
    """
    if not str(spec.get("openapi", "")).startswith("3") or not isinstance(spec.get("paths"), Mapping):
        raise BadInput("not an OpenAPI 3 document: it must have `openapi: 3.x` and `paths`")
    endpoints: dict[str, Endpoint] = {}
    for path, item in spec["paths"].items():
        item = _resolved(spec, item)
        for method in _METHODS:
            if method not in item:
                continue
            endpoint = _endpoint(spec, path, method, item)
            if endpoint.operation_id in endpoints:
                raise BadInput(f"operation id {endpoint.operation_id!r} is used twice in the OpenAPI document")
            endpoints[endpoint.operation_id] = endpoint
    return tuple(endpoints.values())


def _endpoint(spec: Mapping[str, Any], path: str, method: str, item: Mapping[str, Any]) -> Endpoint:
    operation = item[method]
    # Parameters of the operation override those of the path by name and place.
    declared = [*_parameters(spec, item), *_parameters(spec, operation)]
    raw: dict[tuple[str, str], Mapping[str, Any]] = {(p["name"], p["in"]): p for p in declared}
    for name in _TEMPLATE.findall(path):
        # Documents should declare what is in the path; where they forget, the path itself says enough.
        raw.setdefault((name, "path"), {"name": name, "in": "path", "schema": {"type": "string"}})
    parameters = tuple(
        Parameter(
            name=p["name"],
            place=p["in"],
            required=bool(p.get("required", p["in"] == "path")),
            schema=expand(spec, p.get("schema", {})),
            description=p.get("description", ""),
        )
        for p in raw.values()
        if p["in"] != "cookie" and not (p["in"] == "header" and p["name"].lower() in _RESERVED)
    )
    body = _resolved(spec, operation.get("requestBody") or {})
    schema = body.get("content", {}).get("application/json", {}).get("schema")
    return Endpoint(
        operation_id=operation.get("operationId") or f"{method}_{'_'.join(path.strip('/').split('/'))}",
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        tags=tuple(operation.get("tags", ())),
        parameters=parameters,
        body=expand(spec, schema) if schema is not None else None,
        body_required=bool(body.get("required", False)),
    )


def _parameters(spec: Mapping[str, Any], holder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for parameter in holder.get("parameters", ()):
        yield _resolved(spec, parameter)


def expand(spec: Mapping[str, Any], schema: Any, seen: tuple[str, ...] = ()) -> Any:
    """`schema` with every `$ref` replaced by what it refers to.

    A schema that contains itself is cut at the second level: `{"type": "object", "title": name}`.
    """
    if isinstance(schema, list):
        return [expand(spec, item, seen) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return {key: expand(spec, value, seen) for key, value in schema.items()}
    if reference in seen:
        target = {"type": "object", "title": reference.rsplit("/", 1)[-1]}
    else:
        target = expand(spec, _target(spec, reference), (*seen, reference))
    # OpenAPI 3.1 allows siblings such as a description beside the reference; they win.
    beside = {key: expand(spec, value, seen) for key, value in schema.items() if key != "$ref"}
    return {**target, **beside}


def _resolved(spec: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(16):
        if "$ref" not in node:
            return node
        node = _target(spec, node["$ref"])
    raise BadInput(f"reference {node['$ref']!r} in the OpenAPI document leads in a circle")


def _target(spec: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    node: Any = spec
    if not reference.startswith("#/"):
        raise BadInput(f"reference {reference!r} leaves the OpenAPI document; bundle it into one document first")
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or name not in node:
            raise BadInput(f"reference {reference!r} leads nowhere in the OpenAPI document")
        node = node[name]
    assert isinstance(node, Mapping)
    return node
