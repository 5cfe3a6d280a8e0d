"""Recordings: what a person did once, with the prompt that asks an agent to do the same."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from cowscore.errors import BadInput, UnknownName, UnknownSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A ground-truth session under a name."""

    name: str
    prompt: str
    session: UUID
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    recorded_at: datetime | None = None
    """Set by the database."""


def store(conn: psycopg.Connection[Any], recording: Recording, replace: bool = False) -> None:
    """Keep a recording. Raises BadInput for a name in use (unless `replace`) or an empty one, UnknownSession."""
    if not recording.name.strip() or not recording.prompt.strip():
        raise BadInput("a recording needs a name and a prompt")
    values = [
        recording.name,
        recording.session,
        recording.prompt,
        list(recording.tags),
        json.dumps(dict(recording.metadata)),
    ]
    try:
        with conn.transaction():
            if replace:
                conn.execute("delete from cowscore.recordings where name = %s", [recording.name])
            conn.execute(
                "insert into cowscore.recordings (name, session_id, prompt, tags, metadata)"
                " values (%s, %s, %s, %s, %s)",
                values,
            )
    except psycopg.errors.UniqueViolation:
        raise BadInput(f"a recording is called {recording.name!r} already; replace it or choose another name") from None
    except psycopg.errors.ForeignKeyViolation:
        raise UnknownSession(f"session {recording.session} does not exist; record in an open session first") from None


def load(conn: psycopg.Connection[Any], name: str) -> Recording:
    """The recording called `name`. Raises UnknownName."""
    return select(conn, names=[name])[0]


def select(
    conn: psycopg.Connection[Any], names: Collection[str] | None = None, tags: Collection[str] = ()
) -> list[Recording]:
    """Recordings in the order they were made: those named (all for None) that have at least one of `tags` (if given).

    Raises UnknownName for a name or tag that no recording has.
    """
    rows = conn.execute(
        "select name, prompt, session_id, tags, metadata, recorded_at from cowscore.recordings"
        " order by recorded_at, name"
    ).fetchall()
    recordings = [
        Recording(name=row[0], prompt=row[1], session=row[2], tags=tuple(row[3]), metadata=row[4], recorded_at=row[5])
        for row in rows
    ]
    there_are = f"there are: {', '.join(r.name for r in recordings) or 'none'}"
    for name in names or ():
        if name not in {recording.name for recording in recordings}:
            raise UnknownName(f"no recording is called {name!r}; {there_are}")
    for tag in tags:
        if not any(tag in recording.tags for recording in recordings):
            raise UnknownName(f"no recording has the tag {tag!r}; {there_are}")
    return [
        recording
        for recording in recordings
        if (names is None or recording.name in names) and (not tags or not set(tags).isdisjoint(recording.tags))
    ]
