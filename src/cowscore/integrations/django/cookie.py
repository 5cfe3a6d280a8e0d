"""A signed cookie that keeps a browser inside a session, for people who record or review by hand."""

from __future__ import annotations

from uuid import UUID

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponseBase

from cowscore.errors import BadInput

COOKIE = "cowscore_session"
_SALT = "cowscore.integrations.django.cookie"


def enter_session(response: HttpResponseBase, session: UUID, secure: bool = False) -> None:
    """From this response on, the browser's requests run inside `session`. `secure`: send it over HTTPS only."""
    response.set_signed_cookie(COOKIE, str(session), salt=_SALT, httponly=True, samesite="Lax", secure=secure)


def leave_session(response: HttpResponseBase) -> None:
    """From this response on, the browser is in production again."""
    response.delete_cookie(COOKIE, samesite="Lax")


def session_of_cookie(request: HttpRequest) -> UUID | None:
    """The session of the cookie, None without one. Raises BadInput where this project did not sign it."""
    if not request.COOKIES.get(COOKIE):
        return None
    try:
        # With a default, Django gives that for a forged cookie too, and the request would reach production.
        return UUID(request.get_signed_cookie(COOKIE, salt=_SALT))
    except BadSignature:
        raise BadInput(f"the cookie {COOKIE} has no valid signature; delete it") from None
