from __future__ import annotations

import copy
from typing import Any

import pytest
from sqlalchemy import create_engine

from cowscore.demo.surface_v2 import improve
from cowscore.demo.tracker import create_app

METHODS = {"get", "post", "patch", "delete"}


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    return create_app(create_engine("postgresql+psycopg://")).openapi()


def operations(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {o["operationId"]: o for path in spec["paths"].values() for o in path.values()}


def test_first_surface_is_complete(spec: dict[str, Any]) -> None:
    assert len(operations(spec)) == 42
    for path in spec["paths"].values():
        assert path.keys() <= METHODS
    for operation in operations(spec).values():
        assert operation["summary"]
        assert len(operation["description"]) > 15
        assert operation["tags"]
        assert operation["security"] == [{"APIKeyHeader": []}]
    for name, schema in spec["components"]["schemas"].items():
        if name.endswith(("In", "Patch", "Ref", "Refs")):
            assert schema["additionalProperties"] is False, name
        if name.endswith("Patch"):
            assert "required" not in schema
            assert not any("default" in field for field in schema["properties"].values())


def test_second_surface_only_changes_words(spec: dict[str, Any]) -> None:
    original = copy.deepcopy(spec)
    improved = improve(spec)
    assert spec == original
    assert improved["paths"].keys() == spec["paths"].keys()
    assert operations(improved).keys() == operations(spec).keys()

    def without_words(part: Any) -> Any:
        if isinstance(part, dict):
            words = {"description", "summary", "tags"}
            return {key: without_words(value) for key, value in part.items() if key not in words}
        return [without_words(each) for each in part] if isinstance(part, list) else part

    assert without_words(improved) == without_words(spec)


def test_second_surface_calls_work_items_issues(spec: dict[str, Any]) -> None:
    before, after = operations(spec), operations(improve(spec))
    for name, operation in before.items():
        said = f"{operation['summary']} {operation['description']}".lower()
        assert ("work item" in said) == ("issue" in f"{after[name]['summary']} {after[name]['description']}"), name
    assert after["update_work_item"]["summary"] == "Update work item (issue)"
    assert after["search_work_items"]["tags"] == ["work items", "issues"]
    pk = next(p for p in after["update_work_item"]["parameters"] if p["name"] == "pk")
    assert "not id" in pk["description"]
