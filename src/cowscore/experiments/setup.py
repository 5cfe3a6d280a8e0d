"""From an experiment's description to what the runner needs: agents, tool surfaces, recordings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml

from cowscore.agents.agent import Agent
from cowscore.agents.models import ModelAgent, ModelSpec
from cowscore.agents.scripted import PREFIX
from cowscore.errors import BadInput, ConnectionFailed, UnknownName
from cowscore.experiments.spec import Application, Experiment
from cowscore.surface.openapi import Surface


def make_agents(experiment: Experiment, scripted: Mapping[str, Agent]) -> list[Agent]:
    """The experiment's agents. `scripted`: those that this application offers, by name.

    Raises UnknownName for a script it does not offer, BadInput for an unknown model, MissingExtra.
    """
    return [_agent(entry, scripted) for entry in experiment.agents]


def _agent(entry: str | ModelSpec, scripted: Mapping[str, Agent]) -> Agent:
    if isinstance(entry, ModelSpec):
        return ModelAgent(entry)
    if not entry.startswith(PREFIX):
        return ModelAgent(ModelSpec(model=entry))
    if entry not in scripted:
        known = ", ".join(scripted) or "none: scripts know the demo application only"
        raise UnknownName(f"no agent is called {entry!r}; scripted agents of this application: {known}")
    return scripted[entry]


def application_client(application: Application) -> httpx.Client:
    """A client for the application, its headers filled in; close it after use."""
    base = application.base_url.rstrip("/") + "/"
    return httpx.Client(base_url=base, headers=application.resolved_headers(), timeout=application.timeout)


def make_surfaces(experiment: Experiment, client: httpx.Client, folder: Path) -> dict[str, Surface]:
    """Version -> surface, for an application that runs somewhere. `folder`: what file names are relative to.

    Raises BadInput for what is no OpenAPI document, UnknownName for an absent file, ConnectionFailed.
    """
    assert isinstance(experiment.application, Application)
    default = experiment.application.openapi or "openapi.json"
    surfaces = {}
    for version in experiment.surfaces:
        where = version.openapi or default
        local = experiment.application.openapi is not None or version.openapi is not None
        surfaces[version.version] = Surface(read_document(where, client, folder if local else None), client)
    return surfaces


def read_document(where: str, client: httpx.Client, folder: Path | None) -> Mapping[str, Any]:
    """An OpenAPI document from a URL, or from a file if there is a folder, or else from a path of the application."""
    if folder is not None and not where.startswith(("http://", "https://")):
        file = folder / where
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise UnknownName(f"no OpenAPI document {file}") from None
    else:
        try:
            response = client.get(where)
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"OpenAPI document {where} of {client.base_url}: {error}") from error
        if response.is_error:
            raise BadInput(f"{response.url} answered {response.status_code}; set application.openapi to the document")
        text = response.text
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadInput(f"{where} is neither JSON nor YAML: {error}") from error
    if not isinstance(document, dict):
        raise BadInput(f"{where} is no OpenAPI document")
    return document
