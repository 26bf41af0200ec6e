"""Continuous actions: 13 floats in -1..1, one per head of the default action space."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.actions.controllers import controllers_from
from melee_env.actions.multidiscrete import BUTTONS
from melee_env.controller import Controllers

_MASKS = np.array([int(button) for button in BUTTONS], np.int64)
SIZE = len(BUTTONS) + 5


class BoxCodec:
    """``Box(-1, 1, (13,))``: eight buttons (pressed above 0), main x/y, C x/y, shoulder (0..1)."""

    name = "box"

    def __init__(self) -> None:
        """Build the space."""
        self.space = spaces.Box(-1.0, 1.0, (SIZE,), np.float32)

    def neutral(self) -> NDArray[np.float32]:
        """Return the action that presses nothing, ``[13] float32``."""
        action = np.zeros(SIZE, np.float32)
        action[: len(BUTTONS)] = -1
        return action

    def encode(self, controllers: Controllers) -> NDArray[np.float32]:
        """Return actions ``[..., 13] float32`` of controllers ``[...]``."""
        out = np.empty((*controllers.shape, SIZE), np.float32)
        out[..., : len(BUTTONS)] = np.where(controllers["buttons"][..., None] & _MASKS != 0, 1.0, -1.0)
        for k, field in enumerate(("stick_x", "stick_y", "cstick_x", "cstick_y")):
            out[..., len(BUTTONS) + k] = controllers[field]
        out[..., -1] = np.maximum(controllers["trigger_l"], controllers["trigger_r"])
        return out

    def decode(self, actions: NDArray[np.floating]) -> Controllers:
        """Return the controllers ``[...]`` of actions ``[..., 13]``; values are rounded to the grids."""
        actions = np.clip(np.nan_to_num(np.asarray(actions)), -1.0, 1.0)
        buttons = ((actions[..., : len(BUTTONS)] > 0) * _MASKS).sum(-1)
        return controllers_from(actions[..., len(BUTTONS) :], buttons)
