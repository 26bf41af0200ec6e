"""The L-cancel teacher: short hop, neutral air, a trigger just before the floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.frame import Frames

WINDOW = 6
"""frames before the landing within which the press counts; the teacher presses three before"""
FREE_STATES = (14, 15, 16, 17, 18, 20, 21, 39, 40, 41)
AIR_FIRST, AIR_LAST = 25, 34
"""jumps and falls, from which an aerial attack starts"""
ATTACK_FIRST, ATTACK_LAST = 65, 69


class LCancelTeacher:
    """Short hops with neutral airs, every landing cancelled, with any fighter."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers for frames ``[...]``, the teacher in ``seats[0]``."""
        me = frames["seats"]["leader"][..., 0]
        state, held = me["action"], me["controller"]["buttons"]
        attacking = (state >= ATTACK_FIRST) & (state <= ATTACK_LAST)
        free_air = (state >= AIR_FIRST) & (state <= AIR_LAST) & (me["y"] > 0)
        speed = np.minimum(me["vel_y"], 0)
        soon = me["y"] + speed * (WINDOW / 2) <= 1.0
        buttons = np.select(
            [
                np.isin(state, FREE_STATES) & (held & Button.X == 0),
                free_air & (held & Button.A == 0),
                attacking & (me["vel_y"] < 0) & soon & (held & Button.L == 0),
            ],
            [int(Button.X), int(Button.A), int(Button.L)],
            0,
        )
        return make_controllers(buttons=buttons)
