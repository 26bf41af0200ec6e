"""K38: Elo of equal players stays within its interval, and a better player is found."""

import numpy as np
import pytest

from experiments.league.elo import K_FACTOR, START, Result, expected_score, rating_intervals, ratings


def games(win_probability: float, n: int, seed: int) -> list[Result]:
    rng = np.random.default_rng(seed)
    return [Result(0, 1, float(rng.random() < win_probability)) for _ in range(n)]


def test_expected_scores() -> None:
    assert expected_score(1000, 1000) == 0.5
    assert expected_score(1400, 1000) == pytest.approx(10 / 11)
    assert expected_score(1100, 1000) + expected_score(1000, 1100) == pytest.approx(1)


def test_one_game_between_equals_moves_half_of_k() -> None:
    assert ratings([Result(0, 1, 1.0)], 3).tolist() == [START + K_FACTOR / 2, START - K_FACTOR / 2, START]
    assert ratings([Result(0, 1, 0.5)], 2).tolist() == [START, START]


def test_k38_equal_players_stay_within_their_intervals() -> None:
    """400 games each; at a nominal 95 % at most 4 of 20 leagues may miss (p < 0.003)."""
    inside = 0
    for seed in range(20):
        first, second = rating_intervals(games(0.5, 400, seed), 2, seed, resamples=60)
        assert first.low is not None and first.high is not None
        inside += first.low <= START <= first.high
        assert first.mean + second.mean == pytest.approx(2 * START)
    assert inside >= 16


def test_k38_a_better_player_is_outside_the_equals_interval() -> None:
    first, second = rating_intervals(games(0.85, 400, 0), 2, 0, resamples=60)
    assert first.low is not None and second.high is not None
    assert first.low > second.high
    assert first.mean - second.mean == pytest.approx(400 * np.log10(0.85 / 0.15), abs=80)


def test_no_games_no_interval() -> None:
    assert [(i.mean, i.low) for i in rating_intervals([], 2)] == [(START, None)] * 2
