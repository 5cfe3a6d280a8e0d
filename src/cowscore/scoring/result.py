"""What scoring returns: frozen values that know how to become JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, time
from typing import Any
from uuid import UUID

from cowscore.model import Key, Kind, Row
from cowscore.scoring.config import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class RowScore:
    """One row of `Score.matched`, `.missing` or `.extra`: a net change of either session or of both."""

    table: str
    schema: str
    kind: Kind
    gt_key: Key | None
    """Key of the ground truth's row, None for an extra row."""
    agent_key: Key | None
    """Key of the agent's row, None for a missing row."""
    gt: Row | None
    """The ground truth's row: as it ended, or as it was before its deletion. None for an extra row."""
    agent: Row | None
    """The agent's row, likewise. None for a missing row."""
    similarity: float | None = None
    """Mean similarity over the fields that either side changed (paper profile: over all), 0..1; None unless matched."""
    similarity_all: float | None = None
    """Mean similarity over all compared fields."""
    fields: Mapping[str, float] = field(default_factory=dict)
    """Compared field -> similarity, 0..1. Empty unless matched, and where a row function replaced the comparison."""
    changed: tuple[str, ...] = ()
    """Compared fields that either side changed (for an insert: set to something other than the default)."""
    operation: UUID | None = None
    """The operation that wrote the row last: the agent's, for a missing row the ground truth's."""
    operations: tuple[UUID, ...] = ()
    """All operations of that side which wrote the row, in the order of their writes."""

    @property
    def key(self) -> Key:
        """The ground truth's key where there is one, else the agent's."""
        key = self.gt_key if self.gt_key is not None else self.agent_key
        assert key is not None, "a scored row has a row on at least one side"
        return key


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationScore:
    """What one operation of the agent contributed."""

    id: UUID
    struct_utility: float
    """Change of the structural score when the operation is applied after those before it (paper, equation 3), -1..1."""
    content_utility: float | None
    """Mean similarity of the matched rows it wrote last (paper, equation 4), 0..1; None where it has none."""
    credit: float
    """Order-free share of the structural score, -1..1; see `credit.shapley`."""
    credit_error: float = 0.0
    """Standard error of `credit`; 0.0 where it is exact, which it is unless dependencies are many and tangled."""
    leave_one_out: float = 0.0
    """What the structural score would lose without this operation and those that depend on it, -1..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The comparison of an agent's session with a ground truth session. All numbers are 0..1 unless said otherwise."""

    struct: float
    content: float
    """Mean similarity of the matched rows (paper, equation 2): over the fields that either side changed; in the paper
    profile over all compared fields. An update that sets the wrong column of twenty keeps eighteen right, and would
    lose a tenth for having got everything wrong; over the changed fields it scores 0."""
    content_all: float
    """Mean similarity of the matched rows over all compared fields, whatever the profile."""
    overall: float
    precision: float
    recall: float
    f1: float
    efficiency: float
    matched: list[RowScore]
    missing: list[RowScore]
    extra: list[RowScore]
    operations: list[OperationScore]
    """The agent's operations, every one after those it depends on, else by first write."""
    gt_operations: int
    """Number of operations in the ground truth."""
    wasted: tuple[UUID, ...] = ()
    """Operations of the agent that left no trace."""
    profile: Profile = "default"
    collateral: int = 0
    """Number of extra rows that existed before: rows the agent updated or deleted and should not have."""
    restraint: float = 1.0
    """Of the existing rows that the agent updated or deleted, the share it should have; 1.0 where it touched none."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Name -> result of the registered score functions; any float."""

    def to_dict(self) -> dict[str, Any]:
        """The score as JSON-ready dicts, lists, strings and finite numbers.

        Decimals, UUIDs, dates, bytes (hex) and values JSON does not know become strings.
        """
        plain = jsonable(self)
        assert isinstance(plain, dict)
        return plain


def jsonable(value: Any) -> Any:
    """`value` with everything that JSON cannot say turned into strings: UUID, Decimal, dates, bytes, infinities.

    Dataclasses and mappings become dicts, sequences and sets become lists; a RowScore gains its `key`.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        plain = {item.name: jsonable(getattr(value, item.name)) for item in fields(value)}
        return {"key": jsonable(value.key), **plain} if isinstance(value, RowScore) else plain
    return str(value)
