from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cowscore.cli.app import app
from cowscore.cli.attempt import session_variables

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
runner = CliRunner()


@pytest.mark.parametrize(
    "arguments",
    [
        ["session", "show", "not-a-uuid"],
        ["session", "commit", UNKNOWN, "--operation", "not-a-uuid"],
        ["session", "open", "--id", "not-a-uuid"],
        ["score", "not-a-uuid", UNKNOWN],
    ],
)
def test_a_malformed_uuid_is_one_line_and_exit_code_2(arguments: list[str]) -> None:
    result = runner.invoke(app, [*arguments, "--dsn", NOWHERE])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("cowscore: 'not-a-uuid' is not a UUID")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["enable"],
        ["disable"],
        ["status", "--json"],
        ["session", "list"],
        ["session", "diff", UNKNOWN],
        ["try", "--", "true"],
        ["score", UNKNOWN, UNKNOWN],
    ],
)
@pytest.mark.parametrize("given", ["option", "variable"])
def test_a_server_that_is_not_there_is_one_line_and_exit_code_2(arguments: list[str], given: str) -> None:
    place = arguments.index("--") if "--" in arguments else len(arguments)
    option = ["--dsn", NOWHERE] if given == "option" else []
    variables = {"COWSCORE_DSN": NOWHERE} if given == "variable" else {}
    result = runner.invoke(app, [*arguments[:place], *option, *arguments[place:]], env=variables)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("cowscore: ")
    assert "127.0.0.1" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["enable", "--layout", "sideways"],
        ["session", "commit", UNKNOWN, "--on-conflict", "hope"],
        ["try"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


def test_metadata_needs_a_key() -> None:
    result = runner.invoke(app, ["session", "open", "--meta", "=x", "--dsn", NOWHERE])
    assert result.exit_code == 2
    assert result.stderr == "cowscore: --meta takes KEY=VALUE, not '=x'\n"


def test_the_version_is_the_installed_one() -> None:
    from importlib.metadata import version

    result = subprocess.run(
        [sys.executable, "-m", "cowscore.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"cowscore {version('cowscore')}\n"


def test_the_variables_of_a_session_mean_what_its_uri_means() -> None:
    uri = "postgresql://guest:s%40cret%2F@127.0.0.1:5433/my%20shop?options=-c%20a%3Db"
    assert session_variables(uri) == {
        "PGHOST": "127.0.0.1",
        "PGPORT": "5433",
        "PGUSER": "guest",
        "PGPASSWORD": "s@cret/",
        "PGDATABASE": "my shop",
        "PGOPTIONS": "-c a=b",
        "DATABASE_URL": uri,
    }


def test_help_does_not_load_the_heavy_parts() -> None:
    program = (
        "import sys\nfrom typer.testing import CliRunner\nfrom cowscore.cli.app import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print(sorted({'scipy', 'fastapi', 'sqlalchemy', 'jinja2'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_a_kill_unwinds() -> None:
    program = (
        "import os, signal\nfrom cowscore import cli\nfrom cowscore.cli import app\n"
        "def commands():\n"
        "    try:\n        os.kill(os.getpid(), signal.SIGTERM)\n    finally:\n        print('unwound', flush=True)\n"
        "app.app = commands\ncli.main()"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 128 + signal.SIGTERM
    assert result.stdout == "unwound\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no experiment file"),
        ("- a list", "must be a mapping"),
        ("name: x\napplication: tracker\nagents: []\n", "agents"),
        ("name: x\napplication: tracker\nagents: [scripted:solver]\ntrails: 3\n", "trails"),
    ],
)
def test_an_experiment_file_that_is_wrong_is_one_line_and_exit_code_2(
    tmp_path: Path, content: str | None, message: str
) -> None:
    file = tmp_path / "experiment.yaml"
    if content is not None:
        file.write_text(content)
    result = runner.invoke(app, ["run", str(file), "--dsn", NOWHERE])
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
