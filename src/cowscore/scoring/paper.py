"""The paper profile: sessions scored the way the library published with the paper scores them.

What it does differently from the paper's definitions is part of it: every row of the ground truth takes the most
similar row of the agent that is still free, however unlike; inserts and updates are one kind; rows created and
deleted again count; dates and times are not compared; text goes through difflib with its heuristic for frequent
characters, which collapses at 200 characters; a second pass sees the foreign keys through the first pass's pairing
of UUID keys; an agent that did nothing is efficient. Sums are exactly rounded, so that no score depends on the
order of columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from math import fsum
from typing import Any
from uuid import UUID

from cowscore.errors import BadInput
from cowscore.model import Change, Kind, Row, Table
from cowscore.scoring import metrics
from cowscore.scoring.compare import base_type, row_function_similarity
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.result import RowScore, Score
from cowscore.scoring.score import assemble

TEXTS = frozenset({"text", "character varying", "character"})
JSONS = frozenset({"json", "jsonb"})
TIMES = frozenset({"timestamp without time zone", "timestamp with time zone", "date"})
RESERVED = frozenset({"session_id", "operation_id", "_cow_deleted", "_cow_updated_at"})
IGNORED = RESERVED | {"timestamp", "created_at", "updated_at", "deleted_at"}

Identity = tuple[str, str, tuple[str, ...]]
"""Schema, table and the key, every value as its repr."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Write:
    """The last version of a row that one operation wrote."""

    table: Table
    identity: Identity
    change: Change
    row: Row

    @property
    def deleted(self) -> bool:
        """True where the operation left the row deleted."""
        return self.change.after is None


@dataclass(frozen=True, slots=True)
class Match:
    """A ground truth row, the agent's row it took, and how alike they are, 0..1."""

    gt: Write
    agent: Write
    similarity: float


@dataclass(slots=True)
class Comparison:
    """Compares rows of the two sessions and remembers what no mapping of keys can change."""

    config: ScoringConfig
    _fixed: dict[tuple[Write, Write], dict[str, float]] = field(default_factory=dict)
    _ratios: dict[tuple[str, str], float] = field(default_factory=dict)

    def similarity(self, gt: Write, agent: Write, to_gt: Mapping[Any, UUID]) -> float:
        """Mean similarity over all compared fields, 0..1; 1.0 where there is none."""
        function = self.config.comparator(gt.table.schema, gt.table.name)
        if function is not None:
            references = _reference_columns(gt.table)
            view = {c: _mapped(v, to_gt) if c in references else v for c, v in agent.row.items()}
            return row_function_similarity(function, gt.row, view)
        values = self.fields(gt, agent, to_gt).values()
        return fsum(values) / len(values) if values else 1.0

    def fields(self, gt: Write, agent: Write, to_gt: Mapping[Any, UUID]) -> dict[str, float]:
        """Compared field -> similarity, 0..1; agent's references are read through `to_gt` (agent's UUID -> GT's)."""
        found = self._fixed.get((gt, agent))
        if found is None:
            found = {c: self._value(gt, agent, c, {}) for c in self._columns(gt, agent)}
            self._fixed[gt, agent] = found
        moved = [c for c in _reference_columns(gt.table) & found.keys() if _is_mapped(agent.row.get(c), to_gt)]
        return found | {c: self._value(gt, agent, c, to_gt) for c in moved} if moved else found

    def _columns(self, gt: Write, agent: Write) -> list[str]:
        ignored = IGNORED | self.config.ignored_columns(gt.table.schema, gt.table.name) | set(gt.table.key)
        types = {c.name: base_type(c.type) for c in gt.table.columns}
        return [
            c
            for c in dict.fromkeys([*gt.row, *agent.row])
            if c not in ignored and types.get(c) not in TIMES and not c.endswith("_timestamp")
        ]

    def _value(self, gt: Write, agent: Write, column: str, to_gt: Mapping[Any, UUID]) -> float:
        ours, theirs = gt.row.get(column), agent.row.get(column)
        if column in _reference_columns(gt.table):
            theirs = _mapped(theirs, to_gt)
        if ours is None or theirs is None:
            return float(ours is None and theirs is None)
        kind = next((base_type(c.type) for c in gt.table.columns if c.name == column), "")
        if kind in TEXTS:
            return self._ratio(str(ours), str(theirs))
        if kind in JSONS:
            return float(json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True))
        return float(ours == theirs)

    def _ratio(self, gt: str, agent: str) -> float:
        known = self._ratios.get((gt, agent))
        if known is None:
            known = self._ratios[gt, agent] = SequenceMatcher(None, gt, agent).ratio()
        return known


