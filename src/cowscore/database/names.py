"""Names of what cowscore creates: the application's names with a suffix, shortened with a hash where too long."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

LIMIT = 63
"""Bytes of an identifier (NAMEDATALEN - 1)."""

AGENT_ROLE = "cowscore_agent"
WRITER_ROLE = "cowscore_writer"
LOGIN_PREFIX = "cowscore_s_"

_LONGEST_SUFFIX = len("deferrable_parent_00")


def shortened(text: str, limit: int = LIMIT) -> str:
    """`text` where it fits into `limit` bytes, else its beginning with a hash of the whole."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    digest = hashlib.sha256(encoded).hexdigest()[:10]
    return encoded[: limit - len(digest) - 1].decode(errors="ignore") + "_" + digest


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """The schemas that belong to an application's schema."""

    schema: str

    @property
    def view(self) -> str:
        """Holds the overlay views, under the tables' own names."""
        return shortened(f"{self.schema}_cow", LIMIT)

    @property
    def changes(self) -> str:
        """Holds the changes tables, under the tables' own names."""
        return shortened(f"{self.schema}_cow_changes", LIMIT)

    @property
    def functions(self) -> str:
        """Holds the rendered functions, each with its table's prefix."""
        return shortened(f"{self.schema}_cow_functions", LIMIT)

    def all(self) -> tuple[str, str, str]:
        """View, changes and functions schema."""
        return self.view, self.changes, self.functions


def base_name(table: str, taken: Collection[str]) -> str:
    """What a table is called while a view has its name: none of `taken`."""
    candidate, number = shortened(f"{table}_base"), 1
    while candidate in taken:
        number += 1
        candidate = shortened(f"{table}_base{number}")
    return candidate


def given_name(table: str) -> str:
    """The table, beside the changes table, of rows as statements gave them."""
    return shortened(f"given {table}")


def functions_prefix(table: str) -> str:
    """What the names of a table's rendered functions begin with; unique within the functions schema."""
    return shortened(table, LIMIT - _LONGEST_SUFFIX - 1) + "_"
