"""`cowscore session ..`: open sessions, look into them, and decide what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.console import RenderableType
from rich.table import Table

from cowscore.cli import options, output
from cowscore.errors import BadInput, Conflict
from cowscore.model import Operation
from cowscore.report.diff import diff_view, value_text

if TYPE_CHECKING:
    from cowscore.database import Rehearsal, SessionRecord

app = typer.Typer(no_args_is_help=True, help="Open, inspect, commit and discard sessions.", rich_markup_mode=None)


class OnConflict(StrEnum):
    """What happens to rows that production changed as well."""

    ABORT = "abort"
    OURS = "ours"
    THEIRS = "theirs"
    MERGE = "merge"


OnConflictOption = Annotated[
    OnConflict, typer.Option("--on-conflict", help="What to do about rows that production changed as well.")
]


@app.command("open")
def open_session(
    name: Annotated[str, typer.Option("--name", help="What people call it.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="agent or ground_truth.")] = "agent",
    metadata: Annotated[
        list[str] | None, typer.Option("--meta", metavar="KEY=VALUE", help="A note to keep with it; may be repeated.")
    ] = None,
    session_id: Annotated[str | None, typer.Option("--id", metavar="UUID", help="A UUID of your own.")] = None,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Open a session and print its UUID."""
    chosen = options.as_uuid(session_id) if session_id else None
    notes = dict(_pair(text) for text in metadata or ())
    with options.connect(dsn) as cow:
        opened = cow.open_session(name=name, kind=kind, metadata=notes, id=chosen)
        if as_json:
            output.show_json({"id": opened.id, "name": name, "kind": kind, "metadata": notes})
        else:
            typer.echo(opened.id)


