"""Carries out a workflow over the tracker's HTTP API, call by call: how the demo records its ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx

from cowscore.demo.workflows import Workflow, plan
from cowscore.errors import CowscoreError, UnknownName
from cowscore.integrations.headers import OPERATION_HEADER, SESSION_HEADER

_PAGE = 100


class RecordingFailed(CowscoreError):
    """The application refused a call of a recording; the message has method, path, status and answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One mutating call of a recording."""

    method: str
    path: str
    body: Mapping[str, Any]
    status: int
    operation: UUID


def record(client: httpx.Client, workflow: Workflow, key: str, session: UUID | None = None) -> list[Call]:
    """Carry out `workflow` with one call for each elementary change; returns these calls in order.

    `client` has the tracker's base URL, `key` is the secret of an API key. With a `session` every request is made
    inside it, each under an operation of its own; without, the calls change the application's data.
    Raises RecordingFailed as soon as the application refuses a call.
    """
    return _Recorder(client, key, session).run(workflow)


class _Recorder:
    def __init__(self, client: httpx.Client, key: str, session: UUID | None) -> None:
        self.client = client
        self.headers = {"X-Api-Key": key}
        if session is not None:
            self.headers[SESSION_HEADER] = str(session)
        self.in_session = session is not None
        self.calls: list[Call] = []

    def run(self, workflow: Workflow) -> list[Call]:
        project = self.project(workflow.project)
        path = f"/projects/{project}"
        labels, states = self.read(f"{path}/labels"), self.read(f"{path}/states")
        steps = plan(workflow, self.work_items(path), labels, states, self.read("/members"))
        created: dict[str, str] = {}
        for step in steps:
            body = step.completed(created)
            if step.operation == "create_label":
                created[body["name"]] = self.change("POST", f"{path}/labels", body)["id"]
            else:
                self.change("PATCH", f"{path}/work-items/{step.pk}", body)
        return self.calls

    def project(self, identifier: str) -> str:
        projects = {project["identifier"]: project["id"] for project in self.read("/projects")}
        if identifier not in projects:
            raise UnknownName(f"the tracker has no project {identifier!r}, only {', '.join(projects)}; seed it first")
        found: str = projects[identifier]
        return found

    def work_items(self, path: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        while True:
            page = self.read(f"{path}/work-items?limit={_PAGE}&offset={len(items)}")
            items += page["results"]
            if not page["results"] or len(items) >= page["total"]:
                return items

    def read(self, path: str) -> Any:
        return self.send("GET", path, None, uuid4()).json()

    def change(self, method: str, path: str, body: dict[str, Any]) -> Any:
        operation = uuid4()
        response = self.send(method, path, body, operation)
        call = Call(method=method, path=path, body=body, status=response.status_code, operation=operation)
        self.calls.append(call)
        return response.json()

    def send(self, method: str, path: str, body: dict[str, Any] | None, operation: UUID) -> httpx.Response:
        headers = self.headers | ({OPERATION_HEADER: str(operation)} if self.in_session else {})
        response = self.client.request(method, path, json=body, headers=headers)
        if response.is_error:
            raise RecordingFailed(f"{method} {path} was answered with {response.status_code}: {response.text[:500]}")
        return response
