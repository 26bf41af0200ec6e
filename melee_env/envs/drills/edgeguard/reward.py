"""What counts as an edge-guard, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import HELPLESS_STATES, Parts, dealt, other, within
from melee_env.frame import Frames

CLIFF_FIRST, CLIFF_LAST = 252, 263
SAFE = 30
"""frames on the floor after which the other counts as back"""
DAMAGE = np.float32(0.01)
"""worth of one percent"""


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Succeed when the other loses its stock, fail when it stands on the stage again.

    ``memory["safe"]`` counts the other's frames on the floor, ``count`` the hits that it took.
    """
    before, after = other(previous), other(frames)
    hit = dealt(before, after)
    back = (after["airborne"] == 0) & (after["action"] > HELPLESS_STATES)
    back &= ~within(after, CLIFF_FIRST, CLIFF_LAST) & (hit == 0)
    memory["safe"] = np.where(back, memory["safe"] + 1, 0)
    memory["count"] += hit > 0
    memory["success"] |= after["stocks"] < before["stocks"]
    memory["failure"] |= memory["safe"] >= SAFE
    return {"damage": hit * DAMAGE}
