from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import servers

if TYPE_CHECKING:
    from postgres.oracle import Pair

pytest.register_assert_rewrite("postgres.oracle")


@pytest.fixture(scope="session")
def pair(server: servers.Server) -> Iterator[Pair]:
    """A plain database and one for sessions, shared by the cases of a worker."""
    from postgres import oracle

    with oracle.pair(server) as made:
        yield made
