"""`cowscore report` and `cowscore compare`: results of experiments that are on disk."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cowscore.cli import options, output

Place = Annotated[Path, typer.Argument(show_default=False, help="A directory with results, or a results.jsonl.")]


class FailOn(StrEnum):
    """What makes a comparison end with exit code 1."""

    REGRESSION = "regression"


def report(
    path: Place,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the page to this file.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML to this file.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write a summary for a pull request to this file.")
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=1, help="JUnit: a trial below this overall score is a failure.")
    ] = 0.9,
    as_json: options.AsJson = False,
) -> None:
    """Show the tables of an experiment again, or write them in another form."""
    from cowscore.experiments.results import Results
    from cowscore.report.summary import summarize

    results = Results.read(path)
    if html is not None:
        from cowscore.report.html import render

        output.write(html, render(results))
    if junit is not None:
        from cowscore.report.junit import junit as as_junit

        output.write(junit, as_junit(results, threshold))
    if markdown is not None:
        from cowscore.report.markdown import markdown as as_markdown

        output.write(markdown, as_markdown(summarize(results)))
    if as_json:
        output.show_json(results)
    elif html is junit is markdown is None:
        from cowscore.report.terminal import experiment_view

        output.show(*experiment_view(summarize(results)))


def compare(
    a: Place,
    b: Place,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Exit code 1 where an agent got worse by more than chance.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare two experiments over the workflows that both have: B against A, paired."""
    from cowscore.errors import BadInput
    from cowscore.experiments.results import Results
    from cowscore.report.comparison import regressions
    from cowscore.report.summary import compare_results
    from cowscore.report.terminal import comparison_table

    comparisons = compare_results(Results.read(a), Results.read(b))
    if not comparisons:
        raise BadInput(f"{a} and {b} have no agent with scores in common")
    if as_json:
        output.show_json(comparisons)
    else:
        output.show(comparison_table(comparisons))
    worse = regressions(comparisons)
    if worse:
        output.note(f"worse by more than chance: {', '.join(worse)}")
    if worse and fail_on is FailOn.REGRESSION:
        raise typer.Exit(1)
