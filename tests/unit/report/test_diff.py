from __future__ import annotations

import io
from decimal import Decimal
from typing import Any

import pytest
from rich.console import Console

from cowscore.model import RowDiff
from cowscore.report.diff import LONGEST_VALUE, diff_view, summary, value_text

INSERTED = RowDiff(
    table="tasks", key=("T-1",), kind="insert", before=None, after={"id": "T-1", "note": None}, columns=("id", "note")
)
UPDATED = RowDiff(
    table="tasks",
    key=("T-2",),
    kind="update",
    before={"id": "T-2", "state": "todo", "due": None},
    after={"id": "T-2", "state": "done", "due": None},
    columns=("state",),
)
DELETED = RowDiff(
    table="comments", key=(7, "en"), kind="delete", before={"id": 7, "lang": "en"}, after=None, columns=(), derived=True
)


def rendered(rows: list[RowDiff]) -> list[str]:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    console.print(diff_view(rows))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_changes_are_grouped_by_table_with_counts() -> None:
    assert rendered([UPDATED, DELETED, INSERTED]) == [
        "comments  -1",
        "  -  7, 'en' (derived)  id=7 lang='en'",
        "",
        "tasks  +1 ~1",
        "  ~  'T-2'  state: 'todo' -> 'done'",
        "  +  'T-1'  id='T-1'",
    ]


def test_no_changes_are_said_to_be_none() -> None:
    assert rendered([]) == ["No changes."]
    assert summary([]) == "no changes"


def test_the_summary_counts_rows_and_tables() -> None:
    assert summary([INSERTED, UPDATED, DELETED]) == "3 rows in 2 tables: 1 inserted, 1 updated, 1 deleted"
    assert summary([DELETED]) == "1 row in 1 table: 1 deleted"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        ("NULL", "'NULL'"),
        ("[red]no markup[/red]", "'[red]no markup[/red]'"),
        ("\x1b[2J\n", r"'\x1b[2J\n'"),
        (b"\x00", r"b'\x00'"),
        (memoryview(b"ab"), "b'ab'"),
        (Decimal("1.50"), "1.50"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
    ],
)
def test_values_show_what_they_are(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_markup_in_a_value_is_not_obeyed() -> None:
    row = RowDiff(table="t", key=("[bold]x",), kind="insert", before=None, after={"a": "[/bold]"}, columns=("a",))
    assert rendered([row])[1] == "  +  '[bold]x'  a='[/bold]'"


def test_a_long_value_is_cut() -> None:
    text = value_text("x" * 1000)
    assert len(text) == LONGEST_VALUE
    assert text.endswith("\u2026")
