"""The session that the running request (or block of code) is in: a context variable between web and database side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from uuid import UUID, uuid4

_current: ContextVar[Binding | None] = ContextVar("cowscore_binding", default=None)
_binders: set[str] = set()


@dataclass(slots=True, kw_only=True)
class Binding:
    """What a database integration has to bind, and what came of it."""

    session: UUID
    operation: UUID
    describe: Callable[[], str | None] = field(default=lambda: None)
    """Gives the operation's label. Called at bind time: a web framework knows its route only after routing."""
    failure: str | None = None
    """SQLSTATE with which the database refused the bind, None while it did not."""


def current_binding() -> Binding | None:
    """The binding of the running context, None outside of every session."""
    return _current.get()


@contextmanager
def bound(session: UUID, operation: UUID | None = None, label: str | None = None) -> Iterator[Binding]:
    """Put the enclosed code inside a session, for scripts and workers; `operation` is a fresh UUID if not given.

    Only database access through an installed integration follows. Threads started inside need a copied context.
    """
    with activated(Binding(session=session, operation=operation or uuid4(), describe=lambda: label)) as binding:
        yield binding


@contextmanager
def activated(binding: Binding) -> Iterator[Binding]:
    """Make `binding` the current one for the enclosed code."""
    token = _current.set(binding)
    try:
        yield binding
    finally:
        _current.reset(token)


def register_binder(name: str) -> None:
    """Note that a database integration is installed in this process, so that requests for sessions can be served."""
    _binders.add(name)


def has_binder() -> bool:
    """Whether any database integration was installed. Without one a session header would be ignored silently."""
    return bool(_binders)
