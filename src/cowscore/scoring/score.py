"""The entry point: two sessions' changes in, a Score out."""

from __future__ import annotations

from collections.abc import Iterable

from cowscore.model import Change, Table
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.result import Score


def score(
    gt_changes: Iterable[Change],
    agent_changes: Iterable[Change],
    tables: Iterable[Table],
    config: ScoringConfig | None = None,
) -> Score:
    """Compare what the agent changed with what the ground truth changed, row by row."""
    raise NotImplementedError
