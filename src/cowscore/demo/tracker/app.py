"""The tracker as a FastAPI application, with cowscore integrated the way a team would do it."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from cowscore.demo.tracker.routes import planning, projects, work_items, workspace
from cowscore.integrations.asgi import CowMiddleware
from cowscore.integrations.sqlalchemy import install

# For ScoringConfig.ignore: tables that the application writes as a side effect of being used, not because someone asked
# for a change. Every request stamps the key that it shows: as a session write this row would join every operation to
# every other, and it would count as a match between any two sessions. `activities` is no bookkeeping: a wrong, missing
# or extra line of history is a wrong, missing or extra fact that people read.
BOOKKEEPING: Mapping[str, tuple[str, ...]] = {"api_keys": ("*",)}

# Of constraint violations: what the client should be told. Others are 422.
_CONFLICTS = {
    "23505": "already exists",
    "23001": "is still in use",
    "23503": "refers to a row that is absent or in use",
}


def create_app(engine: Engine) -> FastAPI:
    """The application on a database that has the tracker's schema; `engine` is kept in `app.state.engine`."""
    app = FastAPI(
        title="Tracker",
        version="1.0",
        description="Project management: projects, work items, states, labels, members, cycles and comments.",
    )
    app.state.engine = engine
    for part in (workspace, projects, work_items, planning):
        app.include_router(part.router)
    app.add_exception_handler(IntegrityError, _integrity_error)

    # --- cowscore: the whole integration ---------------------------------------------------------------------------
    install(engine)
    app.add_middleware(CowMiddleware)
    # ---------------------------------------------------------------------------------------------------------------
    return app


def _integrity_error(request: Request, error: Exception) -> JSONResponse:
    """A violated constraint as 409 (it clashes with other rows) or 422 (the value itself is wrong)."""
    original = getattr(error, "orig", None)
    constraint = getattr(getattr(original, "diag", None), "constraint_name", None)
    reason = _CONFLICTS.get(getattr(original, "sqlstate", None) or "")
    detail = f"The value {reason or 'is not allowed'} (constraint {constraint})"
    return JSONResponse({"detail": detail}, status_code=409 if reason else 422)
