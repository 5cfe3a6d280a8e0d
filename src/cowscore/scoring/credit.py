"""What each operation of the agent contributed to the structural score: in order, and order-free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from cowscore.scoring import metrics, orders
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.match import Matcher
from cowscore.scoring.net import History, net_row
from cowscore.scoring.orders import Rows
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


def by_operation(order: Iterable[UUID], matched: Iterable[RowScore], extra: Iterable[RowScore]) -> dict[UUID, Rows]:
    """Every operation -> the numbers of matched and of extra rows that it wrote last.

    Operations outside the order wrote derived rows only; what they wrote last belongs to the one before.
    """
    found = {operation: [0, 0] for operation in order}
    for side, rows in enumerate((matched, extra)):
        for row in rows:
            found[next(o for o in reversed(row.operations) if o in found)][side] += 1
    return {operation: (counts[0], counts[1]) for operation, counts in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Order-free credit of one operation."""

    value: float
    """-1..1."""
    error: float
    """Standard error of `value` where orders were sampled, 0.0 where it is exact."""


def shapley(
    rows: Mapping[UUID, Rows], expected: int, needs: Mapping[UUID, Sequence[UUID]], seed: int = 0
) -> dict[UUID, Credit]:
    """Order-free credit: the Shapley value of each operation in the structural score, over the orders that can be.

    `rows` counts for every operation the final rows it wrote last, (matched, extra), under the final matching;
    `expected` is the number of rows of the ground truth; `needs` says after which operations one has to come. The worth
    of a set S of operations is the structural score it would reach, m(S) / (expected + e(S)); an operation's credit is
    its marginal worth averaged over all orders in which every operation comes after those it needs, so that the
    credits add up to the session's score (less 1 where nothing was expected).

    With 1/(N+e) = integral of t^(N+e-1) over 0..1, and operations placed at random times (parts of the dependency
    graph are independent, so what comes before time p is a binomial number of each part's order), the value is a
    double integral of a polynomial, which Gauss-Legendre quadrature computes exactly. (Beyond 500 rows or operations
    the number of nodes is capped, which leaves an error below 1e-9.) Only a part with more than `orders.STATES` states
    is sampled, with `seed`; the credits still add up.
    """
    found = orders.parts(rows, needs, seed)
    batches = max((len(part.batches) for part in found), default=1)
    whole = _average(found, [_mixed(part.batches) for part in found], expected)
    if batches == 1:
        return {o: Credit(value=whole[o], error=0.0) for o in rows}
    each = [_average(found, [part.batches[b % len(part.batches)] for part in found], expected) for b in range(batches)]
    return {
        o: Credit(value=whole[o], error=float(np.std([values[o] for values in each], ddof=1) / batches**0.5))
        for o in rows
    }


def leave_one_out(rows: Mapping[UUID, Rows], expected: int, needs: Mapping[UUID, Sequence[UUID]]) -> dict[UUID, float]:
    """What the structural score would lose without each operation and those that depend on it, -1..1.

    Takes what `shapley` takes; the rows of `needs` come in an order of the operations.
    """
    after = {o: {o} for o in rows}
    for operation in reversed(list(rows)):
        for other in needs.get(operation, ()):
            after[other] |= after[operation]
    matched, extra = (sum(counts[side] for counts in rows.values()) for side in (0, 1))
    whole = metrics.struct(matched, expected - matched, extra)
    result = {}
    for operation, gone in after.items():
        m, e = (total - sum(rows[o][side] for o in gone) for side, total in ((0, matched), (1, extra)))
        result[operation] = whole - metrics.struct(m, expected - m, e)
    return result


def _mixed(batches: Sequence[orders.Steps]) -> orders.Steps:
    if len(batches) == 1:
        return batches[0]
    mixed: dict[orders.Step, float] = {}
    for steps in batches:
        for step, chance in steps.items():
            mixed[step] = mixed.get(step, 0.0) + chance / len(batches)
    return mixed


def _average(parts: Sequence[orders.Part], steps: Sequence[orders.Steps], expected: int) -> dict[UUID, float]:
    """The double integral: every operation's marginal worth over random times of all operations."""
    extra = sum(c.rows[1] * len(c.members) for part in parts for c in part.classes)
    p, p_weight = _nodes(sum(part.size * part.number for part in parts))
    # Nothing expected: worth is 1 until the first extra row, which is t^e at t = 0.
    t, t_weight = _nodes(expected + extra) if expected else (np.zeros(1), np.ones(1))
    t_weight = t_weight * t ** (expected - 1) if expected else t_weight
    alone, earned = np.ones((len(p), len(t))), np.zeros((len(p), len(t)))
    seen = [_seen(part, found, p, t) for part, found in zip(parts, steps, strict=True)]
    for part, (present, gain) in zip(parts, seen, strict=True):
        alone *= present**part.number
        earned += part.number * gain / present
    result: dict[UUID, float] = {}
    for part, found, (present, gain) in zip(parts, steps, seen, strict=True):
        others = alone / present * t_weight
        others_earned = others * (earned - gain / present) if expected else np.zeros_like(others)
        chance = p_weight[:, None] * _binomial(part.size - 1, p) * part.size
        most = sum(c.rows[1] * len(c.members) for c in part.classes) // part.number
        power = t[:, None] ** np.arange(most + 1)
        worth, more = chance.T @ others @ power, chance.T @ others_earned @ power
        totals = np.zeros(len(part.classes))
        for (place, m, e, index), weight in found.items():
            dm, de = part.classes[index].rows
            ours, theirs = (m, m + dm) if expected else (1, 1)
            difference = theirs * worth[place, e + de] - ours * worth[place, e]
            totals[index] += weight * (difference + more[place, e + de] - more[place, e])
        for c, total in zip(part.classes, totals.tolist(), strict=True):
            result |= {o: total * part.number / len(c.members) for o in c.members}
    return result


def _seen(part: orders.Part, steps: orders.Steps, p: Floats, t: Floats) -> tuple[Floats, Floats]:
    """For every time p and every t: the mean of t^extra and of matched * t^extra of a part's operations before p."""
    power, gain = np.zeros((part.size + 1, len(t))), np.zeros((part.size + 1, len(t)))
    states: dict[tuple[int, int, int], float] = {}
    for (place, m, e, _), weight in steps.items():
        states[place, m, e] = states.get((place, m, e), 0.0) + weight
    m, e = (sum(c.rows[k] * len(c.members) for c in part.classes) // part.number for k in (0, 1))
    states[part.size, m, e] = 1.0
    for (place, m, e), weight in states.items():
        value = weight * t**e
        power[place] += value
        gain[place] += m * value
    chance = _binomial(part.size, p)
    return np.maximum(chance @ power, np.finfo(np.float64).tiny), chance @ gain


def _binomial(n: int, p: Floats) -> Floats:
    """For every p the chances of 0, 1, .. n out of n."""
    k = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    chances: Floats = np.exp(logs + np.outer(np.log(p), k) + np.outer(np.log1p(-p), n - k))
    return chances


@cache
def _nodes(degree: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on 0..1: exact for polynomials of that degree up to NODES * 2 - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(min(NODES, degree // 2 + 1))
    return (nodes + 1.0) / 2.0, weights / 2.0
