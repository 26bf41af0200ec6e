import numpy as np
import pytest

from melee_env.engine import stages
from melee_env.frame import empty_frames
from melee_env.rendering.fighter import active_hitboxes
from melee_env.rendering.stages import STAGE_PICTURES, stage_picture

MODELLED = [stage for stage in STAGE_PICTURES if stages.STAGE_SLOT[stage] >= 0]


@pytest.mark.parametrize("stage", MODELLED)
def test_picture_of_a_stage_has_the_engines_blast_zone(stage: int) -> None:
    picture, row = STAGE_PICTURES[stage], stages.STAGES[stages.STAGE_SLOT[stage]]
    drawn = (picture.left, picture.right, picture.top, picture.bottom)
    assert drawn == pytest.approx(
        [row[f"blast_{side}"] for side in ("left", "right", "top", "bottom")], abs=0.06
    )


@pytest.mark.parametrize("stage", MODELLED)
def test_picture_of_a_stage_has_the_engines_platforms_and_ledges(stage: int) -> None:
    picture, slot = STAGE_PICTURES[stage], stages.STAGE_SLOT[stage]
    lines = stages.STAGE_LINES[slot, stages.FLOORS[slot, 1, : stages.FLOOR_COUNT[slot, 1]]]
    platforms = lines[lines["drop_through"] != 0]
    ends = [(line["x0"], line["x1"], line["y0"]) for line in platforms]
    assert all(np.isclose(ends, platform, atol=0.06).all(1).any() for platform in picture.platforms)
    assert picture.outline[0][0] == pytest.approx(stages.STAGES[slot]["ledge_left_x"], abs=0.06)
    assert picture.outline[picture.tops - 1][0] == pytest.approx(
        stages.STAGES[slot]["ledge_right_x"], abs=0.06
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
