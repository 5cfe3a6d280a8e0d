"""`enable` and `disable`: the only issuer of DDL. Each is one transaction: it happens whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import psycopg
from psycopg import sql

from cowscore.database import control, grants, in_place, leaks, status
from cowscore.database.application_views import ApplicationView, read_views, session_path
from cowscore.database.carry import Carrier, HeldSession, held_sessions
from cowscore.database.carry_sql import shape_of
from cowscore.database.catalog import Relation, read_schema
from cowscore.database.names import AGENT_ROLE, SchemaNames, functions_prefix
from cowscore.database.render import Rendered, render_windows
from cowscore.database.status import WRITABLE, is_current, registry, render_all, settings, writable_tables
from cowscore.database.templates import fill, joined, name, raw, read_sql
from cowscore.errors import BadInput, InstallError, NotInstalled
from cowscore.model import Layout, Mode


class TableReport(NamedTuple):
    """How sessions see one table."""

    mode: Mode
    reason: str


@dataclass(frozen=True, slots=True)
class EnableReport:
    """What `enable` did, or with `dry_run` would do."""

    schema: str
    layout: str
    tables: Mapping[str, TableReport]
    statements: tuple[str, ...]
    """The SQL, in order; empty where everything was current."""
    roles: tuple[str, ...] = ()
    """Login roles of the application that were allowed to enter sessions."""
    held: tuple[HeldSession, ...] = ()
    """Sessions with changes that do not fit a table any more, each with the reason; nothing of them is lost."""

    @property
    def sql(self) -> str:
        """The statements as one script."""
        return _as_script(self.statements)


@dataclass(frozen=True, slots=True)
class DisableReport:
    """What `disable` did."""

    schema: str
    kept: tuple[str, ...] = ()
    """Tables whose changes were kept because sessions that are neither committed nor discarded hold some."""
    statements: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        """The statements as one script."""
        return _as_script(self.statements)


def _as_script(statements: Iterable[str]) -> str:
    return "".join(s.rstrip().rstrip(";") + ";\n\n" for s in statements)


@dataclass(frozen=True, slots=True)
class _Choices:
    layout: Layout
    exclude: frozenset[str]
    bookkeeping: frozenset[str]
    trust: tuple[str, ...]
    search_path: str


@dataclass(slots=True)
class Script:
    """Statements as they are issued, or with `dry_run` only collected."""

    conn: psycopg.Connection[Any]
    dry_run: bool
    statements: list[str] = field(default_factory=list)

    def run(self, statement: str) -> None:
        """A whole statement."""
        self.statements.append(statement)
        if not self.dry_run:
            self.conn.execute(statement.encode())

    def compose(self, template: str, **parts: sql.Composable) -> None:
        """A statement with placeholders."""
        self.run(raw(template).format(**parts).as_string(None))


def enable(
    conn: psycopg.Connection[Any],
    schema: str = "public",
    *,
    exclude: Iterable[str] | None = None,
    bookkeeping: Iterable[str] | None = None,
    trust: Iterable[str] | None = None,
    layout: str | None = None,
    using: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> EnableReport:
    """Puts the tables of `schema` under the overlay; a second call brings everything up to date.

    `exclude`: tables that sessions shall not see. `bookkeeping`: tables whose writes do not chain operations together.
    `trust`: SECURITY DEFINER functions that may stay callable in sessions. `layout`: "overlay", or "in_place": the
    tables are renamed, and views have their names. Each stays as the last call left it where it is None. `using`:
    `table.column` -> SQL over the columns as they were, for changes of sessions to a table that was altered, where a
    cast or the default is not it. Raises InstallError or BadInput, and then nothing was changed.
    """
    if layout not in ("overlay", "in_place", None):
        raise BadInput(f"layout is {layout!r}; there are 'overlay' and 'in_place'")
    names = SchemaNames(schema)
    path = _search_path(conn, schema)
    with exclusive(conn):
        _require_free_names(conn, names)
        script = Script(conn, dry_run)
        choices = _choices(conn, schema, exclude, bookkeeping, trust, layout, path)
        if choices.layout == "overlay" and status.views_in_place(conn, schema):
            remove_views(conn, script, schema)  # the application's views have to be read as they were
        relations = _relations(conn, schema, choices)
        for unknown in sorted((choices.exclude | choices.bookkeeping) - {r.table.name for r in relations}):
            raise BadInput(f"schema {schema!r} has no table {unknown!r}")
        _refuse_leaks(conn, relations, choices.trust)
        for statement in control.statements(conn) if control.is_outdated(conn) else ():
            script.run(statement)
        rendered = render_all(conn, relations)
        own = status.views_in_place(conn, schema)
        views = read_views(conn, schema, writable_tables(conn, relations), layout=choices.layout, own=own)
        report = {r.table.name: TableReport(r.mode, r.reason) for r in relations}
        report |= {v.name: TableReport("view" if v.statement else "excluded", v.reason) for v in views}
        held = _held(conn, schema)
        if (
            not script.statements
            and not any(h.blocks for h in held)
            and is_current(conn, schema, relations, rendered, choices.bookkeeping, views, choices.layout)
        ):
            roles = grants.let_the_application_in(conn, script, relations)
            return EnableReport(schema, choices.layout, report, tuple(script.statements), roles, held)
        remove_views(conn, script, schema)
        await_commits(script)
        if choices.layout == "in_place":
            in_place.require_rights(conn, relations)
            in_place.make_way(script, relations)
        _create(conn, script, names, relations, rendered, dict(using or {}))
        if choices.layout == "in_place":
            in_place.take_over(conn, script, schema, relations)
        _create_application_views(script, views, session_path(schema, writable_tables(conn, relations)))
        _register(script, names, relations, rendered, choices, views)
        roles = grants.let_the_application_in(conn, script, relations)
        held = held if dry_run else _held(conn, schema)
        return EnableReport(schema, choices.layout, report, tuple(script.statements), roles, held)


def _held(conn: psycopg.Connection[Any], schema: str) -> tuple[HeldSession, ...]:
    return held_sessions(conn, schema) if control.installed_version(conn) >= control.KEEPS_ASIDE else ()


def disable(conn: psycopg.Connection[Any], schema: str = "public", *, dry_run: bool = False) -> DisableReport:
    """Takes the overlay of `schema` away. Changes of sessions that still wait for a decision are kept.

    Raises NotInstalled where the schema is not enabled.
    """
    with exclusive(conn):
        _require_enabled(conn, schema)
        script = Script(conn, dry_run)
        names = SchemaNames(schema)
        kept = _pending_tables(conn, schema)
        remove_views(conn, script, schema)
        await_commits(script)
        grants.revoke(conn, script, schema)
        if kept:
            script.compose("update cowscore.schemas set enabled = false where schema_name = {s}", s=sql.Literal(schema))
        else:
            script.compose("drop schema if exists {changes} cascade", changes=name(names.changes))
            script.compose("delete from cowscore.schemas where schema_name = {s}", s=sql.Literal(schema))
        return DisableReport(schema, kept, tuple(script.statements))


class exclusive:
    """A transaction that no other enable or disable runs beside, with an empty search_path."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn
        self._transaction = conn.transaction()

    def __enter__(self) -> None:
        self._transaction.__enter__()
        self._conn.execute("select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('cowscore', 0))")
        if not _no_migration_runs(self._conn):
            self._transaction.__exit__(None, None, None)
            raise InstallError("a `cowscore migrate` is running in this database; wait until it has ended")
        self._conn.execute("select pg_catalog.set_config('search_path', '', true)")

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._transaction.__exit__(kind, error, trace)
        if isinstance(error, psycopg.errors.OutOfMemory):
            raise InstallError(
                f"more objects than the server can lock in one transaction: {str(error).splitlines()[0]}; "
                "nothing was changed. Raise max_locks_per_transaction and restart the server"
            ) from error
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            who = self._conn.info.user
            raise InstallError(
                f"role {who} may not do this: {str(error).splitlines()[0]}; nothing was changed. "
                "Connect as a superuser, or as the tables' owner with CREATEROLE and CREATE on the database"
            ) from error


