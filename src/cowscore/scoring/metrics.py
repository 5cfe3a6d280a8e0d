"""The formulas of a score, from counts and similarities to numbers. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cowscore.scoring.result import Score


def struct(matched: int, missing: int, extra: int) -> float:
    """Paper, equation (1): the share of all changed rows that is matched, 0..1; 1.0 where nothing changed."""
    total = matched + missing + extra
    return matched / total if total else 1.0


def content(similarities: Sequence[float], changed: bool) -> float:
    """Paper, equation (2): mean similarity of the matched rows, 0..1.

    Without a matched row: 0.0 where either side `changed` anything, 1.0 where neither did.
    """
    if similarities:
        return sum(similarities) / len(similarities)
    return 0.0 if changed else 1.0


def precision(matched: int, extra: int) -> float:
    """Paper, equation (6): the share of the agent's rows that is matched; 1.0 where it wrote none."""
    return matched / (matched + extra) if matched + extra else 1.0


def recall(matched: int, missing: int) -> float:
    """Paper, equation (7): the share of the ground truth's rows that is matched; 1.0 where it has none."""
    return matched / (matched + missing) if matched + missing else 1.0


def f1(precision: float, recall: float) -> float:
    """Paper, equation (8): harmonic mean of precision and recall; 0.0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def efficiency(gt_operations: int, agent_operations: int, wasted: int) -> float:
    """`min(1, gt / agent) * (1 - wasted / agent)`, 0..1: how directly the agent went about it.

    An agent without operations is efficient (1.0) only where there was nothing to do; where the ground truth wrote
    something, doing nothing gets 0.0.
    """
    if not agent_operations:
        return 0.0 if gt_operations else 1.0
    return min(1.0, gt_operations / agent_operations) * (1.0 - wasted / agent_operations)


FORMULA_5: Mapping[str, float] = {"struct": 0.5, "content": 0.5}
"""Paper, equation (5)."""


def overall(terms: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Weighted sum of the named terms; with FORMULA_5 the paper's equation (5)."""
    return sum(weight * terms[name] for name, weight in weights.items())


def overall_with_efficiency(score: Score) -> float:
    """`0.5 struct + 0.3 content + 0.2 efficiency`: the weighting behind the 0.71 printed in the paper's Figure 3."""
    return 0.5 * score.struct + 0.3 * score.content + 0.2 * score.efficiency
