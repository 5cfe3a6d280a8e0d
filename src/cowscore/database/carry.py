"""Changes tables whose base table was altered: sessions' versions are carried over to its new form, or put aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from cowscore.database import carry_sql, control
from cowscore.database.carry_sql import Kept
from cowscore.database.catalog import Relation
from cowscore.database.names import SchemaNames, given_name
from cowscore.database.render import Rendered
from cowscore.database.status import exists
from cowscore.database.templates import fill, name, read_sql

_DOES_NOT_FIT = (
    psycopg.DataError,
    psycopg.IntegrityError,
    psycopg.ProgrammingError,
    psycopg.InternalError,
    psycopg.NotSupportedError,
)
"""What a version that does not fit raises; anything else (a lost connection, a lock timeout) ends the whole."""


class HeldSession(NamedTuple):
    """A session with changes that do not fit a table any more; they are kept aside."""

    session: UUID
    schema: str
    table: str
    reason: str
    blocks: bool
    """True where the session can only be discarded until they fit; False where it goes on without a dropped table."""


class Script(Protocol):
    """Where statements go to be run, or in a dry run only collected."""

    dry_run: bool

    def run(self, statement: str) -> None:
        """Takes a whole statement."""

    def compose(self, template: str, **parts: sql.Composable) -> None:
        """Takes a statement with placeholders."""


@dataclass(slots=True)
class Carrier:
    """Brings the changes tables of one schema up to the tables that they belong to."""

    conn: psycopg.Connection[Any]
    script: Script
    names: SchemaNames
    relations: tuple[Relation, ...]
    rendered: Mapping[str, Rendered]
    using: Mapping[str, str] = field(default_factory=dict)
    """`table.column` -> SQL over the columns as they were: what versions get in the column."""

    def bring_up(self) -> None:
        """Every rendered table has a changes table of its form afterwards, with all versions that fit into it."""
        staying = set(self._staying())
        for table, part in self.rendered.items():
            given = exists(self.conn, self.names.changes, given_name(table))
            if table not in staying:
                for statement in part.changes:
                    self.script.run(statement)
                if given:  # left over from a changes table that somebody dropped
                    self.script.compose("drop table if exists {g}", g=name(self.names.changes, given_name(table)))
            for statement in () if given and table in staying else part.given:
                self.script.run(statement)
        if not self.script.dry_run:
            for kept in list(self._kept()):
                self._carry(kept)

    def _staying(self) -> Iterator[str]:
        """Tables whose changes table fits. The others are put aside, or dropped where no session needs them."""
        rows: list[dict[str, Any]] = []
        if control.installed_version(self.conn):
            cursor = self.conn.cursor(row_factory=dict_row)
            rows = cursor.execute(read_sql("catalog/changes_tables"), {"schema": self.names.schema}).fetchall()
        known = {r["table_name"] for r in rows}
        rows += [
            {"table_name": t, "table_oid": 0, "changes_digest": "", "shape": {}, "numbered": False}
            for t in self.rendered
            if t not in known
        ]
        for row in rows:
            table = row["table_name"]
            if not exists(self.conn, self.names.changes, table):
                continue
            target, part = self._target(row), self.rendered.get(table)
            if target and target.table.name == table and part and part.changes_digest == row["changes_digest"]:
                yield table
            elif self._is_needed(table, target):
                self._put_aside(row)
            else:
                self.script.compose("drop table {changes}", changes=name(self.names.changes, table))
                self.script.compose("drop table if exists {given}", given=name(self.names.changes, given_name(table)))

    def _target(self, row: Mapping[str, Any]) -> Relation | None:
        """The table that a registered one is now. Its oid survives a rename; its name survives a restore."""
        if row["numbered"]:
            return next((r for r in self.relations if r.oid == row["table_oid"]), None)
        return next((r for r in self.relations if r.table.name == row["table_name"]), None)

    def _is_needed(self, table: str, target: Relation | None) -> bool:
        """Versions of sessions that wait for a decision always, of committed ones where there is a table for them."""
        template = "catalog/any_version" if target and target.table.name in self.rendered else "catalog/pending"
        return self._asks(template, name(self.names.changes, table))

    def _asks(self, template: str, changes: sql.Composable) -> bool:
        row = self.conn.execute(fill(template, changes=changes).encode()).fetchone()
        return bool(row and row[0])

    def _put_aside(self, row: Mapping[str, Any]) -> None:
        place = name(self.names.changes, row["table_name"])
        found = self.conn.execute("select %s::pg_catalog.regclass::pg_catalog.oid", [place.as_string(None)]).fetchone()
        assert found is not None
        kept = f"_cow_kept_{found[0]}"
        self.script.compose("alter table {changes} rename to {kept}", changes=place, kept=name(kept))
        given = given_name(row["table_name"])
        if exists(self.conn, self.names.changes, given):
            self.script.compose(
                "alter table {given} rename to {kept}",
                given=name(self.names.changes, given),
                kept=name(_kept_given(kept)),
            )
        self.script.compose(
            read_sql("catalog/keep"),
            schema=sql.Literal(self.names.schema),
            kept=sql.Literal(kept),
            kept_table=name(self.names.changes, kept),
            table=sql.Literal(row["table_name"]),
            oid=sql.Literal(row["table_oid"]),
            shape=sql.Literal(carry_sql.as_json(row["shape"])),
        )

    def _kept(self) -> Iterator[tuple[Kept, Relation | None]]:
        rows = self.conn.cursor(row_factory=dict_row).execute(read_sql("catalog/kept"), {"schema": self.names.schema})
        for row in rows.fetchall():
            place = name(self.names.changes, row["kept_name"])
            columns = carry_sql.columns_of(self.conn, place.as_string(None), row["shape"])
            given = _kept_given(row["kept_name"])
            given_place = name(self.names.changes, given) if exists(self.conn, self.names.changes, given) else None
            kept = Kept(row["kept_name"], place, row["table_name"], columns, row["numbered"], given_place)
            yield kept, self._target(row)

    def _carry(self, found: tuple[Kept, Relation | None]) -> None:
        """All sessions at once, or where that fails one after the other."""
        kept, target = found
        rows = self.conn.execute(
            sql.SQL("select distinct _cow_session from {} order by 1").format(kept.place)
        ).fetchall()
        sessions = [r[0] for r in rows]
        if sessions and self._try(kept, target, sessions) is not None:
            for session in sessions:
                reason = self._try(kept, target, [session])
                if reason is not None:
                    self._hold(kept, session, reason, blocks=target is not None)
        if not self._asks("catalog/any_version" if target else "catalog/pending", kept.place):
            for place in filter(None, (kept.place, kept.given)):
                self.script.compose("drop table {kept}", kept=place)
            self.script.compose(
                "delete from cowscore.kept where schema_name = {schema} and kept_name = {kept}",
                schema=sql.Literal(self.names.schema),
                kept=sql.Literal(kept.kept_name),
            )

    def _try(self, kept: Kept, target: Relation | None, sessions: list[UUID]) -> str | None:
        """None where the versions of these sessions are in their new place, else why they cannot be."""
        reason = self._obstacle(kept, target, sessions)
        if reason or not target:
            return reason
        try:
            with self.conn.transaction():
                self.script.run(carry_sql.carry(self.conn, self.names, kept, target, self.using, sessions))
                if kept.given and self.rendered[target.table.name].given:
                    self.script.run(carry_sql.carry_given(self.conn, kept, kept.given, target, self.using, sessions))
                for place in filter(None, (kept.place, kept.given)):
                    self.script.compose(
                        "delete from {kept} where _cow_session = any ({sessions}::uuid[])",
                        kept=place,
                        sessions=sql.Literal(sessions),
                    )
                self.script.compose(
                    "delete from cowscore.held where kept_name = {kept} and session_id = any ({sessions}::uuid[])",
                    kept=sql.Literal(kept.kept_name),
                    sessions=sql.Literal(sessions),
                )
        except psycopg.errors.InsufficientPrivilege:
            raise
        except _DOES_NOT_FIT as error:
            return error.diag.message_primary or str(error)
        return None

    def _obstacle(self, kept: Kept, target: Relation | None, sessions: list[UUID]) -> str | None:
        if target is None:
            return "the table was dropped"
        if target.table.name not in self.rendered:
            return f"sessions do not see the table any more: {target.reason}"
        if target.table.key:
            return None
        row = self.conn.execute(
            sql.SQL("select exists (select from {} where _cow_session = any (%s) and _cow_kind <> 'I')").format(
                kept.place
            ),
            [sessions],
        ).fetchone()
        return "the table has no key any more, so rows of base cannot be changed" if row and row[0] else None

    def _hold(self, kept: Kept, session: UUID, reason: str, blocks: bool) -> None:
        self.script.compose(
            read_sql("catalog/hold"),
            session=sql.Literal(session),
            schema=sql.Literal(self.names.schema),
            kept=sql.Literal(kept.kept_name),
            reason=sql.Literal(reason),
            blocks=sql.Literal(blocks),
        )


def held_sessions(conn: psycopg.Connection[Any], schema: str) -> tuple[HeldSession, ...]:
    """Every session with changes of the schema that are kept aside."""
    rows = conn.execute(read_sql("catalog/held"), {"schema": schema}).fetchall()
    return tuple(HeldSession(*row) for row in rows)


def _kept_given(kept: str) -> str:
    return f"{kept}_given"
