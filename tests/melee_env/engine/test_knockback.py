"""Knockback, hitlag, hitstun, launch and decay."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from melee_env.engine.floors import set_floor
from melee_env.engine.knockback import decay_knockback, hitlag_frames, hitstun_frames, knockback
from melee_env.engine.launch import ANY_STATE, launch, launch_angle, merge_axis
from melee_env.engine.stages import STAGE_SLOT
from melee_env.engine.state import allocate
from melee_env.engine.tables import ATTRIBUTES, HITBOX_ROWS, HITBOX_SPAN, HITBOXES, THROWS
from melee_env.errors import ReplayError
from melee_env.slp import read_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[2] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)

f32 = np.float32
FOX, FALCON, FALCO = 1, 2, 22
SAKURAI = f32(361)


def game_with_victim(character=FOX, airborne=0):
    game = allocate(1)[0]
    game["stage"] = 32
    victim = game["fighters"][1]
    victim["character"] = character
    victim["action"] = 29 if airborne else 14
    victim["airborne"] = airborne
    victim["normal_y"] = 1
    victim["lr_press"] = 255
    return game, victim


def shine_on(weight):
    return knockback(f32(0), f32(5), 5, 100, 0, 80, f32(weight))


def test_shine_has_set_knockback():
    assert abs(shine_on(75) - 83.6) < 1e-4
    assert abs(f32(shine_on(75)) * f32(0.03) - 2.508) < 1e-5
    assert abs(f32(shine_on(104)) * f32(0.03) - 2.228) < 1e-3


def test_percent_is_floored_before_the_hit_is_added():
    twelve = knockback(f32(45.9), f32(12), 12, 100, 10, 0, f32(75))
    assert twelve == knockback(f32(45), f32(12), 12, 100, 10, 0, f32(75))
    assert twelve < knockback(f32(46), f32(12), 12, 100, 10, 0, f32(75))


def test_product_takes_the_unstaled_damage():
    fresh = knockback(f32(50), f32(10), 10, 100, 0, 0, f32(100))
    stale = knockback(f32(50), f32(9.1), 10, 100, 0, 0, f32(100))
    expected = 1.4 * (0.1 * 59.1 + 0.05 * 10 * 59.1) + 18
    assert abs(stale - expected) < 1e-4
    assert stale < fresh


def test_falco_laser_speed_by_weight():
    for weight, speed in ((80, 0.703), (75, 0.708), (90, 0.695)):
        assert abs(f32(knockback(f32(0), f32(3), 3, 100, 0, 5, f32(weight))) * f32(0.03) - speed) < 1e-3


def test_throws_of_the_table():
    throw = THROWS[FOX, 2]
    kb = knockback(f32(0), f32(2), 2, throw["kbg"], throw["bkb"], throw["set_kb"], f32(100))
    assert abs(kb - (1.1 * (1.4 * (0.1 * 2 + 0.05 * 4) + 18) + 75)) < 1e-4


def test_largest_knockback():
    assert knockback(f32(999), f32(100), 100, 1000, 200, 0, f32(55)) == 2500


@pytest.mark.parametrize(("damage", "frames"), [(5, 4), (7, 5), (9, 6), (18, 9), (1, 3), (60, 20)])
def test_hitlag(damage, frames):
    assert hitlag_frames(damage, False, False) == frames


def test_electric_hitlag_is_the_victims_and_crouching_shortens():
    assert hitlag_frames(5, True, False) == 6
    assert hitlag_frames(5, True, True) == 4
    assert hitlag_frames(8, True, False) == 7


def test_hitstun():
    assert hitstun_frames(f32(83.6)) == 33
    assert hitstun_frames(f32(1)) == 1


def test_sakurai_angle():
    _, victim = game_with_victim()
    assert launch_angle(victim, SAKURAI, f32(31.9)) == 0
    assert abs(np.degrees(launch_angle(victim, SAKURAI, f32(32))) - 1) < 1e-4
    assert abs(np.degrees(launch_angle(victim, SAKURAI, f32(33))) - 44) < 1e-4
    _, victim = game_with_victim(airborne=1)
    assert abs(np.degrees(launch_angle(victim, SAKURAI, f32(5))) - 45) < 1e-4


def test_upward_hits_lift_and_flat_weak_ones_slide():
    game, victim = game_with_victim()
    launch(game, victim, f32(20), f32(80), f32(-1), 1, ANY_STATE)
    assert (victim["airborne"], victim["action"]) == (1, 78)
    assert victim["kx"] > 0
    game, victim = game_with_victim()
    launch(game, victim, f32(30), SAKURAI, f32(-1), 1, ANY_STATE)
    assert (victim["airborne"], victim["action"], victim["ky"]) == (0, 79, 0)
    assert victim["ground_k"] == f32(f32(30) * f32(0.03))


def test_strong_spikes_bounce_off_the_floor():
    game, victim = game_with_victim()
    launch(game, victim, f32(100), f32(270), f32(-1), 0, ANY_STATE)
    assert victim["airborne"] == 1
    assert abs(victim["ky"] - 3 * 0.8) < 1e-5


def test_states_by_place_and_strength():
    for kb, airborne, state in (
        (20, 0, 75),
        (30, 0, 76),
        (60, 0, 77),
        (20, 1, 84),
        (60, 1, 86),
        (100, 1, 87),
    ):
        game, victim = game_with_victim(airborne=airborne)
        launch(game, victim, f32(kb), f32(45), f32(1), 2, ANY_STATE)
        assert victim["action"] == state


def test_steep_tumbles_fly_upright():
    game, victim = game_with_victim(airborne=1)
    launch(game, victim, f32(100), f32(90), f32(1), 1, ANY_STATE)
    assert victim["action"] == 90
    game, victim = game_with_victim(airborne=1)
    launch(game, victim, f32(100), f32(70), f32(1), 1, ANY_STATE)
    assert victim["action"] == 88


def test_a_second_hit_replaces_early_and_merges_late():
    for since, expected in ((9, 1.2), (10, 2.0)):
        game, victim = game_with_victim(airborne=1)
        victim["kx"] = 2
        victim["since_hit"] = since
        launch(game, victim, f32(40), f32(0), f32(-1), 1, ANY_STATE)
        assert abs(victim["kx"] - expected) < 1e-6
    assert merge_axis(f32(2), f32(-3)) == -1
    assert merge_axis(f32(2), f32(1)) == 2


def test_a_fresh_shield_press_weakens_a_falling_fighters_launch():
    game, victim = game_with_victim(airborne=1)
    victim["lr_press"], victim["lr_before"] = 0, 255
    launch(game, victim, f32(40), f32(0), f32(-1), 1, ANY_STATE)
    assert abs(victim["kx"] - 1.2 * 0.95) < 1e-6


def test_decay_in_the_air_is_along_the_direction():
    _, victim = game_with_victim(airborne=1)
    victim["kx"], victim["ky"] = 3, 4
    decay_knockback(victim)
    assert abs(np.hypot(victim["kx"], victim["ky"]) - 4.949) < 1e-5
    assert abs(victim["ky"] / victim["kx"] - 4 / 3) < 1e-5
    victim["kx"], victim["ky"] = 0.03, 0.03
    decay_knockback(victim)
    assert (victim["kx"], victim["ky"]) == (0, 0)


def test_slides_lose_ground_friction_and_more_on_the_ends_of_fountain():
    for stage, line, loss in ((32, 1, 0.08), (2, 5, 0.08), (2, 7, 0.12)):
        game, victim = game_with_victim()
        game["stage"] = stage
        game["slot"] = STAGE_SLOT[stage]
        game["form"] = 1
        victim["ground"] = line
        victim["x"] = 58 if line == 7 else 0
        set_floor(game, victim)
        launch(game, victim, f32(30), SAKURAI, f32(-1), 1, ANY_STATE)
        before = victim["kx"]
        decay_knockback(victim)
        assert abs(before - victim["kx"] - loss) < 1e-6


def recorded_first_hits():
    """Yield hits by Fox's ground and air normals on standing or falling victims of recorded games."""
    for path in GAMES.recorded_files():
        try:
            frames = read_game(path).frames
        except ReplayError:
            continue
        leaders = frames["seats"]["leader"]
        if not leaders["hitlag"].max() > 0:
            continue
        for seat in range(2):
            attacker, victim = leaders[:, seat], leaders[:, 1 - seat]
            if attacker["character"][0] not in (FOX, FALCO):
                continue
            hurt = (victim["hitlag"][1:] > 0) & (victim["hitlag"][:-1] == 0) & (victim["action"][1:] <= 91)
            quiet = (victim["knockback_x"][:-1] == 0) & (victim["knockback_y"][:-1] == 0)
            calm = np.isin(victim["action"][:-1], [14, 20, 21, 24, 25, 26, 27, 29, 32, 42])
            swing = (attacker["action"][1:] >= 44) & (attacker["action"][1:] <= 69)
            gained = victim["percent"][1:] > victim["percent"][:-1]
            for i in np.flatnonzero(hurt & quiet & calm & swing & gained & (victim["action"][1:] >= 75)) + 1:
                yield attacker[i], victim[i - 1], victim[i]


@GAMES.needs_replays
def test_recorded_launches_are_reproduced():
    seen = matched = 0
    for attacker, before, after in recorded_first_hits():
        first, count = HITBOX_SPAN[attacker["character"], attacker["action"]]
        boxes = HITBOXES[HITBOX_ROWS[first : first + count]].reshape(-1)
        damage = f32(after["percent"] - before["percent"])
        seen += 1
        for box in {
            tuple(box[["damage", "angle", "kbg", "bkb", "set_kb"]]) for box in boxes[boxes["active"] != 0]
        }:
            game, victim = game_with_victim(int(before["character"]), int(before["airborne"]))
            weight = ATTRIBUTES["weight"][before["character"]]
            kb = knockback(before["percent"], damage, int(box[0]), box[2], box[3], box[4], weight)
            launch(game, victim, f32(kb), f32(box[1]), after["facing"], 1, ANY_STATE)
            error = max(abs(victim["kx"] - after["knockback_x"]), abs(victim["ky"] - after["knockback_y"]))
            if error < 1e-3 and victim["hitstun"] == int(after["hitstun"]):
                matched += 1
                break
        if seen >= 150:
            break
    assert seen > 20
    assert matched >= 0.9 * seen
