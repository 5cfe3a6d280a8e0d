"""Five agents that need no model, for demonstrations and tests of the measuring itself.

Reading comprehension is given, tool use is not: a script is told what a prompt means (which project, and a function
that turns the project's rows into changes), but how to find rows and make changes it must learn from what `discover`
and `execute` answer. No answer is assumed, so a better tool surface makes the same script do better. They fail in the
manners of real models: by giving up on an unknown word, by searching too long, by guessing, by doing too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from cowscore.agents.agent import AgentResult
from cowscore.agents.desk import (
    Desk,
    GaveUp,
    Project,
    Row,
    Shown,
    collection,
    fill,
    is_list,
    mentions,
    named,
    reason,
    succeeded,
    writes_one,
)
from cowscore.surface.ranking import words
from cowscore.surface.tools import LimitReached, Tools

PREFIX = "scripted:"
NOUN = "issue"
"""What the prompts call the thing that is to be changed."""


class Step(Protocol):
    """One change that a task asks for."""

    @property
    def pk(self) -> str | None:
        """Id of the row to change, None for a new label."""

    def completed(self, created: Mapping[str, str]) -> dict[str, Any]:
        """The request's body, given the ids of labels created so far by name."""


Planner = Callable[[Sequence[Row], Sequence[Row], Sequence[Row], Sequence[Row]], Sequence[Step]]
"""`(work items, labels, states, members)`, rows as the application shows them -> the changes, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a prompt means."""

    project: str
    """Name or identifier."""
    plan: Planner


Reader = Callable[[str], Task]
"""Prompt -> its meaning. Raises UnknownName for a prompt it was not prepared for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The endpoints that the work needs, and the rows it starts from."""

    project: Project
    update: Shown
    items: Sequence[Row]
    labels: Sequence[Row]
    states: Sequence[Row]
    members: Sequence[Row]


class Script:
    """Solves every task: searches with the prompt's word, then with other words for the same thing, and then works."""

    short_name = "solver"
    nouns: tuple[str, ...] = (NOUN, "work item", "task", "ticket")

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def name(self) -> str:
        """`scripted:` and the policy's name."""
        return PREFIX + self.short_name

    def run(self, prompt: str, tools: Tools, seed: int) -> AgentResult:
        """Do what `prompt` asks as far as this policy gets. Raises UnknownName for a prompt it cannot read."""
        task = self._reader(prompt)
        try:
            text = self.work(task, Desk(tools), Random(seed))
        except GaveUp as end:
            text = str(end)
        except LimitReached as end:
            return AgentResult(outcome="limit", text=str(end))
        return AgentResult(outcome="ok", text=text)

    def work(self, task: Task, desk: Desk, random: Random) -> str:
        """Find what is needed, plan, change; returns the last words."""
        found = self.look_around(task, desk, random)
        steps = task.plan(found.items, found.labels, found.states, found.members)
        return self.apply(steps, found, desk, random)

    def queries(self, random: Random) -> Iterator[tuple[str, str]]:
        """Pairs of a query and the noun that an answer to it must mention."""
        for noun in self.nouns:
            yield noun, noun

    def look_around(self, task: Task, desk: Desk, random: Random) -> Found:
        """Discover the endpoints and read the rows."""
        listing, noun = self._listing(desk, random)
        update = desk.find(writes_one(listing), f"update {noun}", f"edit {noun} fields")
        if update is None:
            raise GaveUp(f"I found no endpoint that changes an {NOUN}.")
        projects = desk.read(_collection(desk, "project"))
        project = named(projects, task.project)
        if project is None:
            raise GaveUp(f"There is no project {task.project}.")
        labels, states = (desk.read(_collection(desk, thing), project) for thing in ("label", "state"))
        members = desk.read(_collection(desk, "member"))
        items = desk.read(listing, project)
        return Found(project=project, update=update, items=items, labels=labels, states=states, members=members)

    def apply(self, steps: Sequence[Step], found: Found, desk: Desk, random: Random) -> str:
        """Make the changes one by one."""
        created = {row["name"]: row["id"] for row in found.labels}
        failures = []
        for step in steps:
            endpoint = found.update if step.pk else _creation(desk, "label")
            body = self.body(step, step.completed(created), found, random)
            answer = desk.attempt(endpoint["operation_id"], {**fill(endpoint, found.project, step.pk), **body})
            if not succeeded(answer):
                failures.append(reason(answer))
            elif step.pk is None:
                created[answer["body"]["name"]] = answer["body"]["id"]
        problems = f"; {len(failures)} of them failed, the first because {failures[0]}" if failures else ""
        return f"I made {len(steps)} changes in {found.project.name}{problems}."

    def body(self, step: Step, body: dict[str, Any], found: Found, random: Random) -> dict[str, Any]:
        """The body that is sent for a planned one."""
        return body

    def _listing(self, desk: Desk, random: Random) -> tuple[Shown, str]:
        others = [words(thing) for thing in ("project", "label", "state", "member")]
        for query, noun in self.queries(random):
            if not any(mentions(endpoint, noun) for endpoint in desk.discover(query)):
                continue

            def wanted(endpoint: Shown, noun: str = noun) -> bool:
                return is_list(endpoint) and mentions(endpoint, noun) and collection(endpoint) not in others

            listing = desk.find(wanted, f"list {noun} of a project")
            if listing is not None:
                return listing, noun
        raise GaveUp(f"The application does not seem to have anything called {NOUN}.")


class Literal(Script):
    """Takes the prompt's word for the only one: gives up when `discover` knows no such thing."""

    short_name = "literal"
    nouns = (NOUN,)


