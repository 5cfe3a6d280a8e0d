"""The two tools as one agent has them in one trial: bound to its session, counted, limited and logged."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any
from uuid import UUID

from cowscore.surface.calls import ToolCall
from cowscore.surface.openapi import Surface

LIMIT = 50
"""Calls a trial, both tools together (paper, section 4)."""


class LimitReached(Exception):
    """The trial's calls are used up. The runner turns it into the outcome `limit`; agents let it pass."""


class Tools:
    """`discover` and `execute` for one trial. Its calls are made one after the other, from any thread."""

    def __init__(self, surface: Surface, session: UUID | None, limit: int = LIMIT) -> None:
        self._surface = surface
        self._session = session
        self._lock = threading.Lock()
        self._calls: list[ToolCall] = []
        self.limit = limit

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The log so far."""
        return tuple(self._calls)

    @property
    def calls_left(self) -> int:
        """How many calls may still be made."""
        return self.limit - len(self._calls)

    def discover(self, query: str) -> dict[str, Any]:
        """Search the application's endpoints: `{"endpoints": [..]}`, best first, empty where nothing matches.

        Every endpoint has operation_id, method, path, summary, description, parameters and body (its JSON schema).
        Raises LimitReached.
        """
        with self._lock:
            call = self._begin(ToolCall(ordinal=0, tool="discover", arguments={"query": query}))
            start = perf_counter()
            found = self._surface.discover(query)
            self._end(call, found=len(found), milliseconds=(perf_counter() - start) * 1000)
        return {"endpoints": [endpoint.describe() for endpoint in found]}

    def execute(self, operation_id: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call an endpoint: `{"status": .., "body": ..}`, or `{"error": ..}` where the arguments do not fit it.

        Raises LimitReached, and ConnectionFailed where the application cannot be reached.
        """
        with self._lock:
            logged = {"operation_id": operation_id, "arguments": dict(arguments)}
            call = self._begin(ToolCall(ordinal=0, tool="execute", arguments=logged, operation_id=operation_id))
            try:
                answer = self._surface.execute(operation_id, arguments, self._session)
            except Exception as error:
                self._end(call, error=str(error))
                raise
            self._end(
                call,
                status=answer.status,
                milliseconds=answer.milliseconds,
                operation=answer.operation if answer.status is not None else None,
                error=answer.error,
            )
        return answer.describe()

    def _begin(self, call: ToolCall) -> ToolCall:
        if self.calls_left <= 0:
            raise LimitReached(f"all {self.limit} calls of this trial are used up")
        call = replace(call, ordinal=len(self._calls) + 1)
        self._calls.append(call)
        return call

    def _end(self, call: ToolCall, **known: Any) -> None:
        self._calls[call.ordinal - 1] = replace(call, **known)
