"""Fox's reflector, whose timing multishines hang on."""

from __future__ import annotations

import numpy as np

from melee_env.controller import Button
from melee_env.ids import Stage

START, LOOP, END, TURN = 360, 361, 363, 364
AIR_START, AIR_LOOP = 365, 366
KNEE_BEND = 24


def test_start_lasts_three_frames_and_is_intangible_on_the_first(scene):
    game = scene()
    game.step(1, buttons=Button.B, stick_y=-1.0)
    assert game.seen()["action"] == START
    assert game.seen()["hurtbox"] == 2
    states = game.actions(3, buttons=Button.B, stick_y=-1.0)
    assert states == [START, START, LOOP]
    assert game.seen()["hurtbox"] == 0


def test_jump_cancel_from_the_first_loop_frame(scene):
    game = scene()
    game.step(3, buttons=Button.B, stick_y=-1.0)
    assert game.actions(1, buttons=Button.B | Button.X, stick_y=-1.0) == [KNEE_BEND]


def test_a_held_button_is_no_press(scene):
    game = scene()
    game.step(1, buttons=Button.X | Button.B, stick_y=-1.0)
    game.step(2, buttons=Button.X | Button.B, stick_y=-1.0)
    assert game.actions(3, buttons=Button.X | Button.B, stick_y=-1.0) == [LOOP] * 3


def test_air_start_stops_the_fall_and_halves_the_drift(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(12, stick_x=1.0)
    speed = game.seen()["vel_air_x"]
    game.step(1, buttons=Button.B, stick_y=-1.0)
    assert game.seen()["action"] == AIR_START
    assert game.seen()["vel_y"] == 0
    assert game.seen()["vel_air_x"] == np.float32(np.float32(speed / np.float32(2)) - np.float32(0.02))


def test_no_gravity_for_four_frames(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(12)
    speeds = []
    for _ in range(6):
        game.step(1, buttons=Button.B, stick_y=-1.0)
        speeds.append(float(game.seen()["vel_y"]))
    assert speeds[:4] == [0.0] * 4
    assert speeds[4] == np.float32(-0.026666667)


def test_release_ends_it_after_the_lag(scene):
    game = scene()
    game.step(1, buttons=Button.B, stick_y=-1.0)
    states = game.actions(45)
    assert END in states
    assert states.index(END) == 20


def test_turn_flips_the_facing_at_once(scene):
    game = scene()
    game.step(4, buttons=Button.B, stick_y=-1.0)
    states = game.actions(4, buttons=Button.B, stick_x=-1.0)
    assert states == [TURN, TURN, TURN, LOOP]
    assert game.seen()["facing"] == -1


def test_a_drop_through_a_platform_keeps_the_age(scene):
    game = scene(stage=Stage.BATTLEFIELD)
    game.place(0, -40, 27.2001)
    game.fighter()["ground"] = 2
    game.step(1, stick_y=-1.0, buttons=Button.B)
    before = game.seen()["action_frame"]
    game.step(1, stick_y=-1.0, buttons=Button.B)
    assert game.seen()["action"] == 365
    assert game.seen()["action_frame"] == before + 1
