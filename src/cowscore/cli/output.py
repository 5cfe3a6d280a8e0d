"""How results reach stdout: JSON for programs, tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from cowscore.errors import BadInput

WIDTH_OF_A_FILE = 160
"""Columns where stdout is no terminal: nothing to fit into, and wrapped cells are hard to search."""


def show(*renderables: RenderableType) -> None:
    """Print tables and texts on stdout."""
    width = None if sys.stdout.isatty() else WIDTH_OF_A_FILE
    # highlight off: numbers inside names and values would get colours that mean nothing.
    console = Console(width=width, highlight=False)
    for renderable in renderables:
        console.print(renderable)


def show_json(value: Any) -> None:
    """Print a value of cowscore's model as JSON on stdout."""
    from cowscore.scoring.result import jsonable

    typer.echo(json.dumps(jsonable(value), indent=2, ensure_ascii=False))


def note(message: str) -> None:
    """Tell a person something beside the result, on stderr."""
    typer.echo(message, err=True)


def write(path: Path, text: str) -> None:
    """Write a file and say so. Raises BadInput where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error
    note(f"wrote {path}")


def counted(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A plain table; None shows as an empty cell, and nothing in a cell is taken for markup."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        grid.add_column(heading, overflow="fold")
    for row in rows:
        grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return grid
