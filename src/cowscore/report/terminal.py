"""An experiment's summary as tables for the terminal: those of the paper, and what they leave out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from cowscore.experiments.results import BaseHashes
from cowscore.experiments.trials import OUTCOMES
from cowscore.report.summary import MEASURES, AgentSummary, Summary
from cowscore.scoring.statistics import Comparison, Interval, Mean

_BAR = 20
"""Characters of a full bar."""
_TITLES = {"overall": "OVERALL", "struct": "STRUCTURAL", "content": "CONTENT"}


def experiment_view(summary: Summary) -> list[RenderableType]:
    """All tables, with a heading each, in the order in which a reader asks."""
    parts: list[RenderableType] = []
    for title, table in (
        ("Scores, mean with 95 % intervals: [these workflows] (workflows like these)", _scores(summary)),
        ("Rows, calls and completion", _rows_and_calls(summary)),
        *(
            (f"The five lowest workflows of each agent on surface {surface}", _lowest(summary.on(surface)))
            for surface in summary.surfaces[:1]
        ),
        *(
            (f"Surface {change.after} against {change.before}", comparison_table(change.agents))
            for change in summary.changes
        ),
    ):
        parts += ["", Text(title, style="bold"), table]
    if summary.base is not None:
        parts += ["", base_line(summary.base)]
    return parts


def base_line(base: BaseHashes) -> Text:
    """The hash over all base tables before and after, and whether it is the same."""
    before, after = combined(base.before), combined(base.after)
    text = Text(f"Base tables: {len(base.before)}, hash before {before}, after {after}: ")
    if base.equal:
        return text.append("equal", style="green")
    return text.append(f"CHANGED ({', '.join(base.changed)})", style="bold red")


def combined(hashes: Mapping[str, str]) -> str:
    """One MD5 over the hashes of all tables."""
    return hashlib.md5("".join(f"{t}={h};" for t, h in sorted(hashes.items())).encode()).hexdigest()


def _scores(summary: Summary) -> Table:
    rows = []
    for agent in summary.agents:
        cells = [_mean(agent.scores[m]) if agent.scores else "no score" for m in MEASURES]
        bar = _bar(agent.scores["overall"].mean) if agent.scores else ""
        rows.append((agent.agent, agent.surface, bar, *cells))
    return _table(("AGENT", "ON", "", *(_TITLES[m] for m in MEASURES)), rows)


def _rows_and_calls(summary: Summary) -> Table:
    headings: tuple[str, ...] = (
        "AGENT",
        "ON",
        "PRECISION",
        "RECALL",
        "F1",
        "COMPLETED",
        "OTHER ENDS",
        "DISCOVER",
        "EXECUTE",
        "FAILED",
    )
    rows = [
        (
            a.agent,
            a.surface,
            _number(a.precision),
            _number(a.recall),
            _number(a.f1),
            f"{a.completed}/{len(a.trials)}",
            ", ".join(f"{a.outcomes[o]} {o}" for o in OUTCOMES if o != "ok" and a.outcomes[o]),
            f"{a.discovers:.1f}",
            f"{a.executes:.1f}",
            f"{a.failed_calls:.1f}",
        )
        for a in summary.agents
    ]
    if any(a.tokens is not None for a in summary.agents):
        headings += ("TOKENS", "US$")
        spent = [(a.tokens, None if a.cost is None else f"{a.cost:.4f}") for a in summary.agents]
        return _table(headings, [(*row, *more) for row, more in zip(rows, spent, strict=True)])
    return _table(headings, rows)


def _lowest(agents: Sequence[AgentSummary]) -> Table:
    rows = [(a.agent, ", ".join(f"{low.workflow} {100 * low.overall:.1f}" for low in a.lowest)) for a in agents]
    return _table(("AGENT", "OVERALL, % (MEAN OVER TRIALS)"), rows)


def comparison_table(comparisons: Mapping[str, Comparison]) -> Table:
    """A line for each agent: the paired difference with its interval and p values, the best first."""
    headings = ("AGENT", "DIFFERENCE", "95 % (WORKFLOWS LIKE THESE)", "P", "P (HOLM)", "WORKFLOWS")
    rows = [
        (
            agent,
            f"{c.difference:+.3f}",
            _interval(c.workflows_like_these, signed=True),
            p_value(c.p),
            p_value(c.p_adjusted),
            len(c.per_workflow),
        )
        for agent, c in sorted(comparisons.items(), key=lambda entry: -entry[1].difference)
    ]
    return _table(headings, rows)


def p_value(value: float | None) -> str:
    """A p value as it is shown: one too small for four digits is no zero."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def _mean(mean: Mean) -> str:
    these, like = _interval(mean.these_workflows), _interval(mean.workflows_like_these)
    return f"{mean.mean:.2f} [{these}] ({like})"


def _interval(interval: Interval, signed: bool = False) -> str:
    if math.isnan(interval.low) or math.isnan(interval.high):
        return "-"
    sign = "+" if signed else ""
    return f"{interval.low:{sign}.2f}..{interval.high:{sign}.2f}"


def _number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.2f}"


def _bar(value: float) -> str:
    full = round(value * _BAR)
    return "█" * full + "░" * (_BAR - full)


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return table
