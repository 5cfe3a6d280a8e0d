"""Frozen values that every other module speaks: tables, changes, operations. No SQL, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

Kind = Literal["insert", "update", "delete"]
Mode = Literal["session", "insert_only", "view", "passthrough", "read_only", "excluded"]
Layout = Literal["overlay", "in_place"]
Row = Mapping[str, Any]
Key = tuple[Any, ...]
Action = Literal["no action", "restrict", "cascade", "set null", "set default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column as pg_attribute describes it."""

    name: str
    number: int = 0
    """attnum: survives a rename, is never used again."""
    type: str
    """As `format_type` prints it, e.g. `character varying(20)`."""
    not_null: bool = False
    default: str | None = None
    """The default expression as SQL, None where there is none. Generated columns keep theirs in `generated_as`."""
    identity: Literal["", "always", "by default"] = ""
    generated: Literal["", "stored", "virtual"] = ""
    generated_as: str | None = None
    sequence: str | None = None
    """Quoted and qualified name of the sequence behind serial or identity."""
    equality: str = "OPERATOR(pg_catalog.=)"
    """The operator that the type's default btree or hash opclass uses, qualified; empty where the type has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueKey:
    """A primary key, unique constraint or unique index."""

    name: str
    columns: tuple[str, ...]
    """Empty where the index has expressions."""
    expressions: tuple[str, ...] = ()
    """Every index element as SQL, in order (columns too)."""
    predicate: str | None = None
    operators: tuple[str, ...] = ()
    """For every element the qualified operator that means "the same" (for an exclusion constraint: "in conflict")."""
    primary: bool = False
    constraint: bool = True
    exclusion: bool = False
    nulls_not_distinct: bool = False
    deferrable: bool = False
    initially_deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A foreign key; `ref_*` is the referenced side."""

    name: str
    columns: tuple[str, ...]
    ref_schema: str
    ref_table: str
    ref_columns: tuple[str, ...]
    schema: str = "public"
    table: str = ""
    """The referencing side, empty where the foreign key is listed under its own table."""
    operators: tuple[str, ...] = ()
    """For every column pair the qualified equality operator `referenced = referencing`."""
    on_update: Action = "no action"
    on_delete: Action = "no action"
    set_columns: tuple[str, ...] = ()
    """Columns of ON DELETE SET NULL (cols) / SET DEFAULT (cols); empty means all of `columns`."""
    match_full: bool = False
    deferrable: bool = False
    initially_deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of the application, as scoring and rendering need it."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    """Columns that identify a row: the primary key, else a usable unique key, else empty."""
    schema: str = "public"
    unique_keys: tuple[UniqueKey, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    touched_by_trigger: tuple[str, ...] = field(default=())
    """Columns that a trigger of the application is known to set (touch triggers)."""

    @property
    def key_is_generated(self) -> bool:
        """True where the database or the application makes the key up (serial, identity, uuid, sequence default)."""
        by_name = {c.name: c for c in self.columns}
        if len(self.key) != 1:
            return False
        column = by_name[self.key[0]]
        return bool(column.identity or column.sequence or column.type == "uuid")

    def column(self, name: str) -> Column:
        """The column called `name`; KeyError where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One written version of one row in a session."""

    table: str
    key: Key
    """Values of the table's key columns, in the key's order. For a changed key: the key after the change."""
    kind: Kind
    before: Row | None
    """The row before this write (all columns), None for an insert."""
    after: Row | None
    """The row after this write (all columns), None for a delete."""
    operation: UUID
    seq: int
    """Order of writes: increasing within the session."""
    derived: bool = False
    """Written by a cascade or by a trigger of the application, not by the statement itself."""
    schema: str = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDiff:
    """The net change of one row over a session."""

    table: str
    key: Key
    kind: Kind
    before: Row | None
    """The base image at first touch, None for a row that the session inserted."""
    after: Row | None
    columns: tuple[str, ...]
    """Names of the columns whose value changed (all given ones for an insert, none for a delete)."""
    operations: tuple[UUID, ...] = ()
    derived: bool = False
    schema: str = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One unit of work of a session: a tool call, a request, or a transaction."""

    id: UUID
    ordinal: int
    """1, 2, .. in the order of the operations' first writes."""
    label: str | None = None
    tables: tuple[str, ...] = ()
