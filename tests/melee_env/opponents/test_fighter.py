"""The rule-based fighter: higher levels see sooner, err less, and win."""

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.backends.embedded import EmbeddedBackend
from melee_env.controller import neutral
from melee_env.frame import seen_from
from melee_env.ids import Character, Stage
from melee_env.opponents import LEVELS, Fighter
from melee_env.opponents.fighter.levels import SKILLS
from melee_env.opponents.fighter.reach import BAIR, FAIR, JAB, REACH, UP_SMASH
from melee_env.testing import sample_frames

CHANGE = 60
"""step from which on the other fighter is elsewhere"""


def test_every_level_is_better_in_everything() -> None:
    assert len(SKILLS) == len(LEVELS)
    for name, sign in (("delay", -1), ("error", -1), ("pause", -1), ("skill", 1)):
        assert (sign * np.diff(SKILLS[name]) > 0).all(), name


@pytest.mark.parametrize("level", [1, 5, 9])
def test_a_change_is_seen_after_the_levels_delay(level: int) -> None:
    frames = sample_frames(4, 140)
    moved = frames.copy()
    other = moved["seats"]["leader"][CHANGE:, :, 1]
    other["x"], other["action"] = -other["x"] + 9, 20
    actions = []
    for shown in (frames, moved):
        player = Fighter(level)
        player.reset(4, seed=0)
        actions.append(np.array([player.act(step).copy() for step in shown]))
    different = np.flatnonzero((actions[0] != actions[1]).any(-1))
    assert len(different) and different[0] >= CHANGE + SKILLS["delay"][level - 1]


def test_reach_comes_from_the_hitboxes() -> None:
    for one in Character:
        assert REACH[one.internal, JAB]["damage"] > 0 or one in (Character.NANA,), one
    marth, fox = Character.MARTH.internal, Character.FOX.internal
    assert REACH[marth, FAIR]["front"] > REACH[fox, FAIR]["front"]
    assert REACH[fox, UP_SMASH]["damage"] > REACH[fox, JAB]["damage"]
    assert REACH[fox, BAIR]["back"] < -5


@pytest.mark.parametrize("character", [Character.FOX, Character.MARTH])
def test_the_top_beats_the_bottom(character: Character) -> None:
    games = 12
    engine = EmbeddedBackend(games)
    options = MatchOptions(
        characters=(character, character), stage=Stage.BATTLEFIELD, stocks=(1, 1), time_limit=7200
    )
    frames = engine.reset(np.arange(games, dtype=np.uint32), [options] * games)
    players = [Fighter(9), Fighter(1)]
    for seat, player in enumerate(players):
        player.reset(games, seed=seat)
    controllers = neutral(games, 2)
    while (frames["end_method"] == 0).any():
        for seat, player in enumerate(players):
            controllers[:, seat] = player.act(seen_from(frames, seat))
        frames = engine.step(controllers)
    stocks = frames["seats"]["leader"]["stocks"]
    assert (stocks[:, 0] > stocks[:, 1]).sum() >= games - 2
