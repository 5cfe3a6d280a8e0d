"""Fragments about columns that several templates share: lists, comparisons, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import sql

from cowscore.database.templates import Fragment, joined, name, raw
from cowscore.model import Column, Table

TRUE = sql.SQL("true")


def of(alias: str, column: str) -> Fragment:
    """`alias.column`. The alias (a table's alias, NEW, OLD, or a composite in parentheses) is never quoted."""
    return joined(".", [raw(alias), name(column)])


def names(columns: Iterable[str], alias: str = "") -> Fragment:
    """The columns as a list, each behind the alias if there is one."""
    return joined(", ", [of(alias, c) if alias else name(c) for c in columns])


def image(alias: str, columns: Iterable[str]) -> Fragment:
    """`row(alias.a, alias.b)`, for comparison by image: exact, and defined for types without an equality operator."""
    return sql.SQL("row({})").format(names(columns, alias))


def same(left: Fragment, right: Fragment) -> Fragment:
    """The two images are equal."""
    return sql.SQL("pg_catalog.record_image_eq({}, {})").format(left, right)


def differ(left: Fragment, right: Fragment) -> Fragment:
    """The two images are not equal."""
    return sql.SQL("pg_catalog.record_image_ne({}, {})").format(left, right)


def conjunction(parts: Sequence[Fragment]) -> Fragment:
    """All of them; true for none."""
    return joined(" and ", parts) if parts else TRUE


def matches(
    operators: Sequence[str], left: str, left_columns: Sequence[str], right: str, right_columns: Sequence[str]
) -> Fragment:
    """Columns of one alias equal columns of another, pairwise, under the given operators."""
    triples = zip(left_columns, operators, right_columns, strict=True)
    return conjunction([joined(" ", [of(left, a), raw(operator), of(right, b)]) for a, operator, b in triples])


def tests(alias: str, columns: Iterable[str], test: str) -> list[Fragment]:
    """`alias.a is null` and the like, one for each column."""
    return [sql.SQL("{} {}").format(of(alias, c), raw(test)) for c in columns]


def changed_names(columns: Iterable[str], left: str, right: str) -> Fragment:
    """Elements of an array: the column's name where the two sides differ, else null."""
    return joined(
        ", ",
        [
            sql.SQL("case when {} then {} end").format(differ(image(left, [c]), image(right, [c])), sql.Literal(c))
            for c in columns
        ],
    )


def json(columns: Sequence[str], alias: str) -> Fragment:
    """A jsonb object of the columns. Built in pieces: a function takes at most 100 arguments."""
    pieces = [
        sql.SQL("pg_catalog.jsonb_build_object({})").format(
            joined(", ", [joined(", ", [sql.Literal(c), of(alias, c)]) for c in columns[i : i + 40]])
        )
        for i in range(0, len(columns), 40)
    ]
    return (
        sql.SQL("({})").format(joined(" operator(pg_catalog.||) ", pieces))
        if pieces
        else sql.SQL("'{}'::pg_catalog.jsonb")
    )


def omitted(column: Column) -> Fragment:
    """The view's default of an identity column GENERATED ALWAYS: stands for "not given", as null is a value given."""
    bits = {"smallint": 16, "integer": 32, "bigint": 64}[column.type]
    return sql.SQL("({})").format(sql.Literal(-(2 ** (bits - 1))))


def text_array(columns: Iterable[str]) -> Fragment:
    """An array literal of names."""
    return sql.SQL("array[{}]::pg_catalog.text[]").format(joined(", ", [sql.Literal(c) for c in columns]))


@dataclass(frozen=True, slots=True)
class ColumnSets:
    """The column lists of one table that templates ask for."""

    table: Table

    @property
    def all(self) -> tuple[str, ...]:
        """Every column."""
        return tuple(c.name for c in self.table.columns)

    @property
    def stored(self) -> tuple[str, ...]:
        """Columns that an INSERT may name: all but the generated ones."""
        return tuple(c.name for c in self.table.columns if not c.generated)

    @property
    def generated(self) -> tuple[str, ...]:
        """Generated columns, whose value RETURNING must show."""
        return tuple(c.name for c in self.table.columns if c.generated)

    @property
    def key_operators(self) -> tuple[str, ...]:
        """Equality of each key column."""
        return tuple(self.table.column(c).equality for c in self.table.key)

    def key_equal(self, left: str, right: str) -> Fragment:
        """The key columns of two aliases are equal."""
        return matches(self.key_operators, left, self.table.key, right, self.table.key)
