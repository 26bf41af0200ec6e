"""Stage tables, and what moves on a stage by itself."""

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.controller import CONTROLLER_DTYPE
from melee_env.engine import scenery, stages, tables
from melee_env.engine.engine import Engine, place_fighters
from melee_env.engine.floors import reach
from melee_env.ids import Character, Stage

NEUTRAL = np.zeros((1, 2), CONTROLLER_DTYPE)


def put(engine: Engine, x: float, y: float) -> None:
    place_fighters(engine.games, 0, np.array([[x, y], [-50.0, 60.0]], np.float32))


def start(stage: Stage, seed: int = 3) -> Engine:
    engine = Engine(1)
    engine.start(0, seed, MatchOptions(characters=(Character.FOX, Character.FOX), stage=stage))
    return engine


@pytest.mark.parametrize("slot", range(len(stages.STAGES)))
def test_the_main_floor_is_joined_from_ledge_to_ledge(slot: int) -> None:
    stage = stages.STAGES[slot]
    line = int(stage["ledge_left_line"])
    while stages.JOINED[slot, 1, line, 1] >= 0:
        line = int(stages.JOINED[slot, 1, line, 1])
    assert line == stage["ledge_right_line"]
    assert stage["ledge_left_x"] == -stage["ledge_right_x"]


def test_floors_keep_the_numbers_that_recordings_hold() -> None:
    slot = stages.STAGE_SLOT[Stage.POKEMON_STADIUM.external]
    there = stages.FLOORS[slot, 1, : stages.FLOOR_COUNT[slot, 1]].tolist()
    assert there == [34, 35, 36, 51, 52, 53, 54]


def test_each_form_of_stadium_has_the_ledges_and_its_own_middle() -> None:
    slot = stages.STAGE_SLOT[Stage.POKEMON_STADIUM.external]
    middles = []
    for form in range(1, stages.NUM_FORMS):
        there = set(stages.FLOORS[slot, form, : stages.FLOOR_COUNT[slot, form]].tolist())
        assert {51, 52, 53, 54} <= there
        middles.append(there - {51, 52, 53, 54})
    assert all(middles)
    assert len(set.union(*middles)) == sum(len(middle) for middle in middles)


def test_randall_goes_round() -> None:
    assert stages.RANDALL.shape == (1200, 2)
    steps = np.hypot(*(np.roll(stages.RANDALL, -1, axis=0) - stages.RANDALL).T)
    assert steps.max() < 1.0


def test_randall_carries_a_fighter_that_stands_on_him() -> None:
    engine = start(Stage.YOSHIS_STORY)
    for _ in range(640):
        engine.step(NEUTRAL)
    game = engine.games[0]
    put(engine, game["part_x"][0], game["part_y"][0])
    before = engine.step(NEUTRAL)["seats"]["leader"][0, 0].copy()
    after = engine.step(NEUTRAL)["seats"]["leader"][0, 0].copy()
    assert before["ground"] == after["ground"] == 0
    assert after["x"] - before["x"] == pytest.approx(-0.35484, abs=1e-4)
    assert after["y"] == pytest.approx(engine.games[0]["part_y"][0] + 0.0001, abs=1e-4)


def test_fountains_platforms_move_at_their_two_speeds_and_rest_between() -> None:
    engine = start(Stage.FOUNTAIN_OF_DREAMS)
    heights = np.array([engine.step(NEUTRAL)["fod_left"][0] for _ in range(6000)])
    steps = np.diff(heights)
    assert all(np.isclose(steps, speed, atol=1e-5).any() for speed in (-0.075, 0.0, 0.1125))
    assert steps.min() >= -0.0751 and steps.max() <= 0.1126


def test_wind_shifts_a_standing_fighter_but_not_its_speed() -> None:
    engine = start(Stage.DREAM_LAND)
    for _ in range(200):
        engine.step(NEUTRAL)
    put(engine, 20.0, 0.0088)
    shifts = []
    for _ in range(700):
        before = float(engine.games[0]["fighters"][0]["x"])
        frame = engine.step(NEUTRAL)
        leader = frame["seats"]["leader"][0, 0]
        if frame["whispy"][0] == 2 and leader["x"] < 70:
            shifts.append(float(leader["x"]) - before)
            assert leader["vel_ground_x"] == 0
    assert len(shifts) > 100
    assert np.allclose(shifts, 0.2, atol=1e-4)


def test_free_play_blows_for_its_time_and_to_both_sides() -> None:
    engine = start(Stage.DREAM_LAND)
    codes = np.array([engine.step(NEUTRAL)["whispy"][0] for _ in range(2500)])
    changes = np.flatnonzero(np.diff(codes)) + 1
    lengths = np.diff(changes)
    assert set(np.unique(codes)) == {0, 1, 2}
    assert set(lengths[::2].tolist()) == {scenery.BLOW_FRAMES}


