"""What each operation of the agent contributed to the structural score: in order, and order-free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from cowscore.scoring import metrics
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.match import Matcher
from cowscore.scoring.net import History, net_row
from cowscore.scoring.result import RowScore

Floats = NDArray[np.float64]

NODES = 256
"""Quadrature nodes per dimension of the Shapley integral, at most."""


def utilities(
    matcher: Matcher, rows: Sequence[History], order: Sequence[UUID], config: ScoringConfig
) -> dict[UUID, float]:
    """Change of the structural score as each operation is applied after those before it (paper, equation 3), -1..1.

    The matcher starts without agent rows and ends with the agent's final state. The utilities add up to the score of
    the session less the score of doing nothing. Only the rows an operation wrote are looked at again: for
    rows with a known identity its cost is proportional to its writes; where keys are made up, the tables concerned
    are paired anew.
    """
    written: dict[UUID, dict[int, History]] = {}
    for history in rows:
        for change in history.changes:
            written.setdefault(change.operation, {})[history.number] = history
    applied: set[UUID] = set()
    result: dict[UUID, float] = {}
    before = metrics.struct(0, len(matcher.gt), 0)
    # Operations outside the order wrote derived rows only; their versions belong to the rows of the others.
    silent = dict.fromkeys(written.keys() - set(order))
    for operation in (*silent, *order):
        applied.add(operation)
        for number, history in written.get(operation, {}).items():
            matcher.update(number, net_row(history, config, applied))
        if operation in silent:
            continue
        matcher.settle()
        matched = matcher.matched
        after = metrics.struct(matched, len(matcher.gt) - matched, matcher.extra)
        result[operation] = after - before
        before = after
    return result


def content_utilities(similarities: Iterable[tuple[UUID, float]]) -> dict[UUID, float]:
    """Mean similarity of the matched rows that each operation wrote last (paper, equation 4), 0..1.

    Takes (operation, similarity) of every matched row; operations without one do not appear.
    """
    found: dict[UUID, list[float]] = {}
    for operation, similarity in similarities:
        found.setdefault(operation, []).append(similarity)
    return {operation: sum(values) / len(values) for operation, values in found.items()}


def by_operation(rows: Iterable[RowScore]) -> dict[UUID, int]:
    """Operation -> number of those rows that it wrote last."""
    return dict(Counter(row.operation for row in rows if row.operation is not None))


def shapley(matched: Mapping[UUID, int], extra: Mapping[UUID, int], expected: int) -> dict[UUID, float]:
    """Order-free credit: the exact Shapley value of each operation in the structural score.

    `matched` and `extra` count the final rows that each operation wrote last, under the final matching; `expected` is
    the number of rows of the ground truth. The worth of a set S of operations is the structural score it would
    reach, m(S) / (expected + e(S)); an operation's credit is its marginal worth averaged over all orders, so that
    the credits add up to the session's score (less 1 where nothing was expected). Orders are free: they do not
    respect dependencies. Matched rows earn, extra rows cost, and it does not matter who came first.

    With 1/(N+e) = integral of t^(N+e-1) over 0..1, and Owen's multilinear extension for the average over orders, the
    value is a double integral of a polynomial, which Gauss-Legendre quadrature computes exactly; no sampling. (Beyond
    500 rows or operations the number of nodes is capped, which leaves an error below 1e-9.)
    """
    kinds = {o: (matched.get(o, 0), extra.get(o, 0)) for o in [*matched, *extra]}
    # Operations with the same counts are interchangeable: their credit is computed once.
    counts = Counter(kinds.values())
    if not expected:
        guilty = sum(number for (_, e), number in counts.items() if e)
        return {o: -1.0 / guilty if e else 0.0 for o, (_, e) in kinds.items()}
    number = np.array([*counts.values()], dtype=np.float64)[:, None]
    m, e = np.array([*counts], dtype=np.float64).reshape(-1, 2, 1).transpose(1, 0, 2)
    p, p_weight = _nodes(len(kinds))
    t, t_weight = _nodes(expected + sum(extra.values()))
    power = t**e
    credit = np.zeros(len(counts))
    for chance, weight in zip(p, p_weight, strict=True):
        # Of an operation that takes part by chance: the expected t^(its extras), then that times its matches.
        part = 1.0 - chance + chance * power
        earned = chance * m * power / part
        others = np.prod(part**number, axis=0) / part
        gain = others * (m * power + (power - 1.0) * ((number * earned).sum(axis=0) - earned))
        credit += weight * (gain * t ** (expected - 1) * t_weight).sum(axis=1)
    value = dict(zip(counts, credit.tolist(), strict=True))
    return {operation: value[kind] for operation, kind in kinds.items()}


@cache
def _nodes(degree: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on 0..1: exact for polynomials of that degree up to NODES * 2 - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(min(NODES, degree // 2 + 1))
    return (nodes + 1.0) / 2.0, weights / 2.0
