"""The net changes of a session as a table for people: what was inserted, changed and deleted, and how."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cowscore.model import Kind, Row, RowDiff

SIGNS: dict[Kind, tuple[str, str]] = {"insert": ("+", "green"), "update": ("~", "yellow"), "delete": ("-", "red")}
"""Kind -> sign in front of the row, and its colour."""

LONGEST_VALUE = 80
"""Characters of one value that are shown; enough to recognise it."""


def diff_view(rows: Iterable[RowDiff]) -> RenderableType:
    """The changes grouped by table, each table headed by its counts; a sentence where there are none."""
    ordered = sorted(rows, key=lambda row: (row.schema, row.table))
    if not ordered:
        return Text("No changes.")
    parts: list[RenderableType] = []
    for (schema, table), group in groupby(ordered, key=lambda row: (row.schema, row.table)):
        members = list(group)
        name = table if schema == "public" else f"{schema}.{table}"
        parts += [Text.assemble((name, "bold"), "  ", _counts(members)), _rows(members), Text("")]
    return Group(*parts[:-1])


def summary(rows: Sequence[RowDiff]) -> str:
    """One line: `3 rows in 2 tables: 1 inserted, 1 updated, 1 deleted`."""
    tables = len({(row.schema, row.table) for row in rows})
    counts = [
        f"{number} {word}"
        for kind, word in (("insert", "inserted"), ("update", "updated"), ("delete", "deleted"))
        if (number := sum(row.kind == kind for row in rows))
    ]
    if not counts:
        return "no changes"
    return f"{_plural(len(rows), 'row')} in {_plural(tables, 'table')}: {', '.join(counts)}"


def value_text(value: Any) -> str:
    """A value on one line, at most LONGEST_VALUE characters; text is quoted, and control characters are escaped.

    An agent chose the values: they must neither pass for something else nor reach the terminal as commands to it.
    """
    if value is None:
        text = "NULL"
    elif isinstance(value, (str, bytes, memoryview)):
        text = repr(bytes(value) if isinstance(value, memoryview) else value)
    elif isinstance(value, (dict, list)):
        text = json.dumps(value, default=str)
    else:
        text = str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "\u2026"


def _counts(rows: Sequence[RowDiff]) -> Text:
    counts = Text()
    for kind, (sign, colour) in SIGNS.items():
        number = sum(row.kind == kind for row in rows)
        if number:
            counts.append(f"{sign}{number} ", style=colour)
    return counts


def _rows(rows: Sequence[RowDiff]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for _ in range(3):
        grid.add_column(overflow="fold")
    for row in rows:
        sign, colour = SIGNS[row.kind]
        key = Text(", ".join(value_text(value) for value in row.key) or "(no key)")
        if row.derived:
            key.append(" (derived)", style="dim")
        grid.add_row(Text(f"  {sign}", style=colour), key, _values(row))
    return grid


def _values(row: RowDiff) -> Text:
    """Inserted and deleted rows show their values, NULLs left out; updated ones every changed column."""
    if row.kind == "update":
        before, after = row.before or {}, row.after or {}
        lines = [
            Text.assemble(
                (f"{name}: ", "dim"),
                (value_text(before.get(name)), "red"),
                (" -> ", "dim"),
                (value_text(after.get(name)), "green"),
            )
            for name in row.columns
        ]
        return Text("\n").join(lines)
    values: Row = (row.after if row.kind == "insert" else row.before) or {}
    shown = [
        Text.assemble((f"{name}=", "dim"), value_text(value)) for name, value in values.items() if value is not None
    ]
    return Text(" ").join(shown)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
