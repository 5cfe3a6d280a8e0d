"""Every Django connection follows the current binding: bound before a statement runs, never in doubt afterwards.

Django runs in autocommit unless told otherwise, so the bind is one of the connection (`local => false`), not of a
transaction. It is made only while no transaction is open: a rollback, to a savepoint even, would undo it unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.db.utils import Error, load_backend

from cowscore.errors import NoSession
from cowscore.integrations.binding import Binding, activated, current_binding

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper as Wrapper
    from django.db.backends.base.features import BaseDatabaseFeatures as Features
else:
    Wrapper = Features = object

_BIND = "select cowscore.bind(%s::uuid, %s::uuid, false, %s::text)"
_IDLE = 0  # libpq's PQTRANS_IDLE, the same number in psycopg 2 and 3


class FollowsFeatures(Features):
    """What PostgreSQL cannot do on views is off while SQL is made for a session."""

    @property
    def allows_group_by_selected_pks(self) -> bool:  # type: ignore[override]  # Django writes no feature
        """GROUP BY a primary key alone needs the key's constraint."""
        return binding_for(self.connection) is None and super().allows_group_by_selected_pks

    @property
    def supports_update_conflicts(self) -> bool:  # type: ignore[override]  # Django writes no feature
        """ON CONFLICT DO UPDATE needs the key's index."""
        return binding_for(self.connection) is None and super().supports_update_conflicts


class FollowsBinding(Wrapper):
    """Mixed into the DatabaseWrapper of every backend in use."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _follow_from_now_on(self)

    def create_cursor(self, name: str | None = None) -> Any:
        """A cursor, the connection being in the session of the running code."""
        follow(self)
        return super().create_cursor(name)

    def on_commit(self, func: Callable[[], object], robust: bool = False) -> None:
        """As Django's; the hook runs in the session in which it was registered."""
        binding = current_binding()
        if binding is None:
            super().on_commit(func, robust)
            return

        @wraps(func)
        def in_session() -> None:
            with activated(binding):
                func()

        super().on_commit(in_session, robust)

    def _close(self) -> None:
        # A pool hands the connection on; outside of a pool it ends here and takes the bind with it.
        if getattr(self, "pool", None):
            release(self)
        super()._close()  # type: ignore[misc]  # each backend has it


def cover_databases() -> None:
    """Make the connections of every alias follow, those that are there already too. Twice changes nothing."""
    for alias in connections:
        module = _backend(connections.settings[alias])
        if not issubclass(module.DatabaseWrapper, FollowsBinding):
            plain = module.DatabaseWrapper
            features = type("DatabaseFeatures", (FollowsFeatures, plain.features_class), {})
            module.DatabaseWrapper = type(
                "DatabaseWrapper",
                (FollowsBinding, plain),
                {"features_class": features, "__module__": plain.__module__},
            )
    for connection in connections.all(initialized_only=True):
        if not isinstance(connection, FollowsBinding):
            covered = _backend(connection.settings_dict).DatabaseWrapper
            connection.__class__ = covered
            connection.features.__class__ = covered.features_class
            _follow_from_now_on(connection)


def binding_for(connection: Any) -> Binding | None:
    """The binding that statements on `connection` run in: the current one, unless its alias is passed through."""
    return None if connection.alias in getattr(settings, "COWSCORE_PASSTHROUGH", ()) else current_binding()


def follow(connection: Any) -> None:
    """Bind `connection`, or free it, so that it is where the running code is.

    Raises NoSession where that is not possible: in a transaction that began elsewhere, on a database that is not
    PostgreSQL, behind a pooler that gives each transaction another server connection. Raises Django's DatabaseError
    where the server refuses the bind, with the SQLSTATE in `binding.failure`.
    """
    binding = binding_for(connection)
    wanted = (binding.session, binding.operation) if binding else None
    actual = _bound_to(connection)
    if wanted == actual:
        return
    if connection.vendor != "postgresql":
        raise _refused(
            binding,
            f"database {connection.alias!r} ({connection.vendor}) has no sessions; name it in COWSCORE_PASSTHROUGH if "
            "requests in sessions may write to it",
        )
    raw = connection.connection
    if raw.info.transaction_status != _IDLE:
        raise _refused(
            binding,
            f"the running code is in session {wanted[0] if wanted else 'none'}, its transaction on "
            f"{connection.alias!r} in {actual[0] if actual else 'none'}; begin the transaction inside the session",
        )
    _move(connection, binding)


def release(connection: Any) -> None:
    """Free a connection of its session, or close it where that cannot be done."""
    if _bound_to(connection) is None:
        return
    raw = connection.connection
    try:
        if raw.info.transaction_status == _IDLE:
            with suppress(Error):
                _move(connection, None)
    finally:
        if _bound_to(connection) is not None:
            raw.close()
            connection.errors_occurred = True  # at the next request, Django looks whether it is usable


def release_connections(**kwargs: Any) -> None:
    """Free the connections of this thread, those aside whose transaction is still open. For the end of a request."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            release(connection)


def _backend(database: dict[str, Any]) -> Any:
    """The module from which Django takes the class of a database's connections."""
    return load_backend(database["ENGINE"])


def _bound_to(connection: Any) -> tuple[UUID, UUID] | None:
    raw, key = connection.__dict__.get("_cowscore_bound", (None, None))
    return key if raw is not None and raw is connection.connection and not raw.closed else None


def _move(connection: Any, binding: Binding | None) -> None:
    raw = connection.connection
    autocommit = raw.autocommit
    raw.autocommit = True
    try:
        with connection.wrap_database_errors, raw.cursor() as cursor:
            if binding is None:
                cursor.execute("select cowscore.unbind()")
                connection._cowscore_bound = (None, None)
                return
            cursor.execute("select pg_catalog.pg_backend_pid()")
            if cursor.fetchone()[0] != raw.info.backend_pid:
                raise _refused(
                    binding,
                    f"database {connection.alias!r} is reached through a pooler such as PgBouncer, which may give the "
                    "next statement another server connection; requests in sessions need a direct connection",
                )
            cursor.execute(_BIND, [str(binding.session), str(binding.operation), binding.describe()])
            connection._cowscore_bound = (raw, (binding.session, binding.operation))
    except Error as error:
        cause = error.__cause__
        if binding is not None:
            binding.failure = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None) or "08000"
        raise
    finally:
        if not raw.closed:
            raw.autocommit = autocommit


def _follow_from_now_on(connection: Any) -> None:
    connection.execute_wrappers.insert(0, _follow_statement)


def _follow_statement(execute: Any, sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """A cursor may have been made before the running code entered its session."""
    follow(context["connection"])
    return execute(sql, params, many, context)


def _refused(binding: Binding | None, message: str) -> NoSession:
    if binding is not None:
        binding.failure = NoSession.sqlstate
    return NoSession(message)
