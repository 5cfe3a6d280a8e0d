"""`cowscore demo`: the whole loop on an application that comes with cowscore."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from cowscore.cli import output
from cowscore.cli.experiment import judge, tell


def demo(
    out: Annotated[Path, typer.Option("--out", help="Where report.html, results.csv and results.jsonl go.")] = Path(
        "cowscore-demo"
    ),
    # No COWSCORE_DSN here: the demo makes tables, and only an explicit wish may send it to a database of the user's.
    dsn: Annotated[
        str | None, typer.Option("--dsn", help="An empty database of yours; default: the embedded server.")
    ] = None,
) -> None:
    """Record 20 workflows in a demo application, let scripted agents try them, score and report them."""
    from cowscore import embedded
    from cowscore.demo.loop import run_demo

    with contextlib.nullcontext(dsn) if dsn is not None else embedded.server() as where:
        results = run_demo(where, out, output.note, tell)
    judge(results, out)
