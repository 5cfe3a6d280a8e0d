"""What is compared in a table, and how alike two values are. Pure; serves the default profile."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from rapidfuzz.distance import Indel

from cowscore.model import Column, ForeignKey, Row, Table
from cowscore.scoring.config import RowFunction, ScoringConfig

Measure = Literal["text", "json", "exact"]
Token = Any
"""A hashable stand-in for a value: two values are equal exactly when their tokens are."""

ALIASES = {
    "varchar": "character varying",
    "char": "character",
    "bpchar": "character",
    "timestamptz": "timestamp with time zone",
    "timestamp": "timestamp without time zone",
    "timetz": "time with time zone",
    "time": "time without time zone",
    "int": "integer",
    "int4": "integer",
    "int8": "bigint",
    "decimal": "numeric",
}
TEXTS = frozenset({"text", "character varying", "character", "citext", "name"})
MOMENTS = frozenset({"timestamp with time zone", "timestamp without time zone", "date"})
NUMBERS = frozenset({"smallint", "integer", "bigint", "numeric", "double precision"})
BOOKKEEPING = {"lastmodified", "lastupdated"} | frozenset(
    prefix + verb + suffix
    for verb in ("created", "updated", "modified", "inserted")
    for prefix, suffix in [("", ""), ("", "at"), ("", "on"), ("", "date"), ("", "time"), ("date", "")]
)
"""Names (lower case, no underscores) under which frameworks keep the time of the first and last write."""

_LITERAL = re.compile(r"'(?:[^']|'')*'")
_CAST = re.compile(r"::[\w\s\".\[\]]+?(?:\(\s*\d+\s*(?:,\s*-?\d+\s*)?\))?(?=\s*(?:[:),+*/|-]|$))")
_CALL = re.compile(r"\w\s*\(")
_CLOCK = re.compile(
    r"\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\("
    r"|\b(?:current_timestamp|current_date|current_time|localtimestamp|localtime)\b",
    re.IGNORECASE,
)
_COUNTER = re.compile(r"(?:^|_)(?:sequence|seq|number|num|no|counter|serial)(?:_(?:id|no|number))?$")
_CONSTANT = re.compile(r"^\(?(?:'(?P<text>(?:[^']|'')*)'|(?P<bare>-?[\d.]+|true|false))\)?(?:::[\w\s\".\[\](),]+)?$")


def base_type(type_name: str) -> str:
    """A type as `format_type` prints it, without modifiers, under its SQL name: `varchar(20)` is `character varying`.

    Array types keep their brackets.
    """
    plain = re.sub(r"\s*\([^)]*\)", "", type_name.strip().lower())
    return ALIASES.get(plain, plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How rows of one table are identified and compared."""

    table: Table
    compared: tuple[str, ...]
    """Columns that are content: not key, not volatile, not computed, not ignored."""
    measures: Mapping[str, Measure]
    """Every column -> the way its values are compared."""
    foreign_keys: Mapping[str, ForeignKey]
    """Column -> the foreign key it speaks through (the one of fewest columns)."""
    chosen: tuple[str, ...]
    """Columns that two inserted rows must share to be the same row."""
    identified: bool
    """True where `chosen` is the whole key, so that equal values settle the question."""
    deciding: tuple[tuple[str, ...], ...]
    """Unique constraints whose equality settles the question before similarity is asked."""
    counted: frozenset[str]
    """Columns that an application counts up (see `_counted`). Their values say in which order rows were made, so they
    have no say in which row is which, and inserted rows may have each other's numbers."""
    function: RowFunction | None


def rules_for(table: Table, config: ScoringConfig) -> Rules:
    """The rules of one table under that configuration (see `Rules`)."""
    foreign_keys: dict[str, ForeignKey] = {}
    for key in sorted(table.foreign_keys, key=lambda key: (len(key.columns), key.name)):
        for name in key.columns:
            foreign_keys.setdefault(name, key)
    out = config.ignored_columns(table.schema, table.name) | set(table.key)
    compared = tuple(
        c.name for c in table.columns if c.name not in out and not c.generated and not is_volatile(table, c)
    )
    generated = config.key_is_generated(table.schema, table.name)
    chosen = () if generated else tuple(c for c in table.key if not _is_made_up(table.column(c), foreign_keys))
    identified = bool(table.key) and chosen == table.key
    if not identified:
        chosen += tuple(c for c in _link_columns(table, foreign_keys) if c not in chosen)
    return Rules(
        table=table,
        compared=compared,
        measures={c.name: _measure(c) for c in table.columns},
        foreign_keys=foreign_keys,
        chosen=chosen,
        identified=identified,
        deciding=() if identified else _deciding(table, compared, foreign_keys),
        counted=_counted(table, foreign_keys),
        function=config.comparator(table.schema, table.name),
    )


def is_volatile(table: Table, column: Column) -> bool:
    """True for a column that records when a row was written rather than what the user meant.

    Those are: columns whose default reads the clock, columns that a touch trigger sets, and the bookkeeping names of
    frameworks (`created_at`, `updatedAt`, `date_modified`, ...) where the type is a time or an epoch. Other dates,
    `due_date` or `completed_at`, are content; see `token` for those an application fills from its clock.
    """
    default = column.default or ""
    if column.name in table.touched_by_trigger or _CLOCK.search(_LITERAL.sub("", default)) or "'now'::text" in default:
        return True
    name = column.name.lower().replace("_", "")
    if name in ("createdat", "updatedat"):
        return True
    return name in BOOKKEEPING and base_type(column.type) in MOMENTS | NUMBERS


