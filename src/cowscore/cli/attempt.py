"""`cowscore try -- COMMAND`: run any program inside a new session and decide afterwards what becomes of its writes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from psycopg import conninfo

from cowscore.cli import options, output
from cowscore.errors import BadInput, CowscoreError
from cowscore.report.diff import diff_view, summary

if TYPE_CHECKING:
    from cowscore import Session


class Decision(StrEnum):
    """What becomes of a session."""

    COMMIT = "commit"
    KEEP = "keep"
    DISCARD = "discard"


VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "options": "PGOPTIONS",
    "sslmode": "PGSSLMODE",
}
"""Connection parameter -> the variable that libpq and most other clients read it from."""

FORGOTTEN = ("COWSCORE_DSN", "PGSERVICE", "PGHOSTADDR", "PGPASSFILE")
"""Variables that lead past the session."""


def attempt(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND ...", show_default=False, help="What to run.")],
    name: Annotated[str | None, typer.Option("--name", help="Of the session; default: the command.")] = None,
    on_end: Annotated[
        Decision | None,
        typer.Option("--on-end", help="Decide without being asked. Default: ask, or keep where there is no terminal."),
    ] = None,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Run a command inside a new session, show what it changed, and commit, keep or discard that.

    The command finds the session in DATABASE_URL and in PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE, and its
    UUID in COWSCORE_SESSION. Nothing that it writes reaches production unless the session is committed. Exit code 1
    where the command failed; a failed command is never committed unasked.
    """
    with options.connect(dsn) as cow:
        session = cow.open_session(name=name or shlex.join(command), kind="agent")
        try:
            variables = {**session_variables(session.dsn()), "COWSCORE_SESSION": str(session.id)}
            code = _run(command, variables)
        except CowscoreError:
            session.discard()
            raise
        # Closed, its login is gone too: a process that the command left behind writes nothing more.
        session.close()
        rows = session.diff()
        if as_json:
            output.show_json({"session": session.id, "exit_code": code, "diff": rows})
        else:
            output.show(diff_view(rows))
        output.note(f"the command ended with exit code {code}; {summary(rows)}")
        _settle(session, on_end, failed=code != 0, empty=not rows)
    if code:
        raise typer.Exit(1)


def session_variables(dsn: str) -> dict[str, str]:
    """The environment variables that lead a client to a connection URI, DATABASE_URL among them."""
    parameters = conninfo.conninfo_to_dict(dsn)
    variables = {variable: str(parameters[key]) for key, variable in VARIABLES.items() if parameters.get(key)}
    return {**variables, "DATABASE_URL": dsn}


def wait_for(command: list[str], environment: Mapping[str, str]) -> int:
    """Runs a command to its end and returns its exit code; Ctrl-C is the command's to handle."""
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise BadInput(f"cannot run {command[0]!r}: {error.strerror}") from None
    with process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue
            except BaseException:
                process.terminate()
                raise


def _run(command: list[str], variables: Mapping[str, str]) -> int:
    # The session's own connection is all that the command is to know of the database.
    environment = {name: value for name, value in os.environ.items() if name not in FORGOTTEN}
    return wait_for(command, {**environment, **variables})


def _settle(session: Session, wish: Decision | None, failed: bool, empty: bool) -> None:
    if empty:
        session.discard()
        return
    decision = wish or (_ask() if sys.stdin.isatty() else Decision.KEEP)
    if failed and wish is Decision.COMMIT:
        output.note("not committed, because the command failed")
        decision = Decision.KEEP
    if decision is Decision.COMMIT:
        output.note(f"committed: {session.commit()} rows written")
    elif decision is Decision.DISCARD:
        session.discard()
        output.note("discarded")
    else:
        output.note(f"kept; `cowscore session commit {session.id}` or `discard` decides later")


def _ask() -> Decision:
    while True:
        answer = typer.prompt("commit, keep or discard?", default=Decision.KEEP.value, err=True).strip().lower()
        for decision in Decision:
            if answer and decision.value.startswith(answer):
                return decision