@app.command("list")
def list_sessions(dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """List all sessions."""
    with options.connect(dsn) as cow:
        records = cow.sessions()
    if as_json:
        output.show_json(records)
    else:
        output.show(_sessions_table(records))


@app.command()
def show(session_id: options.SessionId, dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """Show a session's operations and its net changes."""
    wanted = options.as_uuid(session_id)
    with options.connect(dsn) as cow:
        session = cow.session(wanted)
        record, operations, rows = session.record(), session.operations(), session.diff()
    if as_json:
        output.show_json({"session": record, "operations": operations, "diff": rows})
    else:
        output.show(_sessions_table([record]), "", _operations_table(operations), "", diff_view(rows))


@app.command("dsn")
def connection_string(
    session_id: options.SessionId,
    operation: Annotated[str | None, typer.Option("--operation", metavar="UUID", help="Write as this one.")] = None,
    dsn: options.Dsn = "",
) -> None:
    """Print a connection string that puts any client inside the session."""
    wanted = options.as_uuid(session_id)
    chosen = options.as_uuid(operation) if operation else None
    with options.connect(dsn) as cow:
        typer.echo(cow.session(wanted).dsn(operation=chosen))


@app.command()
def ops(session_id: options.SessionId, dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """List a session's operations in order."""
    wanted = options.as_uuid(session_id)
    with options.connect(dsn) as cow:
        operations = cow.session(wanted).operations()
    if as_json:
        output.show_json(operations)
    else:
        output.show(_operations_table(operations))


@app.command()
def diff(session_id: options.SessionId, dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """Show the net change of every row that the session touched."""
    wanted = options.as_uuid(session_id)
    with options.connect(dsn) as cow:
        rows = cow.session(wanted).diff()
    if as_json:
        output.show_json(rows)
    else:
        output.show(diff_view(rows))


@app.command()
def close(session_id: options.SessionId, dsn: options.Dsn = "") -> None:
    """Close a session: it can no longer change."""
    wanted = options.as_uuid(session_id)
    with options.connect(dsn) as cow:
        cow.session(wanted).close()
    output.note(f"closed {wanted}")


@app.command()
def rehearse(
    session_id: options.SessionId,
    operations: options.OperationIds = None,
    on_conflict: OnConflictOption = OnConflict.ABORT,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Try a commit and roll it back. Exit code 1 where it would fail."""
    wanted, chosen = options.as_uuid(session_id), options.as_uuids(operations)
    with options.connect(dsn) as cow:
        outcome = cow.session(wanted).rehearse(operations=chosen, on_conflict=on_conflict.value)
    if as_json:
        output.show_json(outcome)
    else:
        output.show(*_rehearsal_tables(outcome))
    if not outcome.ok:
        output.note("a commit would fail")
        raise typer.Exit(1)
    output.note(f"a commit would write {output.counted(outcome.written, 'row')}")


@app.command()
def commit(
    session_id: options.SessionId,
    operations: options.OperationIds = None,
    on_conflict: OnConflictOption = OnConflict.ABORT,
    dsn: options.Dsn = "",
) -> None:
    """Write a session, or some of its operations, to production.

    Exit code 1 on a conflict; then nothing was written.
    """
    wanted, chosen = options.as_uuid(session_id), options.as_uuids(operations)
    with options.connect(dsn) as cow:
        written = cow.session(wanted).commit(operations=chosen, on_conflict=on_conflict.value)
    output.note(f"committed {_what(chosen)} {wanted}: {output.counted(written, 'row')} written")


@app.command()
def discard(session_id: options.SessionId, operations: options.OperationIds = None, dsn: options.Dsn = "") -> None:
    """Throw a session, or some of its operations, away."""
    wanted, chosen = options.as_uuid(session_id), options.as_uuids(operations)
    with options.connect(dsn) as cow:
        cow.session(wanted).discard(operations=chosen)
    output.note(f"discarded {_what(chosen)} {wanted}")


@app.command()
def fork(
    session_id: options.SessionId,
    operations: options.OperationIds = None,
    name: Annotated[str | None, typer.Option("--name", help="Of the new session; default: as the old one.")] = None,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Open a new session that starts with the operations of this one, and print its UUID."""
    wanted, chosen = options.as_uuid(session_id), options.as_uuids(operations)
    with options.connect(dsn) as cow:
        fresh = cow.session(wanted).fork(operations=chosen, name=name)
        if as_json:
            output.show_json({"id": fresh.id, "forked_from": wanted})
        else:
            typer.echo(fresh.id)


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise BadInput(f"--meta takes KEY=VALUE, not {text!r}")
    return key, value


def _what(operations: list[UUID] | None) -> str:
    return "session" if operations is None else f"{len(operations)} operations of session"


def _sessions_table(sessions: Iterable[SessionRecord]) -> Table:
    rows = [(s.id, s.kind, s.state, s.opened_at.isoformat(" ", "seconds"), s.name) for s in sessions]
    return output.table(("SESSION", "KIND", "STATE", "OPENED", "NAME"), rows)


def _rehearsal_tables(outcome: Rehearsal) -> Iterator[RenderableType]:
    # A conflict that ends the commit is listed with the conflicts below.
    violations = [v for v in outcome.violations if v.sqlstate != Conflict.sqlstate]
    if violations:
        rows = [(v.sqlstate, v.table, v.constraint, v.message, v.detail) for v in violations]
        yield output.table(("VIOLATION", "TABLE", "CONSTRAINT", "MESSAGE", "DETAIL"), rows)
    if outcome.conflicts:
        conflicts = [
            (c.table, _pairs(c.key), c.reason, ", ".join(c.columns), ", ".join(c.mine)) for c in outcome.conflicts
        ]
        yield output.table(("CONFLICT", "KEY", "PRODUCTION", "ITS COLUMNS", "THE SESSION'S"), conflicts)
    if outcome.derived:
        derived = [(d.table, d.inserted, d.updated, d.deleted) for d in outcome.derived]
        yield output.table(("WRITTEN BY TRIGGERS", "INSERTED", "UPDATED", "DELETED"), derived)


def _pairs(key: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value_text(value)}" for name, value in key.items())


def _operations_table(operations: Iterable[Operation]) -> Table:
    rows = [(o.ordinal, o.id, o.label, ", ".join(o.tables)) for o in operations]
    return output.table(("#", "OPERATION", "LABEL", "TABLES"), rows)
