"""Special moves whose course the stick or an earlier use decides."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button
from melee_env.ids import Character, Stage

DANCE_AIR, DOLPHIN_SLASH, HELPLESS = 358, 368, 35
VANISH, TRAVEL, REAPPEAR = 358, 359, 360
FLOAT, FLOAT_FALL = 341, 342


def in_air(scene, character):
    """A fighter that has just jumped."""
    game = scene(characters=(character, Character.FOX))
    game.step(12, buttons=Button.X)
    game.step(1)
    assert game.seen()["airborne"] == 1
    return game


def test_dancing_blade_lifts_once_until_the_floor(scene):
    game = in_air(scene, Character.MARTH)
    game.step(1, buttons=Button.B, stick_x=1.0)
    assert game.seen()["action"] == DANCE_AIR
    assert game.seen()["vel_y"] == pytest.approx(0.94, abs=1e-6)
    game.step(29)
    game.step(1, buttons=Button.B, stick_x=1.0)
    assert game.seen()["action"] == DANCE_AIR
    assert game.seen()["vel_y"] == pytest.approx(-0.06, abs=1e-6)


def test_the_stick_tilts_a_dolphin_slash(scene):
    speeds = []
    for stick_x in (0.0, 0.7):
        game = in_air(scene, Character.MARTH)
        game.step(6, buttons=Button.B, stick_x=stick_x, stick_y=0.7)
        assert game.seen()["action"] == DOLPHIN_SLASH
        speeds.append((float(game.seen()["vel_air_x"]), float(game.seen()["vel_y"])))
    assert speeds[0] == pytest.approx((0.00136, 14.4354), abs=1e-4)
    assert speeds[1] == pytest.approx((2.7557, 14.1699), abs=1e-3)


def test_a_vanish_travels_twenty_frames_along_the_stick(scene):
    game = in_air(scene, Character.SHEIK)
    states = game.actions(35, buttons=Button.B, stick_y=1.0)
    assert states == [VANISH] * 35
    states = game.actions(21, stick_y=1.0)
    assert states == [TRAVEL] * 20 + [REAPPEAR]
    assert game.seen()["vel_y"] == pytest.approx(2 * 0.3 * 0.9, abs=1e-5)


@pytest.mark.parametrize(("held", "out"), [(0, 11), (5, 11), (50, 19)])
def test_a_chain_is_out_until_b_is_let_go(scene, held, out):
    """``held`` are the frames after the first on which B is held."""
    game = scene(characters=(Character.SHEIK, Character.FOX))
    states = game.actions(1, buttons=Button.B, stick_x=1.0)
    if held:
        states += game.actions(held, buttons=Button.B)
    states += game.actions(120)
    assert states.count(349) == 33
    assert states.count(350) == out
    assert states.count(351) > 0 and states[-1] == 14


def test_a_chain_in_the_air_hovers_until_it_is_thrown(scene):
    game = in_air(scene, Character.SHEIK)
    game.step(1, buttons=Button.B, stick_x=1.0)
    height = game.seen()["y"]
    assert (game.seen()["action"], game.seen()["vel_y"]) == (352, 0)
    game.step(20)
    assert game.seen()["y"] == height
    game.step(4)
    assert game.seen()["y"] < height


@pytest.mark.parametrize(("climb", "state"), [(0.5, REAPPEAR), (12.0, TRAVEL)])
def test_a_wall_that_is_met_steeply_ends_a_travel(scene, climb, state):
    game = scene(characters=(Character.SHEIK, Character.FOX), stage=Stage.DREAM_LAND)
    wall = 76.3389 + (11.0417 - 6) / 11.0505 * 0.9324  # at a height of -6
    game.set(x=wall + 2, y=-14, prev_x=wall + 2, prev_y=-14, airborne=1, ground=-1, floor_skip=-1)
    game.set(action=TRAVEL, age=36, rate=0, vx=-1.9, vy=climb)
    game.set(ecb_bottom=4, ecb_top=12, ecb_side=8, ecb_half=2)
    game.fighter()["var_i"][0] = 15
    assert game.actions(1) == [state]


def test_a_held_jump_floats_until_it_is_let_go(scene):
    game = in_air(scene, Character.PEACH)
    game.step(1, buttons=Button.X, stick_y=-1.0)
    assert game.seen()["action"] == FLOAT
    height = game.seen()["y"]
    assert game.actions(100, buttons=Button.X) == [FLOAT] * 100
    assert game.seen()["y"] == height
    assert game.actions(1) == [FLOAT_FALL]
    game.step(10, buttons=Button.X, stick_y=-1.0)
    assert game.seen()["action"] != FLOAT


def test_fire_goes_where_the_second_frame_points(scene):
    game = in_air(scene, Character.GAME_AND_WATCH)
    game.step(1, buttons=Button.B, stick_x=0.5, stick_y=0.8)
    game.step(2, stick_x=-0.675, stick_y=0.7)
    assert game.seen()["facing"] == -1
    assert game.seen()["vel_air_x"] == pytest.approx(-3.6726, abs=2e-3)
    states = game.actions(60)
    assert HELPLESS in states
    assert np.isfinite(game.seen()["y"])


PARASOL, PARASOL_OPEN, PARASOL_FALL = 363, 369, 370


def test_the_stick_closes_and_opens_a_parasol(scene):
    game = in_air(scene, Character.PEACH)
    states = game.actions(41, buttons=Button.B, stick_y=1.0)
    assert states == [PARASOL] * 40 + [PARASOL_OPEN]
    assert game.actions(16)[-1] == PARASOL_FALL
    assert game.seen()["vel_y"] == pytest.approx(-0.45, abs=1e-6)
    assert game.actions(1, stick_y=-1.0) == [HELPLESS]
    assert game.actions(1, stick_y=1.0) == [PARASOL_OPEN]


@pytest.mark.parametrize(
    ("character", "stick_x", "stick_y", "state", "speed"),
    [
        (Character.DONKEY_KONG, 0.0, 1.0, 382, 0.668),
        (Character.SAMUS, 0.0, 1.0, 354, 2.434),
        (Character.SAMUS, 0.0, -1.0, 356, 0.834),
        (Character.JIGGLYPUFF, 0.0, 0.0, 354, None),
        (Character.MEWTWO, 0.0, 1.0, 356, None),
    ],
)
def test_specials_in_the_air_start_as_recorded(scene, character, stick_x, stick_y, state, speed):
    game = in_air(scene, character)
    game.step(1, buttons=Button.B, stick_x=stick_x, stick_y=stick_y)
    assert game.seen()["action"] == state
    if speed is not None:
        assert game.seen()["vel_y"] == pytest.approx(speed, abs=1e-5)


def test_a_teleport_travels_ten_frames_along_the_stick(scene):
    game = in_air(scene, Character.MEWTWO)
    assert game.actions(7, buttons=Button.B, stick_y=1.0) == [356] * 7
    assert game.actions(11, stick_y=1.0) == [357] * 10 + [358]
    assert game.seen()["vel_y"] == pytest.approx(5 * 0.2 * 0.9, abs=1e-5)


def test_a_pound_dashes_and_fades(scene):
    game = in_air(scene, Character.JIGGLYPUFF)
    game.step(12, buttons=Button.B, stick_x=1.0)
    assert game.seen()["action"] == 364
    assert game.seen()["vel_air_x"] == pytest.approx(2.024, abs=1e-4)
    game.step(1)
    assert game.seen()["vel_air_x"] == pytest.approx(2.024 * 0.92, abs=1e-4)


def test_a_rollout_is_faster_the_longer_it_was_charged(scene):
    speeds = []
    for charge in (20, 40):
        game = scene(characters=(Character.JIGGLYPUFF, Character.FOX))
        game.step(charge, buttons=Button.B)
        game.step(2)
        assert game.seen()["action"] == 350
        speeds.append(float(abs(game.seen()["vel_ground_x"])))
    assert speeds[1] - speeds[0] == pytest.approx(20 * 0.09, abs=1e-4)


def test_game_and_watch_has_attacks_of_his_own(scene):
    game = in_air(scene, Character.GAME_AND_WATCH)
    game.step(1, buttons=Button.A)
    assert game.seen()["action"] == 347
    states = game.actions(60)
    assert 350 in states
    assert game.seen()["l_cancel"] == 0


def test_zelda_and_sheik_change_into_each_other(scene):
    game = scene(characters=(Character.ZELDA, Character.FOX))
    game.step(1, buttons=Button.B, stick_y=-1.0)
    assert game.actions(43) == [355] * 42 + [362]
    assert game.seen()["character"] == Character.SHEIK.internal
    game.step(40)
    game.step(1, buttons=Button.B, stick_y=-1.0)
    assert game.actions(36)[-1] == 356
    assert game.seen()["character"] == Character.ZELDA.internal


@pytest.mark.parametrize(("character", "limit"), [(Character.KIRBY, 0.624), (Character.JIGGLYPUFF, 1.08)])
def test_repeated_jumps_drift_at_four_fifths(scene, character, limit):
    game = in_air(scene, character)
    game.step(1, buttons=Button.Y)
    states = game.actions(24, stick_x=1.0)
    assert set(states) == {341}
    assert game.seen()["vel_air_x"] == pytest.approx(limit, abs=1e-5)


def test_kirby_has_a_dash_attack_of_his_own(scene):
    game = scene(characters=(Character.KIRBY, Character.FOX))
    game.step(6, stick_x=1.0)
    game.step(1, buttons=Button.A)
    assert game.seen()["action"] == 351
    game.step(8)
    assert game.seen()["vel_ground_x"] == pytest.approx(1.18857, abs=1e-5)


def test_a_special_without_rules_moves_as_its_animation(scene):
    game = scene(characters=(Character.BOWSER, Character.FOX))
    game.place(1, 60)
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["rate"] = 347, 14, 1
    game.step()
    assert game.seen()["vel_ground_x"] == pytest.approx(0.81067, abs=1e-5)
