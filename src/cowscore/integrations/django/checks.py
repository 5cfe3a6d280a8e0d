"""System checks: what would make a request with a session header reach production is an error before it is served."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

MIDDLEWARE = "cowscore.integrations.django.middleware.CowMiddleware"


def check_middleware(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """The middleware is there, once, and before every other: what runs ahead of it runs in production."""
    found = list(settings.MIDDLEWARE).count(MIDDLEWARE)
    if found == 0:
        return [
            Error(
                "Session headers are not read: every request reaches production.",
                hint=f"Put {MIDDLEWARE!r} first in MIDDLEWARE.",
                id="cowscore.E001",
            )
        ]
    if found > 1:
        return [Error(f"{MIDDLEWARE!r} is in MIDDLEWARE {found} times.", hint="Keep the first.", id="cowscore.E002")]
    ahead = list(settings.MIDDLEWARE)[: list(settings.MIDDLEWARE).index(MIDDLEWARE)]
    if not ahead:
        return []
    return [
        Warning(
            f"What these do in the database is done in production, even in a request of a session: {', '.join(ahead)}.",
            hint=f"Put {MIDDLEWARE!r} first in MIDDLEWARE.",
            id="cowscore.W001",
        )
    ]


def check_passthrough(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Every alias that sessions leave alone is a database of the project."""
    return [
        Error(f"COWSCORE_PASSTHROUGH names {alias!r}, which is not in DATABASES.", id="cowscore.E003")
        for alias in getattr(settings, "COWSCORE_PASSTHROUGH", ())
        if alias not in settings.DATABASES
    ]
