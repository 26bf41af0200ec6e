"""Fixtures for engine tests: a game to steer by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.controller import make_controllers, neutral
from melee_env.engine.engine import Engine
from melee_env.ids import Character, Stage


class Scene:
    """One game with a hand on both controllers."""

    def __init__(self, **options: Any) -> None:
        self.engine = Engine(1)
        self.engine.start(0, 7, MatchOptions(**options))
        self.controllers = neutral(1, 2)

    @property
    def game(self) -> Any:
        """The state record of the game."""
        return self.engine.games[0]

    def fighter(self, seat: int = 0) -> Any:
        """The state record of a fighter (writable)."""
        return self.engine.games["fighters"][0, seat]

    def seen(self, seat: int = 0) -> Any:
        """The fighter as the last frame shows it."""
        return self.engine.frames["seats"]["leader"][0, seat]

    def set(self, seat: int = 0, **fields: Any) -> None:
        """Write fields of a fighter's state."""
        fighter = self.fighter(seat)
        for name, value in fields.items():
            fighter[name] = value

    def step(self, frames: int = 1, seat: int = 0, **controller: Any) -> None:
        """Hold a controller (arguments of ``make_controllers``) on ``seat`` for some frames."""
        self.controllers[0, seat] = make_controllers(**controller)
        for _ in range(frames):
            self.engine.step(self.controllers)
        self.controllers[0, seat] = neutral()

    def actions(self, frames: int, seat: int = 0, **controller: Any) -> list[int]:
        """Step and return the action states of ``seat``."""
        states = []
        for _ in range(frames):
            self.step(1, seat, **controller)
            states.append(int(self.seen(seat)["action"]))
        return states

    def place(self, seat: int, x: float, y: float = 0.0001, facing: float = 1.0) -> None:
        """Put a standing fighter somewhere on the main floor."""
        fighter = self.fighter(seat)
        fighter["x"] = fighter["prev_x"] = np.float32(x)
        fighter["y"] = fighter["prev_y"] = np.float32(y)
        fighter["facing"] = np.float32(facing)


@pytest.fixture
def scene() -> Callable[..., Scene]:
    """Make a Fox ditto on Final Destination, both standing after the entrance."""

    def make(**options: Any) -> Scene:
        options.setdefault("stage", Stage.FINAL_DESTINATION)
        options.setdefault("characters", (Character.FOX, Character.FOX))
        made = Scene(**options)
        made.step(40)
        return made

    return make
