"""Lasers, ghosts and needles."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.ids import Character

SHOT = {"buttons": Button.B}


def both(game, first, second, frames=1):
    """Hold both controllers for some frames."""
    for _ in range(frames):
        game.controllers[0, 0] = make_controllers(**first)
        game.controllers[0, 1] = make_controllers(**second)
        game.engine.step(game.controllers)


def shot(scene, **options):
    """Shoot once; return the game on the frame of the shot."""
    game = scene(**options)
    game.place(0, -30)
    game.place(1, 30, facing=-1.0)
    both(game, SHOT, {})
    for _ in range(40):
        if items(game):
            return game
        both(game, {}, {})
    raise AssertionError("no shot came")


def items(game):
    frame = game.engine.frames["items"][0]
    return [item for item in frame if item["exists"]]


def test_fox_laser_starts_at_the_muzzle(scene):
    game = shot(scene)
    (laser,) = items(game)
    assert laser["type"] == 54
    assert abs(laser["x"] - game.seen(0)["x"] - 16.47) < 1e-3
    assert abs(laser["y"] - game.seen(0)["y"] - 7.68) < 1e-3
    assert (laser["vel_x"], laser["timer"]) == (7, 34)


def test_fox_laser_hurts_without_flinch(scene):
    game = shot(scene)
    both(game, {}, {}, 12)
    assert (game.seen(1)["percent"], game.seen(1)["action"], game.seen(1)["hitlag"]) == (3, 14, 0)
    assert not items(game)
    assert game.fighter(0)["stale_ids"].any()


def test_falco_laser_flinches_and_never_freezes_the_shooter(scene):
    game = shot(scene, characters=(Character.FALCO, Character.FOX))
    while game.seen(1)["percent"] == 0:
        both(game, {}, {})
    assert (game.seen(1)["hitlag"], game.seen(0)["hitlag"]) == (4, 0)
    assert abs(game.seen(1)["knockback_x"] - 0.708) < 1e-3


def test_lasers_end_after_34_frames(scene):
    game = scene()
    game.place(0, -80)
    game.place(1, 80)
    game.fighter(1)["y"] = game.fighter(1)["prev_y"] = 150
    game.fighter(1)["airborne"] = 1
    game.fighter(1)["action"] = 12
    game.fighter(1)["var_i"][0] = 200
    both(game, SHOT, {})
    seen = 0
    for _ in range(80):
        both(game, {}, {})
        seen += len(items(game))
    assert seen == 34


def test_a_shield_stops_a_laser(scene):
    game = shot(scene)
    both(game, {}, {"trigger": 1.0}, 12)
    assert game.seen(1)["percent"] == 0
    assert not items(game)


def test_a_reflector_turns_a_laser_round(scene):
    game = shot(scene)
    both(game, {}, {"stick_y": -1.0, "buttons": Button.B}, 10)
    (laser,) = items(game)
    assert laser["vel_x"] == -7
    assert laser["owner"] == game.fighter(1)["port"]
    both(game, {}, {}, 12)
    assert game.seen(0)["percent"] == 4


def test_the_illusion_leaves_a_ghost_that_hits(scene):
    game = scene()
    game.place(0, -20)
    game.place(1, -14, facing=-1.0)
    both(game, {"stick_x": 1.0, "buttons": Button.B}, {})
    for _ in range(60):
        both(game, {}, {})
        if game.seen(1)["percent"] > 0:
            break
    assert game.seen(1)["percent"] == 7
    assert game.seen(0)["hitlag"] == 0


def fly(game, kind, **fields):
    """Put an item of the first seat's into the game."""
    item = game.engine.games["items"][0, 0]
    values = {"exists": 1, "type": 55, "kind": kind, "facing": 1, "timer": 99, "stale_factor": 1, **fields}
    for name, value in values.items():
        item[name] = value
    item["prev_x"], item["prev_y"] = item["x"], item["y"]
    game.engine.games["live_items"] = 1
    return item


def hover(game, seat, x, y, action=29):
    """Put a fighter into the air."""
    fighter = game.fighter(seat)
    fighter["x"] = fighter["prev_x"] = x
    fighter["y"] = fighter["prev_y"] = y
    fighter["airborne"], fighter["action"], fighter["vy"] = 1, action, 0
    return fighter


@pytest.mark.parametrize(("behind", "hit"), [(20, True), (40, False)])
def test_a_beam_hits_with_its_tail(scene, behind, hit):
    game = scene(characters=(Character.FALCO, Character.FOX))
    fly(game, 1, x=behind, y=66, vx=5, age=10, damage=3)
    hover(game, 1, 0, 60)
    both(game, {}, {})
    assert (game.seen(1)["percent"] > 0) == hit


def test_a_staled_shot_knocks_by_its_whole_staled_damage(scene):
    game = scene(characters=(Character.FALCO, Character.FALCO))
    fly(game, 5, x=-3, y=66, vx=0.2, vy=5, damage=2, stale_factor=np.float32(0.91))
    hover(game, 1, 0, 60)["percent"] = np.float32(104.08)
    both(game, {}, {})
    seen = game.seen(1)
    assert seen["percent"] == pytest.approx(105.9, abs=1e-3)
    speed = 0.03 * 72.69  # as recorded
    assert (seen["knockback_x"], seen["knockback_y"]) == pytest.approx((speed / 2**0.5,) * 2, abs=2e-3)


