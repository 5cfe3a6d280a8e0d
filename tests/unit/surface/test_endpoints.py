"""OpenAPI documents become endpoints: references, overrides, what stays hidden, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from cowscore.errors import BadInput
from cowscore.surface.endpoints import read_endpoints


def document(paths: dict[str, Any], **components: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": {}, "paths": paths, "components": components}


def test_references_are_resolved_and_a_recursive_schema_is_cut() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node", "description": "more"}}}
    body = {"$ref": "#/components/requestBodies/Make"}
    spec = document(
        {"/nodes": {"post": {"operationId": "make", "requestBody": body}}},
        schemas={"Node": node},
        requestBodies={
            "Make": {
                "required": True,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}},
            }
        },
    )
    (endpoint,) = read_endpoints(spec)
    assert endpoint.body == {
        "type": "object",
        "properties": {"next": {"type": "object", "title": "Node", "description": "more"}},
    }
    assert endpoint.body_required


def test_parameters_of_the_operation_override_those_of_the_path() -> None:
    spec = document(
        {
            "/t/{pk}": {
                "parameters": [
                    {"name": "pk", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "n", "in": "query", "schema": {"type": "string"}},
                ],
                "get": {
                    "operationId": "one",
                    "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}],
                },
            }
        }
    )
    (endpoint,) = read_endpoints(spec)
    assert [(p.name, p.place, p.required, p.schema) for p in endpoint.parameters] == [
        ("pk", "path", True, {"type": "string"}),
        ("n", "query", False, {"type": "integer"}),
    ]


def test_session_and_credential_headers_are_not_offered() -> None:
    names = ["X-Cow-Session", "x-operation-id", "Authorization", "X-Trace"]
    parameters = [{"name": name, "in": "header", "schema": {}} for name in names]
    (endpoint,) = read_endpoints(document({"/t": {"get": {"operationId": "t", "parameters": parameters}}}))
    assert [p.name for p in endpoint.parameters] == ["X-Trace"]


def test_a_path_parameter_that_is_not_declared_is_one_all_the_same() -> None:
    (endpoint,) = read_endpoints(document({"/t/{pk}": {"get": {"operationId": "one"}}}))
    assert [(p.name, p.place, p.required) for p in endpoint.parameters] == [("pk", "path", True)]


def test_an_operation_without_an_id_gets_one() -> None:
    (endpoint,) = read_endpoints(document({"/a/b": {"get": {}}}))
    assert endpoint.operation_id == "get_a_b"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"swagger": "2.0", "paths": {}}, "not an OpenAPI 3"),
        (document({"/a": {"get": {"operationId": "x"}}, "/b": {"get": {"operationId": "x"}}}), "'x' is used twice"),
        (document({"/a": {"$ref": "#/components/none"}}), "leads nowhere"),
        (document({"/a": {"$ref": "other.yaml#/a"}}), "leaves the OpenAPI document"),
        (document({"/a": {"$ref": "#/components/x"}}, x={"$ref": "#/components/x"}), "in a circle"),
    ],
)
def test_bad_documents_are_refused(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_endpoints(spec)
