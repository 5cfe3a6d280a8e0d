"""The log of what an agent asked of its tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

Tool = Literal["discover", "execute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of `discover` or `execute`, as it was made and answered."""

    ordinal: int
    """1, 2, .. within the trial; both tools count."""
    tool: Tool
    arguments: Mapping[str, Any]
    """As the agent passed them."""
    operation_id: str | None = None
    """The operation that `execute` was asked for, whether the application has it or not."""
    status: int | None = None
    """HTTP status; None where no request was made."""
    milliseconds: float = 0.0
    operation: UUID | None = None
    """The cowscore operation of the request; writes of the session carry the same id."""
    found: int | None = None
    """Number of endpoints that `discover` returned."""
    error: str | None = None
    """What the agent was told went wrong."""

    @property
    def failed(self) -> bool:
        """True where the call was refused, by the surface or by the application."""
        return self.error is not None
