"""What counts as a tech-chase, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import Parts, dealt, entered, other, within
from melee_env.frame import Frames

DOWN_FIRST, DOWN_LAST = 183, 204
"""lying, getting up, techs"""
TUMBLE, FLY_FIRST, FLY_LAST = 38, 75, 91
HELD_FIRST, HELD_LAST = 223, 243
"""grabbed and thrown"""
ESCAPE = 25
"""frames out of all these after which the other has escaped"""
WORTH = np.float32(0.25)
WANTED = 3
"""follow-ups that make a success"""


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Count hits and grabs that begin while the other is down, techs, or has just got up.

    ``memory["free"]`` counts the other's frames of freedom; after :data:`ESCAPE` of them the drill has failed.
    """
    before, after = other(previous), other(frames)
    chased = within(before, DOWN_FIRST, DOWN_LAST) | (memory["free"] > 0)
    caught = entered(before, after, HELD_FIRST, HELD_LAST) | (dealt(before, after) > 0)
    good = chased & caught
    reeling = within(after, TUMBLE, TUMBLE) | within(after, FLY_FIRST, FLY_LAST)
    pinned = reeling | within(after, DOWN_FIRST, DOWN_LAST) | within(after, HELD_FIRST, HELD_LAST)
    memory["free"] = np.where(pinned, 0, memory["free"] + 1)
    memory["count"] += good
    memory["success"] |= (memory["count"] >= WANTED) | (after["stocks"] < before["stocks"])
    memory["failure"] |= memory["free"] > ESCAPE
    return {"follow_up": (good * WORTH).astype(np.float32)}
