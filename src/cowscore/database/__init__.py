"""The overlay in PostgreSQL: installing it, and sessions over it."""

from cowscore.database.install import DisableReport, EnableReport, TableReport
from cowscore.database.sessions import ConflictingRow, Cow, Rehearsal, Session, SessionRecord, Violation
from cowscore.database.status import TableStatus

__all__ = [
    "ConflictingRow",
    "Cow",
    "DisableReport",
    "EnableReport",
    "Rehearsal",
    "Session",
    "SessionRecord",
    "TableReport",
    "TableStatus",
    "Violation",
]
