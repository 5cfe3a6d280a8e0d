"""Reading the .sql files, and filling their placeholders with quoted identifiers, literals and prepared fragments."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import LiteralString

from psycopg import sql

Fragment = sql.Composable
_TAG = "$cowscore$"
"""The dollar quotes around function bodies."""


@cache
def read_sql(name: str) -> LiteralString:
    """The text of `sql/<name>.sql`."""
    path = resources.files("cowscore.database") / "sql" / f"{name}.sql"
    return path.read_text(encoding="utf8")


def fill(name: str, **parts: Fragment) -> str:
    """`sql/<name>.sql` with every `{placeholder}` replaced; KeyError where one is not given."""
    template, tag = read_sql(name), _TAG
    text = raw(template).format(**parts).as_string(None)
    while text.count(tag) > template.count(_TAG):  # a name or an expression of the application's contains it too
        tag = tag[:-1] + "_$"
        text = raw(template.replace(_TAG, tag)).format(**parts).as_string(None)
    return text


def raw(text: str) -> sql.SQL:
    """SQL that the server itself printed (a type, an expression, an operator): it goes in as it is."""
    return sql.SQL(text)


def name(*parts: str) -> sql.Identifier:
    """A quoted, dot-separated identifier."""
    return sql.Identifier(*parts)


def joined(separator: LiteralString, parts: Iterable[Fragment]) -> sql.Composed:
    """The parts with `separator` between them."""
    return sql.SQL(separator).join(parts)
