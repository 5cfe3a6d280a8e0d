"""Means, intervals and comparisons of trial scores. Pure and vectorised; every random draw comes from a named seed.

Input everywhere: `Trials`, a mapping of workflow name -> scores of its trials, each a float (usually 0..1). Trials of
one workflow are not independent of each other, so workflows are the unit: every workflow counts the same in a mean,
however many trials it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from cowscore.errors import BadInput

Trials = Mapping[str, Sequence[float]]
Floats = NDArray[np.float64]

CLUSTERS = 20
"""From this many workflows up, `workflows_like_these` resamples workflows; below, it uses Student's t."""
EXACT = 14
"""Up to this many workflows a sign-flip test goes through all 2^n flips instead of drawing some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval; `low` and `high` are nan where the data cannot say."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """Mean over workflows of their mean trial score, with two intervals that answer two different questions."""

    mean: float
    these_workflows: Interval
    """Where the mean would lie if the same workflows were run again: trials are resampled within each workflow."""
    workflows_like_these: Interval
    """Where the mean would lie over other workflows of the kind: workflows are what varies."""
    workflows: int
    trials: int
    level: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Paired comparison of two experiments over the workflows they share: `b` minus `a`."""

    difference: float
    """Mean over workflows of (mean score in b - mean score in a)."""
    these_workflows: Interval
    workflows_like_these: Interval
    p: float
    """Two-sided p value of the sign-flip permutation test, 0..1: could the differences as well have the other sign?"""
    per_workflow: Mapping[str, float]
    """Workflow -> difference."""
    exact: bool
    """True where all sign flips were tried."""
    level: float
    seed: int
    p_adjusted: float | None = None
    """Holm-corrected p value, where several comparisons were made together."""


def mean(trials: Trials, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0) -> Mean:
    """Mean score with both intervals at confidence `level` (0..1).

    `these_workflows` is a percentile bootstrap of trials within workflows. A workflow of n trials is widened by
    sqrt(n / (n - 1)) around its mean, because resampling n values understates their variance by that much; workflows of
    a single trial show no variance of their own, and if all are such the interval is nan. `workflows_like_these` is a
    t interval on the workflow means, from 20 workflows up a cluster bootstrap of them; nan for one workflow. Raises
    BadInput for no trials, a workflow without any, or values that are not finite.
    """
    scores = _checked(trials, level, resamples)
    return Mean(
        mean=float(_means(scores).mean()),
        these_workflows=_within([scores], level, resamples, seed),
        workflows_like_these=_between(_means(scores), level, resamples, seed),
        workflows=len(scores),
        trials=sum(len(values) for values in scores),
        level=level,
        seed=seed,
    )


def compare(
    a: Trials, b: Trials, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0, permutations: int = 100_000
) -> Comparison:
    """Compare two experiments by their per-workflow differences (b minus a), on the workflows that both have.

    The p value is a sign-flip permutation test of the mean difference: exact up to 14 workflows, else from
    `permutations` seeded flips (and never 0). Raises BadInput where the experiments share no workflow.
    """
    shared = [name for name in a if name in b]
    if not shared:
        raise BadInput("the two experiments share no workflow, so there is nothing to compare by pairs")
    before = _checked({name: a[name] for name in shared}, level, resamples)
    after = _checked({name: b[name] for name in shared}, level, resamples)
    differences = _means(after) - _means(before)
    p, exact = sign_flip(differences, permutations=permutations, seed=seed)
    return Comparison(
        difference=float(differences.mean()),
        these_workflows=_within([after, before], level, resamples, seed),
        workflows_like_these=_between(differences, level, resamples, seed),
        p=p,
        per_workflow=dict(zip(shared, differences.tolist(), strict=True)),
        exact=exact,
        level=level,
        seed=seed,
    )


