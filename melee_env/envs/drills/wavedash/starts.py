"""Where wavedashing begins: standing somewhere in the middle, the other far away at an edge."""

from __future__ import annotations

from typing import Any

import numpy as np

from melee_env.envs.drills.drill import edge_of

MIDDLE = 0.4
"""share of the floor's half width within which the fighter starts"""
ASIDE = 5.0
"""units between the other fighter and the edge"""


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw both places."""
    edge = edge_of(options)
    x = float(rng.uniform(-MIDDLE, MIDDLE) * edge)
    return {"position": (x, 0.0001), "opponent_position": (float(np.copysign(edge - ASIDE, -x)), 0.0001)}
