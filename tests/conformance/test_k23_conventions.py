"""K23: facing, on-ground, action frame and hitlag of a recording are those that other tools report."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.backends.replay import ReplayBackend
from melee_env.controller import neutral
from melee_env.slp import read_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


@GAMES.needs_replays
@pytest.mark.parametrize("name", ["v3.18.0_FoD", "v3.7.0_FD_ness-fox"])
def test_k23_libmelee_and_the_reader_mean_the_same(name):
    melee = pytest.importorskip("melee", reason="libmelee is not installed")
    path = next(iter(GAMES.REPLAYS.glob(f"{name}*.slp")))
    frames = {int(frame["frame"]): frame for frame in read_game(path, "first").frames}
    console = melee.Console(is_dolphin=False, path=str(path), allow_old_version=True)
    console.connect()
    seen = 0
    while (state := console.step()) is not None:
        for seat in frames[int(state.frame)]["seats"]:
            leader, player = seat["leader"], state.players[int(seat["port"]) + 1]
            zero_based = int(player.action.value) in console.zero_indices[int(player.character.value)]
            assert player.facing == (leader["facing"] == 1)
            assert player.on_ground == (leader["airborne"] == 0)
            assert player.hitlag_left == int(leader["hitlag"])
            assert player.action_frame == int(leader["action_frame"]) + zero_based
        seen += 1
    assert seen == len(frames)


@GAMES.needs_replays
def test_k23_ranges_of_a_recorded_game():
    fighters = read_game(next(iter(GAMES.REPLAYS.glob("v3.14.0_BF_falco-peach*.slp")))).frames["seats"][
        "leader"
    ]
    assert set(np.unique(fighters["facing"])) <= {-1.0, 1.0}
    assert set(np.unique(fighters["airborne"])) == {0, 1}
    assert 0 <= fighters["hitlag"].min() and fighters["hitlag"].max() <= 20
    assert 0 <= fighters["hitstun"].min() and fighters["hitstun"].max() <= 150
    assert fighters["action_frame"].min() >= -2


def test_k23_the_backend_shows_what_the_reader_read():
    game = GAMES.synthetic_game(length=90)
    backend = ReplayBackend(1, game)
    backend.reset(np.zeros(1, np.uint32), [MatchOptions(start_frame=-122)])
    for frame in game.frames[1:]:
        np.testing.assert_array_equal(backend.step(neutral(1, 2))[0], frame)
