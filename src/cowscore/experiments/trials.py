"""A trial: one agent, one workflow, one session, one score."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from cowscore.agents.agent import Outcome as Outcome
from cowscore.scoring.result import Score
from cowscore.surface.calls import ToolCall

OUTCOMES: tuple[Outcome, ...] = ("ok", "limit", "agent_error", "infrastructure")
"""See `cowscore.agents.agent.Outcome`."""

TrialId = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What happened when one agent was given one recording's prompt."""

    experiment: str
    agent: str
    """Scripted agents carry the prefix `scripted:`."""
    workflow: str
    """Name of the recording."""
    surface: str
    """Version of the tool surface, e.g. `v1`."""
    number: int
    """1, 2, .. among the trials of the same agent, workflow and surface."""
    seed: int
    outcome: Outcome
    session: UUID | None = None
    """The agent's session; None where it could not even be opened."""
    score: Score | None = None
    """None for `infrastructure`. A trial that ended at the limit or by an error is scored on what it wrote."""
    calls: tuple[ToolCall, ...] = ()
    tokens_in: int | None = None
    """None where the agent uses no tokens or its provider does not say."""
    tokens_out: int | None = None
    cost: float | None = None
    """US dollars; None where the price is unknown."""
    seconds: float = 0.0
    text: str = ""
    """The agent's last words."""
    error: str | None = None

    @property
    def id(self) -> TrialId:
        """Agent, workflow, surface, number: unique within an experiment."""
        return (self.agent, self.workflow, self.surface, self.number)

    @property
    def completed(self) -> bool:
        """True where the agent ended by itself."""
        return self.outcome == "ok"

    @property
    def scripted(self) -> bool:
        """True for an agent that is a script and no model."""
        return self.agent.startswith("scripted:")
