"""Results of an experiment on disk: `results.jsonl` holds everything, `results.csv` one line a trial.

Lines are appended as trials finish, so an experiment that was interrupted resumes where it stopped. The JSON lines are
the truth: the CSV is made anew from them whenever a writer opens or closes.
"""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import UUID

from cowscore.errors import BadInput, UnknownName
from cowscore.experiments.trials import Trial, TrialId
from cowscore.scoring.result import OperationScore, RowScore, Score, jsonable
from cowscore.surface.calls import ToolCall

SCHEMA_VERSION = 1
JSONL = "results.jsonl"
CSV = "results.csv"

SCORE_COLUMNS = ("overall", "struct", "content", "content_all", "precision", "recall", "f1", "efficiency")
CSV_COLUMNS = (
    "experiment",
    "agent",
    "workflow",
    "surface",
    "trial",
    "seed",
    "outcome",
    *SCORE_COLUMNS,
    "matched",
    "missing",
    "extra",
    "gt_operations",
    "agent_operations",
    "wasted_operations",
    "discover_calls",
    "execute_calls",
    "failed_calls",
    "tokens_in",
    "tokens_out",
    "cost",
    "seconds",
    "session",
    "error",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseHashes:
    """One hash per base table before the first trial and after the last; equal where nothing reached production."""

    before: Mapping[str, str]
    after: Mapping[str, str]

    @property
    def equal(self) -> bool:
        """True where every table is as it was."""
        return dict(self.before) == dict(self.after)

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the tables that differ."""
        names = sorted({*self.before, *self.after})
        return tuple(name for name in names if self.before.get(name) != self.after.get(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """All trials of an experiment, the last try of each, in the order agent, workflow, surface, number."""

    experiment: str
    trials: tuple[Trial, ...]
    base: BaseHashes | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the experiment was run with: the content of its file and the versions in use."""

    @classmethod
    def read(cls, path: Path) -> Results:
        """Results from a directory or a `results.jsonl`.

        A last line that was cut off by a crash is left out. Raises UnknownName where there is no such file and BadInput
        for lines that are not results or were written by a newer version.
        """
        file = path / JSONL if path.is_dir() else path
        try:
            lines = file.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            raise UnknownName(f"no results at {file}: run the experiment first, or name its output directory") from None
        trials: dict[TrialId, Trial] = {}
        experiment, base, settings = "", None, {}
        # split() leaves what follows the last newline: nothing, or a line cut off.
        for number, line in enumerate(lines[:-1], start=1):
            record = _record(line, file, number)
            if record["record"] == "experiment":
                experiment, settings = record["name"], record["settings"]
            elif record["record"] == "trial":
                trial = trial_from_dict(record)
                trials[trial.id] = trial
                experiment = experiment or trial.experiment
            elif record["record"] == "base_hashes":
                base = BaseHashes(before=record["before"], after=record["after"])
        ordered = tuple(trials[key] for key in sorted(trials))
        return cls(experiment=experiment, trials=ordered, base=base, settings=settings)

    def finished(self) -> frozenset[TrialId]:
        """Ids of trials that need no second run: all but those that infrastructure broke."""
        return frozenset(trial.id for trial in self.trials if trial.outcome != "infrastructure")


class ResultsWriter:
    """Appends to `results.jsonl` and `results.csv` in a directory, from any thread.

    `resume` keeps what is there; otherwise both files start empty.
    """

    def __init__(
        self, directory: Path, experiment: str, settings: Mapping[str, Any] | None = None, resume: bool = False
    ) -> None:
        self._lock = threading.Lock()
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / JSONL
        earlier: tuple[Trial, ...] = ()
        if resume and file.exists():
            _cut_broken_tail(file)
            earlier = Results.read(file).trials
        self._jsonl = file.open("a" if resume else "w", encoding="utf-8", newline="\n")
        self._rewrite_csv(earlier)
        self._append({"record": "experiment", "name": experiment, "settings": jsonable(dict(settings or {}))})

    def __enter__(self) -> ResultsWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def add(self, trial: Trial) -> None:
        """Write a finished trial; it is on disk when this returns."""
        with self._lock:
            self._append({"record": "trial", **trial_to_dict(trial)})
            self._csv.writerow(csv_row(trial))
            self._csv_file.flush()

    def base_hashes(self, hashes: BaseHashes) -> None:
        """Write the hashes of the base tables before and after."""
        with self._lock:
            self._append({"record": "base_hashes", "before": dict(hashes.before), "after": dict(hashes.after)})

    def close(self) -> Results:
        """Close both files, the CSV sorted and without superseded tries, and return what they hold."""
        with self._lock:
            if not self._jsonl.closed:
                self._jsonl.close()
                self._csv_file.close()
                self._rewrite_csv(Results.read(self._directory).trials)
                self._csv_file.close()
        return Results.read(self._directory)

    def _append(self, record: Mapping[str, Any]) -> None:
        self._jsonl.write(json.dumps({"schema_version": SCHEMA_VERSION, **record}, ensure_ascii=False) + "\n")
        self._jsonl.flush()

    def _rewrite_csv(self, trials: Iterable[Trial]) -> None:
        self._csv_file = (self._directory / CSV).open("w", encoding="utf-8", newline="")
        self._csv = csv.writer(self._csv_file, lineterminator="\n")
        self._csv.writerow(CSV_COLUMNS)
        self._csv.writerows(csv_row(trial) for trial in trials)
        self._csv_file.flush()


def csv_row(trial: Trial) -> list[Any]:
    """The trial as values of CSV_COLUMNS; what it does not have is None (an empty field)."""
    score = trial.score
    scored = [getattr(score, name) if score else None for name in SCORE_COLUMNS]
    counts: list[int | None] = [None] * 6
    if score:
        rows = [len(score.matched), len(score.missing), len(score.extra)]
        counts = [*rows, score.gt_operations, len(score.operations), len(score.wasted)]
    discover = sum(call.tool == "discover" for call in trial.calls)
    failed = sum(call.failed for call in trial.calls)
    calls = [discover, len(trial.calls) - discover, failed]
    who = [trial.experiment, trial.agent, trial.workflow, trial.surface, trial.number, trial.seed, trial.outcome]
    spent = [trial.tokens_in, trial.tokens_out, trial.cost, round(trial.seconds, 3)]
    return [*who, *scored, *counts, *calls, *spent, trial.session, trial.error]


def trial_to_dict(trial: Trial) -> dict[str, Any]:
    """The trial as JSON-ready values; `trial_from_dict` reads it."""
    plain = jsonable(trial)
    assert isinstance(plain, dict)
    return plain


def trial_from_dict(plain: Mapping[str, Any]) -> Trial:
    """The trial that `trial_to_dict` wrote. Values inside rows stay as JSON gave them (ids of rows are strings)."""
    values = _known(Trial, plain)
    values["session"] = _uuid(values.get("session"))
    values["score"] = score_from_dict(values["score"]) if values.get("score") else None
    values["calls"] = tuple(
        ToolCall(**{**_known(ToolCall, call), "operation": _uuid(call.get("operation"))})
        for call in values.get("calls", ())
    )
    return Trial(**values)


def score_from_dict(plain: Mapping[str, Any]) -> Score:
    """The score that `Score.to_dict` wrote. Values inside rows and keys stay as JSON gave them."""
    values = _known(Score, plain)
    for name in ("matched", "missing", "extra"):
        values[name] = [_row(row) for row in values[name]]
    values["operations"] = [
        OperationScore(**{**_known(OperationScore, item), "id": UUID(item["id"])}) for item in values["operations"]
    ]
    values["wasted"] = tuple(UUID(item) for item in values.get("wasted", ()))
    return Score(**values)


def _row(plain: Mapping[str, Any]) -> RowScore:
    values = _known(RowScore, plain)
    for name in ("gt_key", "agent_key"):
        values[name] = tuple(values[name]) if values[name] is not None else None
    values["changed"] = tuple(values.get("changed", ()))
    values["operation"] = _uuid(values.get("operation"))
    values["operations"] = tuple(UUID(item) for item in values.get("operations", ()))
    return RowScore(**values)


def _known(kind: type[Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    names = {item.name for item in fields(kind)}
    return {name: value for name, value in plain.items() if name in names}


def _uuid(value: str | None) -> UUID | None:
    return UUID(value) if value else None


def _record(line: str, file: Path, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
        version = record["schema_version"]
        record["record"]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file}, line {number}: not a line of cowscore results") from None
    if version > SCHEMA_VERSION:
        raise BadInput(f"{file} was written as schema version {version}, this cowscore reads up to {SCHEMA_VERSION}")
    assert isinstance(record, dict)
    return record


def _cut_broken_tail(file: Path) -> None:
    content = file.read_bytes()
    keep = content.rfind(b"\n") + 1
    if keep < len(content):
        with file.open("r+b") as handle:
            handle.truncate(keep)
