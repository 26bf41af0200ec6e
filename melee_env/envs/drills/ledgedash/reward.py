"""What counts as a ledgedash, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import HELPLESS_STATES, Parts, entered, own
from melee_env.frame import Frames

LANDING_FALL_SPECIAL = 43
LANDINGS = (42, 43)
CLIFF_FIRST, CLIFF_LAST = 252, 263
"""hanging, and the ways up that are not a ledgedash"""
INTANGIBLE = 2
LANDED = np.float32(0.2)


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Succeed when the fighter can act on the stage while it is still intangible; fail when it acts too late."""
    before, after = own(previous), own(frames)
    standing = (after["airborne"] == 0) & (after["action"] > HELPLESS_STATES)
    landed = entered(before, after, LANDING_FALL_SPECIAL) & (memory["landed"] == 0)
    memory["landed"] |= landed
    busy = np.isin(after["action"], LANDINGS) | (
        (after["action"] >= CLIFF_FIRST) & (after["action"] <= CLIFF_LAST)
    )
    acting = standing & ~busy
    good = acting & (memory["landed"] != 0) & (after["hurtbox"] == INTANGIBLE)
    memory["count"] += good
    memory["success"] |= good
    memory["failure"] |= acting & ~good
    return {"landed": np.where(landed, LANDED, np.float32(0)).astype(np.float32)}
