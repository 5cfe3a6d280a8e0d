"""Copy-on-write sessions over a live PostgreSQL application, and row-by-row scores of what an agent did in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cowscore.database import Cow, Session

if TYPE_CHECKING:
    from cowscore.scoring import Score, ScoringConfig, score

__all__ = ["Cow", "Score", "ScoringConfig", "Session", "score"]


def __getattr__(name: str) -> Any:
    # Scoring brings numpy and scipy, which a program that only opens sessions need not wait for.
    if name in ("Score", "ScoringConfig", "score"):
        from cowscore import scoring

        return getattr(scoring, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
