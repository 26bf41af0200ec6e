"""The random number stream."""

from __future__ import annotations

import numpy as np

from melee_env.engine.rng import next_rand, randf, randi
from melee_env.engine.state import allocate


def test_first_numbers_of_a_seed():
    game = allocate(1)[0]
    game["seed"] = 1
    assert next_rand(game) == (214013 + 2531011) >> 16
    assert game["seed"] == 214013 + 2531011


def test_seed_wraps_at_32_bits():
    game = allocate(1)[0]
    game["seed"] = 0xFFFFFFFF
    next_rand(game)
    assert game["seed"] == (0xFFFFFFFF * 214013 + 2531011) % 2**32


def test_ranges():
    game = allocate(1)[0]
    draws = [randi(game, 100) for _ in range(2000)]
    assert min(draws) == 0
    assert max(draws) == 99
    shares = [float(randf(game)) for _ in range(2000)]
    assert 0 <= min(shares) < 0.01
    assert 0.99 < max(shares) < 1
    assert abs(np.mean(shares) - 0.5) < 0.03
