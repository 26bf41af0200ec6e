"""A recorded frame that is put into an engine state: what the record leaves open goes on from what it shows."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers, neutral
from melee_env.engine.sync import sync_games
from melee_env.engine.tables import LENGTH
from melee_env.ids import Character, Stage

ALL = np.ones(4, bool)
UNTOLD = np.full((1, 3), np.nan, np.float32)
FSMASH, WAIT, CATCH_WAIT, CAPTURE_WAIT = 60, 14, 216, 227
THROW_HI, THROWN_HI = 221, 241
FIREFOX = 356
GUARD, GUARD_SET_OFF = 179, 181
WALKS = (15, 16, 17)


def follow(game, before, leaders, recorded=ALL, stick_x=0.0):
    """Put ``leaders`` into the engine and return the next frame's; ``stick_x`` is the first seat's."""
    engine = game.engine
    frame = engine.frames["frame"] + 1
    sync_games(engine.games, before, leaders, engine.frames["seed"], frame, recorded, UNTOLD, False)
    controllers = neutral(1, 2)
    controllers[0, 0] = make_controllers(stick_x=stick_x)
    return engine.replay(controllers, False)["seats"]["leader"].copy()


def shown(game):
    return game.engine.frames["seats"]["leader"].copy()


def held(scene, holder, victim):
    """Return a game in which the first fighter holds the second."""
    game = scene(characters=(holder, victim))
    game.place(0, -4)
    game.place(1, 4, facing=-1)
    game.step(1, buttons=Button.Z)
    for _ in range(20):
        if shown(game)["action"][0, 0] == CATCH_WAIT:
            return game
        game.step(1)
    raise AssertionError("the grab missed")


def test_a_floor_that_no_table_has_carries_its_fighter(scene):
    game = scene(stage=Stage.POKEMON_STADIUM)
    game.step(5)
    leaders = shown(game)
    leaders["ground"][0, 0], leaders["y"][0, 0] = 134, np.float32(11)
    after = follow(game, shown(game), leaders)[0, 0]
    assert (after["action"], after["airborne"], after["ground"]) == (WAIT, 0, 134)
    assert after["y"] == np.float32(11)


def test_a_waiting_hold_keeps_its_recorded_place(scene):
    game = held(scene, Character.PEACH, Character.FOX)
    game.step(2)
    leaders = shown(game)
    own = leaders["x"][0, 1] - leaders["x"][0, 0]
    leaders["x"][0, 1] += np.float32(0.75)
    after = follow(game, shown(game), leaders)[0]
    assert after["action"].tolist() == [CATCH_WAIT, CAPTURE_WAIT]
    assert after["x"][1] - after["x"][0] == pytest.approx(own + 0.75, abs=1e-3)


def test_a_hitlag_that_ends_early_leaves_the_animation_its_rate(scene):
    game = scene()
    game.step(5)
    leaders = shown(game)
    leaders["action"][0, 0] = FSMASH
    leaders["action_frame"][0, 0] = 10
    recorded = np.array([True, False, True, True])
    follow(game, leaders, leaders, recorded)
    game.fighter()["hitlag"] = 3
    going_on = leaders.copy()
    going_on["action_frame"][0, 0] = 11
    game.fighter()["age"] = 10
    assert follow(game, leaders, going_on, recorded)[0, 0]["action_frame"] == 12


def test_a_walks_rate_follows_its_speed_alone(scene):
    game = scene()
    game.step(1, stick_x=0.5)
    game.step(20, stick_x=0.5)
    leaders = shown(game)
    assert leaders["action"][0, 0] in WALKS
    steps = []
    for lead in (0, 0.5):  # the record is ahead of the engine by this much
        recorded = leaders.copy()
        recorded["action_frame"][0, 0] += np.float32(lead)
        state = game.engine.games.copy()
        after = follow(game, leaders, recorded, stick_x=0.5)[0, 0]
        game.engine.games[:] = state
        steps.append(float(after["action_frame"] - recorded["action_frame"][0, 0]))
    assert steps[0] == pytest.approx(steps[1], abs=1e-5) and steps[0] > 0


def test_a_touch_that_the_engine_missed_spends_the_attack_though_the_recorded_pose_stood_still(scene):
    game = scene()
    game.step(5)
    leaders = shown(game)
    leaders["action"][0, 0], leaders["action_frame"][0, 0] = FSMASH, 12
    early = np.array([False, False, False, False])
    fighter = game.fighter()
    fighter["action"], fighter["age"], fighter["hit_window"] = FSMASH, 13, 0
    hurt = leaders.copy()
    hurt["percent"][0, 1] += 15
    follow(game, leaders, hurt, early)
    assert fighter["victims"].any()


def test_a_percent_out_of_nothing_restarts_the_magnifiers_count(scene):
    game = scene()
    game.step(5)
    leaders = shown(game)
    game.fighter()["offscreen"] = 40
    hurt = leaders.copy()
    hurt["percent"][0, 0] += 1
    follow(game, leaders, hurt)
    assert game.fighter()["offscreen"] == 0


def test_a_throw_waits_on_when_the_record_shows_no_release(scene):
    game = scene(characters=(Character.KIRBY, Character.MARTH))
    game.step(5)
    leaders = shown(game)
    leaders["action"][0] = 220, 240
    leaders["action_frame"][0] = 20
    follow(game, leaders, leaders)
    for age in range(21, 45):
        before, leaders = leaders, leaders.copy()
        leaders["action_frame"][0] = age
        after = follow(game, before, leaders)[0]
        if after["action"][1] != 240:
            break
    late = leaders.copy()
    late["action_frame"][0] = age + 1
    assert follow(game, leaders, late)[0]["action"].tolist() == [220, 240]


def thrown(scene):
    """Return a game in which Captain Falcon throws Sheik up, on the fourth frame of the throw."""
    game = held(scene, Character.CAPTAIN_FALCON, Character.SHEIK)
    while shown(game)["action"][0, 1] != THROWN_HI:
        game.step(1, stick_y=1.0)
    game.step(3)
    assert shown(game)["action"][0].tolist() == [THROW_HI, THROWN_HI]
    return game


def test_the_body_of_a_thrown_fighter_is_learned_from_its_place(scene):
    game = thrown(scene)
    leaders = shown(game)
    leaders["x"][0, 1] += np.float32(0.5)
    leaders["y"][0, 1] += np.float32(2)
    state = game.engine.games.copy()
    game.step(1)
    expected = shown(game)[0]
    game.engine.games[:] = state
    game.engine.frames["frame"] -= 1
    after = follow(game, shown(game), leaders)[0]
    assert after["x"][1] == pytest.approx(expected["x"][1] + 0.5, abs=1e-3)
    assert after["y"][1] == pytest.approx(expected["y"][1] + 2, abs=1e-3)


def test_old_recordings_show_the_thrown_a_frame_late(scene):
    game = thrown(scene)
    now = shown(game)[0]
    after = game.engine.replay(neutral(1, 2), True)["seats"]["leader"][0]
    assert after["action_frame"][0] > now["action_frame"][0]
    assert (after["x"][1], after["y"][1]) == (now["x"][1], now["y"][1])


@pytest.mark.parametrize(("speed", "fast"), [(-2.8, 0), (-3.4, 1)])
def test_a_fast_fall_is_recognized_by_its_speed(scene, speed, fast):
    game = scene()
    leaders = shown(game)
    leaders["action"][0, 0], leaders["airborne"][0, 0], leaders["y"][0, 0] = 67, 1, 60
    leaders["vel_y"][0, 0] = speed
    after = follow(game, shown(game), leaders)[0, 0]
    assert game.fighter()["fast_fall"] == fast
    assert after["vel_y"] == pytest.approx(speed, abs=1e-5)


@pytest.mark.parametrize(("percent", "healed"), [(30.5, 29.5), (0.5, 0.0)])
def test_who_eats_heals_a_percent_a_frame(scene, percent, healed):
    game = scene()
    before, leaders = shown(game), shown(game)
    before["percent"][0, 0], leaders["percent"][0, 0] = percent + 1, percent
    assert follow(game, before, leaders)["percent"][0, 0] == np.float32(healed)
    leaders = shown(game)
    assert follow(game, leaders, leaders)["percent"][0, 0] == np.float32(healed)


@pytest.mark.parametrize(("under", "lands"), [(0.3, True), (0.9, False)])
def test_who_falls_on_where_the_engine_landed_lands_later(scene, under, lands):
    game = scene()
    game.step(20, buttons=Button.X)
    while shown(game)["airborne"][0, 0]:
        before = shown(game)
        bottom = game.fighter()["ecb_bottom"].copy()
        game.step(1)
    leaders = shown(game)
    for field in ("action", "airborne", "ground", "vel_y"):
        leaders[field][0, 0] = before[field][0, 0]
    leaders["y"][0, 0] = -np.float32(under) - bottom
    assert bool(follow(game, before, leaders)[0, 0]["airborne"] == 0) is lands


def test_a_hit_that_was_none_leaves_a_travel_its_frames(scene):
    game = scene(characters=(Character.FALCO, Character.FOX))
    game.set(x=-40, y=60, airborne=1, action=FIREFOX, age=5, vx=2.0, vy=0.5)
    game.fighter()["var_i"][1:3] = 20, 5
    game.step(1)
    leaders = shown(game)
    follow(game, leaders, leaders)
    before = shown(game)
    game.set(action=88, age=1, hitstun=30)  # what the engine foresaw
    leaders = shown(game)
    leaders["action"][0, 0], leaders["action_frame"][0, 0] = FIREFOX, before["action_frame"][0, 0] + 1
    assert follow(game, before, leaders)["action"][0, 0] == FIREFOX


@pytest.mark.parametrize(("taken", "moves_on"), [(1, True), (4, False)])
def test_the_toll_of_being_out_of_sight_is_no_hit(scene, taken, moves_on):
    game = scene()
    game.step(4, stick_x=1.0)
    before, leaders = shown(game), shown(game)
    leaders["percent"][0, 0] += taken
    after = follow(game, before, leaders, np.array([False, False, True, True]), stick_x=1.0)[0, 0]
    assert (after["x"] != leaders["x"][0, 0]) == moves_on


def test_knockback_along_the_floor_goes_on_from_the_recorded_speed(scene):
    game = scene()
    leaders = shown(game)
    leaders["action"][0, 0], leaders["action_frame"][0, 0], leaders["hitstun"][0, 0] = 79, 3, 20
    leaders["knockback_x"][0, 0] = 1.5
    follow(game, shown(game), leaders)
    leaders = shown(game)
    leaders["knockback_x"][0, 0] = 1.0
    after = follow(game, shown(game), leaders)[0, 0]
    assert after["knockback_x"] == pytest.approx(1.0 - 0.08, abs=1e-5)  # Fox's friction


@pytest.mark.parametrize(("doubt", "hits"), [(0, True), (30, False)])
def test_a_touch_that_the_engine_invented_counts_again_when_it_is_deeper(scene, doubt, hits):
    game = scene()
    game.place(0, -4)
    game.place(1, 4, facing=-1)
    game.step(5)
    leaders = shown(game)
    recorded = np.array([False, False, True, True])
    leaders["action"][0, 0], leaders["action_frame"][0, 0] = FSMASH, 11
    untouched = leaders
    for age in (11, 12, 13, 14):
        untouched = leaders.copy()
        untouched["action_frame"][0, 0] = age
        after = follow(game, leaders, untouched, recorded)
        if after["percent"][0, 1] > 0:
            break
    assert game.fighter()["victims"].any() and game.fighter()["doubt"] == 0
    untouched["action_frame"][0, 0] = age + 1
    game.fighter()["doubt"] = doubt
    again = follow(game, leaders, untouched, recorded)
    assert game.fighter()["doubt"] == doubt + 2
    assert (again["percent"][0, 1] > 0) == hits


@pytest.mark.parametrize(("before", "now", "step"), [(4, 5, 0.025), (5, 5, 0), (3, 4, 0), (0, 1, 0)])
def test_a_recorded_hit_of_a_long_combo_drives_the_attacker_back(scene, before, now, step):
    game = scene()
    game.fighter()["combo"] = 5  # the engine's own count does not matter
    game.fighter()["step_back"] = 20 if now < 5 else 0
    earlier, leaders = shown(game), shown(game)
    earlier["combo"][0, 0], leaders["combo"][0, 0] = before, now
    after = follow(game, earlier, leaders)[0, 0]
    assert after["x"] == pytest.approx(leaders["x"][0, 0] - step * leaders["facing"][0, 0], abs=1e-5)


@pytest.mark.parametrize(
    ("before", "after", "left"), [(86, 42, 1.2), (86, 29, 1.2), (86, 202, 0), (86, 252, 0), (14, 42, 0)]
)
def test_what_is_left_of_knockback_outlives_the_flight_but_no_wall_or_ledge(scene, before, after, left):
    game = scene()
    fighter = game.fighter()
    fighter["action"], fighter["airborne"], fighter["kx"], fighter["hitstun"] = 86, 1, 1.2, 3
    fighter["y"] = fighter["prev_y"] = 30
    first = shown(game)
    first["action"][0, 0], first["x"][0, 0], first["airborne"][0, 0] = before, fighter["x"] - 1.2, 1
    fighter["prev_x"] = first["x"][0, 0]
    then = first.copy()
    then["action"][0, 0], then["x"][0, 0], then["airborne"][0, 0] = after, fighter["x"], int(after != 42)
    follow(game, first, then, np.array([False, False, False, False]))
    assert abs(game.fighter()["kx"]) == pytest.approx(left, abs=0.1)


def blocked(scene, lag, shield):
    """Return the fighters after a forward smash at a shield, of which the record tells ``lag`` and ``shield``."""
    game = scene()
    game.place(0, -6)
    game.place(1, 6, facing=-1)
    for _ in range(10):
        game.step(1, seat=1, trigger=1.0)
    game.set(action=FSMASH, age=np.float32(11), hit_window=0)
    leaders = shown(game)
    game.controllers[0, 1] = make_controllers(trigger=1.0)
    game.engine.step(game.controllers)
    foreseen = shown(game)
    assert foreseen["action"].tolist() == [[FSMASH, GUARD_SET_OFF]] and foreseen["hitlag"][0, 0] > 0
    told = foreseen.copy()
    told["hitlag"] = lag
    if lag == 0:
        told["action"][0, 1], told["shield"][0, 1] = GUARD, leaders["shield"][0, 1] - shield
    else:
        told["shield"][0, 1] = leaders["shield"][0, 1] - shield
    sync_games(
        game.engine.games,
        leaders,
        told,
        game.engine.frames["seed"],
        game.engine.frames["frame"],
        ALL,
        UNTOLD,
        False,
    )
    return game.fighter(0), game.fighter(1)


def test_a_block_that_was_none_pushes_nobody_back(scene):
    attacker, _ = blocked(scene, 0, 0.28)
    assert (attacker["push_x"], attacker["ground_push"]) == (0, 0)


@pytest.mark.parametrize("damage", [10, 20])
def test_a_blocked_hit_stuns_and_pushes_by_the_damage_that_the_shield_shows(scene, damage):
    attacker, victim = blocked(scene, 8, 0.28 + 0.7 * damage)
    length = float(LENGTH[Character.FOX.internal, GUARD_SET_OFF]) + 0.1
    assert attacker["push_x"] == pytest.approx(-(0.07 * damage + 0.02), abs=1e-5)
    assert victim["rate"] == pytest.approx(length / (0.45 * damage + 2), abs=1e-4)


@pytest.mark.parametrize(("age", "airborne", "after"), [(10, 0, 0), (10, 1, 1), (22, 1, 0)])
def test_whether_a_bound_is_in_the_air_follows_the_record_until_its_end(scene, age, airborne, after):
    game = scene()
    leaders = shown(game)
    leaders["action"][0, 0], leaders["action_frame"][0, 0], leaders["airborne"][0, 0] = 183, age, airborne
    assert follow(game, leaders, leaders)[0, 0]["airborne"] == after


def test_a_travel_that_lands_goes_on_with_its_frames(scene):
    game = scene(characters=(Character.SHEIK, Character.FOX))
    game.step(5)
    leaders = shown(game)
    leaders["action"][0, 0], leaders["action_frame"][0, 0] = 359, 36
    leaders["airborne"][0, 0], leaders["y"][0, 0], leaders["jumps"][0, 0] = 1, 30, 0
    game.set(action=359, age=np.float32(36), rate=np.float32(0), y=np.float32(30), airborne=1)
    game.fighter()["var_i"][0] = 12
    landed = leaders.copy()
    landed["action"][0, 0], landed["airborne"][0, 0], landed["y"][0, 0] = 356, 0, 0
    after = follow(game, leaders, landed)[0, 0]
    assert (after["action"], game.fighter()["var_i"][0]) == (356, 11)
