"""results.jsonl and results.csv: written as trials finish, read back whole, resumed after a crash."""

from __future__ import annotations

import csv
from pathlib import Path
from uuid import UUID

import pytest

from cowscore.errors import BadInput, UnknownName
from cowscore.experiments.results import CSV_COLUMNS, BaseHashes, Results, ResultsWriter
from cowscore.experiments.trials import Trial
from cowscore.scoring.result import OperationScore, RowScore, Score
from cowscore.surface.calls import ToolCall

OPERATION = UUID(int=1)


def a_score() -> Score:
    row = RowScore(
        table="tasks",
        schema="public",
        kind="insert",
        gt_key=("a", 1),
        agent_key=("b", 1),
        gt={"id": "a", "n": 1},
        agent={"id": "b", "n": 1},
        similarity=1.0,
        fields={"n": 1.0},
        changed=("n",),
        operation=OPERATION,
        operations=(OPERATION,),
    )
    missing = RowScore(
        table="tasks", schema="public", kind="delete", gt_key=("c", 2), agent_key=None, gt={}, agent=None
    )
    operation = OperationScore(id=OPERATION, struct_utility=0.5, content_utility=None, credit=0.5)
    return Score(
        struct=0.5,
        content=1.0,
        content_all=1.0,
        overall=0.75,
        precision=1.0,
        recall=0.5,
        f1=2 / 3,
        efficiency=1.0,
        matched=[row],
        missing=[missing],
        extra=[],
        operations=[operation],
        gt_operations=2,
        wasted=(UUID(int=2),),
        scores={"mine": 0.25},
    )


def a_trial(number: int = 1, **changes: object) -> Trial:
    call = ToolCall(
        ordinal=1, tool="execute", arguments={"pk": "x"}, operation_id="get", status=404, error="no such row"
    )
    values: dict[str, object] = {
        "experiment": "e",
        "agent": "scripted:solver",
        "workflow": 'Sprint, "kickoff"',
        "surface": "v1",
        "number": number,
        "seed": 7,
        "outcome": "ok",
        "session": UUID(int=9),
        "score": a_score(),
        "calls": (call,),
        "seconds": 1.5,
        "text": "döne\nnext line",
    }
    return Trial(**{**values, **changes})  # type: ignore[arg-type]


def test_what_is_written_is_read_back_equal(tmp_path: Path) -> None:
    hashes = BaseHashes(before={"public.t": "1"}, after={"public.t": "1"})
    with ResultsWriter(tmp_path, "e", {"limit": 50}) as writer:
        writer.add(a_trial(2))
        writer.add(a_trial(1, outcome="infrastructure", score=None, session=None, error="503"))
        writer.base_hashes(hashes)
    results = Results.read(tmp_path)
    assert results.trials == (
        a_trial(1, outcome="infrastructure", score=None, session=None, error="503"),
        a_trial(2),
    )
    assert results.base == hashes
    assert results.base.equal
    assert results.settings == {"limit": 50}
    assert results.experiment == "e"


def test_csv_has_one_line_a_trial(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path, "e") as writer:
        writer.add(a_trial(2, score=None, outcome="infrastructure"))
        writer.add(a_trial(1))
    with (tmp_path / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert [row["trial"] for row in rows] == ["1", "2"]
    assert rows[0]["workflow"] == 'Sprint, "kickoff"'
    assert (rows[0]["overall"], rows[0]["matched"], rows[0]["missing"], rows[0]["extra"]) == ("0.75", "1", "1", "0")
    assert (rows[0]["execute_calls"], rows[0]["failed_calls"], rows[0]["wasted_operations"]) == ("1", "1", "1")
    assert rows[1]["overall"] == ""


def test_trials_are_on_disk_before_the_writer_closes(tmp_path: Path) -> None:
    writer = ResultsWriter(tmp_path, "e")
    writer.add(a_trial())
    assert Results.read(tmp_path).trials == (a_trial(),)
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 2
    writer.close()


def test_resume_keeps_trials_cuts_a_torn_line_and_lets_the_last_try_win(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path, "e") as writer:
        writer.add(a_trial(1))
        writer.add(a_trial(2, outcome="infrastructure", score=None))
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('{"schema_version": 1, "record": "tri')
    assert Results.read(tmp_path).finished() == {a_trial(1).id}
    with ResultsWriter(tmp_path, "e", resume=True) as writer:
        writer.add(a_trial(2))
    assert Results.read(tmp_path).trials == (a_trial(1), a_trial(2))
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 3


def test_without_resume_the_files_start_empty(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path, "e") as writer:
        writer.add(a_trial(1))
    with ResultsWriter(tmp_path, "e") as writer:
        writer.add(a_trial(2))
    assert Results.read(tmp_path).trials == (a_trial(2),)


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"results\.jsonl"):
        Results.read(tmp_path)
    (tmp_path / "results.jsonl").write_text("hello\n")
    with pytest.raises(BadInput, match="line 1"):
        Results.read(tmp_path)
    (tmp_path / "results.jsonl").write_text('{"schema_version": 99, "record": "trial"}\n')
    with pytest.raises(BadInput, match="schema version 99"):
        Results.read(tmp_path)


def test_changed_base_tables_are_named() -> None:
    hashes = BaseHashes(before={"a": "1", "b": "2"}, after={"a": "1", "b": "3", "c": "4"})
    assert not hashes.equal
    assert hashes.changed == ("b", "c")