def _no_migration_runs(conn: psycopg.Connection[Any]) -> bool:
    """A migration holds the lock for as long as its connection lives, and may itself enable."""
    row = conn.execute(read_sql("catalog/migration_lock"), {"whole_session": False}).fetchone()
    return bool(row and row[0])


def _choices(
    conn: psycopg.Connection[Any],
    schema: str,
    exclude: Iterable[str] | None,
    bookkeeping: Iterable[str] | None,
    trust: Iterable[str] | None,
    layout: str | None,
    search_path: str,
) -> _Choices:
    before: Any = None
    if control.installed_version(conn):
        before = conn.execute(read_sql("catalog/choices"), {"schema": schema}).fetchone()
    excluded, kept, trusted, laid_out = before or ((), (), (), "overlay")
    if before and layout not in (None, laid_out) and conn.execute("select 1 from cowscore.logins limit 1").fetchone():
        raise InstallError(
            f"schema {schema!r} has layout {laid_out!r}, and there are logins of sessions, which find their tables by "
            "it; commit, discard or close those sessions before the layout changes"
        )
    return _Choices(
        layout=cast(Layout, layout or laid_out),
        exclude=frozenset(excluded if exclude is None else exclude),
        bookkeeping=frozenset(kept if bookkeeping is None else bookkeeping),
        trust=tuple(trusted if trust is None else trust),
        search_path=search_path,
    )