def paper_score(
    gt_changes: Sequence[Change], agent_changes: Sequence[Change], tables: Sequence[Table], config: ScoringConfig
) -> Score:
    """The Score of the paper profile. Raises BadInput for a change of a table that is not among `tables`."""
    by_name = {(table.schema, table.name): table for table in tables}
    gt, agent = _writes(gt_changes, by_name, config), _writes(agent_changes, by_name, config)
    comparison = Comparison(config)
    order = _operations(agent)
    matches, to_gt = _match(gt, agent, comparison)
    taken = {match.agent.identity for match in matches}
    met = {match.gt.identity for match in matches}
    wasted = _wasted(agent, taken)
    return assemble(
        [_matched_row(match, comparison, to_gt) for match in matches],
        [_row(write, ours=True) for write in _latest(gt) if write.identity not in met],
        [_row(write, ours=False) for write in _latest(agent) if write.identity not in taken],
        order=order,
        needs={},
        struct_utility=_utilities(gt, agent, order, comparison),
        gt_operations=len(_operations(gt)),
        wasted=tuple(operation for operation in order if operation in wasted),
        config=config,
    )


def _writes(changes: Iterable[Change], tables: Mapping[tuple[str, str], Table], config: ScoringConfig) -> list[Write]:
    """One Write per operation and row, its last version, by table and order of writes. Tables without a key are out."""
    last: dict[tuple[UUID, Identity], Write] = {}
    for change in sorted(changes, key=lambda change: (change.schema, change.table, change.seq)):
        name = (change.schema, change.table)
        if config.ignores_table(*name) or (change.derived and not config.include_derived):
            continue
        if name not in tables:
            raise BadInput(f"changes of table {change.schema}.{change.table}, which is not among the tables given")
        if not tables[name].key:
            continue
        identity = (*name, tuple(repr(value) for value in change.key))
        full = change.after if change.after is not None else change.before or {}
        row = {column: value for column, value in full.items() if column not in RESERVED}
        # An operation's row stands at the place of its last version, so an earlier entry makes way.
        last.pop((change.operation, identity), None)
        last[change.operation, identity] = Write(table=tables[name], identity=identity, change=change, row=row)
    return list(last.values())


def _latest(writes: Iterable[Write]) -> list[Write]:
    """The last write of every row, rows in the order of their first."""
    latest: dict[Identity, Write] = {}
    for write in writes:
        latest[write.identity] = write
    return list(latest.values())


def _operations(writes: Iterable[Write]) -> list[UUID]:
    """Operations by the earliest of their writes."""
    first: dict[UUID, int] = {}
    for write in writes:
        operation = write.change.operation
        first[operation] = min(write.change.seq, first.get(operation, write.change.seq))
    return sorted(first, key=lambda operation: first[operation])


def _match(gt: Sequence[Write], agent: Sequence[Write], comparison: Comparison) -> tuple[list[Match], dict[Any, UUID]]:
    """Both passes: the final matches, and the mapping of UUID keys (agent's -> ground truth's) they were made under."""
    ours, theirs = _latest(gt), _latest(agent)
    to_agent: dict[UUID, UUID] = {}
    for match in _greedy(ours, theirs, comparison, {}):
        for mine, other in zip(match.gt.change.key, match.agent.change.key, strict=True):
            if isinstance(mine, UUID) and isinstance(other, UUID):
                to_agent[mine] = other
    to_gt = {other: mine for mine, other in to_agent.items()}
    return _greedy(ours, theirs, comparison, to_gt), to_gt


