"""What each operation of the agent contributed to the structural score: in order, and order-free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from cowscore.scoring import metrics
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.match import Matcher
from cowscore.scoring.net import History, net_row
from cowscore.scoring.result import RowScore

Floats = NDArray[np.float64]


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
    silent = [operation for operation in written if operation not in set(order)]
    for operation in [*silent, *order]:
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
    value is a double integral of a polynomial, which Gauss-Legendre quadrature computes exactly; no sampling.
    """
    operations = list(dict.fromkeys([*matched, *extra]))
    m = np.array([matched.get(o, 0) for o in operations], dtype=np.float64)
    e = np.array([extra.get(o, 0) for o in operations], dtype=np.float64)
    if not operations:
        return {}
    if not expected:
        guilty = int(np.count_nonzero(e))
        return {o: (-1.0 / guilty if e[i] else 0.0) for i, o in enumerate(operations)}
    p, p_weight = _nodes(len(operations))
    t, t_weight = _nodes(expected + int(e.sum()))
    power = t[None, :] ** e[:, None]
    credit = np.zeros(len(operations))
    for chance, weight in zip(p, p_weight, strict=True):
        # Of an operation that takes part by chance: the expected t^(its extras), then that times its matches.
        part = 1.0 - chance + chance * power
        everyone = np.prod(part, axis=0)
        earned = chance * m[:, None] * power / part
        others = everyone / part
        gain = others * (m[:, None] * power + (power - 1.0) * (earned.sum(axis=0) - earned))
        credit += weight * (gain * t ** (expected - 1) * t_weight).sum(axis=1)
    return {operation: float(value) for operation, value in zip(operations, credit, strict=True)}


def _nodes(degree: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on 0..1 that integrate polynomials of that degree exactly."""
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (nodes + 1.0) / 2.0, weights / 2.0
