"""Where a ledgedash begins: hanging on a ledge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers, neutral
from melee_env.envs.drills.drill import edge_of

BESIDE, ABOVE = 4.4, 2.0
"""units beside and above the edge from which a fighter falls onto the ledge"""
CLIFF_WAIT = 253


def draw_start(options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Draw a side; the other stands in the middle."""
    side = 1.0 if rng.random() < 0.5 else -1.0
    return {
        "position": (side * (edge_of(options) + BESIDE), ABOVE),
        "opponent_position": (-side * 30.0, 0.0001),
    }


def fall_onto_ledge(number: int, leaders: NDArray[np.void]) -> Controllers | None:
    """Touch nothing until the fighter hangs."""
    return None if leaders["action"][0] == CLIFF_WAIT else neutral(2)
