"""Movement against figures that recorded games show (engine.md's rules, by name)."""

from __future__ import annotations

import numpy as np
import pytest

from melee_env.controller import Button
from melee_env.engine.ledge import HANG_TIME, stands
from melee_env.engine.state import FIGHTER_STATE
from melee_env.engine.tables import LEDGE_POSE
from melee_env.ids import Character, Stage

WAIT, WALK_SLOW, TURN, DASH, RUN = 14, 15, 18, 20, 21
KNEE_BEND, JUMP_F, JUMP_B, JUMP_AERIAL_F, FALL = 24, 25, 26, 27, 29
CLIFF_CATCH, CLIFF_WAIT, DAMAGE_FALL = 252, 253, 38
SQUAT, LANDING, LANDING_SPECIAL, ESCAPE_AIR, PASS = 39, 42, 43, 236, 244
TURN_RUN, ESCAPE_F, ESCAPE_B, CLIFF_ATTACK_QUICK, CAPTURE_WAIT_KOOPA = 19, 233, 234, 257, 280


def f32(value: float) -> np.float32:
    return np.float32(value)


def test_fighters_stand_when_control_starts(scene):
    game = scene()
    assert game.seen(0)["action"] == WAIT
    assert game.seen(1)["action"] == WAIT
    assert game.seen(0)["facing"] == 1
    assert game.seen(1)["facing"] == -1


def test_dash_starts_at_its_impulse(scene):
    game = scene()
    game.step(1, stick_x=1.0)
    assert game.seen()["action"] == DASH
    assert game.seen()["action_frame"] == 1
    assert game.seen()["vel_ground_x"] == f32(1.9)


@pytest.mark.parametrize(("speed", "after"), [(1.0, 0.25 + 0.5), (-0.8, -0.2 + 1.5)])
def test_a_dash_late_in_a_dash_replaces_speed_along_the_facing_alone(scene, speed, after):
    game = scene(characters=(Character.MARTH, Character.FOX))
    game.step(4, stick_x=1.0)
    game.step(17)
    game.set(gv=f32(speed))
    assert game.actions(1, stick_x=1.0) == [DASH] and game.seen()["action_frame"] == 1
    assert game.seen()["vel_ground_x"] == pytest.approx(after, abs=1e-5)


def test_smash_turn_lasts_one_frame_before_the_dash(scene):
    game = scene()
    states = game.actions(3, stick_x=-1.0)
    assert states == [TURN, DASH, DASH]
    assert game.seen()["facing"] == -1


def test_tilt_turn_flips_on_its_sixth_frame(scene):
    game = scene()
    facings = []
    for _ in range(8):
        game.step(1, stick_x=-0.5)
        facings.append(float(game.seen()["facing"]))
    assert facings.index(-1.0) == 5


def test_jump_squat_lasts_three_frames_and_full_hop_rises_at_3_68(scene):
    game = scene()
    assert game.actions(4, buttons=Button.X) == [KNEE_BEND, KNEE_BEND, KNEE_BEND, JUMP_F]
    assert game.seen()["vel_y"] == f32(3.68)


def test_releasing_the_button_in_the_squat_is_a_short_hop(scene):
    game = scene()
    game.step(1, buttons=Button.X)
    game.step(3)
    assert game.seen()["action"] == JUMP_F
    assert game.seen()["vel_y"] == f32(2.1)


def test_releasing_the_button_after_the_squat_is_too_late(scene):
    game = scene()
    game.step(3, buttons=Button.X)
    game.step(1)
    assert game.seen()["vel_y"] == f32(3.68)


def test_ground_jump_speed_uses_the_stick_of_the_frame_before(scene):
    game = scene()
    game.step(2, buttons=Button.X)
    game.step(1, buttons=Button.X, stick_x=1.0)
    game.step(1, buttons=Button.X, stick_x=-1.0)
    assert game.seen()["vel_air_x"] == f32(0.72)


