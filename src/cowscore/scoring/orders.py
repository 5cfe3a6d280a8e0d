"""The orders in which operations can come, each after those it depends on: all of them at once, or a seeded sample.

Operations that depend on each other, directly or through others, form a part; parts do not care about each other. A
part is looked at as a random order passing through states: at step j, so many matched and so many extra rows were
written, and one more operation follows. Operations of a part with the same rows, the same needs and the same followers
are interchangeable and counted as a class, so that one project and its fifty tasks have 51 states, not 2^50.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

STATES = 20_000
"""States of a part that are enumerated, at most; a part with more is sampled."""
SAMPLES = 512
BATCHES = 16
"""Samples are drawn in batches, whose spread gives the error."""

Rows = tuple[int, int]
"""Matched and extra rows that an operation wrote last."""
Step = tuple[int, int, int, int]
"""Place 0, 1, .. in the order; matched and extra rows before it; index of the class that comes there."""
Steps = dict[Step, float]
"""Step -> its probability. Probabilities of one place add up to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """Interchangeable operations."""

    members: tuple[UUID, ...]
    rows: Rows
    """Of each member."""
    needs: tuple[int, ...]
    """Classes of the part all of whose members come before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Operations connected by dependencies, and how a uniformly random order goes through them."""

    classes: tuple[Class, ...]
    number: int
    """How many such parts there are: single operations with the same rows are kept as one part."""
    batches: tuple[Steps, ...]
    """One for an enumerated part."""

    @property
    def size(self) -> int:
        """Number of operations."""
        return sum(len(c.members) for c in self.classes) // self.number


def parts(rows: Mapping[UUID, Rows], needs: Mapping[UUID, Sequence[UUID]], seed: int) -> list[Part]:
    """All operations (the keys of `rows`) by part. `needs` must be free of circles; deterministic for a seed."""
    alone: dict[Rows, list[UUID]] = {}
    found = []
    for members in _connected(rows, needs):
        if len(members) == 1:
            alone.setdefault(rows[members[0]], []).append(members[0])
            continue
        classes = _classes(members, rows, needs)
        steps = _enumerate(classes)
        batches = (steps,) if steps is not None else _sample(classes, random.Random(seed))
        found.append(Part(classes=classes, number=1, batches=batches))
    for kind, single in alone.items():
        lone = Class(members=tuple(single), rows=kind, needs=())
        found.append(Part(classes=(lone,), number=len(single), batches=({(0, 0, 0, 0): 1.0},)))
    return found


def _connected(rows: Mapping[UUID, Rows], needs: Mapping[UUID, Sequence[UUID]]) -> list[list[UUID]]:
    """Operations grouped by connection, in the order of `rows`."""
    root: dict[UUID, UUID] = {operation: operation for operation in rows}

    def find(operation: UUID) -> UUID:
        while root[operation] != operation:
            root[operation] = root[root[operation]]
            operation = root[operation]
        return operation

    for operation, before in needs.items():
        for other in before:
            root[find(operation)] = find(other)
    groups: dict[UUID, list[UUID]] = {}
    for operation in rows:
        groups.setdefault(find(operation), []).append(operation)
    return list(groups.values())


def _classes(
    members: Sequence[UUID], rows: Mapping[UUID, Rows], needs: Mapping[UUID, Sequence[UUID]]
) -> tuple[Class, ...]:
    followers: dict[UUID, set[UUID]] = {}
    for operation in members:
        for other in needs.get(operation, ()):
            followers.setdefault(other, set()).add(operation)
    groups: dict[object, list[UUID]] = {}
    for operation in members:
        alike = rows[operation], frozenset(needs.get(operation, ())), frozenset(followers.get(operation, ()))
        groups.setdefault(alike, []).append(operation)
    index = {operation: i for i, group in enumerate(groups.values()) for operation in group}
    return tuple(
        Class(
            members=tuple(group),
            rows=rows[group[0]],
            needs=tuple(sorted({index[other] for other in needs.get(group[0], ())})),
        )
        for group in groups.values()
    )


