"""Scripted agents and a model in an experiment on the tracker: sessions, scores, results, untouched base tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from cowscore.agents.agent import Agent, AgentResult
from cowscore.agents.models import ModelAgent, ModelSpec
from cowscore.agents.scripted import Task, scripted_agents
from cowscore.database import Cow
from cowscore.demo.recorder import record
from cowscore.demo.seed import api_key
from cowscore.demo.surface_v2 import improve
from cowscore.demo.tracker import BOOKKEEPING
from cowscore.demo.workflows import plan, workflow, workflows
from cowscore.errors import BadInput, ConnectionFailed, UnknownName
from cowscore.experiments import recordings, runner
from cowscore.experiments.recordings import Recording
from cowscore.experiments.results import Results
from cowscore.experiments.spec import Experiment
from cowscore.experiments.trials import Trial
from cowscore.surface.openapi import Surface
from cowscore.surface.serving import serving
from cowscore.surface.tools import Tools
from model_provider import MODEL, Provider, calls, fails, says

PROMPTS = {w.prompt: w for w in workflows()}
SMALL = "Campaign Push"


def read(prompt: str) -> Task:
    found = PROMPTS[prompt]
    return Task(project=found.project, plan=partial(plan, found))


@dataclass(frozen=True)
class Lab:
    """A tracker under the overlay that is being served, its recordings and both surfaces."""

    dsn: str
    client: httpx.Client
    surfaces: dict[str, Surface]

    def record(self, *names: str) -> list[Recording]:
        with Cow.connect(self.dsn) as cow, psycopg.connect(self.dsn, autocommit=True) as conn:
            for name in names:
                task = workflow(name)
                session = cow.open_session(name=name, kind="ground_truth")
                record(self.client, task, api_key(), session.id)
                session.close()
                recordings.store(conn, Recording(name=name, prompt=task.prompt, session=session.id, tags=task.tags))
            return recordings.select(conn)

    def run(self, agents: Sequence[Agent], recorded: Sequence[Recording], out: Path, **more: object) -> Results:
        given = {"name": "test", "application": "tracker", "agents": [a.name for a in agents], "parallel": 3, **more}
        resume = bool(given.pop("resume", False))
        experiment = Experiment.model_validate(given)
        return runner.run(experiment, self.dsn, agents, self.surfaces, recorded, out, resume=resume)


@pytest.fixture
def lab(app: FastAPI, tracker_dsn: str) -> Iterator[Lab]:
    with Cow.connect(tracker_dsn) as cow:
        cow.enable(bookkeeping=BOOKKEEPING)
    headers = {"X-Api-Key": api_key()}
    with serving(app) as url, httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        surfaces = {"v1": Surface(app.openapi(), client), "v2": Surface(improve(app.openapi()), client)}
        yield Lab(tracker_dsn, client, surfaces)


def by_agent(results: Results, surface: str) -> dict[str, list[Trial]]:
    trials: dict[str, list[Trial]] = {}
    for trial in results.trials:
        if trial.surface == surface:
            trials.setdefault(trial.agent, []).append(trial)
    return trials


@pytest.mark.slow
def test_the_solver_solves_every_workflow_within_the_limit(lab: Lab, tmp_path: Path) -> None:
    recorded = lab.record(*(w.name for w in workflows()))
    solver = scripted_agents(read)["scripted:solver"]
    results = lab.run([solver], recorded, tmp_path)
    assert len(results.trials) == 20
    for trial in results.trials:
        assert trial.score is not None
        assert (trial.outcome, trial.score.overall) == ("ok", 1.0), trial.workflow
        assert trial.score.gt_operations == workflow(trial.workflow).operations
    assert results.base is not None
    assert results.base.equal
    assert len(results.base.before) == 13


@pytest.mark.slow
def test_scripts_fail_in_their_manners_and_two_improve_with_the_surface(lab: Lab, tmp_path: Path) -> None:
    recorded = lab.record(SMALL, "Sprint Kickoff", "Infra Sprint Kickoff")
    agents = list(scripted_agents(read).values())
    events: list[runner.Event] = []
    experiment = Experiment(
        name="test", application="tracker", agents=tuple(a.name for a in agents), surfaces=["v1", "v2"], parallel=3
    )
    results = runner.run(experiment, lab.dsn, agents, lab.surfaces, recorded, tmp_path, listener=events.append)
    assert len(results.trials) == 5 * 3 * 2
    assert all(trial.scripted and len(trial.calls) <= 50 for trial in results.trials)
    v1, v2 = by_agent(results, "v1"), by_agent(results, "v2")

    def scores(trials: list[Trial], name: str) -> list[float]:
        return [getattr(trial.score, name) for trial in trials]

    for solved in (v1["scripted:solver"], v2["scripted:solver"], v2["scripted:literal"], v2["scripted:explorer"]):
        assert scores(solved, "overall") == [1.0, 1.0, 1.0]
    for trial in v1["scripted:literal"]:
        assert [call.found for call in trial.calls] == [0]
        assert trial.score is not None
        assert (trial.outcome, trial.score.recall) == ("ok", 0.0)
    assert "limit" in {trial.outcome for trial in v1["scripted:explorer"]}
    for trial in v1["scripted:explorer"]:
        assert sum(call.tool == "discover" for call in trial.calls) > 20
    for trials in (v1["scripted:guesser"], v2["scripted:guesser"]):
        assert all(call.tool == "execute" for trial in trials for call in trial.calls)
        assert all(any(call.status == 422 for call in trial.calls) for trial in trials)
        assert all(0 < recall < 1 for recall in scores(trials, "recall"))
    assert all(precision < 1 for precision in scores(v1["scripted:eager"], "precision"))
    assert all(any(row.table == "work_item_labels" for row in trial.score.extra) for trial in v1["scripted:eager"])
    # Writes of a session are attributed to the calls that made them.
    for trial in v1["scripted:solver"]:
        assert trial.score is not None
        assert {operation.id for operation in trial.score.operations} <= {call.operation for call in trial.calls}
    finished = [event for event in events if isinstance(event, runner.TrialFinished)]
    assert isinstance(events[0], runner.Started)
    assert [event.done for event in finished] == list(range(1, 31))
    assert events[-1] == runner.Finished(results=results)
    assert results == Results.read(tmp_path)


class Flaky:
    """Fails for a reason that is not its own until `works` is set."""

    name = "flaky"
    works = False
    runs = 0

    def run(self, prompt: str, tools: Tools, seed: int) -> AgentResult:
        self.runs += 1
        if not self.works:
            raise ConnectionFailed("nobody home")
        return AgentResult(outcome="ok")


class Broken:
    """Does one thing and breaks."""

    name = "broken"
    runs = 0

    def run(self, prompt: str, tools: Tools, seed: int) -> AgentResult:
        self.runs += 1
        tools.execute("list_projects", {})
        raise KeyError("id")


def test_infrastructure_is_no_score_and_resume_runs_it_again(lab: Lab, tmp_path: Path) -> None:
    recorded = lab.record(SMALL)
    flaky, broken = Flaky(), Broken()
    first = lab.run([flaky, broken], recorded, tmp_path, trials=2)
    assert [(t.agent, t.outcome, t.score is None) for t in first.trials] == [
        *[("broken", "agent_error", False)] * 2,
        *[("flaky", "infrastructure", True)] * 2,
    ]
    assert first.trials[0].error == "KeyError: 'id'"
    assert len(first.trials[0].calls) == 1
    assert first.trials[2].seed == first.trials[0].seed != first.trials[1].seed
    with pytest.raises(BadInput, match="resume"):
        lab.run([flaky, broken], recorded, tmp_path, trials=2)
    flaky.works = True
    second = lab.run([flaky, broken], recorded, tmp_path, trials=2, resume=True)
    assert [t.outcome for t in second.trials] == ["agent_error"] * 2 + ["ok"] * 2
    assert (flaky.runs, broken.runs) == (4, 2)
    assert second.base is not None
    assert second.base.equal
    with pytest.raises(BadInput, match="experiment 'test'"):
        lab.run([flaky, broken], recorded, tmp_path, name="other", resume=True)


def test_a_model_is_measured_like_any_agent(lab: Lab, tmp_path: Path) -> None:
    recorded = lab.record(SMALL)
    label = {"name": "campaign-active-v2", "color": "#db2777"}
    project = next(p["id"] for p in lab.client.get("/projects").json() if p["identifier"] == "GS")
    provider = Provider(
        calls(("discover", {"query": "create label"})),
        fails(429),
        calls(("execute", {"operation_id": "create_label", "arguments": {"project_id": project, **label}})),
        says("I created the label."),
    )
    with provider.at() as url:
        model = ModelAgent(ModelSpec(model=MODEL, base_url=url, backoff=0.001))
        (trial,) = lab.run([model], recorded, tmp_path).trials
    assert (trial.outcome, trial.text, trial.agent) == ("ok", "I created the label.", MODEL)
    assert (trial.tokens_in, trial.tokens_out) == (300, 30)
    assert trial.cost
    assert trial.score is not None
    assert trial.score.precision == 1.0
    assert 0 < trial.score.recall < 1
    assert "labels" in {row.table for row in trial.score.matched}


def test_recordings_are_kept_and_selected(lab: Lab) -> None:
    lab.record(SMALL, "Sprint Kickoff")
    with psycopg.connect(lab.dsn, autocommit=True) as conn:
        kept = recordings.load(conn, SMALL)
        assert (kept.prompt, kept.tags) == (workflow(SMALL).prompt, workflow(SMALL).tags)
        assert kept.recorded_at is not None
        assert [r.name for r in recordings.select(conn)] == [SMALL, "Sprint Kickoff"]
        assert [r.name for r in recordings.select(conn, tags=["sprint"])] == ["Sprint Kickoff"]
        assert [r.name for r in recordings.select(conn, names=[SMALL])] == [SMALL]
        with pytest.raises(UnknownName, match=r"'nothing'.*Campaign Push, Sprint Kickoff"):
            recordings.load(conn, "nothing")
        with pytest.raises(UnknownName, match="tag 'x'"):
            recordings.select(conn, tags=["x"])
        with pytest.raises(BadInput, match="already"):
            recordings.store(conn, kept)
        recordings.store(conn, Recording(name=SMALL, prompt="new", session=kept.session), replace=True)
        assert recordings.load(conn, SMALL).prompt == "new"
