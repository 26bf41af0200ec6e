"""Where L-cancelling begins: on the floor or falling onto it, the other in reach or not (hits change the timing)."""

from __future__ import annotations

from typing import Any

import numpy as np

from melee_env.envs.drills.drill import edge_of

MIDDLE = 0.4
"""share of the floor's half width within which the fighter starts"""
HEIGHTS = (0.0001, 30.0)
"""units above the floor"""
DISTANCE = (6.0, 40.0)
"""units between the fighters"""


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw both places."""
    x = float(rng.uniform(-MIDDLE, MIDDLE) * edge_of(options))
    height = HEIGHTS[0] if rng.random() < 0.5 else float(rng.uniform(*HEIGHTS))
    away = float(np.copysign(rng.uniform(*DISTANCE), -x))
    return {"position": (x, height), "opponent_position": (x + away, 0.0001)}
