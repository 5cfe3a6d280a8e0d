"""`cowscore enable`, `disable`, `status` and `doctor`: the overlay of a schema."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cowscore.cli import migrate, options, output

STALE = ("outdated", "drifted")
"""States of a table in which its overlay no longer fits it."""

DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the SQL, change nothing.")]


class Layout(StrEnum):
    """Where the overlay lives."""

    OVERLAY = "overlay"
    IN_PLACE = "in_place"


def enable(
    schema: options.Schema = "public",
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="TABLE", help="Leave a table out; may be repeated.")
    ] = None,
    layout: Annotated[
        Layout | None, typer.Option("--layout", help="overlay leaves the application's schema untouched.")
    ] = None,
    bookkeeping: Annotated[
        list[str] | None,
        typer.Option("--bookkeeping", metavar="TABLE", help="Its writes do not make operations depend on each other."),
    ] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option("--trust", metavar="FUNCTION", help="A SECURITY DEFINER function that writes no table."),
    ] = None,
    using: migrate.Using = None,
    dry_run: DryRun = False,
    dsn: options.Dsn = "",
    as_json: options.AsJson = False,
) -> None:
    """Set up copy-on-write sessions for every table of a schema; running it again refreshes them."""
    with options.connect(dsn) as cow:
        report = cow.enable(
            schema=schema,
            exclude=exclude,
            layout=layout and layout.value,
            bookkeeping=bookkeeping,
            trust=trust,
            using=migrate.parsed(using),
            dry_run=dry_run,
        )
    if as_json:
        tables = {name: entry._asdict() for name, entry in report.tables.items()}
        facts = {"schema": report.schema, "layout": report.layout, "tables": tables, "roles": report.roles}
        held = [entry._asdict() for entry in report.held]
        output.show_json({**facts, "held": held, **({"sql": report.sql} if dry_run else {})})
    elif dry_run:
        typer.echo(report.sql)
    else:
        rows = [(name, entry.mode, entry.reason) for name, entry in sorted(report.tables.items())]
        output.show(output.table(("TABLE", "MODE", "REASON"), rows))
    migrate.tell(report.held)


def disable(schema: options.Schema = "public", dry_run: DryRun = False, dsn: options.Dsn = "") -> None:
    """Take the overlay of a schema away; the application's own schema is as it was before `enable`."""
    with options.connect(dsn) as cow:
        report = cow.disable(schema=schema, dry_run=dry_run)
    if dry_run:
        typer.echo(report.sql)
        return
    output.note(f"disabled schema {schema}")
    if report.kept:
        output.note(f"kept for sessions that wait for a decision: changes of {', '.join(report.kept)}")


def status(dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """Show every table with the state of its overlay. Exit code 1 where one is outdated or drifted."""
    with options.connect(dsn) as cow:
        entries = cow.status()
    if as_json:
        output.show_json(entries)
    else:
        rows = [(entry.schema, entry.table, entry.state, entry.reason) for entry in entries]
        output.show(output.table(("SCHEMA", "TABLE", "STATE", "REASON"), rows))
    stale = sum(entry.state in STALE for entry in entries)
    if stale:
        output.note(f"{stale} of {len(entries)} tables changed since enable; `cowscore enable` refreshes them")
        raise typer.Exit(1)


def doctor(dsn: options.Dsn = "", as_json: options.AsJson = False) -> None:
    """Look for what is wrong with the overlay, or could let a session out. Exit code 1 where something is."""
    with options.connect(dsn) as cow:
        findings = cow.doctor()
    if as_json:
        output.show_json(findings)
    elif findings:
        rows = [(finding.subject, finding.problem, finding.remedy) for finding in findings]
        output.show(output.table(("SUBJECT", "PROBLEM", "REMEDY"), rows))
    else:
        output.note("nothing found")
    if findings:
        raise typer.Exit(1)
