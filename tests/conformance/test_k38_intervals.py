"""K38: intervals cover at their nominal rate; a policy against its mirror scores one half."""

import math

import numpy as np
import pytest

from experiments.evaluation.intervals import describe, mean_interval, wilson_interval


def binomial(k: int, n: int, p: float) -> float:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize("n", [20, 50, 200])
def test_k38_wilson_covers_at_its_nominal_rate(n: int) -> None:
    coverages = []
    for p in np.linspace(0.05, 0.95, 19):
        inside = [k for k in range(n + 1) if (i := wilson_interval(k, n)).low <= p <= i.high]  # type: ignore[operator]
        coverages.append(sum(binomial(k, n, p) for k in inside))
    assert 0.93 < np.mean(coverages) < 0.97
    assert min(coverages) > 0.88


@pytest.mark.parametrize("draw", ["normal", "exponential"])
def test_k38_bootstrap_covers_at_its_nominal_rate(draw: str) -> None:
    rng = np.random.default_rng(1)
    trials, covered = 200, 0
    mean = 0.0 if draw == "normal" else 1.0
    for trial in range(trials):
        interval = mean_interval(getattr(rng, draw)(size=40), seed=trial)
        covered += interval.low <= mean <= interval.high  # type: ignore[operator]
    # Three standard deviations of 200 trials; the bootstrap is known to be a little narrow at n = 40.
    assert 0.88 < covered / trials < 0.99


def test_k38_share_outside_0_1_is_impossible() -> None:
    assert wilson_interval(0, 5).low == 0.0
    assert wilson_interval(5, 5).high == 1.0


def test_k38_one_game_has_no_interval() -> None:
    assert mean_interval([3.0]).low is None


def test_k38_equal_games_have_an_interval_of_no_width() -> None:
    assert describe([2.0, 2.0, 2.0]) == {"mean": 2.0, "median": 2.0, "low": 2.0, "high": 2.0}


def test_k38_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(0).normal(size=25)
    assert mean_interval(values, seed=3) == mean_interval(values, seed=3)


@pytest.mark.slow
def test_k38_policy_against_its_mirror_scores_one_half() -> None:
    from experiments.evaluation import make_player, play_games

    name = "scripted:fighter-5"
    results = play_games(make_player(name), make_player(name), 200, seed=4, stocks=1, time_limit=3600)
    rate = results.win_rate
    assert rate.low is not None and rate.high is not None
    assert rate.low <= 0.5 <= rate.high
