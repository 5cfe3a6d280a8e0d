"""`cowscore run FILE.yaml`: agents on recordings, in sessions of the live database, scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cowscore.cli import options, output

if TYPE_CHECKING:
    from cowscore.experiments.results import Results
    from cowscore.experiments.runner import Event
    from cowscore.experiments.spec import Application, Experiment


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", show_default=False, help="The experiment.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Where results go. Default: results/ and the file's name.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Run only what an interrupted run left undone.")] = False,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Run an experiment: every agent on every recording, each trial in a session of its own, scored.

    Exit code 1 where a trial failed for reasons that are not the agent's, or where base tables changed.
    """
    from cowscore.experiments.spec import Application, read_experiment

    experiment = read_experiment(file)
    folder = out or Path("results") / file.stem
    if isinstance(experiment.application, Application):
        results = _run_on_application(experiment, experiment.application, file.parent, dsn, folder, resume)
    else:
        from cowscore.demo.loop import run_experiment, tracker

        with tracker(dsn, output.note) as prepared, progress() as listener:
            results = run_experiment(experiment, prepared, folder, listener, resume)
    if as_json:
        output.show_json(results)
    else:
        show_results(results, folder)
    judge(results, folder)


def _run_on_application(
    experiment: Experiment, application: Application, beside: Path, dsn: str, out: Path, resume: bool
) -> Results:
    import psycopg

    from cowscore.experiments import recordings, runner
    from cowscore.experiments.setup import application_client, make_agents, make_surfaces

    agents = make_agents(experiment, {})
    with options.connect(dsn) as cow:
        cow.tables()  # Says so where the schema is not enabled; without sessions there are no recordings either.
    with psycopg.connect(dsn, autocommit=True) as connection:
        chosen = recordings.select(connection, experiment.recordings.names, experiment.recordings.tags)
    with application_client(application) as client:
        surfaces = make_surfaces(experiment, client, beside)
        with progress() as listener:
            return runner.run(experiment, dsn, agents, surfaces, chosen, out, resume=resume, listener=listener)


@contextmanager
def progress() -> Iterator[Callable[[Event], None]]:
    """A listener for the runner that shows on stderr how far an experiment is."""
    from rich.console import Console

    from cowscore.report.progress import LiveProgress

    with LiveProgress(Console(stderr=True, highlight=False)) as live:
        yield live.tell


def show_results(results: Results, folder: Path) -> None:
    """Print the tables of an experiment and write its page."""
    from cowscore.report.html import write_html
    from cowscore.report.summary import summarize
    from cowscore.report.terminal import experiment_view

    output.show(*experiment_view(summarize(results)), "")
    write_html(results, folder / "report.html")


def judge(results: Results, folder: Path) -> None:
    """Say what an experiment came to; exit code 1 where it is not to be relied on."""
    broken = sum(trial.outcome == "infrastructure" for trial in results.trials)
    output.note(f"results are in {folder}")
    if broken:
        output.note(f"{broken} trials failed for reasons that are not the agent's; --resume repeats them")
    changed = results.base.changed if results.base else ()
    if changed:
        output.note(f"base tables changed during the experiment: {', '.join(changed)}")
    else:
        output.note("base tables: unchanged")
    if broken or changed:
        raise typer.Exit(1)