def _search_path(conn: psycopg.Connection[Any], schema: str) -> str:
    """The connection's search_path, with `schema` in front where the path does not lead there."""
    row = conn.execute("select pg_catalog.current_setting('search_path'), pg_catalog.current_schemas(false)").fetchone()
    assert row is not None
    path: str = row[0]
    return path if schema in row[1] else name(schema).as_string(None) + (f", {path}" if path else "")


def _require_free_names(conn: psycopg.Connection[Any], names: SchemaNames) -> None:
    """Which schemas are cowscore's own is what the registry says: an application may use any name."""
    made = control.overlay_schemas(conn)
    if names.schema in ("cowscore", "information_schema", *made) or names.schema.startswith("pg_"):
        raise BadInput(f"schema {names.schema!r} is not an application's schema")
    present = {r[0] for r in conn.execute("select nspname from pg_catalog.pg_namespace").fetchall()}
    taken = [part for part in names.all() if part in present and made.get(part) != names.schema]
    if taken:
        raise InstallError(
            f"schema {', '.join(taken)} exists and cowscore did not make it, but needs the name for the overlay of "
            f"{names.schema!r}; rename or drop it"
        )


def _relations(conn: psycopg.Connection[Any], schema: str, choices: _Choices) -> tuple[Relation, ...]:
    try:
        with conn.transaction():
            renamed = status.in_place(conn)
            relations = read_schema(conn, schema, choices.exclude, layout=choices.layout, renamed=renamed)
    except psycopg.errors.InvalidSchemaName:
        rows = conn.execute(
            "select nspname from pg_catalog.pg_namespace "
            "where nspname !~ '^(pg_|information_schema$|cowscore$)|_cow(_changes|_functions)?$' order by 1"
        ).fetchall()
        raise InstallError(f"schema {schema!r} does not exist; there are: {', '.join(r[0] for r in rows)}") from None
    if not relations:
        raise InstallError(f"schema {schema!r} has no tables; nothing to enable")
    if choices.layout == "in_place":
        return in_place.named(conn, schema, relations)
    return tuple(replace(r, base_name="") for r in relations)


def _refuse_leaks(conn: psycopg.Connection[Any], relations: tuple[Relation, ...], trust: Iterable[str]) -> None:
    """Nothing that a session could write past the overlay may be there when it is made."""
    writable = leaks.writable_past_the_overlay(conn)
    if writable:
        role = writable[0][0]
        raise InstallError(
            f"{role} may write {', '.join(name for who, name in writable if who == role)}, so a session could by "
            "naming the schema; revoke that and grant it to the roles that need it"
        )
    functions = leaks.definer_functions(conn, [r.oid for r in relations], tuple(trust))
    if functions:
        raise InstallError(
            f"{', '.join(functions)}: SECURITY DEFINER, and anyone may call it, so a session could write base tables "
            "through it; revoke EXECUTE from PUBLIC, or pass it in `trust` (--trust) if it writes none"
        )


def _require_enabled(conn: psycopg.Connection[Any], schema: str) -> None:
    if schema not in {r["schema_name"] for r in registry(conn)}:
        raise NotInstalled(f"schema {schema!r} is not enabled")


def remove_views(conn: psycopg.Connection[Any], script: Script, schema: str) -> None:
    """Views and functions carry no data: they are dropped and made anew. The functions take all triggers with them."""
    names = SchemaNames(schema)
    in_place.step_back(conn, script, schema)
    present = {r[0] for r in conn.execute("select nspname from pg_catalog.pg_namespace").fetchall()}
    for part in (names.functions, names.view):
        if part in present:
            script.compose("drop schema {part} cascade", part=name(part))


def await_commits(script: Script) -> None:
    """Waits for commits that are under way; one that saw half of the registry would write half of its session.

    After the views are gone: who holds a session's lock then wants none of them, so nobody waits in a circle.
    """
    script.compose("lock table cowscore.sessions in exclusive mode")


