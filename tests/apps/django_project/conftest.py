"""A Django project on the database of the test, enabled after `migrate`: tables in `models`, views in `urls`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import conninfo

from cowscore import Cow, Session

MIDDLEWARE = "cowscore.integrations.django.middleware.CowMiddleware"


def pytest_configure() -> None:
    if settings.configured:
        return
    import sys

    sys.path.insert(0, str(Path(__file__).parent))
    postgres = {"ENGINE": "django.db.backends.postgresql", "NAME": "set by the fixture `project`"}
    settings.configure(
        SECRET_KEY="only for tests",
        ALLOWED_HOSTS=["testserver"],
        ROOT_URLCONF="shop.urls",
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
        DATABASES={
            "default": dict(postgres),
            "second": dict(postgres),
            "files": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"},
        },
        INSTALLED_APPS=["cowscore.integrations.django", "shop"],
        MIDDLEWARE=[MIDDLEWARE],
    )


@pytest.fixture
def databases(dsn: str) -> Iterator[dict[str, dict[str, Any]]]:
    """The settings of the databases, with both PostgreSQL aliases on the test's own."""
    if not apps.ready:
        django.setup()
    parts = conninfo.conninfo_to_dict(dsn)
    before = {alias: dict(connections.settings[alias]) for alias in connections}
    for alias in ("default", "second"):
        connections.settings[alias].update(
            NAME=parts["dbname"],
            USER=parts["user"],
            PASSWORD=parts.get("password", ""),
            HOST=parts["host"],
            PORT=parts["port"],
            OPTIONS={},
        )
    yield connections.settings
    for alias in connections:
        connections[alias].close()
        if getattr(connections[alias], "pool", None):
            connections[alias].close_pool()  # type: ignore[attr-defined]
        connections.settings[alias].clear()
        connections.settings[alias].update(before[alias])


@pytest.fixture
def cow(dsn: str, databases: dict[str, Any]) -> Iterator[Cow]:
    call_command("migrate", run_syncdb=True, verbosity=0)
    with psycopg.connect(dsn) as connection:
        connection.execute("insert into shop_shelf (id, name) values (1, 'left')")
        connection.execute("insert into shop_item (shelf_id, name, amount) values (1, 'pen', 1), (1, 'cup', 2)")
        connection.execute("select setval('shop_shelf_id_seq', 1)")
    with Cow.connect(dsn) as cow:
        cow.enable(schema="public")
        yield cow


@pytest.fixture
def session(cow: Cow) -> Session:
    return cow.open_session(name="test")
