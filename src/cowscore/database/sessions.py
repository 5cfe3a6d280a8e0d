"""Cow, the control plane of one database, and Session."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from cowscore.database import control, history, install, logins
from cowscore.database import status as overlay_status
from cowscore.database.catalog import read_schema
from cowscore.database.doctor import Finding, examine
from cowscore.database.migrate import MigrateReport, migration, upgrade
from cowscore.database.templates import read_sql
from cowscore.errors import SQLSTATES, BadInput, ConnectionFailed, NoSession, NotInstalled, UnknownSession
from cowscore.model import Change, Operation, RowDiff, Table

if TYPE_CHECKING:
    from cowscore.scoring import Score, ScoringConfig

ON_CONFLICT = ("abort", "ours", "theirs", "merge")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """What the database knows of a session besides its changes."""

    id: UUID
    name: str
    kind: str
    state: str
    """open, closed, committed or discarded."""
    metadata: Mapping[str, Any]
    opened_at: datetime
    closed_at: datetime | None
    forked_from: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingRow:
    """A row that production changed after the session first touched it."""

    schema: str
    table: str
    key: Mapping[str, Any]
    reason: str
    """changed, deleted, or exists (production took the key of a row that the session inserts)."""
    columns: tuple[str, ...]
    """What production changed."""
    mine: tuple[str, ...]
    """What the session changed; empty for an insert or a delete."""
    before: Mapping[str, Any] | None
    base: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """The error that a commit would end with."""

    sqlstate: str
    message: str
    detail: str | None
    schema: str | None
    table: str | None
    constraint: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedWrites:
    """Rows that triggers and cascades of the application would write at commit, beside the session's own."""

    schema: str
    table: str
    inserted: int
    updated: int
    deleted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What a commit would do; nothing was written."""

    written: int
    """Rows of the session that it would write; 0 where it would fail."""
    violations: tuple[Violation, ...]
    conflicts: tuple[ConflictingRow, ...]
    derived: tuple[DerivedWrites, ...]

    @property
    def ok(self) -> bool:
        """True where the commit would succeed."""
        return not self.violations


class Cow:
    """The control plane of one database. One connection, guarded by a lock: safe to share among threads."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn
        self._lock = threading.RLock()
        self._tables: tuple[list[Any], tuple[Table, ...]] | None = None

    @classmethod
    def connect(cls, dsn: str = "") -> Cow:
        """Connects as the installing role. `dsn`: a libpq connection string; the rest comes from PG* variables.

        Raises ConnectionFailed.
        """
        try:
            return cls(psycopg.connect(dsn, autocommit=True))
        except psycopg.Error as error:
            raise ConnectionFailed(f"cannot connect to {_shown(dsn)}: {str(error).strip()}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; sessions stay as they are."""
        self._conn.close()

    def enable(
        self,
        schema: str = "public",
        exclude: Iterable[str] | None = None,
        layout: str | None = None,
        *,
        bookkeeping: Iterable[str] | None = None,
        trust: Iterable[str] | None = None,
        using: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> install.EnableReport:
        """Puts a schema under the overlay; see `cowscore.database.install.enable`. Idempotent."""
        with self._using() as conn:
            return install.enable(
                conn,
                schema,
                exclude=exclude,
                layout=layout,
                bookkeeping=bookkeeping,
                trust=trust,
                using=using,
                dry_run=dry_run,
            )

    @contextmanager
    def migrate(
        self, schemas: Iterable[str] | None = None, *, using: Mapping[str, str] | None = None
    ) -> Iterator[MigrateReport]:
        """A `with` statement around a migration of the application's tables; see `cowscore.database.migrate`.

        Inside, no overlay stands in the way and sessions are refused; afterwards the overlay fits the new tables and
        open sessions were carried along. Use another connection for the migration itself.
        """
        with self._using() as conn:
            with migration(conn, schemas, using) as report:
                yield report
            rehearsals = ((id, Session(self, id).rehearse()) for id in report.suspects)
            report.violating = tuple(
                (id, v.message) for id, r in rehearsals for v in r.violations if v.sqlstate.startswith("23")
            )

    def upgrade(self) -> MigrateReport:
        """Brings what an older cowscore made in the database up to this one. Raises NotInstalled."""
        with self._using() as conn:
            return upgrade(conn)

    def disable(self, schema: str = "public", *, dry_run: bool = False) -> install.DisableReport:
        """Takes the overlay away; see `cowscore.database.install.disable`."""
        with self._using() as conn:
            return install.disable(conn, schema, dry_run=dry_run)

    def status(self) -> tuple[overlay_status.TableStatus, ...]:
        """The state of every table of every enabled schema."""
        with self._using() as conn:
            return overlay_status.status(conn)

    def doctor(self) -> tuple[Finding, ...]:
        """What is wrong with the overlay, or could let a session out, each with its remedy."""
        with self._using() as conn:
            return examine(conn)

    def tables(self) -> tuple[Table, ...]:
        """Every table that sessions can write, as it was when its schema was last enabled."""
        with self._using() as conn, conn.transaction():
            _require_installed(conn)
            stamp = conn.execute(
                "select schema_name, enabled_at from cowscore.schemas where enabled order by 1"
            ).fetchall()
            if self._tables is None or self._tables[0] != stamp:
                rows = conn.cursor(row_factory=dict_row).execute(read_sql("catalog/registry")).fetchall()
                writable = {(r["schema_name"], r["table_name"]) for r in rows if r["mode"] in overlay_status.WRITABLE}
                renamed = overlay_status.in_place(conn)
                relations = [r for s in stamp for r in read_schema(conn, s[0], renamed=renamed)]
                tables = tuple(r.table for r in relations if (r.table.schema, r.table.name) in writable)
                self._tables = (stamp, tables)
            return self._tables[1]

    def open_session(
        self,
        name: str = "",
        kind: str = "agent",
        metadata: Mapping[str, Any] | None = None,
        id: UUID | str | None = None,
    ) -> Session:
        """Opens a session. `kind`: agent, ground_truth, or a word of your own; `id`: a UUID of your own."""
        given = None if id is None else _uuid(id)
        with self._using() as conn:
            _require_installed(conn)
            try:
                row = conn.execute(
                    "select cowscore.open_session(%s, %s, %s, %s)",
                    [name, kind, json.dumps(dict(metadata or {})), given],
                ).fetchone()
            except psycopg.errors.UniqueViolation:
                raise BadInput(f"session {given} exists already; leave `id` out to get a new one") from None
            except psycopg.errors.CheckViolation:
                raise BadInput(f"kind {kind!r} and id {given}: neither may be empty (the nil UUID)") from None
        assert row is not None
        return Session(self, row[0])

    def session(self, id: UUID | str) -> Session:
        """The session with that id. Raises UnknownSession for one that does not exist or is no UUID."""
        session = Session(self, _uuid(id))
        session.record()
        return session

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Every session, newest first."""
        with self._using() as conn:
            _require_installed(conn)
            rows = conn.cursor(row_factory=dict_row).execute(read_sql("catalog/sessions"), {"id": None}).fetchall()
        return tuple(SessionRecord(**row) for row in rows)

    def bind(self, conn: psycopg.Connection[Any], session: UUID | str, operation: UUID | str | None = None) -> None:
        """Puts an existing psycopg connection into a session until `select cowscore.unbind()`.

        For code you trust: such a client could leave again by DISCARD ALL or SET ROLE. `Session.connect` and
        `Session.dsn` give connections that cannot. Raises NoSession on a connection inside a transaction, whose
        rollback would undo the bind.
        """
        if conn.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            raise NoSession("the connection is inside a transaction; commit or roll back first, then bind")
        was = conn.autocommit
        conn.autocommit = True
        try:
            with _errors():
                conn.execute(
                    "select cowscore.bind(%s, %s, false)",
                    [_uuid(session), None if operation is None else _uuid(operation)],
                )
        finally:
            conn.autocommit = was

    def score(self, ground_truth: UUID | str, agent: UUID | str, config: ScoringConfig | None = None) -> Score:
        """Compares two sessions row by row; see `cowscore.scoring.score`. Bookkeeping tables are left out."""
        from cowscore.scoring import ScoringConfig, score

        tables = self.tables()
        config = config or ScoringConfig()
        ignore = {**config.ignore, **dict.fromkeys(self.bookkeeping(), ("*",))}
        config = replace(config, ignore=ignore)
        return score(self.session(ground_truth).changes(), self.session(agent).changes(), tables, config)

    def bookkeeping(self) -> tuple[str, ...]:
        """`schema.table` of every table declared as bookkeeping: kept out of dependencies and scores."""
        with self._using() as conn:
            _require_installed(conn)
            rows = conn.execute(
                "select t.schema_name || '.' || t.table_name from cowscore.tables t "
                "join cowscore.schemas s using (schema_name) where s.enabled and t.bookkeeping order by 1"
            ).fetchall()
        return tuple(r[0] for r in rows)

    @contextmanager
    def _using(self) -> Iterator[psycopg.Connection[Any]]:
        with self._lock, _errors():
            yield self._conn


class Session:
    """One session; made by `Cow.open_session` and `Cow.session`."""

    def __init__(self, cow: Cow, id: UUID) -> None:
        self._cow = cow
        self.id = id

    def __repr__(self) -> str:
        return f"Session({self.id})"

    def record(self) -> SessionRecord:
        """Name, kind, state and times. Raises UnknownSession."""
        with self._cow._using() as conn:
            _require_installed(conn)
            row = conn.cursor(row_factory=dict_row).execute(read_sql("catalog/sessions"), {"id": self.id}).fetchone()
        if row is None:
            raise UnknownSession(f"session {self.id} does not exist; `cowscore session list` shows those that do")
        return SessionRecord(**row)

    def dsn(self, operation: UUID | str | None = None) -> str:
        """A connection URI that puts any client of any language inside the session, as a login role of its own.

        The role is made on demand and dropped when the session ends. It is no superuser, cannot write base tables, and
        cannot leave the session or enter another. Without `operation`, every transaction is an operation.
        """
        given = None if operation is None else _uuid(operation)
        with self._cow._using() as conn:
            return logins.uri(conn, self.id, given)

    def connect(self, operation: UUID | str | None = None, autocommit: bool = False) -> psycopg.Connection[Any]:
        """A psycopg connection inside the session until it is closed."""
        return psycopg.connect(self.dsn(operation), autocommit=autocommit)

    def operations(self) -> tuple[Operation, ...]:
        """The operations that wrote something, in the order of their first writes."""
        rows = self._call("select id, ordinal, label, tables from cowscore.operations(%s)", [self.id])
        return tuple(Operation(id=r[0], ordinal=r[1], label=r[2], tables=tuple(r[3])) for r in rows)

    def changes(self) -> tuple[Change, ...]:
        """Every written version, in the order of writing."""
        return tuple(change for _, change in self._versions()[0])

    def diff(self) -> tuple[RowDiff, ...]:
        """The net change of every row."""
        return history.fold(*self._versions())

    def close(self) -> None:
        """Ends writing: from now on the session cannot change. Raises SessionClosed where it is not open."""
        self._call("select cowscore.close_session(%s)", [self.id])

    def dependencies(self) -> tuple[tuple[UUID, UUID], ...]:
        """Pairs (operation, depends_on)."""
        rows = self._call("select operation, depends_on from cowscore.dependencies(%s)", [self.id])
        return tuple((r[0], r[1]) for r in rows)

    def conflicts(self, operations: Iterable[UUID | str] | None = None) -> tuple[ConflictingRow, ...]:
        """Rows that production changed since the session touched them."""
        rows = self._call(
            "select schema_name, table_name, key, reason, columns, mine, before, base from cowscore.conflicts(%s, %s)",
            [self.id, _uuids(operations)],
        )
        return tuple(
            ConflictingRow(
                schema=r[0],
                table=r[1],
                key=r[2],
                reason=r[3],
                columns=tuple(r[4]),
                mine=tuple(r[5] or ()),
                before=r[6],
                base=r[7],
            )
            for r in rows
        )

    def commit(self, operations: Iterable[UUID | str] | None = None, on_conflict: str = "abort") -> int:
        """Writes the session, or selected operations of it, to base: all or nothing. Returns the rows written.

        `on_conflict`: abort, ours (the session's columns win), theirs (rows that production changed stay), or merge
        (column by column; the same column on both sides is a conflict). Raises Conflict, OperationsNotClosed,
        SessionClosed, and psycopg's errors for constraints that base violates; then nothing was written.
        """
        _require_policy(on_conflict)
        rows = self._call("select cowscore.commit(%s, %s, %s)", [self.id, _uuids(operations), on_conflict])
        return int(rows[0][0])

    def discard(self, operations: Iterable[UUID | str] | None = None) -> None:
        """Throws the session away, or selected operations. Raises OperationsNotClosed where others build on them."""
        self._call("select cowscore.discard(%s, %s)", [self.id, _uuids(operations)])

    def fork(self, operations: Iterable[UUID | str] | None = None, name: str | None = None) -> Session:
        """A new open session that starts with those operations (all by default)."""
        rows = self._call("select cowscore.fork(%s, %s, %s)", [self.id, _uuids(operations), name])
        return Session(self._cow, rows[0][0])

    def rehearse(self, operations: Iterable[UUID | str] | None = None, on_conflict: str = "abort") -> Rehearsal:
        """What `commit` would do: run in a transaction that is rolled back."""
        _require_policy(on_conflict)
        selected = _uuids(operations)
        conflicts = self.conflicts(operations)
        violations: list[Violation] = []
        derived: tuple[DerivedWrites, ...] = ()
        written = 0
        with self._cow._using() as conn:
            try:
                with conn.transaction(force_rollback=True):
                    row = conn.execute(
                        "select cowscore.commit(%s, %s, %s)", [self.id, selected, on_conflict]
                    ).fetchone()
                    written = int(row[0]) if row else 0
                    counts = conn.cursor(row_factory=dict_row).execute(
                        read_sql("catalog/derived_writes"), {"session": self.id, "operations": selected}
                    )
                    derived = tuple(DerivedWrites(**c) for c in counts.fetchall())
            except psycopg.Error as error:
                if error.sqlstate in SQLSTATES and error.sqlstate != "CW004":
                    raise
                diag = error.diag
                violations.append(
                    Violation(
                        sqlstate=error.sqlstate or "",
                        message=diag.message_primary or str(error),
                        detail=diag.message_detail,
                        schema=diag.schema_name,
                        table=diag.table_name,
                        constraint=diag.constraint_name,
                    )
                )
        return Rehearsal(written=written, violations=tuple(violations), conflicts=conflicts, derived=derived)

    def _versions(self) -> tuple[list[history.Version], tuple[Table, ...]]:
        self.record()
        tables = self._cow.tables()
        with self._cow._using() as conn, conn.transaction():
            conn.execute("select cowscore.require_enabled(%s)", [self.id])
            return history.read_versions(conn, self.id, tables), tables

    def _call(self, query: Any, parameters: Sequence[Any]) -> list[Any]:
        with self._cow._using() as conn:
            _require_installed(conn)
            return conn.execute(query, parameters).fetchall()


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        known = SQLSTATES.get(error.sqlstate or "")
        if known is None:
            raise
        hint = error.diag.message_hint
        text = error.diag.message_primary or str(error)
        raise known(f"{text}. {hint}" if hint else text) from error


def _require_installed(conn: psycopg.Connection[Any]) -> None:
    if not control.installed_version(conn):
        raise NotInstalled("this database has no cowscore schema; run `cowscore enable` first")


def _require_policy(on_conflict: str) -> None:
    if on_conflict not in ON_CONFLICT:
        raise BadInput(f"on_conflict is {on_conflict!r}, but must be one of {', '.join(ON_CONFLICT)}")


def _uuid(value: UUID | str) -> UUID:
    if isinstance(value, UUID):
        return value
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise UnknownSession(f"{value!r} is not a UUID") from None


def _uuids(values: Iterable[UUID | str] | None) -> list[UUID] | None:
    return None if values is None else [_uuid(v) for v in values]


def _shown(dsn: str) -> str:
    """The connection string without its password."""
    try:
        parts = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error:
        return repr(dsn)
    parts.pop("password", None)
    return (
        repr(psycopg.conninfo.make_conninfo(**{k: str(v) for k, v in parts.items()})) if parts else "the default server"
    )
