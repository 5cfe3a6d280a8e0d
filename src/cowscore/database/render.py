"""model -> SQL, pure: every statement that puts one table under the overlay, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from psycopg import sql

from cowscore.database.catalog import Relation
from cowscore.database.columns import ColumnSets, conjunction, names, of, omitted
from cowscore.database.names import WRITER_ROLE, SchemaNames, functions_prefix, given_name, shortened
from cowscore.database.templates import Fragment, fill, joined, name, raw

NOTHING = sql.SQL("")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the parts of one table live."""

    schema: str
    table: str
    base_name: str = ""
    """What the table is called where the overlay view has its name."""

    @property
    def base(self) -> Fragment:
        """The application's own table."""
        return name(self.schema, self.base_name or self.table)

    @property
    def view(self) -> Fragment:
        """The overlay view."""
        return name(self.schema if self.base_name else SchemaNames(self.schema).view, self.table)

    @property
    def changes(self) -> Fragment:
        """The changes table."""
        return name(SchemaNames(self.schema).changes, self.table)

    @property
    def rows(self) -> Fragment:
        """Where the application's row triggers fire."""
        return name(SchemaNames(self.schema).functions, self.table)

    @property
    def given(self) -> Fragment:
        """Rows as statements gave them."""
        return name(SchemaNames(self.schema).changes, given_name(self.table))

    @property
    def written(self) -> Fragment:
        """Versions as a commit writes them."""
        return name(SchemaNames(self.schema).functions, shortened(f"written {self.table}"))

    def function(self, suffix: str) -> Fragment:
        """A rendered function of this table."""
        return name(SchemaNames(self.schema).functions, functions_prefix(self.table) + suffix)

    @property
    def literals(self) -> dict[str, Fragment]:
        """Schema and table as literals, for the diagnostics of raised errors."""
        return {"schema_literal": sql.Literal(self.schema), "table_literal": sql.Literal(self.table)}


@dataclass(frozen=True, slots=True)
class Setting:
    """What rendering one table must know beyond the table."""

    relation: Relation
    writable: Mapping[tuple[str, str], str]
    """(schema, table) of every table that a session can write, this one included -> its `base_name`."""
    server_version: int
    """As libpq numbers it, e.g. 180004."""

    @property
    def place(self) -> Place:
        """Where this table's parts live."""
        return Place(self.relation.table.schema, self.relation.table.name, self.relation.base_name)

    @property
    def in_place(self) -> bool:
        """True where production goes through the overlay view, too."""
        return bool(self.relation.base_name)

    @property
    def columns(self) -> ColumnSets:
        """Its column lists."""
        return ColumnSets(self.relation.table)

    def seen(self, schema: str, table: str) -> Fragment:
        """What foreign keys look at: the overlay view of the table, or a window on a table outside the overlay."""
        if (schema, table) in self.writable:
            return Place(schema, table, self.writable[schema, table]).view
        return name(SchemaNames(self.relation.table.schema).functions, shortened(f"window {schema}.{table}"))

    def windows(self) -> tuple[tuple[str, str], ...]:
        """Tables outside the overlay at the other end of a foreign key."""
        ends = [(f.ref_schema, f.ref_table) for f in self.relation.table.foreign_keys]
        ends += [(f.schema, f.table) for f in self.relation.referenced_by]
        return tuple(sorted({end for end in ends if end not in self.writable}))


@dataclass(frozen=True, slots=True)
class Rendered:
    """The SQL of one table."""

    changes: tuple[str, ...]
    """The changes table with its indexes."""
    view: tuple[str, ...]
    """The overlay view with its defaults."""
    functions: tuple[str, ...]
    """Functions and triggers; they may name any table's view, so they come after all relations."""
    copied: tuple[str, ...]
    """What `like` copies without naming it: columns and CHECK constraints."""
    writer_functions: tuple[str, ...]
    """Quoted names of the functions that run with the writer role's rights."""
    called_functions: tuple[str, ...] = ()
    """Of those, the ones that sessions call themselves."""
    given: tuple[str, ...] = ()
    """The table of rows as statements gave them, where triggers may change them."""
    triggers: tuple[str, ...] = ()
    """The application's triggers, those that do not fire in a session too."""
    at: str = ""
    """Quoted name of the overlay view."""
    rows: str = ""
    """Quoted name of the table where they fire."""

    @property
    def changes_digest(self) -> str:
        """Changes whenever the changes table would have to be another one."""
        return _digest((*self.changes, *self.copied))

    @property
    def digest(self) -> str:
        """Changes whenever anything rendered does."""
        return _digest((*self.changes, *self.copied, *self.view, *self.functions, *self.given, *self.triggers))


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n;\n".join(texts).encode()).hexdigest()


