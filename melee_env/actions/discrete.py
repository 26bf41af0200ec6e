"""One of 54 useful combinations a frame: nine stick directions with one of six buttons."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers

DIRECTIONS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
CHOICES = (0, Button.A, Button.B, Button.X, Button.Z, Button.L)

_TABLE = make_controllers(
    stick_x=np.repeat([x for x, _ in DIRECTIONS], len(CHOICES)),
    stick_y=np.repeat([y for _, y in DIRECTIONS], len(CHOICES)),
    buttons=np.tile([int(choice) for choice in CHOICES], len(DIRECTIONS)),
)


class DiscreteCodec:
    """``Discrete(54)``: direction ``n // 6`` (neutral, four sides, four diagonals), button ``n % 6``."""

    name = "discrete"

    def __init__(self) -> None:
        """Build the space."""
        self.space = spaces.Discrete(len(_TABLE))

    def neutral(self) -> NDArray[np.int64]:
        """Return the action that presses nothing, a scalar array."""
        return np.zeros((), np.int64)

    def encode(self, controllers: Controllers) -> NDArray[np.int64]:
        """Return the nearest actions ``[...] int64``: direction by the stick, the first button that is held."""
        x, y = (np.round(controllers[name] / 0.7).clip(-1, 1) for name in ("stick_x", "stick_y"))
        direction = np.zeros(controllers.shape, np.int64)
        for n, (dx, dy) in enumerate(DIRECTIONS):
            direction = np.where((x == dx) & (y == dy), n, direction)
        choice = np.zeros(controllers.shape, np.int64)
        for n in range(len(CHOICES) - 1, 0, -1):
            choice = np.where(controllers["buttons"] & int(CHOICES[n]) != 0, n, choice)
        return direction * len(CHOICES) + choice

    def decode(self, actions: NDArray[np.integer]) -> Controllers:
        """Return the controllers ``[...]`` of actions ``[...]``."""
        return _TABLE[np.asarray(actions)]
