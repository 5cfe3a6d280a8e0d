"""Two experiments side by side: did an agent get better or worse on the same workflows?"""

from __future__ import annotations

from collections.abc import Mapping

from cowscore.scoring.statistics import Comparison

SIGNIFICANT = 0.05
"""A Holm-adjusted p value below this is taken for more than chance."""


def regressions(comparisons: Mapping[str, Comparison]) -> tuple[str, ...]:
    """Agents that got worse by more than chance: a negative difference, adjusted p below SIGNIFICANT."""
    return tuple(
        agent
        for agent, c in comparisons.items()
        if c.difference < 0 and (c.p if c.p_adjusted is None else c.p_adjusted) < SIGNIFICANT
    )
