"""Sessions for scoring tests, written the way a person would describe them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from cowscore.model import Change, Column, ForeignKey, Table, UniqueKey


def op(number: int) -> UUID:
    return UUID(int=number)


def table(
    name: str,
    columns: dict[str, str],
    key: tuple[str, ...] = ("id",),
    references: dict[str, str] | None = None,
    unique: tuple[tuple[str, ...], ...] = (),
    defaults: dict[str, str] | None = None,
    **more: Any,
) -> Table:
    """`references`: column -> table whose `id` it references."""
    return Table(
        name=name,
        columns=tuple(
            Column(
                name=c,
                type="integer" if t == "serial" else t,
                default=(defaults or {}).get(c),
                sequence=f"public.{name}_{c}_seq" if t == "serial" else None,
            )
            for c, t in columns.items()
        ),
        key=key,
        unique_keys=tuple(UniqueKey(name=f"{name}_{'_'.join(u)}_key", columns=u) for u in unique),
        foreign_keys=tuple(
            ForeignKey(name=f"{name}_{c}_fkey", columns=(c,), ref_schema="public", ref_table=t, ref_columns=("id",))
            for c, t in (references or {}).items()
        ),
        **more,
    )


class Session:
    """Collects changes; every method takes the table, the row and the number of the operation."""

    def __init__(self) -> None:
        self.changes: list[Change] = []

    def insert(self, to: Table, row: dict[str, Any], operation: int, **more: Any) -> Session:
        return self._write(to, None, row, operation, **more)

    def update(self, to: Table, before: dict[str, Any], operation: int, **values: Any) -> Session:
        return self._write(to, before, before | values, operation)

    def delete(self, to: Table, row: dict[str, Any], operation: int, **more: Any) -> Session:
        return self._write(to, row, None, operation, **more)

    def _write(
        self, to: Table, before: dict[str, Any] | None, after: dict[str, Any] | None, operation: int, **more: Any
    ) -> Session:
        row = after if after is not None else before
        assert row is not None
        self.changes.append(
            Change(
                table=to.name,
                schema=to.schema,
                key=tuple(row[c] for c in to.key),
                kind="delete" if after is None else "insert" if before is None else "update",
                before=before,
                after=after,
                operation=op(operation),
                seq=len(self.changes) + 1,
                **more,
            )
        )
        return self
