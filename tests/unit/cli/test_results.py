"""`cowscore report` and `cowscore compare` on results that are on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from cowscore.cli.app import app
from cowscore.experiments.results import Results, trial_from_dict
from cowscore.experiments.trials import Trial
from experiment_results import experiment, trial, written

runner = CliRunner()


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return written(experiment(), tmp_path / "a")


def test_report_shows_the_tables(results: Path) -> None:
    shown = runner.invoke(app, ["report", str(results)])
    assert shown.exit_code == 0
    assert "scripted:slow" in shown.stdout
    assert "Surface v2 against v1" in shown.stdout


def test_report_writes_other_forms(results: Path, tmp_path: Path) -> None:
    files = {form: tmp_path / f"out.{form}" for form in ("html", "junit", "markdown")}
    options = [part for form, file in files.items() for part in (f"--{form}", str(file))]
    assert runner.invoke(app, ["report", str(results), *options]).exit_code == 0
    assert files["html"].read_text().startswith("<!doctype html>")
    assert files["junit"].read_text().startswith("<?xml")
    assert files["markdown"].read_text().startswith("## paint")


def test_the_threshold_decides_what_fails(tmp_path: Path) -> None:
    trials = (trial("model", "half", 2), trial("model", "whole", 4))
    results = str(written(Results(experiment="e", trials=trials), tmp_path / "a"))
    junit = tmp_path / "out.xml"

    def failed(*options: str) -> list[str | None]:
        assert runner.invoke(app, ["report", results, "--junit", str(junit), *options]).exit_code == 0
        return [
            case.get("name") for case in ElementTree.parse(junit).iter("testcase") if case.find("failure") is not None
        ]

    assert failed() == ["half #1"]
    assert failed("--threshold", "0.5") == []
    assert runner.invoke(app, ["report", results, "--threshold", "90"]).exit_code == 2


def test_the_threshold_is_nine_tenths_unless_given(tmp_path: Path) -> None:
    def scored(overall: float) -> Trial:
        one = trial("model", f"{overall}", 4)
        assert one.score is not None
        return replace(one, score=replace(one.score, overall=overall))

    results = Results(experiment="e", trials=(scored(0.89), scored(0.9)))
    junit = tmp_path / "out.xml"
    runner.invoke(app, ["report", str(written(results, tmp_path / "a")), "--junit", str(junit)])
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_report_as_json_is_all_of_the_results(results: Path) -> None:
    shown = json.loads(runner.invoke(app, ["report", str(results), "--json"]).stdout)
    assert [trial_from_dict(one) for one in shown["trials"]] == list(Results.read(results).trials)


def test_a_file_that_cannot_be_written_is_named(results: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "x.html"
    refused = runner.invoke(app, ["report", str(results), "--html", str(missing)])
    assert refused.exit_code == 2
    assert str(missing) in refused.stderr


def test_compare_fails_on_a_regression_when_asked(tmp_path: Path) -> None:
    def run(folder: str, done: int) -> str:
        trials = tuple(trial("model", f"w{n}", done) for n in range(12))
        base = experiment()
        return str(written(type(base)(experiment="e", trials=trials), tmp_path / folder))

    good, bad = run("good", 4), run("bad", 1)
    worse = ["compare", good, bad]
    assert runner.invoke(app, worse).exit_code == 0
    failed = runner.invoke(app, [*worse, "--fail-on", "regression"])
    assert failed.exit_code == 1
    assert "worse by more than chance: model" in failed.stderr
    assert runner.invoke(app, ["compare", bad, good, "--fail-on", "regression"]).exit_code == 0
    as_json = json.loads(runner.invoke(app, [*worse, "--json"]).stdout)
    assert as_json["model"]["difference"] == pytest.approx(-0.375)


def test_results_that_are_not_there_are_named(tmp_path: Path) -> None:
    refused = runner.invoke(app, ["report", str(tmp_path / "nowhere")])
    assert refused.exit_code == 2
    assert "nowhere" in refused.stderr
