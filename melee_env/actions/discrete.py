"""One of a few useful combinations a frame: nine stick directions with one button."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, make_controllers

DIRECTIONS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
CHOICES = (0, Button.A, Button.B, Button.X, Button.Z, Button.L)


class DiscreteCodec:
    """``Discrete(54)``: direction ``n // 6`` (neutral, four sides, four diagonals), button ``n % 6``."""

    name = "discrete"
    choices: ClassVar[tuple[int, ...]] = CHOICES
    """button masks; the first is none"""

    def __init__(self) -> None:
        """Build the space and the table of controllers."""
        self._table = make_controllers(
            stick_x=np.repeat([x for x, _ in DIRECTIONS], len(self.choices)),
            stick_y=np.repeat([y for _, y in DIRECTIONS], len(self.choices)),
            buttons=np.tile([int(choice) for choice in self.choices], len(DIRECTIONS)),
        )
        self.space = spaces.Discrete(len(self._table))

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
        for n in range(len(self.choices) - 1, 0, -1):
            choice = np.where(controllers["buttons"] & int(self.choices[n]) != 0, n, choice)
        return direction * len(self.choices) + choice

    def decode(self, actions: NDArray[np.integer]) -> Controllers:
        """Return the controllers ``[...]`` of actions ``[...]``."""
        return self._table[np.asarray(actions)]


class MovementCodec(DiscreteCodec):
    """``Discrete(27)``: direction ``n // 3``, and nothing, a jump (X) or a trigger (L): what movement drills need."""

    name = "movement"
    choices = (0, Button.X, Button.L)
