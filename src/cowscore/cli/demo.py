"""`cowscore demo`: the whole loop on an application that comes with cowscore."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Annotated

import typer

from cowscore.cli import output
from cowscore.cli.experiment import judge, progress, show_results


def demo(
    out: Annotated[Path, typer.Option("--out", help="Where report.html, results.csv and results.jsonl go.")] = Path(
        "cowscore-demo"
    ),
    # No COWSCORE_DSN here: the demo makes tables, and only an explicit wish may send it to a database of the user's.
    dsn: Annotated[
        str | None, typer.Option("--dsn", help="An empty database of yours; default: the embedded server.")
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Keep the demo application running afterwards, until Ctrl-C.")
    ] = False,
) -> None:
    """Record 20 workflows in a demo application, let scripted agents try them, score and report them."""
    from cowscore import embedded
    from cowscore.demo.loop import demo_experiment, run_experiment, tracker

    with (
        contextlib.nullcontext(dsn) if dsn is not None else embedded.server() as where,
        tracker(where, output.note) as prepared,
    ):
        with progress() as listener:
            results = run_experiment(demo_experiment(), prepared, out, listener)
        show_results(results, out)
        if serve:
            output.note(f"the tracker answers at {prepared.client.base_url} (X-Api-Key: {prepared.api_key})")
            output.note(f"its database is {where}")
            with contextlib.suppress(KeyboardInterrupt):
                threading.Event().wait()
    judge(results, out)