def render(setting: Setting) -> Rendered:
    """Everything for one table of mode `session` or `insert_only`."""
    from cowscore.database import render_commit, render_in_place, render_keys, render_triggers, render_writes

    late = render_keys.late_checks(setting)
    fired = render_triggers.fired(setting)
    triggers = setting.relation.triggers
    functions: list[str] = [*_keys(setting), *render_writes.instead_of(setting), *late.statements]
    functions += render_in_place.production(setting)
    functions += [*fired.statements, *render_triggers.written(setting), *render_commit.functions(setting)]
    suffixes = ["insert", "update", "delete", *late.suffixes, *fired.suffixes]
    return Rendered(
        changes=tuple(_changes(setting)),
        view=tuple(_view_with_defaults(setting)),
        copied=(
            *(f"{c.name} {c.type} {c.not_null} {c.generated} {c.generated_as}" for c in setting.relation.table.columns),
            *setting.relation.checks,
        ),
        functions=tuple(functions),
        writer_functions=tuple(setting.place.function(s).as_string(None) for s in suffixes),
        called_functions=tuple(setting.place.function(s).as_string(None) for s in fired.called),
        given=render_triggers.given(setting),
        at=setting.place.view.as_string(None),
        triggers=tuple(t.fingerprint for t in triggers),
        rows=setting.place.rows.as_string(None) if any(t.row and t.fires for t in triggers) else "",
    )


def _keys(setting: Setting) -> Iterable[str]:
    """The keys of base, for the writer role, which has no rights there."""
    place, table = setting.place, setting.relation.table
    if table.key:
        yield fill("table/window", window=place.function("keys"), columns=names(table.key), relation=place.base)
        yield fill("table/window_grant", window=place.function("keys"), writer=name(WRITER_ROLE))


def unbound(setting: Setting, row: str) -> Fragment:
    """At the beginning of a row trigger of the overlay view: production is none of its business."""
    return raw(fill("table/unbound", row=raw(row))) if setting.in_place else NOTHING


def begin_write(setting: Setting) -> Fragment:
    """The operation that a write belongs to; outside of sessions there is none."""
    call = "cowscore.begin_write()"
    return raw(f"case when cowscore.session() is not null then {call} end" if setting.in_place else call)


def when_bound(setting: Setting, condition: str = "") -> Fragment:
    """WHEN of a statement trigger of the overlay view."""
    tests = [
        *(["cowscore.session() is not null"] if setting.in_place else []),
        *([f"({condition})"] if condition else []),
    ]
    return raw(f"\nwhen ({' and '.join(tests)})" if tests else "")


def render_windows(schema: str, ends: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Views on tables outside the overlay that foreign keys of `schema` lead to."""
    return tuple(
        fill(
            "table/window",
            window=name(SchemaNames(schema).functions, shortened(f"window {end[0]}.{end[1]}")),
            columns=raw("*"),
            relation=name(*end),
        )
        for end in sorted(set(ends))
    )


def _changes(setting: Setting) -> Iterable[str]:
    place, relation, table = setting.place, setting.relation, setting.relation.table
    yield fill("table/changes", changes=place.changes, base=place.base)
    for check, expression in relation.not_valid:
        yield fill("table/changes_check", changes=place.changes, check=name(check), expression=raw(expression))
    yield fill("table/changes_order", changes=place.changes)
    for index in relation.indexes:
        if index.columns == table.key and not index.predicate:
            continue
        yield fill(
            "table/changes_index",
            changes=place.changes,
            elements=joined(", ", [raw(e) for e in index.elements]),
            predicate=raw(f" and ({index.predicate})") if index.predicate else NOTHING,
        )
    if table.key:
        # Last, as the planner takes the newest of equally cheap indexes, and all are while the table is small.
        yield fill("table/changes_key", changes=place.changes, key=names(table.key))


def _view_with_defaults(setting: Setting) -> Iterable[str]:
    place, table = setting.place, setting.relation.table
    yield _view(setting)
    for column in table.columns:
        if column.identity == "by default" and column.sequence:
            expression: Fragment = sql.SQL("pg_catalog.nextval({}::pg_catalog.regclass)").format(
                sql.Literal(column.sequence)
            )
        elif column.identity == "always":
            expression = omitted(column)
        elif column.default is not None:
            expression = raw(column.default)
        else:
            continue
        yield fill("table/view_default", view=place.view, column=name(column.name), expression=expression)


def _view(setting: Setting) -> str:
    place, table, columns = setting.place, setting.relation.table, setting.columns
    parts = {"view": place.view, "base": place.base, "changes": place.changes, "columns": names(columns.all)}
    if not table.key:
        return fill("table/view_without_key", **parts)
    base_keys = [f"_cow_base_{n}" for n, _ in enumerate(table.key, start=1)]
    types = [raw(table.column(c).type) for c in table.key]
    return fill(
        "table/view",
        **parts,
        base_keys=joined(
            ", ", [sql.SQL("{} as {}").format(name(c), name(b)) for c, b in zip(table.key, base_keys, strict=True)]
        ),
        no_keys=joined(", ", [sql.SQL("null::{}").format(t) for t in types]),
        hides=conjunction(
            [
                joined(" ", [of("x", c), raw(operator), of("u", b)])
                for c, operator, b in zip(table.key, columns.key_operators, base_keys, strict=True)
            ]
        ),
    )
