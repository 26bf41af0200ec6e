"""Where a juggle begins: the other falls onto the learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from melee_env.envs.drills.drill import edge_of

MIDDLE = 0.5
"""share of the floor's half width within which the learner stands"""
ASIDE = 15.0
"""units by which the other may be beside it"""
HEIGHT = (30.0, 60.0)
"""units above the floor"""
PERCENT = (20, 80)


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw both places and the damage."""
    x = float(rng.uniform(-MIDDLE, MIDDLE) * edge_of(options))
    return {
        "position": (x, 0.0001),
        "opponent_position": (x + float(rng.uniform(-ASIDE, ASIDE)), float(rng.uniform(*HEIGHT))),
        "opponent_percent": float(rng.integers(*PERCENT)),
    }
