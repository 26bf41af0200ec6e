"""The two leaders' commonest fields, copied out of whole frames in one pass.

A frame has 1,194 bytes, so reading one field of a game walks through all of its memory. What scores, counts
or encodes a game reads these columns instead.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import CONTROLLER_DTYPE
from melee_env.engine.kernel import entry_point
from melee_env.frame import FIGHTER_DTYPE, Frames

_FIGHTER = ("present", "action", "x", "y", "percent", "stocks", "hitstun")
_CONTROLLER = ("stick_x", "stick_y", "cstick_x", "cstick_y", "trigger_l", "trigger_r", "buttons")
LEADER_DTYPE = np.dtype(
    [(name, FIGHTER_DTYPE[name]) for name in _FIGHTER]
    + [(name, CONTROLLER_DTYPE[name]) for name in _CONTROLLER]
)
"""A fighter's fields and its controller's side by side; action codecs encode such records like controllers."""


def leaders(frames: Frames) -> NDArray[np.void]:
    """Return the leaders of frames ``[T]`` as ``[T, 2]`` of :data:`LEADER_DTYPE`."""
    out = np.empty((len(frames), 2), LEADER_DTYPE)
    gather_leaders(frames["seats"], out)
    return out


@entry_point
def gather_leaders(seats, out):
    """Fill ``out [T, 2]`` from ``seats [T, 2]``."""
    for row in range(seats.shape[0]):
        for seat in range(2):
            fighter = seats[row, seat].leader
            pad = fighter.controller
            leader = out[row, seat]
            leader.present = fighter.present
            leader.action = fighter.action
            leader.x = fighter.x
            leader.y = fighter.y
            leader.percent = fighter.percent
            leader.stocks = fighter.stocks
            leader.hitstun = fighter.hitstun
            leader.stick_x = pad.stick_x
            leader.stick_y = pad.stick_y
            leader.cstick_x = pad.cstick_x
            leader.cstick_y = pad.cstick_y
            leader.trigger_l = pad.trigger_l
            leader.trigger_r = pad.trigger_r
            leader.buttons = pad.buttons
