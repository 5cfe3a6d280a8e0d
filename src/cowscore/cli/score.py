"""`cowscore score GT AGENT`: one session compared with another."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cowscore.cli import options, output
from cowscore.scoring import ScoringConfig


class ProfileName(StrEnum):
    """Ways of scoring."""

    DEFAULT = "default"
    PAPER = "paper"


def score(
    ground_truth: Annotated[str, typer.Argument(metavar="GT", show_default=False, help="UUID of the ground truth.")],
    agent: Annotated[str, typer.Argument(metavar="AGENT", show_default=False, help="UUID of the agent's session.")],
    profile: Annotated[
        ProfileName, typer.Option("--profile", help="paper: as the library published with the paper computes it.")
    ] = ProfileName.DEFAULT,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Score an agent's session against a ground truth session, row by row."""
    expected, actual = options.as_uuid(ground_truth), options.as_uuid(agent)
    config = ScoringConfig.paper() if profile is ProfileName.PAPER else ScoringConfig()
    with options.connect(dsn) as cow:
        result = cow.score(expected, actual, config=config)
    if as_json:
        output.show_json(result)
    else:
        from cowscore.report.score import score_view

        output.show(score_view(result))
