"""From written versions to net state: what a session did to each row, whole or up to some operation."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from cowscore.errors import BadInput
from cowscore.model import Change, Key, Kind, Row
from cowscore.scoring.compare import Rules, Token, changed_columns, token
from cowscore.scoring.config import ScoringConfig

TableName = tuple[str, str]
"""Schema and table."""


@dataclass(frozen=True, slots=True)
class New:
    """Token of a reference to a row that the session itself inserted."""

    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All versions of one row that a session wrote, under however many keys."""

    number: int
    rules: Rules
    changes: tuple[Change, ...]
    """In the order of writes."""

    @property
    def created(self) -> bool:
        """True where the session inserted the row; False where it existed in base."""
        return self.changes[0].before is None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NetRow:
    """What a session, or a part of it, did to one row in the end."""

    history: History
    kind: Kind
    key: Key
    row: Row
    """The row as it ended, or as it was before its deletion."""
    changed: frozenset[str]
    """Content columns that the net change sets."""
    operations: tuple[UUID, ...]
    """Operations that wrote it, in the order of writes; the last one wrote the final version."""

    @property
    def rules(self) -> Rules:
        """The rules of its table."""
        return self.history.rules


def histories(changes: Iterable[Change], rules: Mapping[TableName, Rules], config: ScoringConfig) -> list[History]:
    """Group changes by row, following rows through changes of their key; numbered by first write.

    Raises BadInput for a change of a table without rules. Ignored tables are left out.
    """
    versions: list[list[Change]] = []
    current: dict[Any, int] = {}
    for change in sorted(changes, key=lambda change: change.seq):
        name = (change.schema, change.table)
        if config.ignores_table(*name):
            continue
        if name not in rules:
            raise BadInput(f"changes of table {change.schema}.{change.table}, which is not among the tables given")
        key = token(tuple(change.key))
        columns = rules[name].table.key
        held = token(tuple(change.before.get(c) for c in columns)) if change.before is not None and columns else key
        number = current.pop((name, held), None)
        if number is None:
            number = len(versions)
            versions.append([])
        versions[number].append(change)
        current[name, key] = number
    return [
        History(number=number, rules=rules[found[0].schema, found[0].table], changes=tuple(found))
        for number, found in enumerate(versions)
    ]


def net_row(history: History, config: ScoringConfig, operations: Collection[UUID] | None = None) -> NetRow | None:
    """The net change of one row, restricted to `operations` where given; None where it leaves no trace.

    No trace: created and deleted again, back to the original values, or touched in volatile columns only. Rows
    that only cascades and triggers wrote, or that a cascade deleted in the end, are consequences of other rows and
    count only with `include_derived`.
    """
    written = [c for c in history.changes if operations is None or c.operation in operations]
    if not written:
        return None
    last = written[-1]
    derived = all(c.derived for c in written) or (last.derived and last.after is None)
    before, after = history.changes[0].before, last.after
    row = after if after is not None else before
    if row is None or (derived and not config.include_derived):
        return None
    changed = changed_columns(history.rules, before, after)
    if before is not None and after is not None and not changed:
        return None
    kind: Kind = "delete" if after is None else "insert" if before is None else "update"
    own = history.rules.table.key
    key = tuple(row.get(c) for c in own) if own else tuple(last.key)
    operation_ids = tuple(dict.fromkeys(c.operation for c in reversed(written)))[::-1]
    return NetRow(history=history, kind=kind, key=key, row=row, changed=changed, operations=operation_ids)


class References:
    """Where the foreign keys of a session's rows lead: to base, or to a row that the session inserted."""

    def __init__(self, rows: Iterable[History], rules: Mapping[TableName, Rules]) -> None:
        targets: dict[TableName, set[tuple[str, ...]]] = {}
        for rule in rules.values():
            for key in rule.foreign_keys.values():
                targets.setdefault((key.ref_schema, key.ref_table), set()).add(key.ref_columns)
        self._inserted: dict[Any, int] = {}
        for history in rows:
            if not history.created:
                continue
            name = (history.rules.table.schema, history.rules.table.name)
            for columns in targets.get(name, ()):
                for change in history.changes:
                    if change.after is not None:
                        value = token(tuple(change.after.get(c) for c in columns))
                        self._inserted[name, columns, value] = history.number

    def token(self, rules: Rules, row: Row, column: str) -> Token:
        """The token of a column's value; `New` where it references an inserted row of this session."""
        key = rules.foreign_keys.get(column)
        if key is not None:
            value = tuple(row.get(c) for c in key.columns)
            number = self._inserted.get(((key.ref_schema, key.ref_table), key.ref_columns, token(value)))
            if number is not None:
                return New(number)
        return token(row.get(column))


def operations(rows: Iterable[History], references: References, config: ScoringConfig) -> dict[UUID, tuple[UUID, ...]]:
    """The session's operations in an order (each after those it depends on, ties by first write), with what each needs.

    An operation depends on the ones that wrote an earlier version of a row it writes, and on those that inserted a row
    it references. Operations that interleave so that each depends on the other come by first write. Operations
    that wrote derived rows only are left out unless the configuration includes derived rows.
    """
    rows = list(rows)
    first: dict[UUID, int] = {}
    needs: dict[UUID, set[UUID]] = {}
    for history in rows:
        previous: UUID | None = None
        for change in history.changes:
            operation = change.operation
            if change.derived and not config.include_derived:
                continue
            first[operation] = min(change.seq, first.get(operation, change.seq))
            need = needs.setdefault(operation, set())
            if previous is not None:
                need.add(previous)
            previous = operation
            for column in history.rules.foreign_keys:
                target = references.token(history.rules, change.after or {}, column)
                if isinstance(target, New):
                    need.add(rows[target.row].changes[0].operation)
    place = {operation: i for i, operation in enumerate(_topological(first, needs))}
    return {
        operation: tuple(sorted((n for n in needs[operation] if n in place and place[n] < i), key=place.__getitem__))
        for operation, i in place.items()
    }


def _topological(first: Mapping[UUID, int], needs: Mapping[UUID, set[UUID]]) -> list[UUID]:
    waiting = {operation: {n for n in need if n in first and n != operation} for operation, need in needs.items()}
    followers: dict[UUID, list[UUID]] = {}
    for operation, need in waiting.items():
        for other in need:
            followers.setdefault(other, []).append(operation)
    by_first = sorted(first, key=lambda operation: first[operation])
    ready = [(first[operation], operation) for operation in by_first if not waiting[operation]]
    heapq.heapify(ready)
    order: dict[UUID, None] = {}
    remaining = iter(by_first)
    while len(order) < len(by_first):
        # Nothing ready means a circle: the earliest writer among those left breaks it.
        operation = heapq.heappop(ready)[1] if ready else next(o for o in remaining if o not in order)
        if operation in order:
            continue
        order[operation] = None
        for follower in followers.get(operation, ()):
            waiting[follower].discard(operation)
            if not waiting[follower] and follower not in order:
                heapq.heappush(ready, (first[follower], follower))
    return list(order)
