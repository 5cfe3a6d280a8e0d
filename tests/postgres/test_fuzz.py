"""Random statements over random schemas: a session and plain PostgreSQL cannot be told apart.

`HYPOTHESIS_PROFILE` says how many: `fast` a few, `ci` hundreds over all versions, `long` thousands.
"""

from __future__ import annotations

import re
from typing import Any

import psycopg
from hypothesis import HealthCheck, given, settings

from postgres import fuzzing, oracle
from postgres.oracle import Outcome, Pair

IN_TROUBLE = psycopg.pq.TransactionStatus.INERROR
_Connection = psycopg.Connection[Any]


LATE = {"23503", "23505", "23P01"}
"""Violations that may show at the end of a statement."""


def alike(step: str, expected: Outcome, got: Outcome) -> bool:
    """Several rows may violate different constraints, and which is said first is nobody's promise.

    At the end of a statement PostgreSQL checks row by row, a session constraint by constraint.
    """
    if expected.error and got.error and got != expected:
        codes = {str(expected.error[0]), str(got.error[0])}
        several = re.match(r"(?!.*\bk = )(update|delete|with)", step) or re.match(r"insert .*\), \(", step)
        return bool(several) and (codes <= LATE or (step[0] != "i" and {c[:2] for c in codes} == {"23"}))
    return expected == got


def compare(pair: Pair, schema: str, steps: tuple[str, ...]) -> None:
    """Runs the statements in both and compares after each one, at the end, and after commit."""
    oracle.renew(pair.plain, schema)
    with oracle.enabled(pair, schema):
        plain, session = pair.plain, pair.cow.open_session("fuzz")
        names, before = oracle.tables(plain), oracle.digest(pair.base)
        with session.connect(autocommit=True) as inside:
            for number, step in enumerate(steps):
                expected, got = oracle.run(plain, step), oracle.run(inside, step)
                assert alike(step, expected, got), f"step {number}: {step}\n plain {expected}\n session {got}"
                assert inside.info.transaction_status == plain.info.transaction_status, f"step {number}: {step}"
                if plain.info.transaction_status != IN_TROUBLE:
                    want, have = oracle.contents(plain, names), oracle.contents(inside, names)
                    assert have == want, f"step {number}: {step}"
            plain.rollback()
            inside.rollback()
            assert oracle.contents(inside, names) == oracle.contents(plain, names), "tables in the session"
        assert oracle.digest(pair.base) == before, "base changed under the session"
        session.commit()
        assert oracle.contents(pair.base, names) == oracle.contents(plain, names), "base after commit"


@settings(suppress_health_check=list(HealthCheck))
@given(case=fuzzing.cases())
def test_session_is_as_plain_postgresql(pair: Pair, case: tuple[str, tuple[str, ...]]) -> None:
    compare(pair, *case)
