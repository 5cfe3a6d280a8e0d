"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from cowscore.errors import BadInput

if TYPE_CHECKING:
    from cowscore import Cow

Dsn = Annotated[
    str,
    typer.Option(
        "--dsn",
        envvar="COWSCORE_DSN",
        show_default=False,
        help="libpq connection string or URI; without it the PG* variables count.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Schema = Annotated[str, typer.Option("--schema", help="The application's schema.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", show_default=False, help="The session's UUID.")]
OperationIds = Annotated[
    list[str] | None,
    typer.Option("--operation", "-o", metavar="UUID", help="Only this operation; may be repeated. Default: all."),
]


def connect(dsn: str) -> Cow:
    """The control plane behind a connection string; raises ConnectionFailed."""
    # Here, not above: `cowscore --help` need not load the database layer.
    from cowscore import Cow

    return Cow.connect(dsn)


def as_uuid(text: str) -> UUID:
    """`text` as a UUID; raises BadInput where it is none."""
    try:
        return UUID(text)
    except ValueError:
        raise BadInput(f"{text!r} is not a UUID; `cowscore session list` shows the sessions") from None


def as_uuids(texts: list[str] | None) -> list[UUID] | None:
    """The same for an option that may be repeated; None and an empty list mean that it was not given."""
    return [as_uuid(text) for text in texts] if texts else None
