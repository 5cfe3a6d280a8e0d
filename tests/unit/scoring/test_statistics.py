from __future__ import annotations

import math

import numpy as np
import pytest

from cowscore.errors import BadInput
from cowscore.scoring import statistics

RUNS = {"a": [1.0, 0.5], "b": [0.0, 0.5], "c": [0.75, 0.75, 0.75]}


def test_workflows_count_the_same_however_many_trials_they_have():
    found = statistics.mean(RUNS)
    assert found.mean == pytest.approx((0.75 + 0.25 + 0.75) / 3)
    assert (found.workflows, found.trials) == (3, 7)


def test_t_interval_on_workflow_means():
    found = statistics.mean(RUNS).workflows_like_these
    half = 4.302652729911275 * math.sqrt(1 / 12) / math.sqrt(3)  # t(0.975, 2 df), sample variance of the three means
    assert (found.low, found.high) == pytest.approx((7 / 12 - half, 7 / 12 + half))


def test_within_interval_sees_the_trials_only():
    steady = {"a": [1.0, 1.0], "b": [0.0, 0.0]}
    found = statistics.mean(steady)
    assert (found.these_workflows.low, found.these_workflows.high) == (0.5, 0.5)
    assert found.workflows_like_these.high - found.workflows_like_these.low > 1.0


def test_within_interval_has_the_width_of_the_standard_error():
    generator = np.random.default_rng(3)
    runs = {str(w): generator.normal(0.5, 0.1, size=10).tolist() for w in range(40)}
    found = statistics.mean(runs).these_workflows
    error = math.sqrt(sum(np.var(v, ddof=1) / len(v) for v in runs.values())) / len(runs)
    assert found.high - found.low == pytest.approx(2 * 1.959964 * error, rel=0.05)


def test_seeds_decide():
    assert statistics.mean(RUNS, seed=7) == statistics.mean(RUNS, seed=7)
    assert statistics.mean(RUNS, seed=7).seed == 7


def test_what_the_data_cannot_say_is_not_a_number():
    single = statistics.mean({"a": [0.5]})
    assert math.isnan(single.these_workflows.low)
    assert math.isnan(single.workflows_like_these.high)


def test_sign_flip_known_values():
    assert statistics.sign_flip([1.0, 1.0, 1.0]) == (0.25, True)
    assert statistics.sign_flip([1.0, 2.0, 3.0, 4.0, 5.0]) == (2 / 32, True)
    assert statistics.sign_flip([1.0, -1.0]) == (1.0, True)
    assert statistics.sign_flip([0.0, 0.0]) == (1.0, True)


def test_drawn_flips_agree_with_all_flips():
    values = np.random.default_rng(1).normal(0.3, 1.0, size=16)
    drawn, exact = statistics.sign_flip(values, seed=5)
    assert not exact
    flips = 1.0 - 2.0 * ((np.arange(2**16)[:, None] >> np.arange(16)) & 1)
    everything = np.mean(np.abs(flips @ values) >= abs(values.sum()) - 1e-12)
    assert drawn == pytest.approx(everything, abs=0.01)


def test_compare_is_paired():
    a = {"easy": [0.9, 0.9], "hard": [0.1, 0.1], "only here": [0.0]}
    b = {"hard": [0.2, 0.2], "easy": [1.0, 1.0]}
    found = statistics.compare(a, b)
    assert found.difference == pytest.approx(0.1)
    assert found.per_workflow == pytest.approx({"easy": 0.1, "hard": 0.1})
    assert found.workflows_like_these.low == pytest.approx(0.1)
    assert found.p == 0.5
    with pytest.raises(BadInput, match="share no workflow"):
        statistics.compare({"x": [1.0]}, {"y": [1.0]})


def test_holm():
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.holm([0.6, 0.9]) == [1.0, 1.0]
    assert statistics.holm([]) == []


def test_agents_are_corrected_together():
    a = {agent: {str(w): [0.0] for w in range(6)} for agent in ("x", "y")}
    b = {"x": {str(w): [0.5] for w in range(6)}, "y": {str(w): [0.1 * (-1) ** w] for w in range(6)}}
    found = statistics.compare_agents(a, b)
    assert found["x"].p == 2 / 64
    assert found["x"].p_adjusted == 4 / 64
    assert found["y"].p_adjusted == 1.0


def test_pass_at_k_and_pass_hat_k():
    runs = {"a": [1.0, 1.0, 0.0, 0.0], "b": [1.0, 1.0, 1.0, 1.0]}
    assert statistics.pass_at_k(runs, 1) == statistics.pass_hat_k(runs, 1) == 0.75
    assert statistics.pass_at_k(runs, 2) == pytest.approx((1 - 1 / 6 + 1) / 2)
    assert statistics.pass_hat_k(runs, 2) == pytest.approx((1 / 6 + 1) / 2)
    assert statistics.pass_hat_k({"a": [0.8, 0.9]}, 2, threshold=0.8) == 1.0
    with pytest.raises(BadInput, match="fewer than k = 5"):
        statistics.pass_at_k(runs, 5)
    with pytest.raises(BadInput, match="k is 0"):
        statistics.pass_at_k(runs, 0)


@pytest.mark.parametrize("runs", [{}, {"a": []}, {"a": [float("nan")]}])
def test_bad_input(runs):
    with pytest.raises(BadInput):
        statistics.mean(runs)


def test_coverage_where_pooling_fails():
    """10 workflows of 5 trials that vary little within and much between: the pooled interval covers far too rarely."""
    generator = np.random.default_rng(11)
    pooled = between = within = 0
    for _ in range(400):
        centres = generator.normal(0.5, 0.2, size=10)
        scores = centres[:, None] + generator.normal(0.0, 0.1, size=(10, 5))
        found = statistics.mean({str(i): row.tolist() for i, row in enumerate(scores)}, resamples=1000)
        half = 1.96 * scores.std(ddof=1) / math.sqrt(scores.size)
        pooled += abs(scores.mean() - 0.5) <= half
        between += found.workflows_like_these.low <= 0.5 <= found.workflows_like_these.high
        within += found.these_workflows.low <= centres.mean() <= found.these_workflows.high
    assert pooled / 400 < 0.75
    assert 0.92 <= between / 400 <= 0.98
    assert 0.92 <= within / 400 <= 0.98
