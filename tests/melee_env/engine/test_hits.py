"""Who hits whom, and what a hit looks like on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.engine.overlap import segment_distance, touched_height
from melee_env.engine.state import FIGHTER_STATE
from melee_env.engine.tables import HURT_POSES, HURT_ROWS, HURT_SCALE, HURT_SPAN
from melee_env.ids import Character

f32 = np.float32
SHINE = {"stick_y": -1.0, "buttons": Button.B}
JAB = {"buttons": Button.A}
UP_SMASH = {"cstick_y": 1.0}


def close(game, gap=8.0):
    """Let both fighters stand before each other."""
    game.place(0, -gap / 2)
    game.place(1, gap / 2, facing=-1.0)
    return game


def both(game, first, second, frames=1):
    """Hold both controllers for some frames."""
    for _ in range(frames):
        game.controllers[0, 0] = make_controllers(**first)
        game.controllers[0, 1] = make_controllers(**second)
        game.engine.step(game.controllers)


@pytest.mark.parametrize(
    ("points", "distance"),
    [
        ((0, 0, 0, 0, 3, 4, 3, 4), 5),
        ((0, 0, 10, 0, 5, 3, 5, 8), 3),
        ((0, 0, 10, 0, 5, -3, 5, 8), 0),
        ((0, 0, 10, 0, 0, 2, 10, 2), 2),
        ((0, 0, 1, 0, 4, 0, 9, 0), 3),
    ],
)
def test_distance_of_segments(points, distance):
    assert abs(segment_distance(*[f32(p) for p in points]) - distance) < 1e-6


def test_shine_on_a_standing_fox(scene):
    game = close(scene())
    game.step(1, **SHINE)
    attacker, victim = game.seen(0), game.seen(1)
    assert (attacker["action"], attacker["hitlag"]) == (360, 4)
    assert (victim["hitlag"], victim["percent"], victim["airborne"]) == (6, 5, 1)
    assert abs(victim["knockback_x"] - 2.508) < 1e-5
    assert victim["hitstun"] == 33
    assert victim["facing"] == -1


def test_crouching_takes_less(scene):
    game = close(scene())
    both(game, {}, {"stick_y": -1.0}, 12)
    both(game, SHINE, {"stick_y": -1.0})
    assert game.seen(1)["hitlag"] == 4
    assert abs(game.seen(1)["knockback_x"] - 2.508 * 0.6666667) < 1e-4


def test_a_move_hits_once(scene):
    game = close(scene())
    game.step(30, **JAB)
    assert game.seen(1)["percent"] == 4


def test_out_of_reach(scene):
    game = close(scene(), gap=60)
    game.step(20, **JAB)
    assert game.seen(1)["percent"] == 0


def test_equal_timing_trades_in_the_air(scene):
    game = close(scene())
    for seat in range(2):
        fighter = game.fighter(seat)
        fighter["y"] = fighter["prev_y"] = 60
        fighter["airborne"] = 1
        fighter["action"] = 29
    both(game, JAB, JAB)
    both(game, {}, {}, 5)
    assert game.seen(0)["percent"] == game.seen(1)["percent"] == 12
    assert game.seen(0)["hitlag"] == game.seen(1)["hitlag"] > 0


def test_both_are_intangible_as_reflectors_start(scene):
    game = close(scene())
    both(game, SHINE, SHINE)
    assert game.seen(0)["percent"] == game.seen(1)["percent"] == 0


def test_a_dodge_is_not_hit(scene):
    game = close(scene())
    both(game, {}, {"stick_y": -1.0, "buttons": Button.L})
    both(game, {}, {}, 3)
    both(game, SHINE, {})
    assert game.seen(1)["percent"] == 0


def test_invincible_bodies_freeze_only_the_attacker(scene):
    game = close(scene())
    game.fighter(1)["invincible"] = 30
    game.step(1, **SHINE)
    assert game.seen(0)["hitlag"] == 4
    assert (game.seen(1)["hitlag"], game.seen(1)["percent"]) == (0, 0)
    assert not game.fighter(0)["stale_ids"].any()


def test_ground_attacks_clank(scene):
    game = close(scene())
    both(game, UP_SMASH, UP_SMASH)
    states = set()
    for _ in range(25):
        both(game, {}, {})
        states.add(int(game.seen(0)["action"]))
    assert game.seen(0)["percent"] == game.seen(1)["percent"] == 0
    assert game.seen(0)["x"] < -4
    assert {237, 238} <= states


def test_staling_freezes_and_lasts(scene):
    game = close(scene())
    game.step(1, **JAB)
    game.step(60)
    close(game)
    game.step(1, **JAB)
    game.step(3)
    assert abs(game.seen(1)["percent"] - (4 + 4 * 0.91)) < 1e-4
    assert game.seen(0)["last_attack"] == 2


def test_heavier_fighters_fly_less(scene):
    game = close(scene(characters=(Character.FOX, Character.CAPTAIN_FALCON)))
    game.step(1, **SHINE)
    assert abs(game.seen(1)["knockback_x"] - 2.228) < 1e-3
    assert game.seen(1)["airborne"] == 0


@pytest.mark.parametrize(
    ("height", "reach", "touched"),
    [(-8, 3, -1), (0, 1, 0), (6, 1, 1), (6, 9, 1), (2, 6, 1), (14, 1, 2), (40, 1, -1)],
)
def test_the_trunk_counts_before_legs_and_head(scene, height, reach, touched):
    game = scene()
    fighter = game.fighter()
    x, y = f32(fighter["x"]), f32(fighter["y"] + height)
    assert touched_height(fighter, x, y, x, y, f32(reach)) == touched


@pytest.mark.parametrize(
    ("character", "share", "touched"),
    [
        (1, 0.7, 1),
        (1, 0.8, 2),
        (22, 0.7, 2),
        (2, 0.8, 1),
        (2, 0.95, 2),
        (18, 0.3, 0),
        (15, 0.05, 2),
    ],
)
def test_where_the_head_begins_depends_on_the_fighter(character, share, touched):
    fighter = np.zeros(1, FIGHTER_STATE).view(np.recarray)[0]
    fighter.character, fighter.facing, fighter.action = character, 1, 14
    shape = HURT_POSES[HURT_ROWS[HURT_SPAN[character, 14, 0]]] * HURT_SCALE[character]
    k = int(8 * share)
    x, y = f32((shape[2 + 2 * k] + shape[3 + 2 * k]) / 2), f32(shape[1] * share)
    assert touched_height(fighter, x, y, x, y, f32(0.01)) == touched


@pytest.mark.parametrize(
    ("state", "airborne", "allowance"),
    [(14, 0, 0), (14, 1, 0.5), (42, 0, 0.5), (43, 0, 0.5), (71, 0, 0.5), (50, 0, 0)],
)
def test_drawn_bodies_are_too_large_in_the_air_and_on_landing(state, airborne, allowance):
    fighter = np.zeros(1, FIGHTER_STATE).view(np.recarray)[0]
    fighter.character, fighter.facing, fighter.action, fighter.airborne = 1, 1, state, airborne
    shape = HURT_POSES[HURT_ROWS[HURT_SPAN[1, state, 0]]] * HURT_SCALE[1]
    top, radius = f32(shape[1]), f32(2)
    x = f32((shape[16] + shape[17]) / 2)
    tries = [top + f32(d) for d in np.arange(0, 4, 0.05)]
    reach = max(y for y in tries if touched_height(fighter, x, y, x, y, radius) >= 0) - top
    assert reach == pytest.approx(radius - allowance, abs=0.11)