def _is_made_up(column: Column, foreign_keys: Mapping[str, ForeignKey]) -> bool:
    """True for a key column that nobody chose. One that references another row was chosen, whatever its type."""
    if column.name in foreign_keys:
        return False
    if column.identity or column.sequence or column.type == "uuid":
        return True
    default = _CAST.sub("", _LITERAL.sub("''", column.default or ""))
    return bool(_CALL.search(default) or _CLOCK.search(default))


def _link_columns(table: Table, foreign_keys: Mapping[str, ForeignKey]) -> tuple[str, ...]:
    """Columns of a unique constraint made of foreign keys only: such a row is a link, and links say who they are.

    A link table is scored the same whether its key is the pair of references or a number beside them.
    """
    for unique in table.unique_keys:
        if not unique.primary and unique.columns and all(c in foreign_keys for c in unique.columns):
            return unique.columns
    return ()


def _deciding(
    table: Table, compared: tuple[str, ...], foreign_keys: Mapping[str, ForeignKey]
) -> tuple[tuple[str, ...], ...]:
    """Unique constraints that name a row: of references and content, without numbers counted up."""
    counted = _counted(table, foreign_keys)
    return tuple(
        unique.columns
        for unique in table.unique_keys
        if not unique.primary
        and unique.columns
        and all(c in foreign_keys or (c in compared and c not in counted) for c in unique.columns)
    )


def _counted(table: Table, foreign_keys: Mapping[str, ForeignKey]) -> frozenset[str]:
    """Whole numbers within a unique constraint that are called a number: `sequence_id`, `invoice_number`, `seq`.

    The name has to tell: a year or a position can be just as unique, and is what somebody meant.
    """
    within = {c for unique in table.unique_keys if not unique.primary for c in unique.columns}
    return frozenset(
        c
        for c in within - foreign_keys.keys()
        if base_type(table.column(c).type) in NUMBERS and _COUNTER.search(c.lower())
    )


def _measure(column: Column) -> Measure:
    kind = base_type(column.type)
    if kind in TEXTS:
        return "text"
    return "json" if kind in ("json", "jsonb") else "exact"


def token(value: Any) -> Token:
    """A hashable value that is equal for equal values.

    A time with a fraction of a second was read from a clock, not chosen by anybody: all such times are one token. So
    two soft deletes agree although their `deleted_at` differ, while a due date at 17:00 is compared as it stands.
    """
    if isinstance(value, datetime) and value.microsecond:
        return datetime
    if isinstance(value, (list, tuple)):
        return tuple(token(item) for item in value)
    if isinstance(value, (dict, set, bytearray, memoryview)):
        return repr(bytes(value) if isinstance(value, (bytearray, memoryview)) else _ordered(value))
    if value is not None and value != value:
        return "not a number"
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted((str(key), _ordered(item)) for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(repr(item) for item in value)
    return [_ordered(item) for item in value] if isinstance(value, (list, tuple)) else value


def similarity(measure: Measure, gt: Any, agent: Any) -> float:
    """How alike two values of a column are, 0..1. Text: normalised Indel similarity; JSON: by structure; else exact.

    NULL is like NULL only.
    """
    if gt is None or agent is None:
        return float(gt is None and agent is None)
    if measure == "text":
        return Indel.normalized_similarity(str(gt), str(agent))
    if measure == "json":
        return json_similarity(_parsed(gt), _parsed(agent))
    return float(token(gt) == token(agent))


def json_similarity(gt: Any, agent: Any) -> float:
    """How alike two parsed JSON values are, 0..1: the mean over all keys or positions that either has, recursively."""
    if isinstance(gt, Mapping) and isinstance(agent, Mapping):
        keys = gt.keys() | agent.keys()
        shared = sum(json_similarity(gt[key], agent[key]) for key in sorted(gt.keys() & agent.keys()))
        return shared / len(keys) if keys else 1.0
    if isinstance(gt, list) and isinstance(agent, list):
        longer = max(len(gt), len(agent))
        return sum(map(json_similarity, gt, agent)) / longer if longer else 1.0
    if isinstance(gt, str) and isinstance(agent, str):
        return Indel.normalized_similarity(gt, agent)
    if isinstance(gt, bool) != isinstance(agent, bool):
        return 0.0
    return float(token(gt) == token(agent))


def _parsed(value: Any) -> Any:
    """JSON as a value; some drivers hand it over as text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def is_default(column: Column, value: Any) -> bool:
    """True where an inserted row holds what it holds when nobody names the column: its constant default, or NULL."""
    if column.default is None:
        return value is None
    constant = _CONSTANT.match(column.default.strip())
    if constant is None or value is None:
        return False
    text = constant["bare"] if constant["text"] is None else constant["text"].replace("''", "'")
    if isinstance(value, bool):
        return str(value).lower() == text
    if isinstance(value, (int, float, Decimal)):
        try:
            return Decimal(str(value)) == Decimal(text)
        except InvalidOperation:
            return False
    if isinstance(value, (dict, list)):
        return _parsed(text) == value or (text == "{}" and value == [])
    return str(value) == text


def changed_columns(rules: Rules, before: Row | None, after: Row | None) -> frozenset[str]:
    """Content columns that a net change sets: for an insert those unlike their default, for an update what differs.

    Key columns count where an update gave the row another key. A delete sets none.
    """
    if after is None:
        return frozenset()
    if before is None:
        column = rules.table.column
        return frozenset(name for name in rules.compared if not is_default(column(name), after.get(name)))
    return frozenset(
        name for name in (*rules.compared, *rules.table.key) if token(before.get(name)) != token(after.get(name))
    )


def row_function_similarity(function: RowFunction, gt: Mapping[str, Any], agent: Mapping[str, Any]) -> float:
    """A row function's verdict as a similarity, 0..1. An AssertionError is 0."""
    try:
        return min(1.0, max(0.0, float(function(dict(gt), dict(agent)))))
    except AssertionError:
        return 0.0
