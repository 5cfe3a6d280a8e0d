"""Login roles pinned to one session, and the connection URI that a client needs."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

import psycopg

from cowscore.errors import ConnectionFailed

_KEPT = ("sslmode", "sslrootcert", "connect_timeout", "application_name")


def uri(conn: psycopg.Connection[Any], session: UUID, operation: UUID | None) -> str:
    """A URI for the session's login, made on demand, with host and port of `conn` spelled out.

    Raises ConnectionFailed where the server does not let the new login in.
    """
    row = conn.execute(
        "select role_name, password, created from cowscore.login(%s, pg_catalog.current_schemas(false))", [session]
    ).fetchone()
    assert row is not None
    role, password, created = row
    hosts = [conn.info.host]
    if conn.info.host.startswith(("/", "@")):
        # Local sockets often ask for a system user of the same name; the loopback interface takes a password.
        hosts.append("127.0.0.1")
    candidates = [_uri(conn, host, role, password, operation) for host in hosts]
    if len(candidates) == 1 and not created:
        return candidates[0]
    failure: psycopg.Error | None = None
    for candidate in candidates:
        try:
            psycopg.connect(candidate, connect_timeout=10).close()
        except psycopg.OperationalError as error:
            failure = failure or error
        else:
            return candidate
    raise ConnectionFailed(
        f"the server does not let the session's login {role} in: {str(failure).strip()}. Allow password logins "
        "(scram-sha-256) for it in pg_hba.conf, for host connections from where its clients run"
    )


def _uri(conn: psycopg.Connection[Any], host: str, role: str, password: str, operation: UUID | None) -> str:
    given = conn.info.get_parameters()
    query = {k: str(given[k]) for k in _KEPT if k in given}
    if operation is not None:
        query["options"] = f"-c cowscore.operation={operation}"
    authority = f"{quote(role)}:{quote(password)}@"
    if host.startswith(("/", "@")):
        query["host"] = host
        authority += f":{conn.info.port}" if conn.info.port != 5432 else ""
    else:
        authority += f"[{host}]:{conn.info.port}" if ":" in host else f"{host}:{conn.info.port}"
    tail = "?" + urlencode(query, quote_via=quote) if query else ""
    return f"postgresql://{authority}/{quote(conn.info.dbname, safe='')}{tail}"
