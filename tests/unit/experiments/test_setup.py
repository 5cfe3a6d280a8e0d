"""Agents by name, and tool surfaces from documents that are served or lie beside the experiment file."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI

from cowscore.agents.models import ModelSpec
from cowscore.agents.scripted import scripted_agents
from cowscore.errors import BadInput, ConnectionFailed, UnknownName
from cowscore.experiments.setup import application_client, make_agents, make_surfaces
from cowscore.experiments.spec import Application, Experiment, SurfaceSpec
from cowscore.surface.serving import serving

SCRIPTED = scripted_agents(lambda prompt: pytest.fail("not read here"))


def experiment(application: Application, *surfaces: SurfaceSpec) -> Experiment:
    return Experiment(
        name="x", application=application, agents=("a",), surfaces=surfaces or (SurfaceSpec(version="v1"),)
    )


def test_agents_by_name() -> None:
    local = ModelSpec(model="m", base_url="http://127.0.0.1:1/v1", name="local")
    wanted = Experiment(name="x", application="tracker", agents=("scripted:eager", local))
    assert [agent.name for agent in make_agents(wanted, SCRIPTED)] == ["scripted:eager", "local"]


@pytest.mark.parametrize(
    ("agent", "error", "message"),
    [
        ("scripted:clever", UnknownName, "scripted:solver, scripted:literal"),
        ("nonsense:model", BadInput, "nonsense"),
        ("gpt", BadInput, "gpt"),
    ],
)
def test_unknown_agents(agent: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make_agents(Experiment(name="x", application="tracker", agents=(agent,)), SCRIPTED)


def test_surfaces_from_the_application_and_from_files(tmp_path: Path) -> None:
    app = FastAPI()
    app.get("/things", operation_id="list_things")(lambda: ["a"])
    (tmp_path / "better.yaml").write_text("{openapi: 3.1.0, paths: {/things: {get: {operationId: better}}}}")
    with serving(app) as url:
        application = Application(base_url=url)
        with application_client(application) as client:
            both = experiment(application, SurfaceSpec(version="v1"), SurfaceSpec(version="v2", openapi="better.yaml"))
            surfaces = make_surfaces(both, client, tmp_path)
            assert surfaces["v1"].execute("list_things", {}).body == ["a"]
            assert surfaces["v2"].execute("better", {}).body == ["a"]
            (tmp_path / "bad.yaml").write_text("[")
            for name, error in (("none.yaml", UnknownName), ("bad.yaml", BadInput), (f"{url}/nothing", BadInput)):
                with pytest.raises(error):
                    make_surfaces(experiment(application, SurfaceSpec(version="v1", openapi=name)), client, tmp_path)
    with application_client(application) as client, pytest.raises(ConnectionFailed, match="openapi"):
        make_surfaces(experiment(application), client, tmp_path)


def test_a_path_in_the_base_url_is_kept(tmp_path: Path) -> None:
    outer, inner = FastAPI(), FastAPI()
    inner.get("/things", operation_id="list_things")(lambda: ["inner"])
    outer.mount("/api", inner)
    with serving(outer) as url:
        application = Application(base_url=f"{url}/api")
        with application_client(application) as client:
            surface = make_surfaces(experiment(application), client, tmp_path)["v1"]
            assert surface.execute("list_things", {}).body == ["inner"]
