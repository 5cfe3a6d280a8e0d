"""Views of the application: defined once more in the overlay's schema, so that in a session they show the session."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from cowscore.database.columns import names
from cowscore.database.names import SchemaNames
from cowscore.database.render import NOTHING
from cowscore.database.templates import fill, name, raw, read_sql
from cowscore.model import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationView:
    """A view of the application and its twin in the overlay."""

    oid: int
    schema: str
    name: str
    statement: str
    """Creates the twin, under a search_path that finds the overlay first; empty where there is none."""
    reason: str
    """Why there is no twin, or why it can only be read."""
    writable: bool
    twin: bool = False
    """True where sessions use another view of that name, in the overlay's schema."""

    @property
    def digest(self) -> str:
        """Changes whenever the view's definition does."""
        return hashlib.sha256(self.statement.encode()).hexdigest()


def read_views(
    conn: psycopg.Connection[Any],
    schema: str,
    seen: Mapping[tuple[str, str], str],
    *,
    layout: Layout = "overlay",
    own: Collection[str] = (),
) -> tuple[ApplicationView, ...]:
    """The views of `schema`, those that others build on first. `seen`: (schema, table) of what has an overlay view,
    with what the table is called where that has its name. `own`: names in the schema that overlay views have now.

    A view that reads anything else gets no twin: with its owner's rights it would show what sessions shall not see, or
    production where the session has changes. In place there are no twins: the view itself is led to the overlay, and
    production with it. Must run inside a transaction.
    """
    cursor = conn.cursor(row_factory=dict_row)
    schemas = [schema, *sorted({s for s, _ in seen} - {schema})]
    before = cursor.execute("select pg_catalog.current_setting('search_path') as path").fetchone()
    cursor.execute("select pg_catalog.set_config('search_path', %s, true)", [path(schemas)])
    parameters = {"schema": name(schema).as_string(None), "own": list(own)}
    rows = cursor.execute(read_sql("catalog/views"), parameters).fetchall()
    cursor.execute("select pg_catalog.set_config('search_path', %s, true)", [before["path"] if before else ""])
    known = {f"{s}.{t}" for (s, t), base in seen.items() if base or layout == "overlay"}
    views = []
    for row in rows:
        view = _view(schema, row, known, layout)
        if view.statement:
            known.add(f"{schema}.{view.name}")
        views.append(view)
    return tuple(views)


def path(schemas: Collection[str]) -> str:
    """The schemas as a search_path."""
    return ", ".join(name(s).as_string(None) for s in schemas)


def session_path(schema: str, seen: Collection[tuple[str, str]]) -> str:
    """The search_path under which twins are made: the overlay of every schema before the schemas."""
    schemas = [schema, *sorted({s for s, _ in seen} - {schema})]
    return path([*(SchemaNames(s).view for s in schemas), *schemas])


def defined(schema: str, row: Mapping[str, Any], options: Sequence[str]) -> str:
    """Defines the view, or its twin in `schema`, with the text that the view has. The path decides where names lead."""
    return fill(
        "table/application_view",
        view=name(schema, row["name"]),
        columns=names(row["columns"]),
        options=sql.SQL(" with ({})").format(raw(", ".join(options))) if options else NOTHING,
        definition=raw(row["definition"].rstrip().rstrip(";")),
    )


def _view(schema: str, row: dict[str, Any], known: Collection[str], layout: Layout) -> ApplicationView:
    hidden = [r for r in row["reads"] if r not in known]
    plain = not row["has_triggers"] and not row["has_rules"]
    reason = "" if plain else "a view with triggers or rules of its own: it can only be read"
    statement = ""
    if hidden:
        reason = f"a view that reads {', '.join(hidden)}, which sessions do not see"
    elif row["groups_by_key"]:
        reason = "a view with columns that follow from the primary key in GROUP BY: name them there"
    elif layout == "in_place":
        guarding = [o for o in row["options"] if o.startswith(("security_barrier", "check_option"))]
        if guarding:
            reason = f"a view with {', '.join(guarding)}, which would not hold for production in place"
        else:
            statement = defined(schema, row, row["options"])
    else:
        # On a view over one with INSTEAD OF triggers PostgreSQL loses the condition of a security barrier in UPDATE and
        # DELETE. Sessions see the tables below anyhow.
        kept = [o for o in row["options"] if not o.startswith("security_barrier")]
        statement = defined(SchemaNames(schema).view, row, kept)
    return ApplicationView(
        oid=row["oid"],
        schema=schema,
        name=row["name"],
        statement=statement,
        reason=reason,
        writable=plain and bool(statement),
        twin=layout == "overlay" and bool(statement),
    )
