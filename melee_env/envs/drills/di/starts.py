"""Where DI begins: on the frame on which a smash attack connects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers, make_controllers
from melee_env.envs.drills.drill import edge_of
from melee_env.envs.task import Opening

MIDDLE = 0.7
"""share of the floor's half width within which the blow lands"""
REACH = 10.0
"""units between the fighters"""
PERCENT = (90, 140)
"""damage before the blow"""
SMASHES = ("forward", "up", "down")
HIT_FIRST, HIT_LAST = 75, 91
STANDING = 14


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw the place of the blow and the damage before it."""
    x = float(rng.uniform(-MIDDLE, MIDDLE) * edge_of(options))
    away = REACH if rng.random() < 0.5 else -REACH
    return {
        "position": (x, 0.0001),
        "opponent_position": (x + away, 0.0001),
        "percent": float(rng.integers(*PERCENT)),
    }


def smash(rng: np.random.Generator) -> Opening:
    """Return an opening in which the other strikes with one of its smash attacks, drawn from ``rng``."""
    kind = SMASHES[int(rng.integers(len(SMASHES)))]

    def opening(number: int, leaders: NDArray[np.void]) -> Controllers | None:
        me, them = leaders[0], leaders[1]
        if HIT_FIRST <= me["action"] <= HIT_LAST:
            return None
        controllers = make_controllers(stick_x=np.zeros(2))
        toward = 1.0 if me["x"] > them["x"] else -1.0
        if them["action"] != STANDING or number % 2 == 0:
            return controllers
        if abs(me["x"] - them["x"]) > REACH + 1:
            controllers[1] = make_controllers(stick_x=0.5 * toward)
        elif kind == "forward" or them["facing"] != toward:
            controllers[1] = make_controllers(cstick_x=toward)
        else:
            controllers[1] = make_controllers(cstick_y=1.0 if kind == "up" else -1.0)
        return controllers

    return opening
