"""What counts as shield pressure, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import Parts, dealt, other, own, within
from melee_env.frame import Frames

SHIELD_STUN = 181
BROKEN_FIRST, BROKEN_LAST = 205, 211
GRABBED_FIRST, GRABBED_LAST = 223, 232
WORTH = np.float32(0.1)
DAMAGE = np.float32(0.01)
"""worth of one percent"""
WANTED = 8
"""hits on the shield that make a success"""


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Count hits on the shield; a broken shield succeeds at once, being grabbed fails."""
    before, after = other(previous), other(frames)
    hit = within(after, SHIELD_STUN, SHIELD_STUN) & (after["hitlag"] > before["hitlag"])
    broken = within(after, BROKEN_FIRST, BROKEN_LAST)
    memory["count"] += hit
    memory["success"] |= (broken & (memory["count"] > 0)) | (memory["count"] >= WANTED)
    memory["failure"] |= within(own(frames), GRABBED_FIRST, GRABBED_LAST)
    return {"shield_hit": (hit * WORTH).astype(np.float32), "damage": dealt(before, after) * DAMAGE}