def _greedy(
    gt: Iterable[Write], agent: Iterable[Write], comparison: Comparison, to_gt: Mapping[Any, UUID]
) -> list[Match]:
    free: dict[tuple[str, str, bool], list[Write]] = {}
    for write in agent:
        free.setdefault((*write.identity[:2], write.deleted), []).append(write)
    matches = []
    for write in gt:
        candidates = free.get((*write.identity[:2], write.deleted))
        if candidates:
            similar = [comparison.similarity(write, candidate, to_gt) for candidate in candidates]
            best = similar.index(max(similar))
            matches.append(Match(write, candidates.pop(best), similar[best]))
    return matches


def _utilities(
    gt: Sequence[Write], agent: Sequence[Write], order: Iterable[UUID], comparison: Comparison
) -> dict[UUID, float]:
    """Change of the structural score with each operation, everything matched anew each time (equation 3)."""
    expected, applied = len(_latest(gt)), []
    before = metrics.struct(0, expected, 0)
    result: dict[UUID, float] = {}
    for operation in order:
        applied += [write for write in agent if write.change.operation == operation]
        state = sorted(applied, key=lambda write: write.change.seq)
        matched = _match_count(gt, state)
        extra = len(_latest(state)) - matched
        after = metrics.struct(matched, expected - matched, extra)
        result[operation], before = after - before, after
    return result


def _match_count(gt: Iterable[Write], agent: Iterable[Write]) -> int:
    """How many rows greedy matching pairs. Any two rows of a table and kind may pair, so counting is enough."""
    ours, theirs = _kinds(gt), _kinds(agent)
    return sum(min(count, theirs.get(kind, 0)) for kind, count in ours.items())


def _kinds(writes: Iterable[Write]) -> dict[tuple[str, str, bool], int]:
    counts: dict[tuple[str, str, bool], int] = {}
    for write in _latest(writes):
        kind = (*write.identity[:2], write.deleted)
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _wasted(agent: Iterable[Write], taken: set[Identity]) -> set[UUID]:
    """Operations all of whose rows were written and deleted again without matching anything."""
    versions: dict[Identity, list[Write]] = {}
    touched: dict[UUID, set[Identity]] = {}
    for write in agent:
        versions.setdefault(write.identity, []).append(write)
        touched.setdefault(write.change.operation, set()).add(write.identity)
    transient = {
        identity
        for identity, found in versions.items()
        if found[-1].deleted and not all(write.deleted for write in found) and identity not in taken
    }
    return {operation for operation, rows in touched.items() if rows <= transient}


def _matched_row(match: Match, comparison: Comparison, to_gt: Mapping[Any, UUID]) -> RowScore:
    gt, agent = match.gt, match.agent
    plain = comparison.config.comparator(gt.table.schema, gt.table.name) is None
    fields = comparison.fields(gt, agent, to_gt) if plain else {}
    changed = tuple(c for c in fields if _differs(gt.change, c) or _differs(agent.change, c))
    return RowScore(
        table=gt.table.name,
        schema=gt.table.schema,
        kind=_kind(gt.change),
        gt_key=tuple(gt.change.key),
        agent_key=tuple(agent.change.key),
        gt=gt.row,
        agent=agent.row,
        similarity=match.similarity,
        similarity_all=match.similarity,
        fields=fields,
        changed=changed,
        operation=agent.change.operation,
        operations=(agent.change.operation,),
    )


def _row(write: Write, *, ours: bool) -> RowScore:
    """A row that only one side has: the ground truth's where `ours`."""
    key, operation = tuple(write.change.key), write.change.operation
    return RowScore(
        table=write.table.name,
        schema=write.table.schema,
        kind=_kind(write.change),
        gt_key=key if ours else None,
        agent_key=None if ours else key,
        gt=write.row if ours else None,
        agent=None if ours else write.row,
        operation=operation,
        operations=(operation,),
    )


def _kind(change: Change) -> Kind:
    return "delete" if change.after is None else "insert" if change.before is None else "update"


def _differs(change: Change, column: str) -> bool:
    before, after = change.before or {}, change.after
    return after is not None and before.get(column) != after.get(column)


def _reference_columns(table: Table) -> set[str]:
    return {column for key in table.foreign_keys for column in key.columns}


def _is_mapped(value: Any, to_gt: Mapping[Any, UUID]) -> bool:
    return isinstance(value, UUID) and value in to_gt


def _mapped(value: Any, to_gt: Mapping[Any, UUID]) -> Any:
    return to_gt[value] if _is_mapped(value, to_gt) else value
