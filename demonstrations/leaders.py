"""The two leaders' commonest fields, copied out of whole frames in one pass.

A frame has 1,194 bytes, so reading one field of a game walks through all of its memory. What scores, counts
or encodes a game reads these columns instead.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.kernel import entry_point
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, SEAT_DTYPE, Frames

_NAMES = ("present", "action", "x", "y", "percent", "stocks", "hitstun", "controller")
LEADER_DTYPE = np.dtype([(name, FIGHTER_DTYPE[name]) for name in _NAMES])
_LEADER = FRAME_DTYPE.fields["seats"][1] + SEAT_DTYPE.fields["leader"][1]  # type: ignore[index]
_PLAN = np.array(
    [
        (FIGHTER_DTYPE.fields[name][1], LEADER_DTYPE.fields[name][1], FIGHTER_DTYPE[name].itemsize)  # type: ignore[index]
        for name in _NAMES
    ],
    np.int64,
)
"""``[fields, 3]``: byte in a fighter, byte in the copy, bytes."""


def leaders(frames: Frames) -> NDArray[np.void]:
    """Return the leaders of frames ``[T]`` as ``[T, 2]`` of :data:`LEADER_DTYPE`."""
    out = np.empty((len(frames), 2), LEADER_DTYPE)
    data = np.ascontiguousarray(frames).view(np.uint8).reshape(len(frames), FRAME_DTYPE.itemsize)
    gather_leaders(data, np.array([_LEADER, _LEADER + SEAT_DTYPE.itemsize]), _PLAN, out.view(np.uint8))
    return out


@entry_point
def gather_leaders(data, places, plan, out):
    """Copy the bytes of ``plan`` of the fighters at ``places`` of every frame ``data [T, bytes]`` into ``out``."""
    size = out.shape[1] // places.shape[0]
    for row in range(data.shape[0]):
        for seat in range(places.shape[0]):
            for k in range(plan.shape[0]):
                there = places[seat] + plan[k, 0]
                here = seat * size + plan[k, 1]
                for byte in range(plan[k, 2]):
                    out[row, here + byte] = data[row, there + byte]
