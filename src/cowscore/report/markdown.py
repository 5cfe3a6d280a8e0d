"""An experiment's summary for a pull request."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from cowscore.report.summary import MEASURES, Summary
from cowscore.report.terminal import combined, p_value
from cowscore.scoring.statistics import Interval


def markdown(summary: Summary) -> str:
    """GitHub-flavoured Markdown: scores, completion, the change between surfaces, and what became of base."""
    parts = [f"## {_cell(summary.experiment)}", _scores(summary)]
    for change in summary.changes:
        rows = [
            (agent, f"{c.difference:+.3f}", _interval(c.workflows_like_these), p_value(c.p_adjusted))
            for agent, c in sorted(change.agents.items(), key=lambda entry: -entry[1].difference)
        ]
        parts.append(f"### Surface {_cell(change.after)} against {_cell(change.before)}")
        parts.append(_table(("agent", "difference", "95 %", "p (Holm)"), rows))
    if summary.base is not None:
        verdict = "equal" if summary.base.equal else f"**changed**: {', '.join(map(_cell, summary.base.changed))}"
        before, after = combined(summary.base.before), combined(summary.base.after)
        parts.append(f"Base tables before `{before}`, after `{after}`: {verdict}.")
    return "\n\n".join(parts) + "\n"


def _scores(summary: Summary) -> str:
    rows = []
    for a in summary.agents:
        scores = [
            f"{a.scores[m].mean:.2f} ({_interval(a.scores[m].workflows_like_these)})" if a.scores else "no score"
            for m in MEASURES
        ]
        rows.append(
            (a.agent, a.surface, *scores, _number(a.precision), _number(a.recall), f"{a.completed}/{len(a.trials)}")
        )
    return _table(("agent", "surface", *MEASURES, "precision", "recall", "completed"), rows)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    # A name must be no markup: it could break the table, or load an image from anywhere into the pull request.
    return re.sub(r"([\\|\[`*])", r"\\\1", text).replace("<", "&lt;").replace("\n", " ")


def _interval(interval: Interval) -> str:
    return "-" if math.isnan(interval.low) else f"{interval.low:.2f} to {interval.high:.2f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
