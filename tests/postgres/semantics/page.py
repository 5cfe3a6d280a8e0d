"""The page `docs/reference/semantics.md`: written from what running the probes gives, and read again by its test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cowscore.model import Layout
from postgres.semantics.probes import KINDS, LAYOUTS, Probe

PATH = Path(__file__).parents[3] / "docs" / "reference" / "semantics.md"
HEAD = """# SQL in a session, semantic by semantic

Each row is a probe: statements that ran once on plain tables and once in a session over equal ones, in each layout, on
each version of PostgreSQL. After every statement rows, columns, command tag, row count and, where it fails,
SQLSTATE, message, constraint, table and column were compared; at the end the contents of all tables, and again after
commit.

*same*: nothing a client could see was different. *refused*: the session fails with that error where plain PostgreSQL
does not. *differs*: what the session saw; what plain PostgreSQL gave. *-*: the version does not know the syntax, or the
server used was built without it. [Modes and limits](modes-and-limits.md) has what to do instead. The probe ends at the
first difference.

*″*: as in the column before. Sessions are meant here. What production sees in the layout `in_place` is not among them:
[Layout `in_place`](modes-and-limits.md#layout-in_place).

The page is written by `python -m postgres.semantics` (in `tests/`), from the files in `tests/postgres/semantics/`.
"""

Outcomes = Mapping[tuple[str, str], str]
"""(kind, name of the probe) -> outcome."""
Column = tuple[Layout, int]
"""The layout of the session and the major version."""


def cell(text: str) -> str:
    """Text as one cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def rendered(probes: Sequence[Probe], outcomes: Mapping[Column, Outcomes]) -> str:
    """The whole page; `outcomes`: what running gave."""
    columns = _in_order(outcomes)
    parts = [HEAD, _summary(probes, outcomes)]
    for kind, title in KINDS.items():
        parts.append(f"## {title}\n")
        lines = [_line("Semantic", *(f"{c[0]} {c[1]}" for c in columns), "Why"), "|" + "---|" * (len(columns) + 2)]
        for p in (p for p in probes if p.kind == kind):
            cells = [outcomes[c][p.kind, p.name] for c in columns]
            lines.append(_line(p.name, *_once(cells), _reasons(p)))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _in_order(outcomes: Iterable[Column]) -> list[Column]:
    return sorted(outcomes, key=lambda column: (LAYOUTS.index(column[0]), column[1]))


def _reasons(probe: Probe) -> str:
    overlay, in_place = probe.why["overlay"], probe.why["in_place"]
    return "; ".join([overlay] * bool(overlay) + [f"in place: {in_place}"] * (bool(in_place) and in_place != overlay))


def _once(cells: Sequence[str]) -> list[str]:
    """A long outcome that the column before has, too, is not said again."""
    return ["\u2033" if i and c == cells[i - 1] and " " in c else c for i, c in enumerate(cells)]


def _summary(probes: Sequence[Probe], outcomes: Mapping[Column, Outcomes]) -> str:
    lines = [_line("Layout", "PostgreSQL", "probes", "same", "differs", "refused"), "|---|---|---|---|---|---|"]
    for layout, version in _in_order(outcomes):
        words = [o.split(" ")[0] for o in outcomes[layout, version].values()]
        counts = [str(words.count(w)) for w in ("same", "differs", "refused")]
        lines.append(_line(layout, str(version), str(len(probes) - words.count("-")), *counts))
    return "\n".join(lines) + "\n"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell(c) for c in cells) + " |"


def shown(page: str) -> dict[Column, dict[tuple[str, str], str]]:
    """What the page says, as it was given to `rendered`, with cells as `cell` makes them."""
    kinds = {title: kind for kind, title in KINDS.items()}
    result: dict[Column, dict[tuple[str, str], str]] = {}
    kind, columns = "", list[Column]()
    for line in page.splitlines():
        if line.startswith("## "):
            kind = kinds[line[3:]]
        elif kind and line.startswith("| "):
            cells = list(_cells(line))
            if cells[0] == "Semantic":
                columns = [_column(c) for c in cells[1:-1]]
                continue
            for i, column in enumerate(columns, start=1):
                cells[i] = cells[i - 1] if cells[i] == "\u2033" else cells[i]
                result.setdefault(column, {})[kind, cells[0]] = cells[i]
    return result


def _column(title: str) -> Column:
    layout, version = title.split(" ")
    return next(known for known in LAYOUTS if known == layout), int(version)


def _cells(line: str) -> Iterable[str]:
    escaped = line.strip().removeprefix("| ").removesuffix(" |").replace("\\|", "\0")
    return (c.replace("\0", "\\|") for c in escaped.split(" | "))