def _ready(state: Sequence[int], classes: Sequence[Class]) -> list[int]:
    """Classes of which a member may come next; `state` counts the members of each class that came."""
    return [
        i
        for i, c in enumerate(classes)
        if state[i] < len(c.members) and all(state[n] == len(classes[n].members) for n in c.needs)
    ]


def _enumerate(classes: Sequence[Class]) -> Steps | None:
    """Exact probabilities of all steps, counting ways to a state and from it; None for a part of too many states."""
    start = (0,) * len(classes)
    levels: list[dict[tuple[int, ...], int]] = [{start: 1}]
    following: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {}
    seen = 1
    for _ in range(sum(len(c.members) for c in classes)):
        level: dict[tuple[int, ...], int] = {}
        for state, ways in levels[-1].items():
            steps = [(i, (*state[:i], state[i] + 1, *state[i + 1 :])) for i in _ready(state, classes)]
            following[state] = steps
            for _, after in steps:
                level[after] = level.get(after, 0) + ways
        seen += len(level)
        if seen > STATES:
            return None
        levels.append(level)
    (end,) = levels[-1]
    total = levels[-1][end]
    rest = {end: 1}
    found: Steps = {}
    for place in range(len(levels) - 2, -1, -1):
        for state, ways in levels[place].items():
            matched, extra = (sum(n * c.rows[k] for n, c in zip(state, classes, strict=True)) for k in (0, 1))
            rest[state] = sum(rest[after] for _, after in following[state])
            for i, after in following[state]:
                step = place, matched, extra, i
                found[step] = found.get(step, 0.0) + ways * rest[after] / total
    return found


def _sample(classes: Sequence[Class], draw: random.Random) -> tuple[Steps, ...]:
    """Seeded random orders, weighted so that every order counts the same.

    The next class is drawn in proportion to the operations that come with or after it, which is exactly uniform where
    nothing needs two others that do not need each other; the weights even out what is left.
    """
    behind = _behind(classes)
    batches = []
    for _ in range(BATCHES):
        walks, logs = [], []
        for _ in range(SAMPLES // BATCHES):
            walk, log = _walk(classes, behind, draw)
            walks.append(walk)
            logs.append(log)
        weights = [math.exp(log - max(logs)) for log in logs]
        found: Steps = {}
        for walk, weight in zip(walks, weights, strict=True):
            for step in walk:
                found[step] = found.get(step, 0.0) + weight / sum(weights)
        batches.append(found)
    return tuple(batches)


def _behind(classes: Sequence[Class]) -> list[int]:
    """For every class the number of operations that come after one of its members, that one included."""
    after: list[set[int]] = [set() for _ in classes]
    for i, c in enumerate(classes):
        waiting = list(c.needs)
        while waiting:
            n = waiting.pop()
            if i not in after[n]:
                after[n].add(i)
                waiting += classes[n].needs
    return [1 + sum(len(classes[i].members) for i in found) for found in after]


def _walk(classes: Sequence[Class], behind: Sequence[int], draw: random.Random) -> tuple[list[Step], float]:
    """One random order as steps, and the logarithm of its weight."""
    state, matched, extra, log = [0] * len(classes), 0, 0, 0.0
    walk: list[Step] = []
    for place in range(sum(len(c.members) for c in classes)):
        ready = _ready(state, classes)
        left = [(len(classes[i].members) - state[i]) * behind[i] for i in ready]
        at = draw.choices(range(len(ready)), weights=left)[0]
        i = ready[at]
        # The members of a class may come in any order: one of those left, out of all that are ready.
        log -= math.log(behind[i] / sum(left))
        walk.append((place, matched, extra, i))
        state[i] += 1
        matched, extra = matched + classes[i].rows[0], extra + classes[i].rows[1]
    return walk, log
