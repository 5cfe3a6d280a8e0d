"""A session for single views, chosen by the application itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any
from uuid import UUID

from cowscore.integrations.binding import bound


def in_session(choose: Callable[..., UUID | None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a view, sync or async: it runs inside the session that `choose(request, *args, **kwargs)` gives.

    None leaves the view where the request is. With ATOMIC_REQUESTS the view must not be preceded by statements in the
    same transaction; a statement of it raises NoSession then.
    """

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        if iscoroutinefunction(view):

            @wraps(view)
            async def run_async(request: Any, *args: Any, **kwargs: Any) -> Any:
                session = choose(request, *args, **kwargs)
                if session is None:
                    return await view(request, *args, **kwargs)
                with bound(session, label=f"{request.method} {request.path}"):
                    return await view(request, *args, **kwargs)

            return run_async

        @wraps(view)
        def run(request: Any, *args: Any, **kwargs: Any) -> Any:
            session = choose(request, *args, **kwargs)
            if session is None:
                return view(request, *args, **kwargs)
            with bound(session, label=f"{request.method} {request.path}"):
                return view(request, *args, **kwargs)

        return run

    return decorate
