"""Shields."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.engine.shield import hurt_shield, shield_center, shield_radius, stun_frames
from melee_env.engine.state import allocate
from melee_env.ids import Stage

f32 = np.float32
SHINE = {"stick_y": -1.0, "buttons": Button.B}
SHIELD = {"trigger": 1.0}
JUMP_F = 25


def both(game, first, second, frames=1):
    """Hold both controllers for some frames."""
    for _ in range(frames):
        game.controllers[0, 0] = make_controllers(**first)
        game.controllers[0, 1] = make_controllers(**second)
        game.engine.step(game.controllers)


def facing(scene):
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1.0)
    return game


def shielder(light=1.0, health=60.0):
    fighter = allocate(1)[0]["fighters"][0]
    fighter["character"] = 1
    fighter["light"], fighter["shield"] = light, health
    return fighter


def test_damage_by_depth():
    hard, soft = shielder(), shielder(light=0)
    hurt_shield(hard, 8)
    hurt_shield(soft, 8)
    assert abs(hard["shield"] - (60 - 5.6)) < 1e-5
    assert abs(soft["shield"] - (60 - 7.2)) < 1e-5


def test_stun_by_depth():
    assert abs(stun_frames(8, f32(1)) - 5.6) < 1e-5
    assert abs(stun_frames(8, f32(0)) - 13.4) < 1e-5


def test_light_and_fresh_shields_are_larger():
    assert shield_radius(shielder(light=0)) > shield_radius(shielder())
    assert shield_radius(shielder()) > shield_radius(shielder(health=20))
    assert abs(shield_radius(shielder(light=0)) - 14.375 * 0.96) < 1e-4


def test_drain_from_the_second_frame_and_regeneration(scene):
    game = facing(scene)
    both(game, {}, SHIELD)
    assert (game.seen(1)["action"], game.seen(1)["action_frame"], game.seen(1)["shield"]) == (178, -1, 60)
    both(game, {}, SHIELD)
    assert game.seen(1)["shield"] == f32(60) - f32(0.28)
    both(game, {}, SHIELD, 7)
    assert game.seen(1)["action"] == 179
    both(game, {}, {}, 2)
    assert game.seen(1)["action"] == 180
    before = game.seen(1)["shield"]
    both(game, {}, {})
    assert abs(game.seen(1)["shield"] - before - 0.07) < 1e-5


def test_a_short_press_holds_the_shield_eight_frames(scene):
    game = facing(scene)
    both(game, {}, SHIELD)
    states = [int(game.seen(1)["action"])]
    for _ in range(30):
        both(game, {}, {})
        states.append(int(game.seen(1)["action"]))
    assert states.count(178) + states.count(179) == 8
    assert states.count(180) >= 14
    assert states[-1] == 14


@pytest.mark.parametrize(("frames", "speed"), [(1, 2.1), (4, 3.68)])
def test_a_c_stick_jump_is_short_when_the_c_stick_is_let_go(scene, frames, speed):
    game = scene()
    game.step(5, **SHIELD)
    game.step(frames, **SHIELD, cstick_y=1.0)
    if frames < 4:
        game.step(4 - frames, **SHIELD)
    assert game.seen()["action"] == JUMP_F
    assert game.seen()["vel_y"] == f32(speed)


def test_a_hit_on_the_shield(scene):
    game = facing(scene)
    both(game, {}, SHIELD, 12)
    before = game.seen(1)["shield"]
    both(game, SHINE, SHIELD)
    attacker, victim = game.seen(0), game.seen(1)
    assert (victim["action"], victim["percent"]) == (181, 0)
    assert attacker["hitlag"] == victim["hitlag"] == 4
    assert abs(before - victim["shield"] - (0.28 + 0.7 * 5)) < 1e-4
    assert abs(victim["vel_ground_x"] - 0.12 * (0.45 * 5 + 2)) < 1e-5
    assert not game.fighter(0)["stale_ids"].any()
    frames = 0
    both(game, {}, SHIELD, 3)
    while game.seen(1)["action"] == 181:
        both(game, {}, SHIELD)
        frames += 1
    assert frames == 1 + 4
    assert game.seen(1)["action"] == 179


def test_the_attacker_is_pushed_back(scene):
    game = facing(scene)
    both(game, {}, SHIELD, 12)
    both(game, SHINE, SHIELD)
    assert abs(game.fighter(0)["push_x"] + (0.07 * 5 + 0.02)) < 1e-5
    both(game, {}, SHIELD, 5)
    assert abs(game.fighter(0)["push_x"] + (0.37 - 2 * 0.088)) < 1e-5


def test_power_shields_lose_nothing(scene):
    game = facing(scene)
    both(game, SHINE, {"buttons": Button.L})
    assert game.seen(1)["action"] == 181
    assert game.seen(1)["shield"] == 60
    assert abs(game.seen(1)["vel_ground_x"] - 0.2 * (0.45 * 5 + 2)) < 1e-5


def test_a_broken_shield(scene):
    game = facing(scene)
    both(game, {}, SHIELD, 10)
    game.fighter(1)["shield"] = 1
    both(game, SHINE, SHIELD)
    assert game.seen(1)["action"] == 205
    both(game, {}, {}, 16)
    assert game.seen(1)["y"] > 15
    states = set()
    for _ in range(700):
        both(game, {}, {})
        states.add(int(game.seen(1)["action"]))
        if game.seen(1)["action"] == 14:
            break
    assert {207, 209, 211, 14} <= states


def test_shield_sdi_is_sideways_and_short(scene):
    game = facing(scene)
    both(game, {}, SHIELD, 12)
    both(game, SHINE, SHIELD)
    x = game.seen(1)["x"]
    both(game, {}, {"stick_x": 1.0, **SHIELD})
    assert abs(game.seen(1)["x"] - x - 3.96) < 1e-4


@pytest.mark.parametrize(("light_frames", "state"), [(1, 182), (2, 178), (3, 178)])
def test_a_press_makes_a_power_shield_only_on_the_second_frame_of_a_light_one(scene, light_frames, state):
    game = scene()
    game.step(light_frames, trigger=0.5)
    game.step(1, trigger=1.0, buttons=Button.L)
    assert game.seen(0)["action"] == state


def test_a_power_shield_that_replaces_a_shield_costs_nothing_while_it_reflects(scene):
    game = scene()
    game.step(1, trigger=1.0)
    shields = []
    for _ in range(4):
        game.step(1, trigger=1.0, buttons=Button.L)
        shields.append(float(game.seen(0)["shield"]))
    assert game.seen(0)["action_frame"] == -2
    assert shields == pytest.approx([59.79, 59.86, 59.58, 59.3], abs=1e-3)


def test_a_shield_that_a_power_shield_replaces_is_down_at_first(scene):
    game = facing(scene)
    both(game, {}, {"trigger": 1.0})
    both(game, SHINE, {"trigger": 1.0, "buttons": Button.L})
    assert (game.seen(1)["percent"], game.seen(1)["shield"] > 59) == (5, True)


@pytest.mark.parametrize(("stick_y", "state"), [(-0.65, 178), (-0.6625, 244), (-0.7375, 244), (-0.85, 235)])
def test_the_stick_on_the_rim_drops_a_shielder_through_a_platform(scene, stick_y, state):
    game = scene(stage=Stage.BATTLEFIELD)
    game.place(0, -40, 27.2001)
    game.fighter()["ground"] = 2
    game.step(3, trigger=1.0)
    game.step(1, trigger=1.0, stick_x=0.5, stick_y=stick_y)
    assert game.seen()["action"] == state


def test_a_falling_shield_allows_a_spot_dodge_without_a_button(scene):
    game = scene()
    game.step(20, buttons=Button.L, trigger=1.0)
    game.step(3)
    assert game.seen()["action"] == 180
    game.step(1, stick_y=-1.0)
    assert game.seen()["action"] == 235


def test_a_shield_covers_the_body_and_follows_the_stick(scene):
    game = scene()
    game.step(1, trigger=1.0)
    fighter = game.fighter()
    x, y = shield_center(fighter)
    assert (x - fighter["x"], y - fighter["y"]) == pytest.approx((2.724, 9.3))
    game.step(1, trigger=1.0, stick_y=0.6)
    assert shield_center(fighter)[1] - y == pytest.approx(0.2 * 3 * 0.6, abs=0.03)
    game.step(20, trigger=1.0, stick_y=0.6)
    assert shield_center(fighter)[1] - y == pytest.approx(3 * 0.6, abs=0.1)
    assert shield_center(fighter)[0] == x
