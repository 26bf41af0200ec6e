"""Lasers and ghosts."""

from __future__ import annotations

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
