"""Reading the .sql files, and filling their placeholders with quoted identifiers, literals and prepared fragments."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import LiteralString

from psycopg import sql

Fragment = sql.Composable


@cache
def read_sql(name: str) -> LiteralString:
    """The text of `sql/<name>.sql`."""
    path = resources.files("cowscore.database") / "sql" / f"{name}.sql"
    return path.read_text(encoding="utf8")


def fill(name: str, **parts: Fragment) -> str:
    """`sql/<name>.sql` with every `{placeholder}` replaced; KeyError where one is not given."""
    return sql.SQL(read_sql(name)).format(**parts).as_string(None)


def raw(text: str) -> sql.SQL:
    """SQL that the server itself printed (a type, an expression, an operator): it goes in as it is."""
    return sql.SQL(text)


def name(*parts: str) -> sql.Identifier:
    """A quoted, dot-separated identifier."""
    return sql.Identifier(*parts)


def joined(separator: LiteralString, parts: Iterable[Fragment]) -> sql.Composed:
    """The parts with `separator` between them."""
    return sql.SQL(separator).join(parts)
