"""Fixtures for every test.

`server`: a running PostgreSQL (`servers.Server`: version, superuser dsn, directory of its programs), once for each
major version. A test that uses it, or `dsn`, runs on 15, 16 and 18; `COWSCORE_TEST_PG=15,18` selects. A version that is
not installed skips on a workstation and fails where `CI=true`.

`dsn`: libpq connection string of a new, empty database in `server`, as superuser over TCP; dropped after the test.
For a database with another lifetime, a fixture of your own can use `servers.database(server)`.

Hypothesis profiles, selected by `HYPOTHESIS_PROFILE`: `fast` (default), `ci`, `long`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

import servers

hypothesis.settings.register_profile("fast", max_examples=20, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=100, deadline=None, print_blob=True)
hypothesis.settings.register_profile("long", max_examples=2000, deadline=None, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        servers.prepare()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        servers.stop_all()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "server" in getattr(item, "fixturenames", ()):
            item.add_marker("postgres")


@pytest.fixture(scope="session", params=servers.requested(), ids=lambda version: f"pg{version}")
def server(request: pytest.FixtureRequest) -> servers.Server:
    lacking = servers.missing(request.param)
    if lacking and os.environ.get("CI") == "true":
        pytest.fail(lacking)
    if lacking:
        pytest.skip(lacking)
    return servers.get(request.param)


@pytest.fixture
def dsn(server: servers.Server) -> Iterator[str]:
    with servers.database(server) as connection_string:
        yield connection_string
