"""Grabs, pummels, throws and getting free."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.ids import Character


def both(game, first, second, frames=1):
    """Hold both controllers for some frames."""
    for _ in range(frames):
        game.controllers[0, 0] = make_controllers(**first)
        game.controllers[0, 1] = make_controllers(**second)
        game.engine.step(game.controllers)


def grabbed(scene, **options):
    """Let the first fighter grab the second; return the game on the first frame of the hold."""
    game = scene(**options)
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    both(game, {"buttons": Button.Z}, {})
    while game.seen(0)["action"] != 216:
        both(game, {}, {})
        assert game.seen(0)["action"] in (212, 213, 216)
    return game


def test_the_grab_connects_on_its_seventh_frame_and_pulls_for_two(scene):
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    both(game, {"buttons": Button.Z}, {})
    pairs = []
    for _ in range(9):
        pairs.append((int(game.seen(0)["action"]), int(game.seen(1)["action"])))
        both(game, {}, {})
    assert pairs[:6] == [(212, 14)] * 6
    assert pairs[6:] == [(213, 226), (213, 226), (216, 227)]


def test_peach_grabs_as_soon_as_others(scene):
    game = scene(characters=(Character.PEACH, Character.FOX))
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    assert game.actions(7, buttons=Button.Z) == [212] * 6 + [213]


@pytest.mark.parametrize(("victim", "state", "airborne"), [("FOX", 227, 0), ("DONKEY_KONG", 224, 1)])
def test_only_donkey_kong_is_lifted_off_the_floor(scene, victim, state, airborne):
    game = grabbed(scene, characters=(Character.MARTH, Character[victim]))
    assert (game.seen(1)["action"], game.seen(1)["airborne"]) == (state, airborne)


def test_the_victim_hangs_before_its_holder(scene):
    game = grabbed(scene)
    assert abs(game.seen(1)["x"] - game.seen(0)["x"] - 8.28) < 1e-4
    assert game.seen(1)["facing"] == -1


def test_a_pulled_fighter_is_moved_from_the_second_frame_on(scene):
    game = scene()
    game.place(0, -6)
    game.place(1, 6, facing=-1.0)
    both(game, {"buttons": Button.Z}, {})
    places = []
    for _ in range(9):
        both(game, {}, {})
        if game.seen(0)["action"] in (213, 216):
            places.append(round(float(game.seen(1)["x"] - game.seen(0)["x"]), 3))
    assert places[:3] == [12.0, 5.736, 8.28]


def test_mashing_quickens_the_struggle_for_ten_frames(scene):
    game = grabbed(scene)
    ages = [float(game.seen(1)["action_frame"])]
    for frame in range(15):
        both(game, {}, {"buttons": Button.A} if frame == 0 else {})
        ages.append(float(game.seen(1)["action_frame"]))
    steps = [after - before for before, after in zip(ages, ages[1:], strict=False)]
    assert steps == [1.0] * 2 + [2.0] * 10 + [1.0] * 3


def test_a_light_tilt_throws_and_a_held_c_stick_throws_down(scene):
    game = grabbed(scene)
    both(game, {"stick_y": -0.3}, {})
    assert game.seen(0)["action"] == 222
    game = grabbed(scene)
    both(game, {"cstick_y": -1.0}, {})
    assert game.seen(0)["action"] == 216
    both(game, {"cstick_y": -1.0}, {})
    assert (game.seen(0)["action"], game.seen(1)["action_frame"] > 0) == (222, True)


def test_a_missed_grab(scene):
    game = scene()
    game.place(0, -40)
    game.place(1, 40)
    assert set(game.actions(20, buttons=Button.Z)) == {212}


def test_shields_do_not_stop_grabs(scene):
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    both(game, {}, {"trigger": 1.0}, 10)
    both(game, {"buttons": Button.Z}, {"trigger": 1.0})
    both(game, {}, {"trigger": 1.0}, 6)
    assert game.seen(1)["action"] == 226


def test_pummel(scene):
    game = grabbed(scene)
    both(game, {"buttons": Button.A}, {})
    assert game.seen(0)["action_frame"] == 0
    both(game, {}, {}, 4)
    assert game.seen(1)["percent"] == 3
    assert (game.seen(0)["action"], game.seen(1)["action"]) == (217, 228)
    assert game.seen(0)["hitlag"] == game.seen(1)["hitlag"] == 4
    both(game, {}, {}, 40)
    assert game.seen(0)["action"] == 216


@pytest.mark.parametrize(
    ("controller", "state", "victim_state", "damage", "facing"),
    [
        ({"stick_x": 1.0}, 219, 239, 7, 1),  # a blow of 4, then 3
        ({"stick_x": -1.0}, 220, 240, 2, -1),
        ({"stick_y": 1.0}, 221, 241, 2, 1),
        ({"stick_y": -1.0}, 222, 242, 1, 1),
    ],
)
def test_throws(scene, controller, state, victim_state, damage, facing):
    game = grabbed(scene)
    both(game, controller, {})
    assert (game.seen(0)["action"], game.seen(1)["action"]) == (state, victim_state)
    assert game.seen(0)["hurtbox"] == 1
    for _ in range(80):
        if game.seen(1)["action"] != victim_state:
            break
        both(game, {}, {})
    assert 84 <= game.seen(1)["action"] <= 91 or game.seen(1)["action"] in (183, 191)
    assert game.seen(1)["percent"] == damage
    assert game.seen(1)["hitlag"] == 0
    assert game.seen(0)["facing"] == facing
    assert game.seen(1)["facing"] == -facing


def test_up_throw_speed_has_decayed_once(scene):
    game = grabbed(scene)
    both(game, {"stick_y": 1.0}, {})
    while game.seen(1)["action"] > 100:
        both(game, {}, {})
    kb = 1.1 * (1.4 * (0.1 * 2 + 0.05 * 4) + 18) + 75
    assert abs(game.seen(1)["knockback_y"] - (0.03 * kb - 0.051)) < 1e-4


def test_the_victims_weight_slows_the_throw(scene):
    frames = []
    for victim in (Character.FOX, Character.CAPTAIN_FALCON):
        game = grabbed(scene, characters=(Character.FOX, victim))
        both(game, {"stick_y": 1.0}, {})
        thrown = 0
        while game.seen(1)["action"] == 241:
            thrown += 1
            both(game, {}, {})
        frames.append(thrown)
    assert frames[0] == 5
    assert frames[1] > frames[0]


def test_an_unmashed_hold_lasts_91_frames_at_0_percent(scene):
    game = grabbed(scene)
    held = 1
    while game.seen(1)["action"] == 227:
        both(game, {}, {})
        held += 1
    assert abs(held - 91) <= 1
    assert (game.seen(0)["action"], game.seen(1)["action"]) == (218, 229)
    assert game.seen(0)["vel_ground_x"] < 0 < game.seen(1)["vel_ground_x"]


def test_mashing_frees_sooner(scene):
    game = grabbed(scene)
    held = 0
    while game.seen(1)["action"] == 227:
        both(game, {}, {"buttons": Button.A if held % 2 else Button.B})
        held += 1
    assert held < 20


def thrown_path(scene, victim):
    """Let Captain Falcon throw a victim up; return its places before and above him by his age."""
    game = grabbed(scene, characters=(Character.CAPTAIN_FALCON, victim))
    both(game, {"stick_y": 1.0}, {})
    path = {}
    while game.seen(1)["action"] != 241:
        both(game, {}, {})
    while game.seen(1)["action"] == 241:
        holder, held = game.seen(0), game.seen(1)
        path[float(holder["action_frame"])] = (float(held["x"] - holder["x"]), float(held["y"] - holder["y"]))
        both(game, {}, {})
    return path


def test_a_throws_path_is_the_holders_but_for_the_victims_body(scene):
    fox, samus = thrown_path(scene, Character.FOX), thrown_path(scene, Character.SAMUS)
    ages = sorted(set(fox) & set(samus))
    assert len(ages) > 8
    apart = np.array([np.subtract(samus[age], fox[age]) for age in ages])
    assert np.abs(apart - [0.487, -5.544]).max() < 1e-3


@pytest.mark.parametrize(("seat", "age"), [(0, 1), (1, 2)])
def test_the_thrown_one_flies_from_the_hands_and_the_second_seats_animation_runs_once_more(scene, seat, age):
    holder = 1 - seat
    characters = [Character.FOX, Character.FOX]
    characters[seat] = Character.CAPTAIN_FALCON
    game = scene(characters=tuple(characters))
    game.place(holder, -4)
    game.place(seat, 4, facing=-1.0)
    game.step(1, holder, buttons=Button.Z)
    game.step(12, holder)
    assert game.seen(seat)["action"] == 227
    game.step(1, holder, stick_y=1.0)
    for _ in range(30):
        if game.seen(seat)["action"] != 241:
            break
        game.step(1, holder)
    victim = game.seen(seat)
    assert (victim["action"], victim["action_frame"]) == (90, age)
    start = victim["y"] - victim["knockback_y"] - victim["vel_y"]
    assert abs(start - game.seen(holder)["y"] - 8.4568) < 1e-3


def test_a_throw_down_does_not_leave_the_victim_in_the_floor(scene):
    game = grabbed(scene, characters=(Character.CAPTAIN_FALCON, Character.FOX))
    both(game, {"stick_y": -1.0}, {})
    lowest = 0.0
    while game.seen(1)["action"] in (227, 242):
        both(game, {}, {})
        lowest = min(lowest, float(game.seen(1)["y"]))
    victim = game.seen(1)
    assert lowest < -4  # the hands push the root below it before
    assert victim["y"] - victim["knockback_y"] - victim["vel_y"] >= 0


THROW_STICKS = ({"stick_x": 1.0}, {"stick_x": -1.0}, {"stick_y": 1.0}, {"stick_y": -1.0})


@pytest.mark.parametrize("holder", list(Character))
def test_no_throw_sends_its_victim_through_the_floor(scene, holder):
    for victim in Character:
        for stick in THROW_STICKS:
            game = scene(characters=(holder, victim))
            game.place(0, -2)
            game.place(1, 4, facing=-1.0)
            both(game, {"buttons": Button.Z}, {})
            for _ in range(40):
                both(game, {}, {})
                if game.seen(1)["action"] in range(224, 229):
                    break
            both(game, stick, {})
            heights = []
            for _ in range(100):
                both(game, {}, {})
                if game.seen(1)["action"] not in range(223, 245):
                    heights.append(float(game.seen(1)["y"]))
            assert min(heights, default=0) > -0.01, (victim, stick)


def test_before_slippi_3_5_a_throws_damage_shows_a_frame_late(scene):
    game = grabbed(scene)
    both(game, {"stick_y": 1.0}, {})
    controllers = game.controllers.copy()
    percents = []
    while game.seen(1)["action"] in (227, 241):
        game.engine.replay(controllers, True)
    for _ in range(2):
        percents.append(float(game.seen(1)["percent"]))
        game.engine.replay(controllers, True)
    assert percents == [0, 2]
