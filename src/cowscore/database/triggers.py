"""The application's own triggers: what the catalog says of them, and which of them a session can fire."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_ROW, _BEFORE = 1, 2
_EVENTS = ((4, "insert"), (16, "update"), (8, "delete"))
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A trigger of a table."""

    name: str
    definition: str
    """As `pg_get_triggerdef` prints it with qualified names."""
    row: bool
    before: bool
    events: tuple[str, ...]
    """Of insert, update, delete."""
    columns: tuple[str, ...] = ()
    """Of UPDATE OF, empty for any column."""
    enabled: bool = True
    refusal: str = ""
    """Why it cannot fire in a session as it does on a plain table; empty where it can."""
    function_oid: int = 0

    @property
    def fires(self) -> bool:
        """True where a session fires it."""
        return self.enabled and not self.refusal

    @property
    def condition(self) -> str:
        """The expression of WHEN, empty where there is none."""
        mask = _QUOTED.sub(lambda m: "x" * len(m.group()), self.definition)
        start, end = mask.find(" WHEN ("), mask.rfind(") EXECUTE FUNCTION ")
        return self.definition[start + len(" WHEN (") : end] if start >= 0 else ""

    @property
    def call(self) -> str:
        """`EXECUTE FUNCTION ..` with its arguments."""
        mask = _QUOTED.sub(lambda m: "x" * len(m.group()), self.definition)
        return self.definition[mask.rfind("EXECUTE FUNCTION ") :]

    @property
    def fingerprint(self) -> str:
        """Changes whenever the trigger has to be looked at again."""
        when = (self.name, self.row, self.before, self.events, self.columns, self.condition, self.call)
        return f"{when} enabled={self.enabled} refusal={self.refusal} function={self.function_oid}"


def read_trigger(row: dict[str, Any], *, has_key: bool) -> Trigger:
    """From a row of `catalog/triggers`."""
    return Trigger(
        name=row["name"],
        definition=row["definition"],
        row=bool(row["type"] & _ROW),
        before=bool(row["type"] & _BEFORE),
        events=tuple(event for bit, event in _EVENTS if row["type"] & bit),
        columns=tuple(row["columns"]),
        # 'R' fires on replicas only, which a session is not.
        enabled=row["enabled"] in ("O", "A") and any(row["type"] & bit for bit, _ in _EVENTS),
        refusal=_refusal(row, has_key),
        function_oid=row["function_oid"],
    )


def _refusal(row: dict[str, Any], has_key: bool) -> str:
    refusals = (
        (row["definer"], "SECURITY DEFINER"),
        (row["transition"], "transition tables"),
        (row["deferrable"], "deferrable"),
        (row["asks_depth"] and row["type"] & _ROW, "pg_trigger_depth()"),
        (not has_key and row["type"] & _ROW, "no key"),
        (
            row["replaces_rows"] and row["type"] & _ROW and row["type"] & _BEFORE,
            "writes other rows and may skip its own",
        ),
        (row["names_its_table"], "dynamic SQL on TG_TABLE_SCHEMA or TG_RELID"),
    )
    return next((reason for applies, reason in refusals if applies), "")


def left_to_commit(triggers: Iterable[Trigger]) -> str:
    """What a user must know of triggers that no session fires; empty where all do."""
    left = [f"{t.name} ({t.refusal})" for t in triggers if t.enabled and t.refusal]
    return f"triggers fire at commit, not in a session: {', '.join(left)}" if left else ""
