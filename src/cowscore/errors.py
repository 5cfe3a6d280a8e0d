"""One tree of exceptions. Those the database raises carry an SQLSTATE of class CW and are mapped by it."""

from __future__ import annotations

from typing import ClassVar


class CowscoreError(Exception):
    """Base of everything cowscore raises on purpose; the message names the value and the way out."""


class ConnectionFailed(CowscoreError):
    """The server in the connection string cannot be reached or refuses the login."""


class ServerFailed(CowscoreError):
    """The embedded server could not be set up or started; the message ends with what PostgreSQL itself said."""


class MissingExtra(CowscoreError, ImportError):
    """A part of cowscore that needs an optional package was asked for; the message names the extra to install."""


class InstallError(CowscoreError):
    """`enable` or `disable` cannot do what was asked; nothing was changed."""


class NotInstalled(InstallError):
    """The database has no cowscore schema, or the application's schema is not enabled."""


class UnknownName(CowscoreError, LookupError):
    """A recording, experiment, agent, profile or file of that name does not exist."""


class BadInput(CowscoreError, ValueError):
    """A value that the caller gave is malformed; the message says what would be right."""


class SessionError(CowscoreError):
    """Base of the errors that the control schema raises; `sqlstate` is the code it used."""

    sqlstate: ClassVar[str]


class NoSession(SessionError):
    """CW001: a write reached the overlay with no session bound, or a bind would not have lasted."""

    sqlstate = "CW001"


class UnknownSession(SessionError):
    """CW002: no session has that id, or the id is not a UUID."""

    sqlstate = "CW002"


class SessionClosed(SessionError):
    """CW003: the session is closed, committed or discarded and can no longer change."""

    sqlstate = "CW003"


class Conflict(SessionError):
    """CW004: production changed rows that the session changed too."""

    sqlstate = "CW004"


class OperationsNotClosed(SessionError):
    """CW005: the selected operations depend on others that are not selected."""

    sqlstate = "CW005"


class NotWritable(SessionError):
    """CW006: the table cannot be written in a session."""

    sqlstate = "CW006"


class NotEnabled(SessionError):
    """CW007: the session holds changes of a schema that was disabled since; they are kept until it is enabled again."""

    sqlstate = "CW007"


class NotCarried(SessionError):
    """CW008: changes of the session do not fit a table that was altered or dropped; they are kept aside."""

    sqlstate = "CW008"


SQLSTATES: dict[str, type[SessionError]] = {
    error.sqlstate: error
    for error in (
        NoSession,
        UnknownSession,
        SessionClosed,
        Conflict,
        OperationsNotClosed,
        NotWritable,
        NotEnabled,
        NotCarried,
    )
}