def compare_agents(
    a: Mapping[str, Trials], b: Mapping[str, Trials], *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> dict[str, Comparison]:
    """`compare` for every agent that both experiments have, with p values corrected together (Holm)."""
    shared = [agent for agent in a if agent in b]
    found = {agent: compare(a[agent], b[agent], level=level, resamples=resamples, seed=seed) for agent in shared}
    adjusted = holm([found[agent].p for agent in shared])
    return {agent: replace(found[agent], p_adjusted=p) for agent, p in zip(shared, adjusted, strict=True)}


def sign_flip(
    differences: Sequence[float] | Floats, *, permutations: int = 100_000, seed: int = 0
) -> tuple[float, bool]:
    """Two-sided sign-flip test of paired differences: (p, whether all flips were tried).

    p is the share of sign assignments whose absolute mean is at least the observed one. Drawn flips count the
    observed assignment among them, so p is at least 1 / (permutations + 1).
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0.0]
    observed = abs(values.sum())
    # Sums that are equal on paper may differ in the last bits.
    enough = observed - 1e-12 * max(1.0, float(np.abs(values).sum()))
    if len(values) <= EXACT:
        flips = np.array(list(product((1.0, -1.0), repeat=len(values))))
        return float(np.mean(np.abs(flips @ values) >= enough)), True
    generator = np.random.default_rng(seed)
    hits = 0
    for start in range(0, permutations, 10_000):
        size = min(10_000, permutations - start)
        flips = generator.integers(0, 2, size=(size, len(values))) * 2.0 - 1.0
        hits += int(np.count_nonzero(np.abs(flips @ values) >= enough))
    return (hits + 1) / (permutations + 1), False


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: adjusted p values, 0..1, in the order given."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * factors))
    return [float(value) for value in adjusted]


def pass_at_k(trials: Trials, k: int, *, threshold: float = 1.0) -> float:
    """Chance that at least one of k trials succeeds, 0..1, averaged over workflows.

    A trial succeeds with a score of at least `threshold`. Unbiased: per workflow 1 - C(n - c, k) / C(n, k) for c
    successes in n trials. Raises BadInput where a workflow has fewer than k trials.
    """
    counts = _successes(trials, k, threshold)
    return sum(1.0 - comb(n - c, k) / comb(n, k) for n, c in counts) / len(counts)


def pass_hat_k(trials: Trials, k: int, *, threshold: float = 1.0) -> float:
    """Chance that all of k trials succeed (pass^k), 0..1, averaged over workflows: per workflow C(c, k) / C(n, k).

    Success and errors as in `pass_at_k`.
    """
    counts = _successes(trials, k, threshold)
    return sum(comb(c, k) / comb(n, k) for n, c in counts) / len(counts)


def _successes(trials: Trials, k: int, threshold: float) -> list[tuple[int, int]]:
    if k < 1:
        raise BadInput(f"k is {k}: use 1 or more trials")
    scores = _checked(trials, 0.95, 1)
    short = [name for name, values in trials.items() if len(values) < k]
    if short:
        raise BadInput(f"workflow {short[0]!r} has {len(trials[short[0]])} trials, fewer than k = {k}")
    return [(len(values), int(np.count_nonzero(values >= threshold - 1e-12))) for values in scores]


def _checked(trials: Trials, level: float, resamples: int) -> list[Floats]:
    if not trials:
        raise BadInput("no trials: give at least one workflow with at least one trial")
    if not 0.0 < level < 1.0 or resamples < 1:
        raise BadInput(f"level {level!r} must be between 0 and 1 and resamples {resamples!r} at least 1")
    scores = [np.asarray(values, dtype=np.float64) for values in trials.values()]
    for name, values in zip(trials, scores, strict=True):
        if values.ndim != 1 or not values.size:
            raise BadInput(f"workflow {name!r} has no trials: leave it out or run it")
        if not np.isfinite(values).all():
            raise BadInput(f"workflow {name!r} has a score that is not a finite number: leave failed trials out")
    return scores


def _means(scores: Sequence[Floats]) -> Floats:
    return np.array([values.mean() for values in scores])


def _within(sides: Sequence[Sequence[Floats]], level: float, resamples: int, seed: int) -> Interval:
    """Percentile bootstrap of trials within workflows: of the mean of one side, or of the first less the second."""
    if all(len(values) < 2 for side in sides for values in side):
        return Interval(low=float("nan"), high=float("nan"))
    generator = np.random.default_rng(seed)
    total = np.zeros(resamples)
    for sign, side in zip((1.0, -1.0), sides, strict=False):
        for values in side:
            n, centre = len(values), values.mean()
            widened = centre + (values - centre) * (np.sqrt(n / (n - 1)) if n > 1 else 1.0)
            total += sign * widened[generator.integers(0, n, size=(resamples, n))].mean(axis=1) / len(side)
    return _percentiles(total, level)


def _between(means: Floats, level: float, resamples: int, seed: int) -> Interval:
    """Interval of the mean of workflow means: Student's t for few workflows, else a bootstrap of workflows."""
    from scipy.stats import t

    n = len(means)
    if n < 2:
        return Interval(low=float("nan"), high=float("nan"))
    if n < CLUSTERS:
        half = float(t.ppf(0.5 + level / 2.0, n - 1)) * float(means.std(ddof=1)) / np.sqrt(n)
        return Interval(low=float(means.mean() - half), high=float(means.mean() + half))
    generator = np.random.default_rng(seed)
    return _percentiles(means[generator.integers(0, n, size=(resamples, n))].mean(axis=1), level)


def _percentiles(values: Floats, level: float) -> Interval:
    low, high = np.quantile(values, [0.5 - level / 2.0, 0.5 + level / 2.0])
    return Interval(low=float(low), high=float(high))
