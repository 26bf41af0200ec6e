"""Paired comparisons: pairing takes the games' own spread out, and enough games are named."""

import numpy as np
import pytest

from experiments.evaluation.comparison import compare, games_needed
from experiments.evaluation.games import GameResults
from melee_env.errors import OptionError


def results(net_stocks: np.ndarray, seed: int = 0) -> GameResults:
    n = len(net_stocks)
    return GameResults(
        agent="a",
        opponent="b",
        seed=seed,
        options={},
        outcomes=0.5 + 0.5 * np.sign(net_stocks),
        net_stocks=net_stocks,
        damage_dealt=np.full(n, 120.0),
        damage_taken=np.full(n, 60.0),
        frames=np.full(n, 3600),
        seats=np.arange(n) % 2,
        stick_counts=np.zeros((17, 17), np.int64),
        press_rates={},
    )


def test_pairs_take_the_games_own_spread_out() -> None:
    games = np.random.default_rng(0).integers(-4, 4, 40)
    found = compare(results(games + (np.arange(40) % 2)), results(games))
    assert found["net_stocks"]["mean"] == 0.5
    assert 0.3 < found["net_stocks"]["low"] < found["net_stocks"]["high"] < 0.7
    assert found["net_damage_per_min"] == {"mean": 0.0, "low": 0.0, "high": 0.0, "games_needed": None}


def test_as_many_games_as_needed_see_the_difference_with_the_stated_power() -> None:
    rng = np.random.default_rng(1)
    observed = rng.normal(0.5, 2.0, 400)
    needed = games_needed(observed)
    assert needed is not None and needed > 20
    seen = 0
    for _ in range(400):
        sample = rng.normal(observed.mean(), observed.std(), needed)
        seen += abs(sample.mean()) > 1.96 * sample.std(ddof=1) / np.sqrt(needed)
    assert seen / 400 == pytest.approx(0.8, abs=0.08)


def test_other_games_are_refused() -> None:
    with pytest.raises(OptionError, match="same games"):
        compare(results(np.zeros(4, np.int64)), results(np.zeros(4, np.int64), seed=1))
    assert games_needed([1.0]) is None and games_needed([1.0, 1.0]) == 2
