"""Experiment files: what they may say, and how a mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from cowscore.agents.models import ModelSpec
from cowscore.errors import BadInput, UnknownName
from cowscore.experiments.spec import Application, Experiment, Selection, SurfaceSpec, read_experiment

FULL = """
name: nightly
application:
  base_url: https://tracker.example/api
  openapi: openapi.yaml
  headers: {X-Api-Key: "${TRACKER_KEY}"}
recordings: {tags: [sprint]}
agents:
  - openai:gpt-5
  - {model: local, base_url: "http://127.0.0.1:8000/v1", temperature: 0, seed: true}
trials: 2
surfaces: [v1, {version: v2, trials: 1, openapi: better.yaml}]
parallel: 8
limit: 30
seed: 7
schema: app
scoring: {profile: paper, ignore: {"*": [search_vector]}}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "experiment.yaml"
    file.write_text(text)
    return file


def test_a_full_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = read_experiment(written(tmp_path, FULL))
    assert isinstance(experiment.application, Application)
    assert experiment.agents[0] == "openai:gpt-5"
    assert experiment.agents[1] == ModelSpec(
        model="local", base_url="http://127.0.0.1:8000/v1", temperature=0, seed=True
    )
    assert [(s.version, experiment.trials_on(s)) for s in experiment.surfaces] == [("v1", 2), ("v2", 1)]
    assert (experiment.schema_name, experiment.limit, experiment.parallel, experiment.seed) == ("app", 30, 8, 7)
    config = experiment.scoring.config(7)
    assert (config.profile, config.ignore, config.seed) == ("paper", {"*": ("search_vector",)}, 7)
    monkeypatch.setenv("TRACKER_KEY", "secret")
    assert experiment.application.resolved_headers() == {"X-Api-Key": "secret"}
    assert "secret" not in str(experiment.settings())
    assert experiment.settings()["application"]["headers"] == ["X-Api-Key"]
    monkeypatch.delenv("TRACKER_KEY")
    with pytest.raises(BadInput, match="TRACKER_KEY is not set"):
        experiment.application.resolved_headers()


def test_a_short_file_and_short_forms(tmp_path: Path) -> None:
    short = "name: x\napplication: tracker\nagents: ['scripted:solver']\n"
    experiment = read_experiment(written(tmp_path, short))
    assert experiment.surfaces == (SurfaceSpec(version="v1"),)
    assert experiment.recordings == Selection()
    assert (experiment.trials, experiment.limit) == (1, 50)
    named = read_experiment(written(tmp_path, short + "recordings: [a, b]\nsurface: v2\n"))
    assert named.recordings.names == ("a", "b")
    assert named.surfaces[0].version == "v2"
    assert read_experiment(written(tmp_path, short + "recordings: all\n")).recordings.names is None


def test_settings_can_be_read_again() -> None:
    experiment = Experiment(name="x", application="tracker", agents=("scripted:solver", ModelSpec(model="openai:m")))
    assert Experiment.model_validate(experiment.settings()) == experiment


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "no YAML"),
        ("- a", "must be a mapping"),
        ("name: x\napplication: tracker\n", "agents: Field required"),
        ("name: ' '\napplication: tracker\nagents: [a]\n", "name: String should have at least 1"),
        ("name: x\napplication: other\nagents: [a]\n", r"application: .*'tracker'.*given: 'other'"),
        ("name: x\napplication: {base_url: here}\nagents: [a]\n", r"application\.base_url: .*given: 'here'"),
        ("name: x\napplication: tracker\nagents: [a]\ntrails: 2\n", "trails: Extra inputs"),
        ("name: x\napplication: tracker\nagents: [a]\ntrials: 0\n", r"trials: .*given: 0"),
        ("name: x\napplication: tracker\nagents: [{model: a, url: b}]\n", r"agents\.0\.url: Extra"),
        ("name: x\napplication: tracker\nagents: [a, a]\n", "agents: 'a' occurs twice"),
        ("name: x\napplication: tracker\nagents: [a]\nsurfaces: [v1, v1]\n", "surfaces: 'v1' occurs twice"),
        ("name: x\napplication: tracker\nagents: [a]\nscoring: {profile: best}\n", r"scoring\.profile: .*'best'"),
    ],
)
def test_mistakes_name_file_and_field(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read_experiment(written(tmp_path, text))
    assert "experiment.yaml" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"nothing\.yaml"):
        read_experiment(tmp_path / "nothing.yaml")
