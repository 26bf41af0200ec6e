"""The controller's way into the engine: UCF's straightened sticks, timers before control starts."""

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.controller import CONTROLLER_DTYPE, make_controllers, neutral
from melee_env.engine.engine import Engine
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
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


@pytest.mark.parametrize(("ahead", "state"), [(0, 20), (1, 20), (2, 15), (30, 15)])
def test_a_stick_held_before_control_starts_ages_already(ahead: int, state: int) -> None:
    # Recorded: a full stick from two frames before on walks, it does not dash.
    engine = Engine(1)
    engine.start(0, 1, MatchOptions(stage=Stage.FINAL_DESTINATION, start_frame=-80))
    controllers = neutral(1, 2)
    while engine.games["frame"][0] < FIRST_CONTROLLABLE_FRAME - 1 - ahead:
        engine.step(controllers)
    controllers[0, 0] = make_controllers(stick_x=1.0)
    while engine.games["frame"][0] < FIRST_CONTROLLABLE_FRAME - 1:
        engine.step(controllers)
        assert engine.games["fighters"][0, 0]["vx"] == 0
        assert engine.games["fighters"][0, 0]["action"] not in (15, 20)
    engine.step(controllers)
    assert engine.games["fighters"][0, 0]["action"] == state


@pytest.mark.parametrize(
    ("first", "second", "ucf", "state"),
    [(0.4, 1.0, 1, 29), (0.4, 1.0, 0, 38), (0.7, 0.9, 1, 38), (0.0, 1.0, 0, 29)],
)
def test_a_fast_flick_leaves_a_tumble_on_its_second_frame_with_ucf(scene, first, second, ucf, state) -> None:
    game = scene()
    game.set(action=38, airborne=1, y=60, age=5, ucf=ucf, raw_x=0)
    assert game.actions(1, stick_x=first)[0] == 38
    assert game.actions(1, stick_x=second)[0] == state
