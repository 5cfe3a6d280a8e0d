"""Small experiments with real scores, for tests of reports."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from cowscore.experiments.results import BaseHashes, Results
from cowscore.experiments.trials import Trial
from cowscore.scoring import score
from cowscore.surface.calls import ToolCall
from scoring_sessions import Session, op, table

LABELS = table("labels", {"id": "serial", "name": "text", "color": "text"})
ROWS = [{"id": n, "name": f"label {n}", "color": "red"} for n in range(4)]


def trial(agent: str, workflow: str, done: int, *, surface: str = "v1", number: int = 1, **more: object) -> Trial:
    """A trial that made `done` of four changes."""
    gt, mine = Session(), Session()
    for n, row in enumerate(ROWS):
        gt.update(LABELS, row, n, color="blue")
        if n < done:
            mine.update(LABELS, row, n, color="blue")
    call = ToolCall(ordinal=1, tool="execute", arguments={"pk": "x"}, operation_id="paint", status=200, operation=op(0))
    values: dict[str, object] = {
        "experiment": "paint",
        "agent": agent,
        "workflow": workflow,
        "surface": surface,
        "number": number,
        "seed": 1,
        "outcome": "ok",
        "session": UUID(int=5),
        "score": score(gt.changes, mine.changes, [LABELS]),
        "calls": (call,),
        "text": "done",
    }
    return Trial(**(values | more))  # type: ignore[arg-type]


def experiment(better: int = 4, text: str = "done") -> Results:
    """Two agents, three workflows, two trials on v1 and one on v2, where `scripted:slow` makes `better` changes."""
    trials = []
    for workflow, slow in (("alpha", 1), ("beta", 2), ("gamma", 1)):
        for number in (1, 2):
            trials.append(trial("scripted:good", workflow, 4, number=number))
            trials.append(trial("scripted:slow", workflow, slow, number=number, text=text))
        trials.append(trial("scripted:good", workflow, 4, surface="v2"))
        trials.append(trial("scripted:slow", workflow, better, surface="v2"))
    broken = trial("scripted:slow", "alpha", 0, number=3, outcome="infrastructure", score=None, error="provider: 503")
    hashes = {"public.labels": "d41d8cd98f00b204e9800998ecf8427e"}
    return Results(experiment="paint", trials=(*trials, broken), base=BaseHashes(before=hashes, after=hashes))


def written(results: Results, folder: Path) -> Path:
    """The results in a directory, as an experiment leaves them."""
    from cowscore.experiments.results import ResultsWriter

    with ResultsWriter(folder, results.experiment) as writer:
        for one in results.trials:
            writer.add(one)
        if results.base:
            writer.base_hashes(results.base)
    return folder
