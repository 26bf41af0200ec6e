"""The default action space: eight buttons, 17 × 17 sticks, five trigger depths.

Stick class ``k`` is ``(k - 8) / 8``: multiples of ten steps of the 1/80 grid, so every class is a stick
position, 16 is full right, and mirroring is ``16 - k``. Controllers are rounded to the *nearest* class.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.actions.controllers import press
from melee_env.controller import CONTROLLER_DTYPE, Button, Controllers, make_controllers
from melee_env.engine.kernel import entry_point

BUTTONS = (Button.A, Button.B, Button.X, Button.Y, Button.Z, Button.L, Button.R, Button.D_UP)
NUM_BUTTONS = len(BUTTONS)
STICK_CLASSES = 17
SHOULDER_CLASSES = 5
NEUTRAL_STICK = 8
NVEC = (2,) * NUM_BUTTONS + (STICK_CLASSES,) * 4 + (SHOULDER_CLASSES,)
HEADS = tuple(button.name or "" for button in BUTTONS) + ("main_x", "main_y", "c_x", "c_y", "shoulder")

_MASKS = np.array([int(button) for button in BUTTONS], np.uint16)


def _stick_table() -> Controllers:
    """All positions of one stick, ``[17, 17]``, in the main stick's fields."""
    values = (np.arange(STICK_CLASSES) - NEUTRAL_STICK) / NEUTRAL_STICK
    return make_controllers(stick_x=values[:, None], stick_y=values[None, :])


_STICKS = _stick_table()
_X, _Y = np.ascontiguousarray(_STICKS["stick_x"]), np.ascontiguousarray(_STICKS["stick_y"])
_RAW_X, _RAW_Y = np.ascontiguousarray(_STICKS["raw_x"]), np.ascontiguousarray(_STICKS["raw_y"])
_MAIN_BITS = np.ascontiguousarray(_STICKS["processed_buttons"])
_C_BITS = _MAIN_BITS << 4
_PULL = (np.arange(SHOULDER_CLASSES) / (SHOULDER_CLASSES - 1)).astype(np.float32)


class MultiDiscreteCodec:
    """``MultiDiscrete(8 × 2, 4 × 17, 5)``: A B X Y Z L R D-up, main x/y, C x/y, shoulder."""

    name = "multidiscrete"

    def __init__(self) -> None:
        """Build the space."""
        self.space = spaces.MultiDiscrete(np.array(NVEC))

    def neutral(self) -> NDArray[np.int64]:
        """Return the action that presses nothing, ``[13] int64``."""
        action = np.zeros(len(NVEC), np.int64)
        action[NUM_BUTTONS : NUM_BUTTONS + 4] = NEUTRAL_STICK
        return action

    def encode(self, controllers: Controllers) -> NDArray[np.int64]:
        """Return the nearest actions ``[..., 13] int64`` of controllers ``[...]``."""
        out = np.empty((*controllers.shape, len(NVEC)), np.int64)
        out[..., :NUM_BUTTONS] = (controllers["buttons"][..., None] & _MASKS) != 0
        for k, field in enumerate(("stick_x", "stick_y", "cstick_x", "cstick_y")):
            scaled = controllers[field] * NEUTRAL_STICK
            # Half steps round away from the centre on both sides, so that mirroring stays exact.
            rounded = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)
            out[..., NUM_BUTTONS + k] = np.clip(rounded, -NEUTRAL_STICK, NEUTRAL_STICK) + NEUTRAL_STICK
        pull = np.maximum(controllers["trigger_l"], controllers["trigger_r"])
        out[..., -1] = np.clip(np.floor(pull * (SHOULDER_CLASSES - 1) + 0.5), 0, SHOULDER_CLASSES - 1)
        return out

    def decode(self, actions: NDArray[np.integer]) -> Controllers:
        """Return the controllers ``[...]`` of actions ``[..., 13]``."""
        actions = np.asarray(actions, np.int64)
        rows = np.ascontiguousarray(actions).reshape(-1, len(NVEC))
        out = np.empty(len(rows), CONTROLLER_DTYPE)
        decode_rows(rows, out)
        return out.reshape(actions.shape[:-1])


@entry_point
def decode_rows(actions, out):
    """Fill controllers ``out [N]`` from actions ``[N, 13]``; out-of-range classes are clipped."""
    for n in range(actions.shape[0]):
        c = out[n]
        buttons = np.uint32(0)
        for k in range(NUM_BUTTONS):
            if actions[n, k] != 0:
                buttons |= np.uint32(_MASKS[k])
        x = min(max(actions[n, NUM_BUTTONS], 0), STICK_CLASSES - 1)
        y = min(max(actions[n, NUM_BUTTONS + 1], 0), STICK_CLASSES - 1)
        c.stick_x = _X[x, y]
        c.stick_y = _Y[x, y]
        c.raw_x = _RAW_X[x, y]
        c.raw_y = _RAW_Y[x, y]
        sticks = _MAIN_BITS[x, y]
        x = min(max(actions[n, NUM_BUTTONS + 2], 0), STICK_CLASSES - 1)
        y = min(max(actions[n, NUM_BUTTONS + 3], 0), STICK_CLASSES - 1)
        c.cstick_x = _X[x, y]
        c.cstick_y = _Y[x, y]
        c.raw_cx = _RAW_X[x, y]
        c.raw_cy = _RAW_Y[x, y]
        pull = _PULL[min(max(actions[n, NUM_BUTTONS + 4], 0), SHOULDER_CLASSES - 1)]
        press(c, buttons, pull, sticks | _C_BITS[x, y])


def mirrored(actions: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return actions with left and right exchanged on both sticks."""
    out = actions.copy()
    out[..., NUM_BUTTONS] = STICK_CLASSES - 1 - actions[..., NUM_BUTTONS]
    out[..., NUM_BUTTONS + 2] = STICK_CLASSES - 1 - actions[..., NUM_BUTTONS + 2]
    return out
