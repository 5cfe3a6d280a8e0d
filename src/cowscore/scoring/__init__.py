"""Scores of an agent's session against a ground truth session: a pure function of rows.

`statistics` (a module) turns many scores into means with intervals and comparisons.
"""

from __future__ import annotations

from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.metrics import overall_with_efficiency
from cowscore.scoring.result import OperationScore, RowScore, Score
from cowscore.scoring.score import score

__all__ = ["OperationScore", "RowScore", "Score", "ScoringConfig", "overall_with_efficiency", "score"]
