"""Where shield pressure begins: a dash away from a fighter that shields."""

from __future__ import annotations

from typing import Any

import numpy as np

from melee_env.envs.drills.drill import edge_of

MIDDLE = 0.4
"""share of the floor's half width within which the shielding fighter stands"""
DISTANCE = (10.0, 30.0)
"""units between the fighters"""


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw both places."""
    x = float(rng.uniform(-MIDDLE, MIDDLE) * edge_of(options))
    away = float(rng.uniform(*DISTANCE)) * (1.0 if rng.random() < 0.5 else -1.0)
    return {"opponent_position": (x, 0.0001), "position": (x + away, 0.0001)}
