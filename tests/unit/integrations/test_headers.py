from __future__ import annotations

from uuid import UUID

import pytest

from cowscore.errors import BadInput
from cowscore.integrations.headers import HeaderNames, parse_headers

SESSION = UUID("123e4567-e89b-12d3-a456-426614174000")
OPERATION = UUID("123e4567-e89b-12d3-a456-4266141740ff")


def test_no_headers_is_production() -> None:
    assert parse_headers([("Accept", "*/*"), ("X-Request-Id", "7")]) is None


@pytest.mark.parametrize("name", ["X-Cow-Session", "x-cow-session", "X-COW-SESSION", "X-Agent-Session-Id"])
def test_session_alone(name: str) -> None:
    assert parse_headers([(name, str(SESSION))]) == (SESSION, None)


@pytest.mark.parametrize("name", ["X-Cow-Operation", "x-operation-id"])
def test_session_and_operation(name: str) -> None:
    assert parse_headers([(name, str(OPERATION)), ("X-Cow-Session", str(SESSION).upper())]) == (SESSION, OPERATION)


def test_configured_names_are_accepted_beside_the_standard_ones() -> None:
    names = HeaderNames(session="X-Try", operation="X-Step")
    assert parse_headers([("x-try", str(SESSION)), ("x-step", str(OPERATION))], names) == (SESSION, OPERATION)
    assert parse_headers([("X-Cow-Session", str(SESSION))], names) == (SESSION, None)


@pytest.mark.parametrize(
    "value", ["", " ", "7", "none", "null", str(SESSION)[:-1], f"{{{SESSION}}}", f"urn:uuid:{SESSION}", f"{SESSION};x"]
)
def test_malformed_values_are_refused(value: str) -> None:
    with pytest.raises(BadInput, match="X-Cow-Session must be a UUID"):
        parse_headers([("X-Cow-Session", value)])
    with pytest.raises(BadInput, match="x-operation-id must be a UUID"):
        parse_headers([("X-Cow-Session", str(SESSION)), ("x-operation-id", value)])


def test_operation_without_session_is_refused() -> None:
    with pytest.raises(BadInput, match="without X-Cow-Session"):
        parse_headers([("X-Cow-Operation", str(OPERATION))])


def test_repeating_a_value_is_fine_and_contradicting_is_not() -> None:
    twice = [("X-Cow-Session", str(SESSION)), ("x-agent-session-id", str(SESSION))]
    assert parse_headers(twice) == (SESSION, None)
    with pytest.raises(BadInput, match="different values"):
        parse_headers([*twice, ("X-Cow-Session", str(OPERATION))])