@pytest.mark.parametrize(
    ("throw", "ages"),
    [(221, [18.75, 20, 25]), (220, [16.25, 18.75, 21.25]), (219, [])],
    ids=["up", "back", "forward"],
)
def test_shots_of_a_throw_come_on_its_ages(scene, throw, ages):
    game = scene()
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["rate"] = throw, 15, 1.25
    seen, counts = [], 0
    for _ in range(10):
        game.step(1)
        spawned = int(game.game["spawned"])
        seen += [float(game.seen()["action_frame"])] * (spawned - counts)
        counts = spawned
    assert seen == ages
    assert all(item["state"] == 1 for item in items(game))


def test_a_throws_shot_starts_where_its_age_says(scene):
    game = scene()
    game.place(0, 0, facing=-1.0)
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["rate"] = 221, 17.5, 1.25
    game.step(1)
    (laser,) = items(game)
    assert (laser["x"], laser["y"]) == pytest.approx((-4.77, 24.69), abs=1e-3)
    assert (laser["vel_x"], laser["vel_y"]) == pytest.approx((-1.97, 6.72), abs=1e-3)


def dash(scene):
    """Begin a side special in the air; return the game on the frame on which the ghost appears."""
    game = scene(characters=(Character.FALCO, Character.MARTH))
    hover(game, 0, -100, 30)
    game.place(1, 100)
    both(game, {"stick_x": 1.0, "buttons": Button.B}, {})
    while not items(game):
        both(game, {}, {})
    return game


def test_a_ghost_follows_two_frames_behind_and_lingers(scene):
    game = dash(scene)
    places, owner, states = [], [], []
    begun = float(items(game)[0]["x"])
    while items(game):
        places.append(float(items(game)[0]["x"]) - begun)
        states.append(int(items(game)[0]["state"]))
        owner.append(float(game.seen(0)["x"]) - begun)
        both(game, {}, {})
    assert places[:4] == pytest.approx([0, 16.5, 33, 49.5], abs=1e-2)
    assert owner[:2] == pytest.approx([33, 49.5], abs=1e-2)
    assert states == [1, 1, 1, 1, 2, 2]


def test_a_ghost_goes_when_its_owner_is_hit(scene):
    game = dash(scene)
    game.fighter(0)["action"] = 88
    both(game, {}, {})
    assert not items(game)


@pytest.mark.parametrize("touched", [0, 1])
def test_a_ghost_clanks_with_an_attack_that_may_have_touched_its_owner(scene, touched):
    game = dash(scene)
    game.place(1, float(game.seen(0)["x"]) - 12, 30)
    victim = game.fighter(1)
    victim["action"], victim["age"], victim["hit_window"], victim["airborne"] = 65, 6, 0, 1
    victim["facing"] = -1
    victim["victims"][:] = touched
    victim["hit_window"] = 0
    both(game, {}, {})
    assert (game.seen(1)["percent"], game.seen(1)["action"]) == (0, 65)
    assert game.seen(1)["hitlag"] > 0


def throw_needles(scene, stored, height=0.0001):
    """Let Sheik throw her needles; return the game, and the needles on the frame on which each appears."""
    game = scene(characters=(Character.SHEIK, Character.FOX))
    game.place(1, 100)
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["stored"] = 344, 0, stored
    if height > 1:
        hover(game, 0, 0, height, 348)
    needles, ages = [], []
    for _ in range(24):
        before = {int(item["spawn_id"]) for item in items(game)}
        both(game, {}, {})
        fresh = [item for item in items(game) if int(item["spawn_id"]) not in before]
        needles += [(item.copy(), float(game.seen(0)["x"]), float(game.seen(0)["y"])) for item in fresh]
        ages += [int(game.seen(0)["action_frame"])] * len(fresh)
    return game, needles, ages


@pytest.mark.parametrize(("stored", "thrown"), [(0, 1), (2, 3), (6, 6)])
def test_one_more_needle_than_stored_flies_up_to_six(scene, stored, thrown):
    assert throw_needles(scene, stored)[2] == [3, 6, 9, 12, 15, 18][:thrown]


def test_needles_start_from_random_heights(scene):
    _, needles, _ = throw_needles(scene, 6)
    heights = [float(item["y"]) - y for item, _, y in needles]
    assert 3.99 < min(heights) and max(heights) < 8.01
    assert all(2 * height == pytest.approx(round(2 * height), abs=1e-3) for height in heights)
    assert len({round(height, 1) for height in heights}) > 1
    assert all(item["x"] - x == pytest.approx(7) and item["vel_x"] == 4 for item, x, _ in needles)


def test_needles_from_the_air_go_down_and_stick(scene):
    game, needles, _ = throw_needles(scene, 0, 40)
    ((needle, _, _),) = needles
    assert (needle["vel_x"], needle["vel_y"]) == pytest.approx((2.828, -2.828), abs=1e-3)
    assert not items(game)


def test_a_needle_knocks_flat(scene):
    game = scene(characters=(Character.SHEIK, Character.FALCO))
    fly(game, 6, type=79, x=-8, y=66, vx=4, damage=3)
    hover(game, 1, 0, 60)
    while game.seen(1)["percent"] == 0:
        both(game, {}, {})
        hover(game, 1, 0, 60) if game.seen(1)["percent"] == 0 else None
    assert game.seen(1)["percent"] == 3
    assert (game.seen(1)["knockback_x"], game.seen(1)["knockback_y"]) == pytest.approx((0.915, 0), abs=2e-3)


@pytest.mark.parametrize(("presses", "shots"), [([0], 1), ([0, 4], 2), ([0, 14], 2)])
def test_a_press_asks_for_another_shot_already_before_the_first(scene, presses, shots):
    game = scene()
    game.place(1, -80, facing=-1.0)
    starts = 0
    for frame in range(60):
        game.step(1, buttons=Button.B if frame in presses else 0)
        starts += (game.seen()["action"], game.seen()["action_frame"]) == (342, 0)
    assert starts == shots
