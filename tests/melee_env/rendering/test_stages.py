import numpy as np
import pytest

from melee_env.engine import tables
from melee_env.frame import empty_frames
from melee_env.rendering.fighter import active_hitboxes
from melee_env.rendering.stages import STAGE_PICTURES, stage_picture

FOUNTAIN = 2
"""its lines in the engine's table stand where the game's file has them, not where its platforms rest"""
MODELLED = [stage for stage in STAGE_PICTURES if tables.STAGE_SLOT[stage] >= 0]


@pytest.mark.parametrize("stage", MODELLED)
def test_picture_of_a_stage_has_the_engines_blast_zone(stage: int) -> None:
    picture, row = STAGE_PICTURES[stage], tables.STAGES[tables.STAGE_SLOT[stage]]
    drawn = (picture.left, picture.right, picture.top, picture.bottom)
    assert drawn == pytest.approx(
        [row[f"blast_{side}"] for side in ("left", "right", "top", "bottom")], abs=0.06
    )


@pytest.mark.parametrize("stage", [stage for stage in MODELLED if stage != FOUNTAIN])
def test_picture_of_a_stage_has_the_engines_platforms_and_ledges(stage: int) -> None:
    picture, slot = STAGE_PICTURES[stage], tables.STAGE_SLOT[stage]
    lines = tables.STAGE_LINES[slot, : tables.STAGE_LINE_COUNT[slot]]
    platforms = lines[(lines["kind"] == tables.FLOOR) & (lines["drop_through"] != 0)]
    ends = [(line["x0"], line["x1"], line["y0"]) for line in platforms]
    assert all(np.isclose(ends, platform, atol=0.06).all(1).any() for platform in picture.platforms)
    assert picture.outline[0][0] == pytest.approx(tables.STAGES[slot]["ledge_left_x"], abs=0.06)
    assert picture.outline[picture.tops - 1][0] == pytest.approx(
        tables.STAGES[slot]["ledge_right_x"], abs=0.06
    )


def test_unknown_stage_has_an_empty_picture() -> None:
    assert stage_picture(200).outline == ()


def test_hitboxes_are_mirrored_with_the_fighter() -> None:
    fighter = empty_frames(1)["seats"][0, 0]["leader"]
    fighter["character"], fighter["action"], fighter["action_frame"] = 1, 68, 9
    fighter["facing"] = 1
    right = active_hitboxes(fighter)
    fighter["facing"] = -1
    left = active_hitboxes(fighter)
    assert right and [(-x, y, size) for x, y, size in right] == left


def test_standing_fighter_has_no_hitbox() -> None:
    fighter = empty_frames(1)["seats"][0, 0]["leader"]
    fighter["character"], fighter["action"] = 1, 14
    assert active_hitboxes(fighter) == []
