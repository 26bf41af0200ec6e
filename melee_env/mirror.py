"""Frames and controllers with left and right exchanged.

On a symmetric stage the mirrored game is a game too, so mirroring doubles what there is to learn from. Floor
line numbers, the RNG seed and Stadium's shapes have no mirror image and stay.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import CONTROLLER_DTYPE, Controllers
from melee_env.engine.kernel import entry_point, kernel
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, NUM_SEATS, SEAT_DTYPE, Frames
from melee_env.ids import Stage

SYMMETRIC_STAGES = (Stage.FINAL_DESTINATION, Stage.BATTLEFIELD, Stage.FOUNTAIN_OF_DREAMS)
"""stages whose floors and blast zones are their own mirror image (Fountain's platforms change places)"""


def _at(dtype: np.dtype, *names: str) -> list[int]:
    fields: Any = dtype.fields
    return [int(fields[name][1]) for name in names]


def _fighters() -> list[int]:
    seats = _at(FRAME_DTYPE, "seats")[0]
    parts = _at(SEAT_DTYPE, "leader", "nana")
    return [seats + seat * SEAT_DTYPE.itemsize + part for seat in range(NUM_SEATS) for part in parts]


def _frame_offsets() -> tuple[list[int], list[int]]:
    """Return the byte offsets of floats that change their sign, and of controllers."""
    floats = _at(FRAME_DTYPE, "randall_x")
    controllers = []
    for base in _fighters():
        names = ("x", "facing", "vel_air_x", "knockback_x", "vel_ground_x", "pre_x", "pre_facing")
        floats += [base + at for at in _at(FIGHTER_DTYPE, *names)]
        controllers.append(base + _at(FIGHTER_DTYPE, "controller")[0])
    items = _at(FRAME_DTYPE, "items")[0]
    for k in range(NUM_ITEMS):
        floats += [items + k * ITEM_DTYPE.itemsize + at for at in _at(ITEM_DTYPE, "x", "vel_x", "facing")]
    return floats, controllers


_FLOATS, _CONTROLLERS = (np.array(offsets, np.int64) for offsets in _frame_offsets())
_STICKS = np.array(_at(CONTROLLER_DTYPE, "stick_x", "cstick_x"), np.int64)
_BYTES = np.array(_at(CONTROLLER_DTYPE, "raw_x", "raw_cx"), np.int64)
_PROCESSED, _BUTTONS = _at(CONTROLLER_DTYPE, "processed_buttons", "buttons")
_FOD_LEFT, _FOD_RIGHT, _WHISPY = _at(FRAME_DTYPE, "fod_left", "fod_right", "whispy")


@kernel
def negate(row, at):
    """Change the sign of the float32 at byte ``at``; zero stays zero."""
    if (row[at] | row[at + 1] | row[at + 2] | (row[at + 3] & 0x7F)) != 0:
        row[at + 3] ^= 0x80


@kernel
def swapped_bits(value, first, second):
    """Return a byte with two of its bits exchanged."""
    if ((value & first) != 0) != ((value & second) != 0):
        return value ^ (first | second)
    return value


@kernel
def mirror_controller(row, base):
    """Mirror the controller that starts at byte ``base``."""
    for k in range(_STICKS.shape[0]):
        negate(row, base + _STICKS[k])
    for k in range(_BYTES.shape[0]):
        row[base + _BYTES[k]] = np.uint8((256 - np.int64(row[base + _BYTES[k]])) & 0xFF)
    # Left and right of both sticks are bits 18, 19, 22 and 23; the D-pad has the lowest two of the buttons.
    at = base + _PROCESSED + 2
    row[at] = swapped_bits(
        swapped_bits(row[at], np.uint8(0x04), np.uint8(0x08)), np.uint8(0x40), np.uint8(0x80)
    )
    for low in (base + _PROCESSED, base + _BUTTONS):
        row[low] = swapped_bits(row[low], np.uint8(1), np.uint8(2))


@kernel
def mirror_row(row):
    """Mirror one frame given as bytes."""
    for k in range(_FLOATS.shape[0]):
        negate(row, _FLOATS[k])
    for k in range(_CONTROLLERS.shape[0]):
        mirror_controller(row, _CONTROLLERS[k])
    for k in range(4):
        left = row[_FOD_LEFT + k]
        row[_FOD_LEFT + k] = row[_FOD_RIGHT + k]
        row[_FOD_RIGHT + k] = left
    if row[_WHISPY] == 1 or row[_WHISPY] == 2:
        row[_WHISPY] = np.uint8(3 - row[_WHISPY])


@entry_point
def mirror_rows(rows, mask):
    """Mirror the frames of ``rows [N, bytes]`` where ``mask [N]`` is true, in place."""
    for n in range(rows.shape[0]):
        if mask[n]:
            mirror_row(rows[n])


@entry_point
def mirror_pads(rows, mask):
    """Mirror the controllers of ``rows [N, K, bytes]`` where ``mask [N]`` is true, in place."""
    for n in range(rows.shape[0]):
        if mask[n]:
            for k in range(rows.shape[1]):
                mirror_controller(rows[n, k], 0)


def mirrored_frames(frames: Frames) -> Frames:
    """Return a copy of frames ``[...]`` as seen in a mirror.

    >>> from melee_env.frame import empty_frames
    >>> frame = empty_frames(1)
    >>> frame["seats"]["leader"]["x"] = [[20.0, -3.0]]
    >>> mirrored_frames(frame)["seats"]["leader"]["x"].tolist()
    [[-20.0, 3.0]]
    """
    out = np.ascontiguousarray(frames).copy()
    rows = _rows(out, FRAME_DTYPE)
    mirror_rows(rows, np.ones(len(rows), np.bool_))
    return out.reshape(np.shape(frames))


def mirrored_controllers(controllers: Controllers) -> Controllers:
    """Return a copy of controllers ``[...]`` with left and right exchanged on sticks and D-pad."""
    out = np.ascontiguousarray(controllers).copy()
    rows = _rows(out, CONTROLLER_DTYPE)
    mirror_pads(rows[:, None], np.ones(len(rows), np.bool_))
    return out.reshape(np.shape(controllers))


def _rows(array: NDArray[np.void], dtype: np.dtype) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8).reshape(-1, dtype.itemsize)