def beside_a_wall(engine: Engine, half: float, height: float, speed: float) -> np.ndarray:
    """Put Fox's diamond, ``half`` wide, in touch with Dream Land's sloped right wall, moving; return his record."""
    fighter = engine.games["fighters"][0, 0]
    wall = 76.3389 + (height + 11.0417) / 11.0505 * 0.9324
    fighter["x"] = fighter["prev_x"] = wall + half
    fighter["y"] = fighter["prev_y"] = height - 8
    fighter["airborne"], fighter["action"], fighter["age"], fighter["rate"] = 1, 27, 5, 1
    fighter["ground"] = fighter["floor_skip"] = -1
    fighter["vx"], fighter["vy"] = -0.7, speed
    fighter["ecb_bottom"], fighter["ecb_top"], fighter["ecb_side"], fighter["ecb_half"] = 4, 12, 8, 2
    return fighter


@pytest.mark.parametrize(("locked", "speed"), [(0, 2.0), (8, 2.0), (0, -2.0)])
def test_a_sloped_wall_holds_the_side_of_a_body_that_slides_along_it(locked: int, speed: float) -> None:
    engine = start(Stage.DREAM_LAND)
    fighter = beside_a_wall(engine, 2, -6, speed)
    fighter["ecb_lock"] = locked
    engine.step(NEUTRAL)
    height = float(fighter["y"] + fighter["ecb_side"])
    wall = 76.3389 + (height + 11.0417) / 11.0505 * 0.9324
    assert fighter["x"] - fighter["ecb_half"] == pytest.approx(wall, abs=1e-4)
    if locked:
        assert fighter["ecb_bottom"] == 4
        box = tables.ECB[tables.ECB_SPAN[1, 27, 0] + 6]
        assert fighter["ecb_side"] == pytest.approx((box["bottom"] + box["top"]) / 2)


def test_a_body_that_reads_as_a_little_inside_a_wall_is_not_let_deeper() -> None:
    engine = start(Stage.DREAM_LAND)
    fighter = beside_a_wall(engine, 1.25, -6, 2.0)
    engine.step(NEUTRAL)
    height = float(fighter["y"] + fighter["ecb_side"])
    wall = 76.3389 + (height + 11.0417) / 11.0505 * 0.9324
    assert fighter["x"] - wall == pytest.approx(fighter["ecb_half"] - 0.75, abs=1e-3)


def test_a_corner_of_the_stage_holds_the_edge_of_the_diamond() -> None:
    # Recorded: Game & Watch's second jumps beside Final Destination come in from 87.98 to 85.57 past the corner.
    engine = start(Stage.FINAL_DESTINATION)
    fighter = beside_a_wall(engine, 2, -6, 0)
    corner = 85.5657
    fighter["x"] = fighter["prev_x"] = corner + 0.6
    fighter["y"] = fighter["prev_y"] = -8.0
    fighter["vx"], fighter["ecb_half"] = 0, 0.5
    engine.step(NEUTRAL)
    bottom, side = float(fighter["ecb_bottom"]), float(fighter["ecb_side"])
    height = -float(fighter["y"])
    assert bottom < height < side
    width = float(fighter["ecb_half"]) * (height - bottom) / (side - bottom)
    assert width > 0.6
    assert fighter["x"] - corner == pytest.approx(width, abs=1e-3)


@pytest.mark.parametrize(("height", "width"), [(3, 0), (4, 0), (6, 1), (8, 2), (10, 1), (12, 0), (13, 0)])
def test_a_diamond_is_widest_at_its_side_points(height: float, width: float) -> None:
    half, bottom, side, top = np.float32([2, 4, 8, 12])
    assert reach(half, bottom, side, top, np.float32(height)) == width


def test_a_star_ko_goes_down_the_background(scene) -> None:
    # Recorded on Final Destination: from 188.018 to 68.4 in 130 frames, 0.92 a frame.
    game = scene()
    game.game["seed"] = 1234567
    game.set(action=90, airborne=1, y=185, ky=5, hitstun=60, tumble=1)
    game.step(1)
    assert game.seen()["action"] == 4
    start = game.seen()["y"]
    game.step(1)
    assert abs(start - game.seen()["y"] - (start - 68.4) / 130) < 1e-3
    game.step(129)
    assert abs(game.seen()["y"] - 68.4) < 1e-3
    game.step(1)
    assert abs(game.seen()["y"] - 68.4) < 1e-3


@pytest.mark.parametrize("stage", [Stage.DREAM_LAND, Stage.POKEMON_STADIUM])
def test_a_respawn_comes_down_in_sixty_even_steps(scene, stage) -> None:
    game = scene(stage=stage)
    game.fighter()["y"] = -200
    while game.seen()["action"] != 12:
        game.step(1)
    heights = []
    while game.seen()["action"] == 12:
        heights.append(float(game.seen()["y"]))
        game.step(1)
    top, bottom = {Stage.DREAM_LAND: (190, 84.221), Stage.POKEMON_STADIUM: (120, 60)}[stage]
    assert len(heights) == 60
    assert np.allclose(heights, top - (top - bottom) / 60 * np.arange(1, 61), atol=1e-3)


def test_normals_are_those_that_recorded_speeds_show() -> None:
    row = stages.STAGE_LINES[stages.STAGE_SLOT[Stage.YOSHIS_STORY.external], 6]
    assert row["normal_y"] == np.float32(0.9789803624153137)
    assert row["normal_x"] == np.float32(0.20395424962043762)
    battlefield = stages.STAGE_LINES[stages.STAGE_SLOT[Stage.BATTLEFIELD.external]]
    assert (battlefield["normal_y"][2:5] == np.nextafter(np.float32(1), np.float32(0))).all()
