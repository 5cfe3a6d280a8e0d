"""`cowscore report` and `cowscore compare` on results that are on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cowscore.cli.app import app
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
