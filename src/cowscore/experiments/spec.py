"""Experiment files: which agents try which recordings, how often, on which tool surfaces."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationError,
    model_validator,
)

from cowscore.agents.models import ModelSpec
from cowscore.errors import BadInput, UnknownName
from cowscore.scoring.config import Profile, ScoringConfig
from cowscore.surface.tools import LIMIT

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_TEXT, _MAPPING = "text", "mapping"
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Application(_Part):
    """An application that runs somewhere, integrated with cowscore."""

    base_url: Annotated[str, StringConstraints(pattern=r"^https?://")]
    openapi: str | None = None
    """Its OpenAPI document: a URL, or a file (JSON, YAML) beside the experiment; default: base_url/openapi.json."""
    headers: Mapping[str, str] = Field(default_factory=dict)
    """Sent with every request, e.g. an API key. `${NAME}` is replaced by that environment variable."""
    timeout: float = Field(default=60, gt=0)
    """Seconds to wait for an answer."""

    def resolved_headers(self) -> dict[str, str]:
        """The headers with environment variables filled in. Raises BadInput for one that is not set."""
        return {name: _VARIABLE.sub(self._variable, value) for name, value in self.headers.items()}

    def _variable(self, found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise BadInput(f"application.headers: environment variable {found[1]} is not set")
        return os.environ[found[1]]


class SurfaceSpec(_Part):
    """One version of the tool surface."""

    version: Name
    trials: int | None = Field(default=None, ge=1)
    """Trials of every agent and recording on this version; the experiment's number by default."""
    openapi: str | None = None
    """The document that describes this version; the application's own by default."""


class Selection(_Part):
    """Which recordings take part: those named, or those with any of the tags; all if neither is given."""

    names: tuple[Name, ...] | None = None
    tags: tuple[Name, ...] = ()


class ScoringSpec(_Part):
    """What of ScoringConfig an experiment file can say."""

    profile: Profile = "default"
    ignore: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    floor: float = Field(default=0.5, ge=0, le=1)
    weights: Mapping[str, float] | None = None
    generated_keys: frozenset[str] = frozenset()
    include_derived: bool = False

    def config(self, seed: int) -> ScoringConfig:
        """The configuration it describes. Raises BadInput."""
        return ScoringConfig(seed=seed, **{name: getattr(self, name) for name in type(self).model_fields})


def _form(value: Any) -> str:
    """Which of two forms a value has, so that an error is told for that one only."""
    return _MAPPING if isinstance(value, (Mapping, BaseModel)) else _TEXT


class Experiment(_Part):
    """An experiment: agents x recordings x trials, on one or more tool surfaces."""

    name: Name
    application: Annotated[
        Annotated[Literal["tracker"], Tag(_TEXT)] | Annotated[Application, Tag(_MAPPING)], Discriminator(_form)
    ]
    """`tracker` is the demo application, started for the experiment; otherwise where the application answers."""
    recordings: Selection = Selection()
    agents: tuple[
        Annotated[Annotated[Name, Tag(_TEXT)] | Annotated[ModelSpec, Tag(_MAPPING)], Discriminator(_form)], ...
    ] = Field(min_length=1)
    """`scripted:<policy>`, `provider:model`, or a mapping with the fields of `cowscore.agents.models.ModelSpec`."""
    trials: int = Field(default=1, ge=1)
    surfaces: tuple[SurfaceSpec, ...] = Field(default=(SurfaceSpec(version="v1"),), min_length=1)
    parallel: int = Field(default=4, ge=1)
    """Trials at the same time, each in a session of its own."""
    limit: int = Field(default=LIMIT, ge=1)
    """Tool calls a trial."""
    seed: int = 0
    schema_name: str = Field(default="public", alias="schema")
    """The application's schema, whose base tables are hashed before and after."""
    scoring: ScoringSpec = ScoringSpec()

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, given: Any) -> Any:
        """`recordings: all | [names]`, `surfaces: [v1, v2]` and `surface: v1` for the common cases."""
        if not isinstance(given, Mapping):
            return given
        values = dict(given)
        chosen = values.get("recordings")
        if chosen == "all":
            del values["recordings"]
        elif isinstance(chosen, list):
            values["recordings"] = {"names": chosen}
        if "surface" in values:
            values["surfaces"] = [values.pop("surface")]
        if isinstance(values.get("surfaces"), list):
            values["surfaces"] = [{"version": s} if isinstance(s, str) else s for s in values["surfaces"]]
        return values

    @model_validator(mode="after")
    def _no_name_twice(self) -> Experiment:
        agents = [agent if isinstance(agent, str) else agent.name or agent.model for agent in self.agents]
        versions = [surface.version for surface in self.surfaces]
        for field, names in (("agents", agents), ("surfaces", versions)):
            twice = {name for name in names if names.count(name) > 1}
            if twice:
                raise ValueError(f"{field}: {sorted(twice)[0]!r} occurs twice; give one of them another name")
        return self

    def trials_on(self, surface: SurfaceSpec) -> int:
        """Number of trials of every agent and recording on that surface."""
        return surface.trials or self.trials

    def settings(self) -> dict[str, Any]:
        """The experiment as results record it: JSON-ready, without values of headers (they hold secrets)."""
        plain = self.model_dump(mode="json", by_alias=True)
        if isinstance(self.application, Application):
            plain["application"]["headers"] = sorted(self.application.headers)
        return plain


def read_experiment(path: Path) -> Experiment:
    """The experiment in a YAML file. Raises UnknownName where there is none, BadInput naming a field that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnknownName(f"no experiment file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadInput(f"{path} is no YAML: {error}") from error
    if not isinstance(content, dict):
        raise BadInput(f"{path} must be a mapping with name, application and agents")
    try:
        return Experiment.model_validate(content)
    except ValidationError as error:
        raise BadInput(f"{path}: {_problems(error)}") from error


def _problems(error: ValidationError) -> str:
    """One clause for each field that is wrong."""
    lines = []
    for problem in error.errors():
        place = ".".join(str(part) for part in problem["loc"] if part not in (_TEXT, _MAPPING))
        given = "" if isinstance(problem["input"], (dict, list)) else f" (given: {problem['input']!r})"
        lines.append(f"{place + ': ' if place else ''}{problem['msg']}{given}")
    return "; ".join(lines)
