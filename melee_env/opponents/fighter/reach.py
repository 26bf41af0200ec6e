"""How far and how hard each character hits, taken from the engine's hitbox tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.tables import HITBOX_ROWS, HITBOX_SPAN, HITBOXES

JAB, TILT, UP_TILT, DOWN_TILT, SMASH, UP_SMASH, DOWN_SMASH, NAIR, FAIR, BAIR, UAIR, DAIR = range(12)
"""Moves by their row in the table."""
STATES = (44, 53, 56, 57, 60, 63, 64, 65, 66, 67, 68, 69)
"""Action state of each move."""
GROUND_MOVES, MOVES = 7, 12

REACH_DTYPE = np.dtype(
    [("front", "f4"), ("back", "f4"), ("low", "f4"), ("high", "f4"), ("first", "f4"), ("damage", "f4")]
)
"""How far hitboxes go before, behind, below and above the fighter's origin (game units), the first frame with a
hitbox, and the largest damage (percent); all zero for a move without hitboxes."""
HURT_RADIUS = 4.0
"""half the width of a body, which a hitbox need only touch (game units)"""


def _measure() -> NDArray[np.void]:
    table = np.zeros((HITBOX_SPAN.shape[0], MOVES), REACH_DTYPE)
    for character in range(len(table)):
        for move, state in enumerate(STATES):
            first, count = HITBOX_SPAN[character, state]
            rows = HITBOXES[HITBOX_ROWS[first : first + count]]
            ages, _ = np.nonzero(rows["active"])
            if not len(ages):
                continue
            boxes = rows[rows["active"] != 0]
            table[character, move] = (
                (boxes["x"] + boxes["size"]).max() + HURT_RADIUS,
                (boxes["x"] - boxes["size"]).min() - HURT_RADIUS,
                (boxes["y"] - boxes["size"]).min() - 2 * HURT_RADIUS,
                (boxes["y"] + boxes["size"]).max(),
                ages.min(),
                boxes["damage"].max(),
            )
    return table


REACH = _measure()
"""``[characters, moves]`` of ``REACH_DTYPE``."""