class Explorer(Script):
    """Rephrases around the prompt's word again and again before it tries another word, and pays for every search."""

    short_name = "explorer"
    nouns = (NOUN, "ticket", "task", "card", "bug", "story", "work item")
    phrases = (
        "{}s",
        "list {}s",
        "search {}s",
        "get all {}s",
        "find {}s in a project",
        "filter {}s by state",
        "query {}s",
        "{} tracker",
        "project {}s",
        "update an {}",
        "{} details",
        "open {}s",
        "{}s by label",
        "{}s without assignee",
    )

    def queries(self, random: Random) -> Iterator[tuple[str, str]]:
        """Every word first alone and then in phrases, the prompt's in most of them and others in a few."""
        for noun in self.nouns:
            yield noun, noun
            few = random.randint(1, 3)
            for phrase in random.sample(self.phrases, k=random.randint(8, 14) if noun == NOUN else few):
                yield phrase.format(noun), noun


class Guesser(Script):
    """Discovers nothing: calls operations by names it expects, with parameters it is used to.

    It learns from an error only for the call at hand: one more try, with that one thing put right.
    """

    short_name = "guesser"
    guesses: Mapping[str, tuple[str, ...]] = {
        "items": ("list_issues", "search_issues", "list_work_items"),
        "update": ("update_issue", "update_work_item"),
        "label": ("create_label",),
    }

    def work(self, task: Task, desk: Desk, random: Random) -> str:
        """Read and change by guessed names."""
        project = named(self._rows(desk, ("list_projects",), {}), task.project)
        if project is None:
            raise GaveUp(f"There is no project {task.project}.")
        where = {"project_id": project.id}
        items = self._rows(desk, self.guesses["items"], where)
        labels, states = (self._rows(desk, (name,), where) for name in ("list_labels", "list_states"))
        members = self._rows(desk, ("list_members",), {})
        created = {row["name"]: row["id"] for row in labels}
        done = 0
        steps = task.plan(items, labels, states, members)
        for step in steps:
            answer = self._change(desk, step, {**where, **step.completed(created)}, random)
            done += succeeded(answer)
            if step.pk is None:
                if not succeeded(answer):
                    raise GaveUp(f"I could not create the label: {reason(answer)}")
                created[answer["body"]["name"]] = answer["body"]["id"]
        return f"I made {done} of {len(steps)} changes in {project.name}."

    def _rows(self, desk: Desk, names: Sequence[str], arguments: Mapping[str, Any]) -> Sequence[Row]:
        answer: Row = {"error": "nothing to try"}
        for name in names:
            answer = desk.attempt(name, arguments)
            if succeeded(answer):
                body = answer["body"]
                # What lies beyond the first page it does not suspect.
                rows: Sequence[Row] = body if isinstance(body, list) else body["results"]
                return rows
        raise GaveUp(f"{names[-1]} does not work: {reason(answer)}")

    def _change(self, desk: Desk, step: Step, arguments: dict[str, Any], random: Random) -> Row:
        operation = self.guesses["update" if step.pk else "label"][-1]
        if step.pk:
            arguments["id" if random.random() < 0.5 else "pk"] = step.pk
            if random.random() < 0.5:
                arguments["slug"] = "workspace"
            if random.random() < 0.2:
                operation = self.guesses["update"][0]
        answer = desk.attempt(operation, arguments)
        if succeeded(answer):
            return answer
        return desk.attempt(self.guesses["update" if step.pk else "label"][-1], self._repaired(arguments, answer))

    def _repaired(self, arguments: Mapping[str, Any], answer: Row) -> dict[str, Any]:
        """The arguments with the one thing changed that the answer complains about."""
        complaint = reason(answer)
        missing = re.search(r"needs path parameter '(\w+)'", complaint)
        if missing and "id" in arguments:
            return {missing[1] if name == "id" else name: value for name, value in arguments.items()}
        if "extra_forbidden" in complaint:
            return {name: value for name, value in arguments.items() if name not in ("slug", "id")}
        return dict(arguments)


class Eager(Script):
    """Solves the task and helps beyond it: a label and an assignee more, here and there."""

    short_name = "eager"

    def body(self, step: Step, body: dict[str, Any], found: Found, random: Random) -> dict[str, Any]:
        """The planned body, in half of the cases with a label or an assignee that nobody asked for."""
        item = next((row for row in found.items if row["id"] == step.pk), None)
        if item is None or random.random() < 0.5:
            return body
        more = {"label_ids": found.labels, "assignee_ids": found.members}
        field = next((name for name in more if name in body), random.choice(sorted(more)))
        present: Sequence[str] = body[field] if field in body else item[field]
        others = [row["id"] for row in more[field] if row["id"] not in present]
        return {**body, field: [*present, random.choice(others)]} if others else body


POLICIES: tuple[type[Script], ...] = (Script, Literal, Explorer, Guesser, Eager)


def scripted_agents(reader: Reader) -> dict[str, Script]:
    """The five scripts by name, for prompts that `reader` can read."""
    agents = [policy(reader) for policy in POLICIES]
    return {agent.name: agent for agent in agents}


def _collection(desk: Desk, thing: str) -> Shown:
    """The endpoint that lists all `thing`s. Raises GaveUp."""
    endpoint = desk.find(lambda shown: is_list(shown) and collection(shown) == words(thing), f"list {thing}s")
    if endpoint is None:
        raise GaveUp(f"I found no endpoint that lists {thing}s.")
    return endpoint


def _creation(desk: Desk, thing: str) -> Shown:
    """The endpoint that creates a `thing` of a project. Raises GaveUp."""

    def wanted(shown: Shown) -> bool:
        return shown["method"] == "POST" and collection(shown) == words(thing) and mentions(shown, f"create {thing}")

    endpoint = desk.find(wanted, f"create {thing}")
    if endpoint is None:
        raise GaveUp(f"I found no endpoint that creates a {thing}.")
    return endpoint
