"""Fills an empty tracker with the demo's data. Every id and time is fixed, so two seeded databases are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import yaml
from sqlalchemy import Engine, insert

from cowscore.demo.tracker.access import digest
from cowscore.demo.tracker.tables import (
    ApiKey,
    Base,
    Label,
    Member,
    Project,
    State,
    WorkItem,
    WorkItemAssignee,
    WorkItemLabel,
    Workspace,
)

ADMIN = "blub"
_IDS = uuid5(NAMESPACE_URL, "https://tracker.example/seed")
_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_WORKSPACE = "workspace"

Row = dict[str, Any]
TableRow = tuple[type[Base], Row]


def seed_id(*path: str) -> UUID:
    """The id of a seeded row from what it is, e.g. ("member", "alice"), ("label", "PSP", "bug")."""
    return uuid5(_IDS, "/".join(path))


def member_id(handle: str) -> UUID:
    """The id of a seeded member."""
    return seed_id("member", handle)


def api_key(handle: str = ADMIN) -> str:
    """The secret of a seeded member's API key, by default the admin's. The demo's data is public, its keys too."""
    return f"tracker-demo-{handle}"


def seed(engine: Engine) -> None:
    """Insert the demo's data in one transaction. Raises IntegrityError if it is there already."""
    text = resources.files("cowscore.demo").joinpath("seed.yaml").read_text(encoding="utf-8")
    with engine.begin() as connection:
        batches: dict[type[Base], list[Row]] = {}
        for table, row in _rows(yaml.safe_load(text)):
            batches.setdefault(table, []).append(row)
        # Rows come in an order in which every foreign key finds its target.
        for table, rows in batches.items():
            connection.execute(insert(table), rows)


def _rows(data: Mapping[str, Any]) -> Iterator[TableRow]:
    yield Workspace, _row(0, _WORKSPACE, **data["workspace"])
    for number, member in enumerate(data["members"]):
        email = f"{member['handle']}@tracker.example"
        yield Member, _row(number, "member", member["handle"], workspace_id=seed_id(_WORKSPACE), email=email, **member)
    for number, member in enumerate(data["members"]):
        handle = member["handle"]
        secret = digest(api_key(handle))
        yield ApiKey, _row(number, "api key", handle, member_id=member_id(handle), name="demo", digest=secret)
    for number, project in enumerate(data["projects"]):
        yield from _project(number, project, data["states"])


def _project(number: int, project: Mapping[str, Any], states: list[Mapping[str, str]]) -> Iterator[TableRow]:
    prefix = project["identifier"]
    project_id = seed_id("project", prefix)
    yield (
        Project,
        _row(
            number,
            "project",
            prefix,
            workspace_id=seed_id(_WORKSPACE),
            lead_id=member_id(project["lead"]),
            identifier=prefix,
            name=project["name"],
            description=project["description"],
        ),
    )
    for position, state in enumerate(states):
        yield State, _row(position, "state", prefix, state["name"], project_id=project_id, position=position, **state)
    for position, (name, color) in enumerate(project["labels"].items()):
        yield Label, _row(position, "label", prefix, name, project_id=project_id, name=name, color=color)
    for sequence_id, work_item in enumerate(project["work_items"], start=1):
        yield from _work_item(prefix, sequence_id, work_item)


def _work_item(prefix: str, sequence_id: int, work_item: Mapping[str, Any]) -> Iterator[TableRow]:
    fields = work_item["fields"]
    number = str(sequence_id)
    pk = seed_id("work item", prefix, number)
    yield (
        WorkItem,
        _row(
            sequence_id,
            "work item",
            prefix,
            number,
            project_id=seed_id("project", prefix),
            state_id=seed_id("state", prefix, fields["state"]),
            created_by=member_id(ADMIN),
            sequence_id=sequence_id,
            name=work_item["name"],
            description=work_item["description"],
            priority=fields["priority"],
        ),
    )
    for label in fields["labels"]:
        path = ("work item label", prefix, number, label)
        yield WorkItemLabel, _row(sequence_id, *path, work_item_id=pk, label_id=seed_id("label", prefix, label))
    if "assignee" in fields:
        path = ("work item assignee", prefix, number, fields["assignee"])
        yield WorkItemAssignee, _row(sequence_id, *path, work_item_id=pk, member_id=member_id(fields["assignee"]))


def _row(minutes: int, *path: str, **columns: Any) -> Row:
    """A row with its fixed id and times; `minutes` after the start keeps the order of the file visible in the data."""
    moment = _START + timedelta(minutes=minutes)
    return {"id": seed_id(*path), "created_at": moment, "updated_at": moment, **columns}
