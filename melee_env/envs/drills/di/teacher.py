"""The DI teacher: hold a right angle to the knockback, tech, and come back with jump and up-special."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.envs.drills.drill import edges_of, own
from melee_env.frame import Frames

STEEP = 1.1
"""knockback with more than this rise per run counts as going up: it is bent sideways, the rest upward"""
LOW = -10.0
"""height below which the way back needs the up-special"""
UP_SPECIAL = (353, 354)


class DITeacher:
    """Survives what can be survived without smash DI, with any fighter whose up-special is aimed by the stick."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers for frames ``[N]``, the teacher in ``seats[0]``."""
        me = own(frames)
        inward = np.where(me["x"] > 0, -1.0, 1.0)
        run, rise = np.abs(me["knockback_x"]), me["knockback_y"]
        reeling = (me["hitlag"] > 0) | (me["hitstun"] > 0)
        # Up-going blows kill over the top: bend them outward or inward; sideways ones are bent up and in.
        steep = rise > STEEP * run
        x = np.where(steep, inward, 0.7 * inward)
        y = np.where(steep, 0.0, 0.7)
        beside = np.abs(me["x"]) > edges_of(frames)
        free = ~reeling & (me["airborne"] != 0)
        landing = reeling & (me["y"] < 12) & (rise + me["vel_y"] < 0)
        held = me["controller"]["buttons"]
        jump = free & (me["jumps"] > 0) & (me["y"] < 0) & beside & (held & Button.X == 0)
        up = free & ~jump & (me["jumps"] == 0) & (me["y"] < LOW) & (me["vel_y"] <= 0) & (held & Button.B == 0)
        aiming = np.isin(me["action"], UP_SPECIAL)
        buttons = np.select(
            [jump, up, landing & (held & Button.L == 0)], [int(Button.X), int(Button.B), int(Button.L)], 0
        )
        return make_controllers(
            stick_x=np.select([reeling, up, aiming], [x, 0.0, 0.7 * inward], inward),
            stick_y=np.select([reeling, up, aiming], [y, 1.0, 0.7], 0.0),
            buttons=buttons,
        )
