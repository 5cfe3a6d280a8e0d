"""One score as tables for people: the numbers, the rows that were missed or too many, and what each operation did."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cowscore.report.diff import SIGNS, value_text
from cowscore.scoring.result import RowScore, Score

NUMBERS = ("overall", "struct", "content", "precision", "recall", "f1", "efficiency")


def score_view(score: Score) -> RenderableType:
    """The whole score of one session."""
    parts: list[RenderableType] = [_numbers(score)]
    for title, rows, colour in (
        ("missing: in the ground truth only", score.missing, "red"),
        ("extra: in the agent's session only", score.extra, "yellow"),
        ("matched", score.matched, "green"),
    ):
        if rows:
            parts += [Text(""), Text(f"{title} ({len(rows)})", style=f"bold {colour}"), _rows(rows)]
    if score.operations:
        parts += [Text(""), Text("operations of the agent", style="bold"), _operations(score)]
    return Group(*parts)


def _numbers(score: Score) -> Table:
    grid = Table.grid(padding=(0, 2))
    for name in NUMBERS:
        grid.add_row(name, f"{getattr(score, name):.3f}")
    for name, value in score.scores.items():
        grid.add_row(Text(name), f"{value:.3f}")
    return grid


def _rows(rows: list[RowScore]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for row in rows:
        sign, colour = SIGNS[row.kind]
        name = row.table if row.schema == "public" else f"{row.schema}.{row.table}"
        keys = Text(", ".join(value_text(value) for value in row.key))
        if row.gt_key is not None and row.agent_key is not None and row.gt_key != row.agent_key:
            keys.append(" = " + ", ".join(value_text(value) for value in row.agent_key))
        grid.add_row(Text(f"  {sign}", style=colour), Text(name), keys, _how_close(row))
    return grid


def _how_close(row: RowScore) -> Text:
    """The similarity of a matched row with the fields that lower it; nothing for the others."""
    if row.similarity is None:
        return Text("")
    text = Text(f"{row.similarity:.3f}")
    for name, similarity in row.fields.items():
        if similarity < 1 and row.gt is not None and row.agent is not None:
            text.append(f"  {name}: ", style="dim")
            text.append(f"{value_text(row.agent.get(name))} for {value_text(row.gt.get(name))}")
    return text


def _operations(score: Score) -> Table:
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("#", "OPERATION"):
        grid.add_column(heading)
    for heading in ("STRUCT", "CONTENT", "CREDIT"):
        grid.add_column(heading, justify="right")
    for number, operation in enumerate(score.operations, 1):
        content = "" if operation.content_utility is None else f"{operation.content_utility:.3f}"
        utilities = (f"{operation.struct_utility:+.3f}", content, f"{operation.credit:+.3f}")
        grid.add_row(str(number), str(operation.id), *utilities)
    return grid
