"""SQLAlchemy: every transaction that begins while a binding is current is bound to its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError

from cowscore.errors import NoSession
from cowscore.integrations.binding import Binding, current_binding, register_binder

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

_BIND = text("select cowscore.bind(cast(:session as uuid), cast(:operation as uuid), true, cast(:label as text))")
_BOUND_TO = "cowscore_session"


def install(engine: Engine | AsyncEngine) -> None:
    """Make an engine (sync or async) follow the current binding; installing twice changes nothing.

    From then on, with a binding current: each transaction is bound to the session as it begins, and a statement in a
    transaction that is not (AUTOCOMMIT, begun before the binding, two-phase) raises NoSession instead of reaching
    production. Engines derived by `execution_options` are covered; `raw_connection()` is not, it has no transactions
    that SQLAlchemy knows of.
    """
    target = engine if isinstance(engine, Engine) else engine.sync_engine
    if not event.contains(target, "begin", _on_begin):
        event.listen(target, "begin", _on_begin)
        event.listen(target, "begin_twophase", _on_begin_twophase)
        event.listen(target, "before_cursor_execute", _before_cursor_execute)
    register_binder("sqlalchemy")


def _on_begin(connection: Connection) -> None:
    binding = current_binding()
    connection.info[_BOUND_TO] = None
    if binding is None:
        return
    if getattr(connection.connection.dbapi_connection, "autocommit", False):
        raise _refused(
            binding,
            f"session {binding.session} cannot be bound on an AUTOCOMMIT connection: each statement would be "
            "its own transaction and forget it; use a transactional engine",
        )
    # Marked first, because the bind itself passes the guard below.
    connection.info[_BOUND_TO] = binding.session
    try:
        connection.execute(
            _BIND, {"session": binding.session, "operation": binding.operation, "label": binding.describe()}
        )
    except DBAPIError as error:
        connection.info[_BOUND_TO] = None
        binding.failure = getattr(error.orig, "sqlstate", None)
        raise


def _on_begin_twophase(connection: Connection, xid: Any) -> None:
    binding = current_binding()
    connection.info[_BOUND_TO] = None
    if binding is not None:
        raise _refused(binding, f"session {binding.session} cannot take part in a two-phase transaction ({xid})")


def _before_cursor_execute(
    connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, executemany: bool
) -> None:
    """Stop a statement whose transaction is not bound to the session that the running code is in."""
    binding = current_binding()
    if binding is None:
        return
    actual = connection.info.get(_BOUND_TO)
    if actual != binding.session:
        raise _refused(
            binding,
            f"the running code is in session {binding.session}, its transaction in "
            f"{actual or 'none'}; begin the transaction inside the session",
        )


def _refused(binding: Binding, message: str) -> NoSession:
    binding.failure = NoSession.sqlstate
    return NoSession(message)
