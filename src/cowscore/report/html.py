"""One HTML page about an experiment that needs nothing but itself: tables, plots, and every trial down to its rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import jinja2
from markupsafe import Markup

from cowscore.experiments.results import Results
from cowscore.experiments.trials import OUTCOMES, Trial
from cowscore.report import plots
from cowscore.report.summary import MEASURES, AgentSummary, Summary, SurfaceChange, by_workflow, summarize
from cowscore.report.terminal import combined, p_value
from cowscore.scoring.result import RowScore, jsonable
from cowscore.scoring.statistics import Interval


def write_html(results: Results, path: Path) -> None:
    """Write the page to `path`. The same results give the same bytes."""
    path.write_text(render(results), encoding="utf-8")


def render(results: Results) -> str:
    """The page as text."""
    summary = summarize(results)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(_asset("report.html.j2")).render(
        summary=summary,
        trials=len(results.trials),
        agents={t.agent for t in results.trials},
        measures=MEASURES,
        outcomes=OUTCOMES,
        before=combined(summary.base.before) if summary.base else "",
        after=combined(summary.base.after) if summary.base else "",
        plots=[(surface, _bars(summary, surface)) for surface in summary.surfaces],
        changes=[(change, _slopes(summary, change)) for change in summary.changes],
        heat=_heat(summary),
        link=_link,
        interval=_interval,
        number=_number,
        p=p_value,
        # These are this package's own files, and JSON in which no tag can end.
        css=Markup(_asset("report.css")),
        js=Markup(_asset("report.js")),
        data=Markup(_embedded(_data(results))),
    )


def _asset(name: str) -> str:
    return (resources.files("cowscore.report") / "assets" / name).read_text(encoding="utf-8")


def _embedded(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


class _Contents:
    """Contents of rows, each kept once: the trials of a workflow share the recording's, and often the agents'."""

    def __init__(self) -> None:
        self.kept: list[dict[str, Any]] = []
        self._numbers: dict[str, int] = {}

    def number(self, values: Mapping[str, Any], names: Iterable[str]) -> int:
        """The place of these values, NULLs left out, in `kept`."""
        shown = {name: jsonable(values[name]) for name in names if values.get(name) is not None}
        text = json.dumps(shown)
        if text not in self._numbers:
            self._numbers[text] = len(self.kept)
            self.kept.append(shown)
        return self._numbers[text]


def _data(results: Results) -> dict[str, Any]:
    """What the page's script reads: trials, whose rows are numbers of `contents`, and the prompts of workflows."""
    contents = _Contents()
    trials = [_trial(number, trial, contents) for number, trial in enumerate(results.trials)]
    return {"trials": trials, "contents": contents.kept, "prompts": dict(results.settings.get("prompts", {}))}


def _link(**wanted: str) -> str:
    return "#" + urlencode(wanted)


def _interval(interval: Interval) -> str:
    if math.isnan(interval.low) or math.isnan(interval.high):
        return "-"
    return f"{interval.low:z.3f} to {interval.high:z.3f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _bars(summary: Summary, surface: str) -> Markup:
    groups = [
        plots.Group(
            name=agent.agent,
            href=_link(agent=agent.agent, surface=surface),
            bars=tuple(
                plots.Bar(
                    label=measure,
                    value=agent.scores[measure].mean,
                    low=agent.scores[measure].workflows_like_these.low,
                    high=agent.scores[measure].workflows_like_these.high,
                    kind=measure,
                )
                for measure in MEASURES
            ),
        )
        for agent in summary.on(surface)
        if agent.scores
    ]
    return plots.bars(groups, f"Scores of each agent on surface {surface}")


def _slopes(summary: Summary, change: SurfaceChange) -> Markup:
    means = {(a.agent, a.surface): a.scores["overall"].mean for a in summary.agents if a.scores}
    rows = [(agent, means[agent, change.before], means[agent, change.after]) for agent in sorted(change.agents)]
    title = f"Overall score of each agent on surface {change.before} and on {change.after}"
    return plots.slopes(rows, change.before, change.after, title)


def _heat(summary: Summary) -> list[tuple[str, list[tuple[AgentSummary, float | None]]]]:
    scores = [(agent, by_workflow(agent.trials)) for agent in summary.agents]
    return [
        (workflow, [(agent, _mean(found.get(workflow, ()))) for agent, found in scores])
        for workflow in summary.workflows
    ]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _trial(number: int, trial: Trial, contents: _Contents) -> dict[str, Any]:
    """What the page shows of a trial. Operations are numbered in their order: ids would be most of the page."""
    score = trial.score
    ordinals = {o.id: n for n, o in enumerate(score.operations, start=1)} if score else {}
    shown: dict[str, Any] = {
        "id": number,
        "agent": trial.agent,
        "workflow": trial.workflow,
        "surface": trial.surface,
        "number": trial.number,
        "outcome": trial.outcome,
        "text": trial.text,
        "error": trial.error,
        "scores": None,
        "calls": [
            {
                "ordinal": call.ordinal,
                "tool": call.tool if call.operation_id is None else f"{call.tool} {call.operation_id}",
                "arguments": _arguments(call.arguments),
                "answer": call.error or (f"{call.found} found" if call.found is not None else f"status {call.status}"),
                "ms": round(call.milliseconds),
                "operation": _ordinal(ordinals, call.operation),
            }
            for call in trial.calls
        ],
    }
    if score is not None:
        names = ("overall", "struct", "content", "content_all", "precision", "recall", "f1", "efficiency")
        shown["scores"] = {name: round(getattr(score, name), 6) for name in names}
        shown["missing"] = [_row(row, row.gt or {}, ordinals, contents) for row in score.missing]
        shown["extra"] = [_row(row, row.agent or {}, ordinals, contents) for row in score.extra]
        shown["matched"] = [
            {**_row(row, row.agent or {}, ordinals, contents), "similarity": row.similarity, "differs": _differing(row)}
            for row in sorted(score.matched, key=lambda row: row.similarity or 0.0)
        ]
        shown["operations"] = [
            {"number": n, "struct": o.struct_utility, "content": o.content_utility, "credit": o.credit}
            for n, o in enumerate(score.operations, start=1)
        ]
    return shown


def _arguments(arguments: Mapping[str, Any]) -> str:
    inner = arguments.get("arguments")
    given = inner if isinstance(inner, Mapping) and "operation_id" in arguments else arguments
    return json.dumps(jsonable(given), ensure_ascii=False)


def _ordinal(ordinals: Mapping[UUID, int], operation: UUID | None) -> str:
    return str(ordinals.get(operation, "")) if operation else ""


def _row(row: RowScore, values: Mapping[str, Any], ordinals: Mapping[UUID, int], contents: _Contents) -> dict[str, Any]:
    return {
        "table": row.table,
        "kind": row.kind,
        "key": ", ".join(str(part) for part in row.key),
        "operation": _ordinal(ordinals, row.operation),
        "row": contents.number(values, row.changed if row.kind == "update" or row.similarity is not None else values),
    }


def _differing(row: RowScore) -> list[dict[str, Any]]:
    """Fields of a matched row that are not the same on both sides."""
    gt, agent = row.gt or {}, row.agent or {}
    return [
        {"field": name, "gt": jsonable(gt.get(name)), "agent": jsonable(agent.get(name)), "similarity": similarity}
        for name, similarity in row.fields.items()
        if similarity < 1
    ]
