"""The frame-perfect wavedash: air-dodge on the first airborne frame, toward the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.engine.tables import ATTRIBUTES
from melee_env.envs.drills.wavedash.reward import JUMP_SQUAT
from melee_env.frame import Frames

ANGLE = (0.95, -0.3)
"""stick of the air dodge: as flat as the console's wavedash angle allows"""
FREE_STATES = (14, 15, 16, 17, 18, 20, 21, 39, 40, 41)
"""standing, walking, turning, dashing, running, crouching: from here a jump starts"""


class WavedashTeacher:
    """Wavedashes back and forth around the middle, with any fighter."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers for frames ``[...]``, the teacher in ``seats[0]``."""
        me = frames["seats"]["leader"][..., 0]
        squat = me["action"] == JUMP_SQUAT
        last = squat & (me["action_frame"] >= ATTRIBUTES["jump_squat"][me["character"]] - 1)
        jump = np.isin(me["action"], FREE_STATES) & (me["controller"]["buttons"] & Button.X == 0)
        inward = np.where(me["x"] > 0, -1.0, 1.0)
        return make_controllers(
            stick_x=np.where(last, inward * ANGLE[0], 0.0),
            stick_y=np.where(last, ANGLE[1], 0.0),
            buttons=np.where(jump, int(Button.X), np.where(last, int(Button.L), 0)),
        )
