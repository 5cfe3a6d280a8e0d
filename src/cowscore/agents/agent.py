"""What an agent is: something that takes a prompt and two tools, and says how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from cowscore.surface.tools import Tools

Outcome = Literal["ok", "limit", "agent_error", "infrastructure"]
"""`ok`: the agent ended by itself. `limit`: it used up its calls. `agent_error`: the agent broke. `infrastructure`: the
provider, the network or the application's server failed; such a trial has no score and is no failure of the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
    """How a run of an agent ended."""

    outcome: Outcome
    text: str = ""
    """The agent's last words."""
    tokens_in: int | None = None
    """None where the agent uses no tokens."""
    tokens_out: int | None = None
    cost: float | None = None
    """US dollars; None where the price is unknown."""
    messages: tuple[Mapping[str, Any], ...] = ()
    """The conversation, JSON-ready; empty for scripts."""
    error: str | None = None


class Agent(Protocol):
    """An agent. One instance serves any number of runs, also at the same time."""

    @property
    def name(self) -> str:
        """Unique within an experiment; scripts carry the prefix `scripted:`."""

    def run(self, prompt: str, tools: Tools, seed: int) -> AgentResult:
        """Do what `prompt` asks, through `tools` only. `seed` decides whatever is left to chance.

        An exhausted limit is an outcome, not an exception; ConnectionFailed of the application passes.
        """
