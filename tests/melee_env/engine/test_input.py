"""The controller's way into the engine: UCF's straightened sticks."""

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.controller import CONTROLLER_DTYPE
from melee_env.engine.engine import Engine
from melee_env.ids import Character, Stage


@pytest.mark.parametrize(
    ("raw_x", "raw_y", "straight"), [(80, 6, True), (-80, -6, True), (79, 6, False), (80, 12, False)]
)
def test_a_stick_at_the_gate_near_an_axis_counts_as_full(raw_x: int, raw_y: int, straight: bool) -> None:
    engine = Engine(1)
    engine.start(0, 1, MatchOptions(characters=(Character.FOX, Character.FOX), stage=Stage.BATTLEFIELD))
    controllers = np.zeros((1, 2), CONTROLLER_DTYPE)
    controllers["raw_x"], controllers["raw_y"] = raw_x, raw_y
    controllers["stick_x"] = np.float32(np.sign(raw_x) * 0.9875)
    controllers["stick_y"] = np.float32(raw_y / 80)
    engine.step(controllers)
    stick = engine.games[0]["fighters"][0]["stick_x"]
    assert abs(stick) == (1.0 if straight else np.float32(0.9875))
    engine.games["cardinals"] = 0
    engine.step(controllers)
    assert abs(engine.games[0]["fighters"][0]["stick_x"]) == np.float32(0.9875)
