"""The reference is complete: every command, option, function, method and column has its place on a page."""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer.main

from cowscore import Cow, Score, ScoringConfig, Session, errors
from cowscore.cli.app import app
from cowscore.database import control
from cowscore.experiments.results import CSV_COLUMNS
from cowscore.experiments.trials import OUTCOMES, Trial
from cowscore.scoring import OperationScore, RowScore
from cowscore.surface.calls import ToolCall

ROOT = Path(__file__).parents[2]
COMMON = {"--help", "--dsn", "--json", "--version", "--install-completion", "--show-completion"}


def words(page: str) -> set[str]:
    return set(re.findall(r"[\w-]+", (ROOT / "docs" / "reference" / page).read_text()))


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_command_line(path: tuple[str, ...]) -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    assert f"`{' '.join(path)}" in text or f"`cowscore {' '.join(path)}" in text
    options = {option for parameter in COMMANDS[path].params for option in parameter.opts if option.startswith("--")}
    assert {option for option in options - COMMON if option not in text} == set()


@pytest.mark.parametrize("thing", [Cow, Session])
def test_python(thing: type) -> None:
    public = {name for name, _ in inspect.getmembers(thing) if not name.startswith("_")}
    assert public - words("python.md") == set()


def test_errors() -> None:
    known = {name for name, value in vars(errors).items() if isinstance(value, type)} - {"ClassVar", "SessionError"}
    assert known - words("python.md") == set()
    assert set(errors.SQLSTATES) - words("sql.md") == set()


def test_sql(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table things (id integer primary key)")
        with Cow.connect(dsn) as cow:
            cow.enable()
        rows = connection.execute(
            "select p.proname, pg_get_function_arguments(p.oid) from pg_proc p "
            "where p.pronamespace = 'cowscore'::regnamespace"
        ).fetchall()
    signatures = {name: re.sub(r"::\w+(\[\])?", "", arguments) for name, arguments in rows}
    text = (ROOT / "docs" / "reference" / "sql.md").read_text()
    documented = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", text, re.MULTILINE))
    assert {name: signatures[name].lower() for name in documented} == {k: v.lower() for k, v in documented.items()}
    callable_by_clients = {signature.split("(")[0] for signature in control._AGENT_MAY_CALL}
    internal = {
        "dear_pair",
        "dear_row",
        "last_change",
        "local_bind",
        "reader",
        "require_carried",
        "require_session",
        "session_path",
        "session_path_undone",
        "sets",
    }
    assert callable_by_clients - internal - documented.keys() == set()


def test_results() -> None:
    assert {*CSV_COLUMNS, *OUTCOMES} - words("results-format.md") == set()
    for kind in (Trial, ToolCall):
        assert {field.name for field in dataclasses.fields(kind)} - words("results-format.md") == set()


@pytest.mark.parametrize("kind", [Score, RowScore, OperationScore, ScoringConfig])
def test_scoring(kind: Any) -> None:
    assert {field.name for field in dataclasses.fields(kind)} - words("scoring.md") - {"id"} == set()


def test_the_readme_s_commands_are_those_of_the_continuous_integration() -> None:
    readme, integration = (ROOT / "README.md").read_text(), (ROOT / ".ci" / "run").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "pip install '.[all]' && .venv/bin/cowscore demo --out" in readme
    assert "pip install --group dev -e '.[all]' && scripts/test\n" in readme
    assert "'.[all]' --group dev" in integration
    assert re.search(r"^tests .* scripts/test$", integration, re.MULTILINE)
    assert re.search(r"^cowscore demo --out", integration, re.MULTILINE)
    assert "all" in project["project"]["optional-dependencies"]
    assert "dev" in project["dependency-groups"]
