"""All commands in one application, and the one place where errors become a line on stderr and an exit code."""

from __future__ import annotations

from typing import Annotated, Any

import psycopg
import typer
from typer.core import TyperGroup

from cowscore.cli import attempt, demo, experiment, install, migrate, results, score, session
from cowscore.errors import Conflict, CowscoreError, OperationsNotClosed


class Commands(TyperGroup):
    """The top of the command tree; every command is invoked through it."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; a deliberate error, or the server's own, ends as one line on stderr."""
        try:
            return super().invoke(ctx)
        except (CowscoreError, psycopg.Error) as error:
            typer.echo(f"cowscore: {_one_line(error)}", err=True)
            raise typer.Exit(_exit_code(error)) from error


def _exit_code(error: CowscoreError | psycopg.Error) -> int:
    """1 where the database says no to a sound request, else 2."""
    return 1 if isinstance(error, (Conflict, OperationsNotClosed, psycopg.IntegrityError)) else 2


def _one_line(error: CowscoreError | psycopg.Error) -> str:
    text = str(error)
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        text = ". ".join(filter(None, (error.diag.message_primary, error.diag.message_detail, error.diag.message_hint)))
    return " ".join(text.split()) or type(error).__name__


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Run an agent inside your PostgreSQL application without letting it write, and score what it did.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"cowscore {version('cowscore')}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


app.command("enable")(install.enable)
app.command("disable")(install.disable)
app.command("status")(install.status)
app.command("doctor")(install.doctor)
app.command("migrate")(migrate.migrate)
app.command("upgrade")(migrate.upgrade)
app.add_typer(session.app, name="session")
app.command("try")(attempt.attempt)
app.command("score")(score.score)
app.command("run")(experiment.run)
app.command("report")(results.report)
app.command("compare")(results.compare)
app.command("demo")(demo.demo)
