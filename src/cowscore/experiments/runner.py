"""Runs an experiment: every agent on every recording, each trial in a session of its own, many at a time."""

from __future__ import annotations

import platform
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

import psycopg

from cowscore.agents.agent import Agent, AgentResult
from cowscore.database import Cow, Session
from cowscore.errors import BadInput, ConnectionFailed, CowscoreError
from cowscore.experiments.base_hash import hash_base
from cowscore.experiments.recordings import Recording
from cowscore.experiments.results import JSONL, BaseHashes, Results, ResultsWriter
from cowscore.experiments.spec import Experiment
from cowscore.experiments.trials import Trial, TrialId
from cowscore.scoring.config import ScoringConfig
from cowscore.surface.openapi import Surface
from cowscore.surface.tools import Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The experiment begins."""

    experiment: str
    total: int
    """Trials in all."""
    skipped: int
    """Of these, done in an earlier run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted:
    """A trial begins."""

    id: TrialId


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFinished:
    """A trial has ended and is on disk."""

    trial: Trial
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The experiment has ended."""

    results: Results


Event = Started | TrialStarted | TrialFinished | Finished
Listener = Callable[[Event], None]
"""Called with each event, one at a time, from any thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    agent: Agent
    recording: Recording
    version: str
    number: int
    seed: int

    @property
    def id(self) -> TrialId:
        return (self.agent.name, self.recording.name, self.version, self.number)


def run(
    experiment: Experiment,
    dsn: str,
    agents: Sequence[Agent],
    surfaces: Mapping[str, Surface],
    recordings: Sequence[Recording],
    out: Path,
    resume: bool = False,
    listener: Listener = lambda event: None,
) -> Results:
    """Run all trials of `experiment`, score each against its recording and write results to the directory `out`.

    `surfaces` has one for each version of the experiment. `resume` keeps what `out` holds and runs only what is absent
    or was broken by infrastructure; without it a directory that holds results is refused. The base tables are hashed
    before and after: see `Results.base`. An exception in a trial that is neither the agent's nor infrastructure's stops
    the experiment; what is finished is on disk. Raises BadInput, NotInstalled, ConnectionFailed.
    """
    _check(experiment, agents, surfaces, recordings, out, resume)
    jobs = list(_jobs(experiment, agents, recordings))
    finished = Results.read(out).finished() if resume and (out / JSONL).exists() else frozenset()
    waiting = [job for job in jobs if job.id not in finished]
    with (
        Cow.connect(dsn) as cow,
        psycopg.connect(dsn, autocommit=True) as conn,
        ResultsWriter(out, experiment.name, _settings(experiment, recordings, conn), resume) as writer,
    ):
        before = hash_base(conn, experiment.schema_name)
        progress = _Progress(listener, total=len(jobs), done=len(jobs) - len(waiting))
        progress.tell(Started(experiment=experiment.name, total=len(jobs), skipped=progress.done))
        trials = _Trials(experiment, cow, surfaces, progress)
        with ThreadPoolExecutor(experiment.parallel, thread_name_prefix="cowscore-trial") as pool:
            futures = [pool.submit(trials.run, job) for job in waiting]
            try:
                for future in as_completed(futures):
                    trial = future.result()
                    writer.add(trial)
                    progress.finished(trial)
            except BaseException:
                _cancel(futures)
                raise
        writer.base_hashes(BaseHashes(before=before, after=hash_base(conn, experiment.schema_name)))
        results = writer.close()
    progress.tell(Finished(results=results))
    return results


def trial_seed(seed: int, workflow: str, number: int) -> int:
    """The seed of a trial, 0..2^31-1: the same for all agents and surfaces, so that they can be compared in pairs."""
    return zlib.crc32(f"{seed}/{workflow}/{number}".encode()) & 0x7FFFFFFF


class _Progress:
    """Tells the listener one thing at a time."""

    def __init__(self, listener: Listener, total: int, done: int) -> None:
        self._listener, self._lock = listener, threading.Lock()
        self.total, self.done = total, done

    def tell(self, event: Event) -> None:
        with self._lock:
            self._listener(event)

    def finished(self, trial: Trial) -> None:
        self.done += 1
        self.tell(TrialFinished(trial=trial, done=self.done, total=self.total))


