"""What counts as a juggle, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import HELPLESS_STATES, Parts, dealt, other
from melee_env.frame import Frames

WORTH = np.float32(0.25)
WANTED = 3
"""hits in the air that make a success"""


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Count hits on the other while it is in the air; it fails the drill by landing."""
    before, after = other(previous), other(frames)
    hit = (dealt(before, after) > 0) & (before["airborne"] != 0)
    landed = (after["airborne"] == 0) & (after["action"] > HELPLESS_STATES) & (after["hitlag"] == 0)
    memory["count"] += hit
    memory["success"] |= (memory["count"] >= WANTED) | (after["stocks"] < before["stocks"])
    memory["failure"] |= landed
    return {"juggle": (hit * WORTH).astype(np.float32)}
