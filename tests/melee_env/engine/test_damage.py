"""Hitlag, SDI, ASDI, DI, hitstun, landing and getting up."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.engine.damage import meteor_ready
from melee_env.engine.downed import faces_down
from melee_env.engine.hitlag import influence
from melee_env.engine.state import allocate

SHINE = {"stick_y": -1.0, "buttons": Button.B}


def both(game, first, second, frames=1):
    """Hold both controllers for some frames."""
    for _ in range(frames):
        game.controllers[0, 0] = make_controllers(**first)
        game.controllers[0, 1] = make_controllers(**second)
        game.engine.step(game.controllers)


def shined(scene, **options):
    """Shine the second fighter out of the air, far from the floor."""
    game = scene(**options)
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    for seat in range(2):
        fighter = game.fighter(seat)
        fighter["y"] = fighter["prev_y"] = 60
        fighter["airborne"] = 1
        fighter["action"] = 29
        fighter["jumps_used"] = 1
    both(game, SHINE, {})
    return game


def turned(kx, ky, x, y):
    fighter = allocate(1)[0]["fighters"][0]
    fighter["kx"], fighter["ky"], fighter["stick_x"], fighter["stick_y"] = kx, ky, x, y
    influence(fighter)
    return np.degrees(np.arctan2(fighter["ky"], fighter["kx"])), np.hypot(fighter["kx"], fighter["ky"])


def test_influence_is_quadratic():
    angle, speed = turned(3, 0, 0, 1)
    assert abs(angle - 18) < 1e-4
    assert abs(speed - 3) < 1e-5
    angle, _ = turned(3, 0, 0, 0.5)
    assert abs(angle - 4.5) < 1e-4
    angle, _ = turned(3, 0, 0, -1)
    assert abs(angle + 18) < 1e-4
    angle, _ = turned(3, 0, 1, 0)
    assert angle == 0


def test_hitlag_counts_down_and_freezes(scene):
    game = shined(scene)
    x, y = game.seen(1)["x"], game.seen(1)["y"]
    for left in range(5, 0, -1):
        both(game, {}, {})
        assert game.seen(1)["hitlag"] == left
        assert (game.seen(1)["x"], game.seen(1)["y"]) == (x, y)
    both(game, {}, {})
    assert game.seen(1)["hitlag"] == 0
    assert abs(game.seen(1)["x"] - x - (2.508 - 0.051)) < 1e-4
    assert game.seen(1)["hitstun"] == 32


def test_sdi_moves_six_units_per_flick(scene):
    game = shined(scene)
    x = game.seen(1)["x"]
    both(game, {}, {"stick_x": 1.0})
    assert abs(game.seen(1)["x"] - x - 6) < 1e-4
    both(game, {}, {"stick_x": 1.0})
    assert abs(game.seen(1)["x"] - x - 6) < 1e-4


def test_asdi_prefers_the_c_stick(scene):
    game = shined(scene)
    both(game, {}, {}, 4)
    both(game, {}, {"cstick_y": 1.0})
    y = game.seen(1)["y"]
    both(game, {}, {})
    assert abs(game.seen(1)["y"] - y - (3 - 0.23)) < 1e-4


def test_di_uses_the_stick_of_the_frame_before(scene):
    game = shined(scene)
    both(game, {}, {}, 4)
    both(game, {}, {"stick_y": 1.0})
    both(game, {}, {})
    angle = np.degrees(np.arctan2(game.seen(1)["knockback_y"], game.seen(1)["knockback_x"]))
    assert abs(angle - 18) < 1e-3


def test_no_action_in_hitstun_and_tumble_after_it(scene):
    game = shined(scene)
    both(game, {}, {}, 6)
    both(game, {}, {"buttons": Button.X})
    assert 87 <= game.seen(1)["action"] <= 91
    assert game.fighter(1)["tumble"] == 1


def test_meteor_hits_can_be_cancelled_after_eight_frames():
    fighter = allocate(1)[0]["fighters"][0]
    fighter["airborne"], fighter["ky"] = 1, -2
    fighter["var_i"][:2] = 1, 8
    assert [bool(meteor_ready(fighter)) for _ in range(9)] == [False] * 7 + [True] * 2
    fighter["var_i"][0] = 0
    assert not meteor_ready(fighter)


def test_knockback_age_stands_still_in_hitlag(scene):
    game = shined(scene)
    both(game, {}, {}, 5)
    assert game.fighter(1)["since_hit"] == 0
    both(game, {}, {})
    assert game.fighter(1)["since_hit"] == 1


def lying(scene, **tech):
    """Knock the second fighter down; return the game on the frame it touches the floor."""
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    both(game, SHINE, {})
    both(game, {}, {}, 4)
    both(game, {}, tech)  # the last frame of hitlag: an earlier press repeats and locks itself out
    for _ in range(60):
        if game.seen(1)["action"] >= 183:
            return game
        both(game, {}, {})
    raise AssertionError("the victim never came down")


@pytest.mark.parametrize(
    ("character", "action", "age", "down"),
    [
        (1, 88, 20, False),
        (1, 88, 22, True),
        (2, 88, 27, False),
        (2, 88, 30, True),
        (18, 88, 29, False),
        (1, 90, 42, False),
        (2, 90, 31, False),
        (2, 90, 42, True),
    ],
)
def test_which_side_a_launched_fighter_falls_on(character, action, age, down):
    fighter = allocate(1)[0]["fighters"][0]
    fighter["character"], fighter["action"], fighter["age"] = character, action, age
    assert faces_down(fighter) == down


def test_missed_tech_lies_26_frames_then_waits(scene):
    game = lying(scene)
    assert game.seen(1)["action"] in (183, 191)
    both(game, {}, {}, 25)
    assert game.seen(1)["action"] in (183, 191)
    both(game, {}, {})
    assert game.seen(1)["action"] in (184, 192)


def test_lying_waits_for_its_whole_time(scene):
    game = lying(scene)
    both(game, {}, {}, 200)
    assert game.seen(1)["action"] in (184, 192)
    both(game, {}, {}, 80)
    assert game.seen(1)["action"] == 14


def test_a_wall_bounce_lasts_as_long_as_its_hitstun(scene):
    game = scene()
    fighter = game.fighter()
    fighter["airborne"], fighter["action"], fighter["age"], fighter["rate"], fighter["hitstun"] = (
        1,
        247,
        28,
        1,
        9,
    )
    fighter["y"] = fighter["prev_y"] = 100
    states = game.actions(10)
    assert states[:8] == [247] * 8
    assert states[-1] == 38


def test_tech(scene):
    game = lying(scene, buttons=Button.L)
    assert game.seen(1)["action"] == 199
    assert game.seen(1)["hurtbox"] == 2
    assert game.seen(1)["knockback_y"] == 0  # it slides along the floor at once


def test_a_jab_reset_begins_with_its_second_picture(scene):
    game = lying(scene)
    both(game, {}, {}, 10)
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["attack_id"] = 44, 0, 2
    fighter["x"] = fighter["prev_x"] = game.fighter(1)["x"] - 7
    for _ in range(8):
        both(game, {}, {})
        if game.seen(1)["action"] in (185, 193):
            break
    assert game.seen(1)["action"] in (185, 193)
    assert game.seen(1)["action_frame"] == 1


def test_tech_roll_follows_the_stick(scene):
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    both(game, SHINE, {})
    both(game, {}, {}, 4)
    both(game, {}, {"buttons": Button.R, "stick_x": 1.0})
    while game.seen(1)["action"] < 183:
        both(game, {}, {"stick_x": 1.0})
    assert game.seen(1)["action"] == 201


@pytest.mark.parametrize(
    ("controller", "states"),
    [
        ({"buttons": Button.A}, (187, 195)),
        ({"stick_x": 1.0}, (197, 189)),
        ({"stick_x": -1.0}, (188, 196)),
        ({"stick_y": 1.0}, (186, 194)),
    ],
)
def test_getting_up(scene, controller, states):
    game = lying(scene)
    both(game, {}, {}, 30)
    both(game, {}, controller)
    assert game.seen(1)["action"] in states


def test_weak_hits_keep_a_fighter_down(scene):
    game = lying(scene)
    both(game, {}, {}, 10)
    game.place(0, float(game.seen(1)["x"]) - 6)
    game.fighter(0)["action"] = 14
    game.step(1, buttons=Button.A)
    game.step(2)
    assert game.seen(1)["action"] in (185, 193)


def test_combo_counts_repeated_attacks(scene):
    game = shined(scene)
    assert game.seen(0)["combo"] == 1
    assert game.seen(0)["last_attack"] == 21
    assert game.seen(1)["last_hit_by"] == game.fighter(0)["port"]


def deal(scene, hits):
    """A fighter whose next hit is number ``hits`` of a combo, one frame after it."""
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1)
    game.fighter()["combo"], game.fighter()["last_attack"] = hits - 1, 21
    game.fighter(1)["combo_grace"] = 2
    game.step(1, stick_y=-1.0, buttons=Button.B)
    assert game.seen()["combo"] == hits
    return game


@pytest.mark.parametrize(("hits", "step"), [(4, 0), (5, 0.025), (6, 0.025)])
def test_many_hits_of_one_move_drive_the_attacker_back_for_twenty_frames(scene, hits, step):
    game = deal(scene, hits)
    places = [float(game.seen()["x"])]
    for _ in range(22):
        game.step(1)
        places.append(float(game.seen()["x"]))
    assert np.diff(places[:21]) == pytest.approx(-step, abs=1e-5)
    assert places[21] == places[20]


def test_an_attacker_in_the_air_is_not_driven_back_but_the_time_passes(scene):
    game = deal(scene, 5)
    fighter = game.fighter()
    fighter["airborne"], fighter["action"], fighter["hitlag"], fighter["y"] = 1, 29, 0, 60
    x = float(fighter["x"])
    game.step(3)
    assert game.seen()["x"] == np.float32(x)
    assert game.fighter()["step_back"] == 17


@pytest.mark.parametrize(("action", "last"), [(86, 30), (80, 30), (79, 24)])
def test_the_last_picture_of_a_flinch_stands_until_the_hitstun_is_over(scene, action, last):
    game = scene()
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["rate"], fighter["hitstun"] = action, last - 2, 1, 6
    fighter["y"] = fighter["prev_y"] = 60
    fighter["airborne"] = 1
    ages = []
    for _ in range(4):
        game.step(1)
        ages.append(int(game.seen()["action_frame"]))
    assert ages == [last - 1, last, last, last]
    assert game.seen()["action"] == action


def test_every_flinch_begins_with_its_second_picture(scene):
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    both(game, SHINE, {})
    assert 75 <= game.seen(1)["action"] <= 91
    assert game.seen(1)["action_frame"] == 1


@pytest.mark.parametrize(("state", "after"), [(85, 27), (91, 38)])
def test_a_jump_is_remembered_for_the_end_of_hitstun_but_not_in_a_roll(scene, state, after):
    game = scene()
    game.set(action=state, airborne=1, y=60.0, age=5, hitstun=4, rate=1, tumble=state == 91)
    game.step(1, buttons=Button.X)
    states = game.actions(4, buttons=Button.X)
    assert next(action for action in states if action != state) == after


def test_a_body_hit_while_it_lay_goes_on_when_it_lands(scene):
    game = scene()
    game.set(action=193, airborne=1, y=0.2, age=2, hitstun=10, rate=1)
    game.step(1)
    assert game.seen()["airborne"]
    while game.seen()["airborne"]:
        game.step(1)
    assert game.seen()["action"] == 193
