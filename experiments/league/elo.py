"""Elo ratings of players from their games, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation.intervals import CONFIDENCE, Interval

START, K_FACTOR = 1000.0, 32.0
"""rating of a player without games, and the most that one game moves it"""
SCALE = 400.0
"""a player that is ahead by this wins ten games of eleven"""


@dataclass(frozen=True)
class Result:
    """One game between two players, by number."""

    first: int
    second: int
    score: float
    """1 the first won, 0.5 a draw, 0 the second won"""


def expected_score(rating: float, other: float) -> float:
    """Return the share of points that a player expects against another: 1 / (1 + 10^((other − own)/400))."""
    return float(1.0 / (1.0 + 10.0 ** ((other - rating) / SCALE)))


def ratings(results: Sequence[Result], players: int) -> NDArray[np.float64]:
    """Return every player's Elo rating ``[players]`` after the games in the given order (K 32, start 1000)."""
    current = np.full(players, START)
    for game in results:
        surprise = game.score - expected_score(current[game.first], current[game.second])
        current[game.first] += K_FACTOR * surprise
        current[game.second] -= K_FACTOR * surprise
    return current


def rating_intervals(
    results: Sequence[Result],
    players: int,
    seed: int = 0,
    resamples: int = 400,
    confidence: float = CONFIDENCE,
) -> list[Interval]:
    """Return every player's rating with its interval.

    Elo depends on the order of the games; a league has none. So the games are drawn anew with replacement and in
    a random order ``resamples`` times: the mean of those ratings is the rating, their quantiles the interval.

    Args:
        results: games in any order.
        players: how many players there are.
        seed: fixes the draws.
        resamples: how many draws.
        confidence: nominal coverage, 0..1.
    """
    if not results:
        return [Interval(START, None, None)] * players
    rng = np.random.default_rng(seed)
    drawn = np.array(
        [
            ratings([results[k] for k in rng.integers(len(results), size=len(results))], players)
            for _ in range(resamples)
        ]
    )
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return [Interval(float(m), float(a), float(b)) for m, a, b in zip(drawn.mean(0), low, high, strict=True)]
