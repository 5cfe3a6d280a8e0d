"""What a caller may decide about scoring, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from cowscore.errors import BadInput
from cowscore.scoring.metrics import overall_with_efficiency

if TYPE_CHECKING:
    from cowscore.scoring.result import Score

Profile = Literal["default", "paper"]
RowFunction = Callable[[dict[str, Any], dict[str, Any]], "bool | float"]
"""`(ground truth row, agent row) -> similarity`; the agent's foreign keys already speak of ground truth rows."""
ScoreFunction = Callable[["Score"], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringConfig:
    """How two sessions are compared. `ScoringConfig()` is the default profile, `ScoringConfig.paper()` the paper's.

    Tables are named `table` or `schema.table` in every mapping. Raises BadInput for an unknown profile, a floor outside
    0..1 or a weight whose name is no term of a score.
    """

    profile: Profile = "default"
    """`default` scores as the paper defines it, `paper` as the library published with it computes it."""
    ignore: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Table -> columns that are not compared. Table `*` means every table, column `*` the whole table:
    `{"*": ["search_vector"], "orders": ["note"], "api_tokens": ["*"]}`."""
    floor: float = 0.5
    """Two inserted rows less similar than this (0..1) are not the same row. The paper profile has no floor."""
    weights: Mapping[str, float] | None = None
    """Term of the score -> weight in `overall`. None is formula (5) of the paper, one half each for structure and
    content."""
    comparators: Mapping[str, RowFunction] = field(default_factory=dict)
    """Table -> row function that replaces the comparison by column type. True, False or 0..1 (clamped);
    an AssertionError counts as 0."""
    scores: Mapping[str, ScoreFunction] = field(
        default_factory=lambda: {"overall_with_efficiency": overall_with_efficiency}
    )
    """Name -> function of the finished Score; the results are in `Score.scores`."""
    generated_keys: frozenset[str] = frozenset()
    """Tables whose key the application makes up in a way the catalog does not show (a random text id, say)."""
    include_derived: bool = False
    """Score rows that only cascades and triggers wrote, too."""
    seed: int = 0
    """Recorded with results. Scoring itself draws no random numbers; score functions that do take theirs from here."""

    def __post_init__(self) -> None:
        if self.profile not in ("default", "paper"):
            raise BadInput(f"unknown scoring profile {self.profile!r}: use 'default' or 'paper'")
        if not 0.0 <= self.floor <= 1.0:
            raise BadInput(f"similarity floor {self.floor!r} is outside 0..1")
        unknown = set(self.weights or ()) - set(TERMS)
        if unknown:
            raise BadInput(f"unknown weight {sorted(unknown)[0]!r}: use one of {', '.join(TERMS)}")

    @classmethod
    def paper(cls) -> ScoringConfig:
        """The paper profile: greedy matching in two passes, difflib, all fields, dates ignored."""
        return cls(profile="paper")

    def ignores_table(self, schema: str, table: str) -> bool:
        """True where the whole table is left out of the score."""
        return any("*" in self.ignore.get(name, ()) for name in (table, f"{schema}.{table}"))

    def ignored_columns(self, schema: str, table: str) -> frozenset[str]:
        """Columns of that table which are not compared, those ignored everywhere included."""
        names = ("*", table, f"{schema}.{table}")
        return frozenset(column for name in names for column in self.ignore.get(name, ()))

    def comparator(self, schema: str, table: str) -> RowFunction | None:
        """The row function registered for that table, None where columns are compared by type."""
        return self.comparators.get(f"{schema}.{table}") or self.comparators.get(table)

    def key_is_generated(self, schema: str, table: str) -> bool:
        """True where the caller declared the table's key as made up."""
        return table in self.generated_keys or f"{schema}.{table}" in self.generated_keys


TERMS = ("struct", "content", "content_all", "precision", "recall", "f1", "efficiency")
"""Terms of a score that `weights` may name."""
