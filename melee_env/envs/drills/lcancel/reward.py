"""What counts as an L-cancel, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import Parts, entered, own
from melee_env.frame import Frames

LANDING_FIRST, LANDING_LAST = 70, 74
"""landings out of an aerial attack, by attack"""
CANCELLED = 1
WORTH = np.float32(0.2)
WANTED = 5
"""cancelled landings that make a success"""


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Count landings out of aerial attacks, cancelled and missed."""
    before, after = own(previous), own(frames)
    landed = entered(before, after, LANDING_FIRST, LANDING_LAST)
    good = landed & (after["l_cancel"] == CANCELLED)
    memory["count"] += good
    memory["success"] |= memory["count"] >= WANTED
    return {"l_cancel": np.where(good, WORTH, np.where(landed, -WORTH, np.float32(0))).astype(np.float32)}
