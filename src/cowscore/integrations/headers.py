"""The HTTP contract: which request headers put a request inside a session, and what counts as malformed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from cowscore.errors import BadInput

SESSION_HEADER = "X-Cow-Session"
OPERATION_HEADER = "X-Cow-Operation"
SESSION_ALIAS = "x-agent-session-id"
OPERATION_ALIAS = "x-operation-id"

# uuid.UUID() also takes braces, urn: prefixes and hyphens anywhere; a header that needs such guessing is a mistake.
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)

_REFUSALS: dict[str, tuple[int, str]] = {
    "CW001": (500, "the application runs a statement that cannot be bound to the session; nothing was written by it"),
    "CW002": (400, "no session has the id of the session header"),
    "CW003": (409, "the session is closed and can no longer change"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderNames:
    """Names of the two request headers. The standard names and their aliases are always accepted beside them.

    A client that sends a standard name to an application that renamed it must not end up in production unnoticed.
    """

    session: str = SESSION_HEADER
    operation: str = OPERATION_HEADER


def parse_headers(
    headers: Iterable[tuple[str, str]], names: HeaderNames | None = None
) -> tuple[UUID, UUID | None] | None:
    """Find the session and operation that a request asks for.

    `headers` are (name, value) pairs in any case, repeated names included. Returns None for a request without any of
    the headers, else the session and the operation (None where the client named none).
    Raises BadInput for a value that is no UUID, for two different values of one header, and for an operation
    without a session.
    """
    names = names or HeaderNames()
    accepted_session = {names.session.lower(), SESSION_HEADER.lower(), SESSION_ALIAS}
    accepted_operation = {names.operation.lower(), OPERATION_HEADER.lower(), OPERATION_ALIAS}
    sessions: set[UUID] = set()
    operations: set[UUID] = set()
    for name, value in headers:
        if name.lower() in accepted_session:
            sessions.add(_parse(name, value))
        elif name.lower() in accepted_operation:
            operations.add(_parse(name, value))
    if not sessions and not operations:
        return None
    if not sessions:
        raise BadInput(f"{names.operation} came without {names.session}; send both, or neither to reach production")
    return _only(names.session, sessions), _only(names.operation, operations) if operations else None


def refusal(sqlstate: str, session: UUID) -> tuple[int, str]:
    """HTTP status and explanation of a request whose bind the database refused with `sqlstate`."""
    status, detail = _REFUSALS.get(sqlstate, (500, "the session could not be bound"))
    return status, f"{detail} ({session})"


def _parse(name: str, value: str) -> UUID:
    text = value.strip()
    if not _UUID.fullmatch(text):
        raise BadInput(f"{name} must be a UUID such as 123e4567-e89b-12d3-a456-426614174000, not {text[:80]!r}")
    return UUID(text)


def _only(name: str, values: set[UUID]) -> UUID:
    if len(values) > 1:
        found = ", ".join(sorted(map(str, values)))
        raise BadInput(f"{name} was sent with different values ({found}); send it once")
    return next(iter(values))