def test_backward_jump(scene):
    game = scene()
    game.step(3, buttons=Button.X, stick_x=-0.4)
    game.step(1)
    assert game.seen()["action"] == JUMP_B


def test_gravity_from_the_second_jump_frame_on(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(1)
    assert game.seen()["vel_y"] == f32(f32(3.68) - f32(0.23))


def test_double_jump_once_only(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(10)
    game.step(1, buttons=Button.X)
    assert game.seen()["action"] == JUMP_AERIAL_F
    assert game.seen()["vel_y"] == f32(f32(f32(3.68) * f32(1.2)) - f32(0.23))
    assert game.seen()["jumps"] == 0
    game.step(5)
    game.step(1, buttons=Button.X)
    assert game.seen()["action"] == JUMP_AERIAL_F
    assert game.seen()["action_frame"] > 4


def test_fast_fall_needs_a_fresh_flick(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    while game.seen()["vel_y"] >= 0:
        game.step(1)
    game.step(1, stick_y=-1.0)
    assert game.seen()["vel_y"] == f32(-3.4)
    assert game.seen()["flags"][1] & 0x08


def test_held_down_does_not_fast_fall(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(40, stick_y=-1.0)
    assert not game.seen()["flags"][1] & 0x08 or game.seen()["airborne"] == 0


def test_air_drift_reaches_its_maximum(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(20, stick_x=1.0)
    assert game.seen()["vel_air_x"] == f32(0.83)


def test_air_dodge_speed_is_the_exact_2_79(scene):
    game = scene()
    game.step(4, buttons=Button.X)
    game.step(8)
    game.step(1, buttons=Button.L, stick_x=1.0)
    assert game.seen()["action"] == ESCAPE_AIR
    assert game.seen()["vel_air_x"] == f32(f32(3.1) * f32(0.9))


def test_wavedash_slides_for_ten_frames(scene):
    game = scene()
    game.step(3, buttons=Button.X)
    states = game.actions(1, buttons=Button.R, stick_x=0.9, stick_y=-0.4)
    assert states == [LANDING_SPECIAL]
    assert game.seen()["vel_ground_x"] > 2.0
    assert game.actions(9) == [LANDING_SPECIAL] * 9
    assert game.actions(1) == [WAIT]


def test_run_follows_the_dash_while_the_stick_is_held(scene):
    game = scene()
    states = game.actions(14, stick_x=1.0)
    assert states[-1] == RUN
    assert states.index(RUN) == 11


def test_walk_accelerates_with_its_taper(scene):
    game = scene()
    game.step(1, stick_x=0.5)
    assert game.seen()["action"] == WALK_SLOW
    assert game.seen()["vel_ground_x"] == f32(f32(f32(0.5) * f32(0.2)) + f32(0.1))


def test_crouch_and_drop_through_a_platform(scene):
    game = scene(stage=Stage.BATTLEFIELD)
    game.place(0, -38.0, 27.2001)
    game.fighter(0)["ground"] = 2
    states = game.actions(4, stick_y=-1.0)
    assert states == [SQUAT, SQUAT, SQUAT, PASS]
    assert game.seen()["vel_y"] == f32(f32(-0.5) - f32(0.23))


def test_walking_off_the_edge_falls_with_clamped_speed(scene):
    game = scene()
    game.place(0, 84.0)
    states = game.actions(6, stick_x=1.0)
    assert FALL in states
    assert game.seen()["jumps"] == 1


@pytest.mark.parametrize("facing", [-1, 1])
def test_a_tumble_ends_in_a_fall_no_faster_than_drifting_is(scene, facing):
    game = scene()
    game.step(20, buttons=Button.X)
    game.set(action=DAMAGE_FALL, age=f32(0), vx=f32(3 * facing))
    assert game.actions(1, stick_x=float(facing)) == [FALL]
    assert abs(game.seen()["vel_air_x"]) == pytest.approx(0.83, abs=1e-5)


@pytest.mark.parametrize("stage", [Stage.FINAL_DESTINATION, Stage.BATTLEFIELD])
def test_landing_puts_the_feet_a_ten_thousandth_above_the_floor(scene, stage):
    game = scene(stage=stage)
    game.place(0, 0.0)
    game.step(4, buttons=Button.X)
    game.step(60)
    assert game.seen()["airborne"] == 0
    assert game.seen()["y"] == pytest.approx(0.0001, abs=1e-6)


def test_landing_can_be_interrupted_after_its_lag(scene):
    game = scene()
    game.step(1, buttons=Button.X)
    game.step(3)
    while game.seen()["airborne"]:
        game.step(1)
    assert game.seen()["action"] == LANDING
    states = game.actions(5, stick_x=0.5)
    assert states[:3] == [LANDING] * 3
    assert states[3] == WALK_SLOW


def test_a_hang_lasts_until_the_fighter_lets_go(scene):
    game = scene()
    fighter = game.fighter()
    fighter["x"] = fighter["prev_x"] = f32(-92)
    fighter["y"] = fighter["prev_y"] = f32(-10)
    fighter["airborne"], fighter["action"], fighter["facing"] = 1, FALL, 1
    states = game.actions(60)
    caught = states.index(CLIFF_CATCH)
    assert states[caught : caught + 7] == [CLIFF_CATCH] * 7
    assert set(states[caught + 7 :]) == {CLIFF_WAIT}
    assert game.actions(1, stick_y=-0.5) == [FALL]


def test_a_hang_ends_in_a_tumble_after_its_time(scene):
    game = scene()
    fighter = game.fighter()
    fighter["x"] = fighter["prev_x"] = f32(-92)
    fighter["y"] = fighter["prev_y"] = f32(-10)
    fighter["airborne"], fighter["action"], fighter["facing"] = 1, FALL, 1
    states = game.actions(400)
    assert states.count(CLIFF_WAIT) == HANG_TIME
    assert DAMAGE_FALL in states


def test_bodies_push_each_other_but_not_one_that_rolls(scene):
    game = scene()
    game.place(0, -2)
    game.place(1, 2, facing=-1.0)
    game.step(1)
    assert np.allclose([game.seen(0)["x"], game.seen(1)["x"]], [-2.3, 2.3])
    alone = scene()
    moved = []
    for made, other in ((game, 2), (alone, 60)):
        made.step(1, trigger=1.0)
        made.place(0, 0)
        made.place(1, other, facing=-1.0)
        assert made.actions(1, trigger=1.0, stick_x=1.0) == [233]
        before = made.seen(0)["x"]
        made.step(6)
        moved.append(float(made.seen(0)["x"] - before))
    assert moved[0] == pytest.approx(moved[1], abs=1e-5)
    assert game.seen(1)["x"] > 2.8


@pytest.mark.parametrize("jumper", [0, 1])
def test_a_body_that_just_jumped_off_still_pushes_the_first_seats(scene, jumper):
    game = scene()
    game.place(0, -2)
    game.place(1, 2, facing=-1.0)
    stander = 1 - jumper
    game.step(1, seat=jumper, buttons=Button.X)
    pushed = []
    while not game.seen(jumper)["airborne"]:
        before = float(game.seen(stander)["x"])
        game.step(1)
        pushed.append(round(abs(float(game.seen(stander)["x"]) - before), 3))
    assert pushed == [0.3] * (len(pushed) - 1) + [0.3 if stander == 0 else 0.0]


def test_a_crouch_comes_only_right_after_the_landing_lag(scene):
    game = scene()
    game.step(1, buttons=Button.X)
    game.step(3)
    while game.seen()["airborne"]:
        game.step(1)
    game.step(5)
    assert set(game.actions(3, stick_y=-1.0)) == {LANDING}


def test_a_roll_forward_ends_face_about(scene):
    game = scene()
    game.step(20, buttons=Button.L)
    rolls = game.actions(20, buttons=Button.L, stick_x=1.0)
    assert rolls[-1] == ESCAPE_F
    game.step(1, buttons=Button.L)
    assert game.seen()["facing"] == -1


def test_a_turn_out_of_a_run_freezes_on_its_ninth_frame(scene):
    game = scene()
    game.step(30, stick_x=1.0)
    ages = []
    for _ in range(25):
        game.step(1, stick_x=-1.0)
        if game.seen()["action"] == TURN_RUN:
            ages.append(float(game.seen()["action_frame"]))
    assert ages.count(9) > 1
    assert max(ages) > 9
    assert game.seen()["facing"] == -1


def test_peachs_air_dodge_is_free_ten_frames_sooner(scene):
    for character, frames in ((Character.FOX, 29), (Character.PEACH, 19)):
        game = scene(characters=(character, Character.FOX))
        fighter = game.fighter()
        fighter["airborne"], fighter["action"], fighter["age"], fighter["rate"] = 1, ESCAPE_AIR, frames - 1, 1
        fighter["y"] = fighter["prev_y"] = f32(40)
        game.step(1)
        assert game.seen()["vel_y"] == 0
        game.step(1)
        assert game.seen()["vel_y"] < 0


def test_a_fighter_stands_on_the_ledge_only_once_inside_it():
    fighter = np.zeros(1, FIGHTER_STATE)[0]
    fighter["character"], fighter["action"] = 2, CLIFF_ATTACK_QUICK
    poses = LEDGE_POSE[2, CLIFF_ATTACK_QUICK - CLIFF_CATCH]
    outside = next(age for age in range(10, 30) if (poses[age] > 0).all())
    inside = next(age for age in range(10, 30) if poses[age, 0] < 0)
    fighter["age"] = outside
    assert not stands(fighter)
    fighter["age"] = inside
    assert stands(fighter)


def test_a_state_without_a_known_length_goes_on(scene):
    game = scene()
    fighter = game.fighter()
    fighter["airborne"], fighter["action"] = 1, CAPTURE_WAIT_KOOPA
    fighter["y"] = fighter["prev_y"] = f32(60)
    assert set(game.actions(10)) == {CAPTURE_WAIT_KOOPA}


@pytest.mark.parametrize(("ucf", "state"), [(1, DASH), (0, TURN)])
def test_ucf_turns_a_late_flick_into_a_dash(scene, ucf, state):
    game = scene()
    game.fighter()["ucf"] = ucf
    game.step(1, stick_x=-0.3)
    game.step(1, stick_x=-1.0)
    assert game.seen()["action"] == state


def test_a_roll_ends_at_rest(scene):
    game = scene()
    game.step(20, buttons=Button.L)
    game.step(1, buttons=Button.L, stick_x=-1.0)
    while game.seen()["action"] == ESCAPE_B:
        game.step(1)
    assert game.seen()["vel_ground_x"] == 0


@pytest.mark.parametrize(
    ("character", "ages"), [(Character.PEACH, [1, 3, 5, 7]), (Character.FOX, [1, 2, 3, 4])]
)
def test_a_drifting_fall_runs_twice_as_fast_for_some(scene, character, ages):
    game = scene(characters=(character, Character.FOX))
    fighter = game.fighter()
    fighter["airborne"], fighter["action"], fighter["age"], fighter["rate"] = 1, FALL, 0, 1
    fighter["y"] = fighter["prev_y"] = f32(60)
    fighter["vx"] = f32(0.8)
    seen = []
    for _ in ages:
        game.step(1, stick_x=1.0)
        seen.append(float(game.seen()["action_frame"]))
    assert seen == ages


def test_catching_a_ledge_leaves_the_last_floor_on_the_record(scene):
    game = scene(stage=Stage.BATTLEFIELD)
    fighter = game.fighter()
    fighter["airborne"], fighter["action"], fighter["ground"] = 1, FALL, 2
    fighter["x"] = fighter["prev_x"] = f32(-72)
    fighter["y"] = fighter["prev_y"] = f32(-8)
    fighter["facing"] = 1
    states = game.actions(20)
    assert CLIFF_CATCH in states
    assert game.seen()["ground"] == 2


def test_a_teeter_stands_still_at_once(scene):
    game = scene(stage=Stage.BATTLEFIELD)
    game.place(0, 63)
    while game.seen()["action"] != 245:
        game.step(1, stick_x=0.6)
        assert game.seen()["airborne"] == 0
    assert (game.seen()["vel_air_x"], game.seen()["vel_ground_x"]) == (0, 0)


@pytest.mark.parametrize(
    ("character", "share"), [(Character.MARTH, 0.5), (Character.DONKEY_KONG, 0.5), (Character.FOX, 1.0)]
)
def test_who_unfolds_in_an_air_dodge_off_the_floor_lands_after_half_the_way(scene, character, share):
    game = scene(characters=(character, Character.FOX))
    game.step(1, buttons=Button.X)
    while game.seen()["action"] == KNEE_BEND:
        before = game.engine.games.copy()
        game.step(1)
    game.engine.games[:] = before  # the last frame of the jump squat
    start = float(game.fighter()["x"])
    game.step(1, stick_x=0.7, stick_y=-0.7, buttons=Button.L)
    assert game.seen()["action"] == 43
    assert game.seen()["x"] - start == pytest.approx(share * game.seen()["vel_air_x"], abs=1e-4)


@pytest.mark.parametrize(
    ("character", "states"),
    [
        (Character.CAPTAIN_FALCON, [44, 45, 46]),
        (Character.MARTH, [44, 45, 44]),
        (Character.FALCO, [44, 45, 47]),
    ],
)
def test_jabs_lead_on_from_their_own_age(scene, character, states):
    game = scene(characters=(character, Character.FOX))
    game.place(1, -80)
    seen, ages = [], []
    for frame in range(70):
        before = game.seen()["action_frame"]
        game.step(1, buttons=Button.A if frame % 4 == 0 else 0)
        action = int(game.seen()["action"])
        if not seen or action != seen[-1] or game.seen()["action_frame"] < before:
            seen.append(action)
            ages.append(float(before))
        if len(seen) == len(states):
            break
    assert seen == states
    first = {Character.CAPTAIN_FALCON: 8, Character.MARTH: 19, Character.FALCO: 5}[character]
    assert ages[1] == first


@pytest.mark.parametrize(("distance", "state"), [(13.0, 252), (14.6, 29)])
def test_a_ledge_is_caught_within_reach(scene, distance, state):
    game = scene()
    game.place(0, 85.5657 + distance, y=-10.0, facing=-1.0)
    game.set(action=29, airborne=1, vy=-1.0)
    game.step(1)
    assert game.seen()["action"] == state


@pytest.mark.parametrize(
    ("state", "speed", "facing", "after"),
    [
        (183, "ground_k", -1, 29),  # whoever lies slides off
        (199, "ground_k", -1, 29),
        (235, "gv", 1, 235),  # a spot dodge stays
        (80, "ground_k", -1, 251),  # a flinch tumbles off backwards
        (80, "ground_k", 1, 80),
    ],
)
def test_what_the_end_of_the_floor_does(scene, state, speed, facing, after):
    game = scene()
    game.place(0, 85.5, facing=facing)
    hurt = speed == "ground_k"
    game.set(action=state, age=3, hitstun=20 if state == 80 else 0, kx=2 if hurt else 0)
    game.set(**{speed: 2})
    game.step()
    assert game.seen()["action"] == after
    assert game.seen()["airborne"] == (after != state or state == 80)


def test_who_is_pushed_backwards_stays_on_the_floor(scene):
    game = scene()
    game.place(0, 85.4, facing=-1)
    game.place(1, 84.4)
    game.step(3)
    assert game.seen()["action"] == 14
    assert abs(game.seen()["x"] - 85.5657) < 1e-3
