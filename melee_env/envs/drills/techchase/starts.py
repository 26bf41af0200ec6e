"""Where a tech-chase begins: the learner has just thrown the other down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.envs.drills.drill import edge_of

MIDDLE = 0.5
"""share of the floor's half width within which the throw happens"""
REACH = 11.0
"""units between the fighters before the grab"""
PERCENT = (10, 60)
STANDING = (13, 14)
CATCHES = (213, 216)
"""grabbing and holding"""
THROWN_FIRST, THROWN_LAST = 239, 243
HAND_OVER = 20.0
"""animation frame of the throw at which the learner takes over"""


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw the place of the throw and the other's damage."""
    x = float(rng.uniform(-MIDDLE, MIDDLE) * edge_of(options))
    away = REACH if rng.random() < 0.5 else -REACH
    return {
        "position": (x, 0.0001),
        "opponent_position": (x + away, 0.0001),
        "opponent_percent": float(rng.integers(*PERCENT)),
    }


def throw_down(number: int, leaders: NDArray[np.void]) -> Controllers | None:
    """Turn to the other, grab it, throw it down; hand over late in the throw."""
    me, them = leaders[0], leaders[1]
    if THROWN_FIRST <= them["action"] <= THROWN_LAST and them["action_frame"] >= HAND_OVER:
        return None
    controllers = make_controllers(stick_x=np.zeros(2))
    toward = 1.0 if them["x"] > me["x"] else -1.0
    if me["action"] == CATCHES[1]:
        controllers[0] = make_controllers(stick_y=-1.0)
    elif me["facing"] != toward:
        controllers[0] = make_controllers(stick_x=0.5 * toward)
    elif me["action"] in STANDING:
        controllers[0] = make_controllers(buttons=int(Button.Z) if number % 2 else 0)
    return controllers