class _Trials:
    """Runs single trials; used by all threads."""

    def __init__(self, experiment: Experiment, cow: Cow, surfaces: Mapping[str, Surface], progress: _Progress) -> None:
        self._experiment, self._cow, self._surfaces, self._progress = experiment, cow, surfaces, progress
        self._config: ScoringConfig = experiment.scoring.config(experiment.seed)

    def run(self, job: _Job) -> Trial:
        """Session, agent, score; a database that fails breaks this trial, not the experiment."""
        self._progress.tell(TrialStarted(id=job.id))
        start = perf_counter()
        try:
            return self._attempt(job, start)
        except psycopg.OperationalError as error:
            result = AgentResult(outcome="infrastructure", error=f"database: {error}")
            return self._trial(job, result, seconds=perf_counter() - start)

    def _attempt(self, job: _Job, start: float) -> Trial:
        session = self._open(job)
        tools = Tools(self._surfaces[job.version], session.id, self._experiment.limit)
        result = _work(job, tools)
        seconds = perf_counter() - start
        session.close()
        score = None
        if result.outcome != "infrastructure":
            score = self._cow.score(job.recording.session, session.id, self._config)
        return self._trial(job, result, seconds=seconds, session=session.id, calls=tools.calls, score=score)

    def _open(self, job: _Job) -> Session:
        about = {
            "experiment": self._experiment.name,
            "agent": job.agent.name,
            "recording": job.recording.name,
            "surface": job.version,
            "trial": job.number,
            "seed": job.seed,
        }
        name = f"{job.recording.name} / {job.agent.name} / {job.version} #{job.number}"
        return self._cow.open_session(name=name, kind="agent", metadata=about)

    def _trial(self, job: _Job, result: AgentResult, **known: Any) -> Trial:
        return Trial(
            experiment=self._experiment.name,
            agent=job.agent.name,
            workflow=job.recording.name,
            surface=job.version,
            number=job.number,
            seed=job.seed,
            outcome=result.outcome,
            tokens_in=result.tokens_in,
            tokens_out=result.tokens_out,
            cost=result.cost,
            text=result.text,
            error=result.error,
            **known,
        )


def _work(job: _Job, tools: Tools) -> AgentResult:
    """Let the agent work; whatever it raises becomes an outcome, unless cowscore itself was used wrongly."""
    try:
        return job.agent.run(job.recording.prompt, tools, job.seed)
    except ConnectionFailed as error:
        return AgentResult(outcome="infrastructure", error=str(error))
    except CowscoreError:
        raise
    except Exception as error:
        return AgentResult(outcome="agent_error", error=f"{type(error).__name__}: {error}")


def _jobs(experiment: Experiment, agents: Sequence[Agent], recordings: Sequence[Recording]) -> Iterator[_Job]:
    """All trials, the first of everything before the second of anything: an early look at results sees every agent."""
    for surface in experiment.surfaces:
        for number in range(1, experiment.trials_on(surface) + 1):
            for recording in recordings:
                seed = trial_seed(experiment.seed, recording.name, number)
                for agent in agents:
                    yield _Job(agent=agent, recording=recording, version=surface.version, number=number, seed=seed)


def _check(
    experiment: Experiment,
    agents: Sequence[Agent],
    surfaces: Mapping[str, Surface],
    recordings: Sequence[Recording],
    out: Path,
    resume: bool,
) -> None:
    if not agents or not recordings:
        raise BadInput(f"experiment {experiment.name!r} has no {'recordings' if agents else 'agents'}")
    lacking = [surface.version for surface in experiment.surfaces if surface.version not in surfaces]
    if lacking:
        raise BadInput(f"no tool surface for version {lacking[0]!r}; there are: {', '.join(surfaces)}")
    if not (out / JSONL).exists():
        return
    if not resume:
        raise BadInput(f"{out} holds results already: resume that experiment, or choose another directory")
    earlier = Results.read(out).experiment
    if earlier and earlier != experiment.name:
        raise BadInput(f"{out} holds results of experiment {earlier!r}, not of {experiment.name!r}")


def _settings(experiment: Experiment, recordings: Sequence[Recording], conn: psycopg.Connection[Any]) -> dict[str, Any]:
    versions = {
        "cowscore": metadata.version("cowscore"),
        "python": platform.python_version(),
        "postgresql": conn.info.parameter_status("server_version"),
    }
    prompts = {recording.name: recording.prompt for recording in recordings}
    return {"experiment": experiment.settings(), "versions": versions, "prompts": prompts}


def _cancel(futures: Sequence[Future[Trial]]) -> None:
    for future in futures:
        future.cancel()