def _create(
    conn: psycopg.Connection[Any],
    script: Script,
    names: SchemaNames,
    relations: tuple[Relation, ...],
    rendered: Mapping[str, Rendered],
    using: Mapping[str, str],
) -> None:
    if not all(r.base_name for r in relations if r.mode in WRITABLE):
        script.compose("create schema {view}", view=name(names.view))
        script.compose("grant usage on schema {view} to {agent}", view=name(names.view), agent=name(AGENT_ROLE))
    script.compose("create schema if not exists {changes}", changes=name(names.changes))
    script.compose("create schema {functions}", functions=name(names.functions))
    Carrier(conn, script, names, relations, rendered, using).bring_up()
    for part in rendered.values():
        for statement in part.view:
            script.run(statement)
    for statement in render_windows(names.schema, (end for s in settings(conn, relations) for end in s.windows())):
        script.run(statement)
    for part in rendered.values():
        for statement in part.functions:
            script.run(statement)
    grants.grant(conn, script, names, rendered)


def _create_application_views(script: Script, views: tuple[ApplicationView, ...], path: str) -> None:
    present = [v for v in views if v.statement]
    if present:
        script.compose("select pg_catalog.set_config('search_path', {path}, true)", path=sql.Literal(path))
    for view in present:
        script.run(view.statement)
        rights = "select, insert, update, delete" if view.writable else "select"
        at = name(SchemaNames(view.schema).view if view.twin else view.schema, view.name)
        script.compose("grant {rights} on {view} to {agent}", rights=raw(rights), view=at, agent=name(AGENT_ROLE))
    if present:
        script.run("select pg_catalog.set_config('search_path', '', true)")


def _has_pending(conn: psycopg.Connection[Any], names: SchemaNames, table: str) -> bool:
    row = conn.execute(fill("catalog/pending", changes=name(names.changes, table)).encode()).fetchone()
    return bool(row and row[0])


def _pending_tables(conn: psycopg.Connection[Any], schema: str) -> tuple[str, ...]:
    names = SchemaNames(schema)
    rows = conn.execute(
        "select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
        "where n.nspname = %s and c.relkind = 'r' and exists (select from pg_catalog.pg_attribute a "
        "where a.attrelid = c.oid and a.attname = '_cow_kind') order by 1",
        [names.changes],
    ).fetchall()
    return tuple(r[0] for r in rows if _has_pending(conn, names, r[0]))


def _register(
    script: Script,
    names: SchemaNames,
    relations: tuple[Relation, ...],
    rendered: Mapping[str, Rendered],
    choices: _Choices,
    views: tuple[ApplicationView, ...],
) -> None:
    script.compose(
        read_sql("catalog/register_schema"),
        schema=sql.Literal(names.schema),
        view=sql.Literal(names.view),
        changes=sql.Literal(names.changes),
        functions=sql.Literal(names.functions),
        layout=sql.Literal(choices.layout),
        search_path=sql.Literal(choices.search_path),
        excluded=sql.Literal(sorted(choices.exclude)),
        bookkeeping=sql.Literal(sorted(choices.bookkeeping)),
        trusted=sql.Literal(list(choices.trust)),
    )
    script.compose("delete from cowscore.tables where schema_name = {s}", s=sql.Literal(names.schema))
    entries: list[tuple[Any, ...]] = []
    shapes = {r.oid: shape_of(r.table) for r in relations}
    for r in relations:
        part, prefix = rendered.get(r.table.name), functions_prefix(r.table.name)
        digests = (part.changes_digest, part.digest) if part else ("", "")
        entries.append(
            (
                r.table.name,
                r.oid,
                r.mode,
                r.reason,
                r.table.name in choices.bookkeeping,
                prefix,
                *digests,
                r.base_name or None,
            )
        )
    for v in views:
        entries.append((v.name, v.oid, "view" if v.statement else "excluded", v.reason, False, "", "", v.digest, None))
    for position, entry in enumerate(entries):
        script.compose(
            "insert into cowscore.tables (schema_name, table_name, table_oid, mode, reason, bookkeeping, "
            "functions_prefix, changes_digest, digest, base_name, position, shape) "
            "values ({values}, pg_catalog.jsonb_set({shape}, '{{catalog}}', "
            "pg_catalog.to_jsonb('cowscore.tables'::pg_catalog.regclass::pg_catalog.oid)))",
            values=joined(", ", [sql.Literal(v) for v in (names.schema, *entry, position)]),
            shape=sql.Literal(shapes.get(entry[1], "{}")),
        )
    script.compose("comment on schema cowscore is {digest}", digest=sql.Literal(control.functions_digest()))
