"""The game's one stream of random numbers (doldecomp/melee sysdolphin/baselib/random.c)."""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel

MULTIPLIER = np.uint32(214013)
INCREMENT = np.uint32(2531011)
UNIT = np.float32(1 / 65536)


@kernel
def next_rand(g):
    """Step the stream; return the next number, 0 to 65535."""
    g.seed = np.uint32(g.seed * MULTIPLIER + INCREMENT)
    return int(g.seed >> np.uint32(16))


@kernel
def randi(g, n):
    """Return a whole number from 0 to ``n - 1``."""
    return (n * next_rand(g)) >> 16


@kernel
def randf(g):
    """Return a float32 from 0 up to 1, without 1."""
    return np.float32(next_rand(g)) * UNIT
