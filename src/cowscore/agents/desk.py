"""What a scripted agent knows while it works: the endpoints that `discover` has shown it, and how to call them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cowscore.surface.ranking import words
from cowscore.surface.tools import Tools

Shown = Mapping[str, Any]
"""An endpoint as `discover` shows it."""
Row = Mapping[str, Any]

_PARAMETER = re.compile(r"\{[^}]*\}")


class GaveUp(Exception):
    """The script sees no way on; the message is its last words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Where the work is: the id that endpoints of the project ask for."""

    id: str
    name: str


class Desk:
    """The tools, and a memory of the endpoints they have shown."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._known: dict[str, Shown] = {}

    def discover(self, query: str) -> list[Shown]:
        """Ask, remember what is shown and return it."""
        found: list[Shown] = self._tools.discover(query)["endpoints"]
        self._known |= {endpoint["operation_id"]: endpoint for endpoint in found}
        return found

    def find(self, wanted: Callable[[Shown], bool], *queries: str) -> Shown | None:
        """The known endpoint that is `wanted`, fewest path parameters first; asks `queries` until there is one."""
        for query in (None, *queries):
            if query is not None:
                self.discover(query)
            fitting = [endpoint for endpoint in self._known.values() if wanted(endpoint)]
            if fitting:
                return min(fitting, key=lambda endpoint: endpoint["path"].count("{"))
        return None

    def read(self, endpoint: Shown, project: Project | None = None) -> list[Row]:
        """All rows of a list endpoint, page after page."""
        arguments = fill(endpoint, project)
        limit = next((item for item in endpoint["parameters"] if item["name"] == "limit"), None)
        if limit is not None:
            arguments["limit"] = limit["schema"].get("maximum", 100)
        rows: list[Row] = []
        while True:
            body = self.call(endpoint["operation_id"], arguments)
            if isinstance(body, list):
                return body
            rows += body["results"]
            if not body["results"] or len(rows) >= body["total"]:
                return rows
            arguments["offset"] = len(rows)

    def call(self, operation_id: str, arguments: Mapping[str, Any]) -> Any:
        """The body of a successful answer. Raises GaveUp for any other."""
        answer = self.attempt(operation_id, arguments)
        if not succeeded(answer):
            raise GaveUp(f"{operation_id} failed: {reason(answer)}")
        return answer["body"]

    def attempt(self, operation_id: str, arguments: Mapping[str, Any]) -> Row:
        """The answer, whatever it is."""
        return self._tools.execute(operation_id, arguments)


def succeeded(answer: Row) -> bool:
    """True for an answer with a status below 400."""
    return "status" in answer and answer["status"] < 400


def reason(answer: Row) -> str:
    """Why an answer is no success."""
    return str(answer.get("error") or answer.get("body"))


def mentions(endpoint: Shown, noun: str) -> bool:
    """Whether the endpoint's own words contain those of `noun`, one after the other."""
    text = " ".join(str(endpoint[part]) for part in ("operation_id", "summary", "description", "path"))
    said, sought = words(text), words(noun)
    return any(said[at : at + len(sought)] == sought for at in range(len(said)))


def collection(endpoint: Shown) -> list[str]:
    """Words of the last fixed part of the path: `/projects/{id}/work-items/{pk}` gives work, item."""
    fixed = [part for part in endpoint["path"].split("/") if part and not _PARAMETER.fullmatch(part)]
    return words(fixed[-1]) if fixed else []


def is_list(endpoint: Shown) -> bool:
    """A GET whose required parameters all name a project: it can be called once the project is known."""
    required = [item["name"] for item in endpoint["parameters"] if item["required"]]
    plain = not endpoint["path"].endswith("}")
    return endpoint["method"] == "GET" and plain and all("project" in words(name) for name in required)


def writes_one(listing: Shown) -> Callable[[Shown], bool]:
    """Tells the endpoint that changes one row of what `listing` lists."""

    def wanted(endpoint: Shown) -> bool:
        inner = endpoint["path"].removeprefix(listing["path"] + "/")
        return endpoint["method"] in ("PATCH", "PUT") and _PARAMETER.fullmatch(inner) is not None

    return wanted


def fill(endpoint: Shown, project: Project | None, pk: str | None = None) -> dict[str, Any]:
    """Arguments for the endpoint's path: the project's id where a name says project, `pk` for the rest."""
    names = [name[1:-1] for name in _PARAMETER.findall(endpoint["path"])]
    project_id = project.id if project else None
    return {name: project_id if "project" in words(name) else pk for name in names}


def named(rows: Sequence[Row], name: str) -> Project | None:
    """The project among `rows` that has `name` as its identifier or name."""
    for row in rows:
        if name in (row.get("identifier"), row.get("name")):
            return Project(id=row["id"], name=row["name"])
    return None
