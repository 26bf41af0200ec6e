"""Shield pressure from outside a grab's reach: step up, jab, step up again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.frame import Frames
from melee_env.opponents.fighter.reach import JAB, REACH

NEAREST = 13.5
"""units between the fighters below which a grab would reach"""
MARGIN = 5.0
"""units by which the jab must overreach, as it pushes its fighter away"""
WALK = 0.5
STANDING = (14, 15, 16, 17)
"""where a jab begins; a second jab walks into the grab's reach"""
FREE_STATES = (14, 15, 16, 17, 18, 20, 21, 23, 29)
"""standing, walking, turning, dashing, running, stopping, falling"""


class ShieldPressureTeacher:
    """Stands where its jab reaches and a grab does not, with any fighter."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers for frames ``[...]``, the teacher in ``seats[0]``."""
        leaders = frames["seats"]["leader"]
        me, other = leaders[..., 0], leaders[..., 1]
        gap = other["x"] - me["x"]
        side = np.sign(gap)
        distance = np.abs(gap)
        reach = REACH["front"][me["character"], JAB] - MARGIN
        free = np.isin(me["action"], FREE_STATES) & (me["airborne"] == 0)
        near, far = distance < NEAREST, distance > reach
        facing = me["facing"] == side
        pressed = me["controller"]["buttons"] & Button.A != 0
        standing = np.isin(me["action"], STANDING)
        strike = standing & facing & ~near & ~far & ~pressed
        step = np.where(near, -side, np.where(far | ~facing, side, 0)) * WALK
        return make_controllers(
            stick_x=np.where(free & ~strike & ~(facing & ~near & ~far), step, 0.0),
            buttons=np.where(strike, int(Button.A), 0),
        )
