"""What counts as a wavedash, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import Parts, entered, own
from melee_env.frame import Frames

JUMP_SQUAT, LANDING_FALL_SPECIAL = 24, 43
MAX_AIR = 4
"""frames between the jump squat's last frame and the landing, at most"""
MIN_SLIDE = np.float32(0.8)
"""units per frame along the floor on the landing frame, at least"""
WORTH = np.float32(0.2)
LATE = np.float32(0.04)
"""worth that every frame in the air beyond the first takes away"""
WANTED = 5
"""wavedashes that make a success"""


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Count wavedashes; ``memory["air"]`` is the number of frames since the last jump squat."""
    before, after = own(previous), own(frames)
    memory["air"] = np.where(after["action"] == JUMP_SQUAT, 0, np.minimum(memory["air"] + 1, 100))
    done = entered(before, after, LANDING_FALL_SPECIAL) & (memory["air"] <= MAX_AIR)
    done &= np.abs(after["vel_ground_x"]) >= MIN_SLIDE
    memory["count"] += done
    memory["success"] |= memory["count"] >= WANTED
    worth = np.where(done, WORTH - LATE * (memory["air"] - 1), np.float32(0))
    return {"wavedash": worth.astype(np.float32)}
