"""What counts as survival."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import HELPLESS_STATES, Parts, own, within
from melee_env.frame import Frames

CLIFF_WAIT = 253
HIT_FIRST, HIT_LAST = 75, 91


def judge(memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
    """Succeed on the floor or the ledge, with hitlag and hitstun over."""
    after = own(frames)
    grounded = (after["airborne"] == 0) & (after["action"] > HELPLESS_STATES)
    grounded &= ~within(after, HIT_FIRST, HIT_LAST)
    survived = (grounded | within(after, CLIFF_WAIT, CLIFF_WAIT)) & (after["hitlag"] == 0)
    memory["count"] += survived
    memory["success"] |= survived
    return {}
