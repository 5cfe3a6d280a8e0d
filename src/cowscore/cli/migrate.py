"""`cowscore migrate -- COMMAND` and `cowscore upgrade`: the overlay follows the tables, or this version."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from cowscore.cli import attempt, options, output
from cowscore.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cowscore.database.carry import HeldSession

Using = Annotated[
    list[str] | None,
    typer.Option(
        "--using",
        metavar="TABLE.COLUMN=SQL",
        help="What sessions' changes get in a column, from the columns as they were; may be repeated.",
    ),
]


def migrate(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND ...", show_default=False, help="What to run.")],
    schema: Annotated[
        list[str] | None,
        typer.Option("--schema", help="Only this one; may be repeated. Default: every enabled schema."),
    ] = None,
    using: Using = None,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Run a migration of the application's tables with the overlay out of its way, and carry open sessions along.

    The command runs in the environment as it is. Until it has ended, sessions are refused. Exit code 1 where the
    command failed or changes of a session do not fit the new tables; the overlay is back in either case.
    """
    expressions = parsed(using)
    with options.connect(dsn) as cow, cow.migrate(schema or None, using=expressions) as report:
        code = attempt.wait_for(command, os.environ)
    if as_json:
        violating = [{"session": session, "error": message} for session, message in report.violating]
        facts = {"exit_code": code, "schemas": report.schemas, "held": [h._asdict() for h in report.held]}
        output.show_json({**facts, "violating": violating})
    output.note(f"the command ended with exit code {code}; the overlay of {', '.join(report.schemas)} is back")
    tell(report.held)
    for session, message in report.violating:
        output.note(f"session {session} goes on, but could not be committed now: {message}")
    if code or report.held or report.violating:
        raise typer.Exit(1)


def upgrade(dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """Bring what an older cowscore made in the database up to this one; sessions are carried along."""
    with options.connect(dsn) as cow:
        report = cow.upgrade()
    if as_json:
        output.show_json({"schemas": report.schemas, "held": [h._asdict() for h in report.held]})
    output.note(f"up to date: {', '.join(report.schemas) or 'no schema is enabled'}")
    tell(report.held)
    if report.held:
        raise typer.Exit(1)


def parsed(using: list[str] | None) -> dict[str, str]:
    """`TABLE.COLUMN=SQL` as a dictionary; raises BadInput."""
    result = {}
    for text in using or ():
        target, equals, expression = text.partition("=")
        if not equals or "." not in target or not expression.strip():
            raise BadInput(f"--using {text!r} is not TABLE.COLUMN=SQL")
        result[target.strip()] = expression
    return result


def tell(held: Iterable[HeldSession]) -> None:
    """A line for each session with changes that were kept aside."""
    for entry in held:
        consequence = "refused until they fit" if entry.blocks else "goes on without them"
        what = f"changes of {entry.schema}.{entry.table} are kept aside: {entry.reason}"
        output.note(f"session {entry.session} {consequence}: {what}")
