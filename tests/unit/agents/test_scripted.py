"""What scripts do before they need the application: reading what `discover` shows, giving up, searching on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from cowscore.agents.desk import collection, fill, is_list, mentions, named, writes_one
from cowscore.agents.scripted import Task, scripted_agents
from cowscore.surface.openapi import Surface
from cowscore.surface.tools import Tools


def operation(name: str, words: str = "", **query: bool) -> dict[str, Any]:
    parameters = [{"name": n, "in": "query", "required": r, "schema": {}} for n, r in query.items()]
    return {"operationId": name, "summary": name.replace("_", " "), "description": words, "parameters": parameters}


PATHS = {
    "/projects": {"get": operation("list_projects")},
    "/work-items/search": {"get": operation("search_work_items", query=True)},
    "/projects/{project_id}/work-items": {"get": operation("list_work_items", limit=False)},
    "/projects/{project_id}/work-items/{pk}": {
        "get": operation("retrieve_work_item"),
        "patch": operation("update_work_item"),
    },
    "/projects/{project_id}/work-items/{pk}/labels": {"post": operation("add_work_item_label")},
}


@pytest.fixture
def surface() -> Iterator[Surface]:
    # Nothing is executed in these tests: the address leads nowhere.
    with httpx.Client(base_url="http://127.0.0.1:1") as client:
        yield Surface({"openapi": "3.1.0", "paths": PATHS}, client)


def shown(surface: Surface, name: str) -> dict[str, Any]:
    return surface.endpoints[name].describe()


def test_endpoints_are_understood_from_what_discover_shows(surface: Surface) -> None:
    listing, update = shown(surface, "list_work_items"), shown(surface, "update_work_item")
    assert mentions(listing, "work item")
    assert not mentions(listing, "issue")
    assert not mentions(listing, "item work items")
    assert collection(update) == ["work", "item"]
    assert [e for e in surface.endpoints if is_list(shown(surface, e))] == ["list_projects", "list_work_items"]
    assert [e for e in surface.endpoints if writes_one(listing)(shown(surface, e))] == ["update_work_item"]


def test_paths_are_filled_with_project_and_row(surface: Surface) -> None:
    rows = [{"id": "1", "identifier": "A", "name": "Alpha"}, {"id": "2", "identifier": "B", "name": "Beta"}]
    project = named(rows, "B")
    assert project is not None
    assert project == named(rows, "Beta")
    assert named(rows, "C") is None
    assert fill(shown(surface, "update_work_item"), project, "9") == {"project_id": "2", "pk": "9"}


def nothing(prompt: str) -> Task:
    return Task(project="A", plan=lambda *rows: [])


def test_literal_gives_up_at_once_and_explorer_searches_on(surface: Surface) -> None:
    agents = scripted_agents(nothing)
    assert all(name.startswith("scripted:") and agent.name == name for name, agent in agents.items())
    literal = Tools(surface, None)
    result = agents["scripted:literal"].run("", literal, seed=1)
    assert (result.outcome, result.text) == ("ok", "The application does not seem to have anything called issue.")
    assert [call.arguments for call in literal.calls] == [{"query": "issue"}]

    explorer = Tools(surface, None, limit=15)
    result = agents["scripted:explorer"].run("", explorer, seed=1)
    assert result.outcome == "limit"
    assert {call.tool for call in explorer.calls} == {"discover"}


def test_the_same_seed_makes_the_same_calls(surface: Surface) -> None:
    explorer = scripted_agents(nothing)["scripted:explorer"]

    def queries(seed: int) -> list[Any]:
        tools = Tools(surface, None, limit=15)
        explorer.run("", tools, seed)
        return [call.arguments["query"] for call in tools.calls]

    assert queries(1) == queries(1) != queries(2)
