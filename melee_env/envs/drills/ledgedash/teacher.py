"""The ledgedash teacher: drop, double jump at once, air-dodge onto the edge when the feet are above it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.envs.drills.ledgedash.starts import CLIFF_WAIT
from melee_env.frame import Frames

FALLS = (29, 30, 31)
DOUBLE_JUMPS = (27, 28)
FEET = -6.0
"""height of the fighter's position from which its feet are above the floor in a double jump"""
DODGE = (0.85, -0.5)


class LedgedashTeacher:
    """Fox's and Falco's ledgedash; other fighters need other heights."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers for frames ``[...]``, the teacher in ``seats[0]``."""
        me = frames["seats"]["leader"][..., 0]
        state = me["action"]
        inward = np.where(me["x"] > 0, -1.0, 1.0)
        drop = (state == CLIFF_WAIT) & (me["action_frame"] > 0)
        jump = np.isin(state, FALLS)
        rising = np.isin(state, DOUBLE_JUMPS)
        dodge = rising & (me["y"] > FEET)
        x = np.select([drop, dodge, jump | rising], [-inward, inward * DODGE[0], inward], 0.0)
        buttons = np.select([jump & (me["jumps"] > 0), dodge], [int(Button.X), int(Button.L)], 0)
        return make_controllers(stick_x=x, stick_y=np.where(dodge, DODGE[1], 0.0), buttons=buttons)
