"""Where an edge-guard begins: the other beside the stage, the learner on the floor near that edge."""

from __future__ import annotations

from typing import Any

import numpy as np

from melee_env.envs.drills.drill import edge_of
from melee_env.envs.drills.recovery.starts import draw_position

INSIDE = (8.0, 40.0)
"""units between the learner and the edge"""
PERCENT = (50, 130)
"""damage of the recovering fighter"""


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw both places and the damage."""
    edge = edge_of(options)
    x, y = draw_position(rng, edge)
    inside = edge - float(rng.uniform(*INSIDE))
    return {
        "position": (float(np.copysign(inside, x)), 0.0001),
        "opponent_position": (x, y),
        "opponent_percent": float(rng.integers(*PERCENT)),
    }
