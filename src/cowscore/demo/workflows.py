"""The 20 workflows as data, and the pure function that turns one into elementary changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from cowscore.demo.seed import member_id
from cowscore.errors import UnknownName

Json = Mapping[str, Any]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Condition(_Data):
    """What a work item must be like; every part given must hold. See workflows.yaml."""

    state: tuple[str, ...] | None = None
    not_state: tuple[str, ...] = ()
    priority: tuple[str, ...] | None = None
    label: tuple[str, ...] | None = None
    not_label: tuple[str, ...] = ()
    assignee: str | None = None
    unassigned: bool | None = None

    def holds(self, item: Item) -> bool:
        """Whether the work item is like that."""
        return (
            (self.state is None or item.state in self.state)
            and item.state not in self.not_state
            and (self.priority is None or item.priority in self.priority)
            and (self.label is None or not item.labels.isdisjoint(self.label))
            and item.labels.isdisjoint(self.not_label)
            and (self.assignee is None or self.assignee in item.assignees)
            and (self.unassigned is None or self.unassigned == (not item.assignees))
        )


class Action(_Data):
    """What to do with a work item for which `when` holds."""

    when: Condition = Condition()
    set_state: str | None = None
    set_priority: str | None = None
    add_label: str | None = None
    remove_label: str | None = None
    assign: str | None = None


class NewLabel(_Data):
    """A label to create before it is put on work items."""

    name: str
    color: str


class Rule(_Data):
    """A workflow for the interpreter: which work items, and what to do with each."""

    select: Condition
    actions: tuple[Action, ...]
    create_label: NewLabel | None = None


class Workflow(_Data):
    """One task of the demo. `prompt` is complete: an agent needs nothing else."""

    name: str
    prompt: str
    project: str
    """Identifier of the project, e.g. PSP."""
    tags: tuple[str, ...]
    rule: Rule
    operations: int
    """Mutating API calls of its recording, as the paper's Table 4 counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A work item with names instead of ids."""

    state: str
    priority: str
    labels: frozenset[str]
    assignees: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One elementary change: a label created, or one field of one work item set.

    `body` is the request body. Labels that an earlier step creates have no id yet: their names are in `new_labels`,
    and `completed` adds their ids.
    """

    operation: Literal["create_label", "update_work_item"]
    body: Mapping[str, Any]
    pk: str | None = None
    """Id of the work item, None for a label."""
    new_labels: tuple[str, ...] = ()

    def completed(self, created: Mapping[str, str]) -> dict[str, Any]:
        """The body to send, given the ids of the labels created so far by name."""
        body = dict(self.body)
        if self.new_labels:
            body["label_ids"] = [*body["label_ids"], *(created[name] for name in self.new_labels)]
        return body


@cache
def workflows() -> tuple[Workflow, ...]:
    """All workflows in the order of the paper's Table 4."""
    text = resources.files("cowscore.demo").joinpath("workflows.yaml").read_text(encoding="utf-8")
    return tuple(_workflow(entry) for entry in yaml.safe_load(text))


def workflow(name: str) -> Workflow:
    """The workflow called `name`. Raises UnknownName."""
    for candidate in workflows():
        if candidate.name == name:
            return candidate
    raise UnknownName(f"no workflow is called {name!r}; there are: {', '.join(w.name for w in workflows())}")


def _workflow(entry: Json) -> Workflow:
    prompt = entry["prompt"].format_map(_Mentions())
    return Workflow.model_validate({**entry, "prompt": prompt})


class _Mentions(dict[str, str]):
    """Replaces {alice} by a mention with the member's id."""

    def __missing__(self, handle: str) -> str:
        return f"@{handle} (user id: {member_id(handle)})"


def plan(
    workflow: Workflow,
    work_items: Sequence[Json],
    labels: Sequence[Json],
    states: Sequence[Json],
    members: Sequence[Json],
) -> list[Step]:
    """The elementary changes that carry out `workflow`, in order; pure, over JSON as the tracker's API gives it.

    `work_items` are all (or at least the selected) work items of the workflow's project, `labels` and `states` those of
    the project. Fields that already have the wanted value give no step. A label of the rule that exists is not created.
    """
    rule = workflow.rule
    names = _Names(
        states={state["id"]: state["name"] for state in states},
        labels={label["id"]: label["name"] for label in labels},
        members={member["id"]: member["handle"] for member in members},
    )
    steps: list[Step] = []
    if rule.create_label is not None and rule.create_label.name not in names.labels.values():
        steps.append(Step(operation="create_label", body=rule.create_label.model_dump()))
    for raw in work_items:
        item = names.item(raw)
        if rule.select.holds(item):
            steps.extend(_steps(raw["id"], item, _wanted(rule, item), names))
    return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """Ids to names, of the states and labels of one project and the members of the workspace."""

    states: Mapping[str, str]
    labels: Mapping[str, str]
    members: Mapping[str, str]

    def item(self, raw: Json) -> Item:
        return Item(
            state=self.states[raw["state_id"]],
            priority=raw["priority"],
            labels=frozenset(self.labels[label] for label in raw["label_ids"]),
            assignees=frozenset(self.members[member] for member in raw["assignee_ids"]),
        )


def _wanted(rule: Rule, item: Item) -> Item:
    """The work item as the rule's actions leave it. Conditions look at the work item as it was found."""
    state, priority, labels, assignees = item.state, item.priority, item.labels, item.assignees
    for action in rule.actions:
        if not action.when.holds(item):
            continue
        state = action.set_state or state
        priority = action.set_priority or priority
        labels = (labels | {action.add_label or ""}) - {action.remove_label or "", ""}
        assignees = frozenset({action.assign}) if action.assign else assignees
    return Item(state=state, priority=priority, labels=labels, assignees=assignees)


def _steps(pk: str, found: Item, wanted: Item, names: _Names) -> list[Step]:
    steps = []
    if wanted.state != found.state:
        body: dict[str, Any] = {"state_id": _ids(names.states)[wanted.state]}
        steps.append(Step(operation="update_work_item", pk=pk, body=body))
    if wanted.labels != found.labels:
        known = _ids(names.labels)
        body = {"label_ids": [known[name] for name in sorted(wanted.labels) if name in known]}
        new = tuple(sorted(wanted.labels - known.keys()))
        steps.append(Step(operation="update_work_item", pk=pk, body=body, new_labels=new))
    if wanted.priority != found.priority:
        steps.append(Step(operation="update_work_item", pk=pk, body={"priority": wanted.priority}))
    if wanted.assignees != found.assignees:
        body = {"assignee_ids": [_ids(names.members)[handle] for handle in sorted(wanted.assignees)]}
        steps.append(Step(operation="update_work_item", pk=pk, body=body))
    return steps


def _ids(names: Mapping[str, str]) -> dict[str, str]:
    return {name: identifier for identifier, name in names.items()}
