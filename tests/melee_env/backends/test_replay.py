"""Recorded games behind the backend protocol."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from melee_env.backends.base import Backend, MatchOptions, make_backend
from melee_env.controller import neutral
from melee_env.errors import BackendError, OptionError, ReplayError, StateVersionError
from melee_env.slp import write_game
from melee_env.testing import check_backend

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[2] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        write_game(tmp_path / f"{number}.slp", GAMES.synthetic_game(length=120 + number, seed=number))
    (tmp_path / "broken.slp").write_bytes(b"<html>")
    return tmp_path


def options(count, **kwargs):
    return [MatchOptions(**kwargs)] * count


def test_follows_the_protocol(folder):
    backend = make_backend("replay", num_games=2, paths=folder)
    assert isinstance(backend, Backend) and not backend.capabilities.inputs and len(backend) == 3


def test_the_kit_accepts_it(folder):
    check_backend(lambda games: make_backend("replay", num_games=games, paths=folder))


def test_shows_the_recorded_frames_in_order(folder):
    backend = make_backend("replay", num_games=2, paths=folder)
    games = [GAMES.synthetic_game(length=120 + number, seed=number) for number in range(2)]
    shown = [backend.reset(np.array([0, 1], np.uint32), options(2, start_frame=-122)).copy()]
    for _ in range(130):
        shown.append(backend.step(neutral(2, 2)).copy())
    for lane, game in enumerate(games):
        seen = np.array([frames[lane] for frames in shown])
        np.testing.assert_array_equal(seen[: len(game)], game.frames)
        assert (seen[len(game) :] == seen[-1]).all() and seen["end_method"][-1] == 2


def test_starts_at_the_frame_before_the_wanted_one(folder):
    backend = make_backend("replay", paths=folder / "0.slp")
    assert backend.reset(np.zeros(1, np.uint32), options(1, start_frame=-39))["frame"][0] == -40


def test_reset_touches_masked_lanes_only(folder):
    backend = make_backend("replay", num_games=2, paths=folder)
    backend.reset(np.zeros(2, np.uint32), options(2))
    before = backend.step(neutral(2, 2)).copy()
    after = backend.reset(np.ones(2, np.uint32), options(2), np.array([False, True]))
    assert after[0] == before[0] and after[1] != before[1]


def test_saved_place_is_found_again(folder):
    backend = make_backend("replay", paths=folder)
    backend.reset(np.zeros(1, np.uint32), options(1))
    state, frame = backend.save(0), backend.step(neutral(1, 2)).copy()
    backend.step(neutral(1, 2))
    backend.load(0, state)
    np.testing.assert_array_equal(backend.step(neutral(1, 2)), frame)
    with pytest.raises(StateVersionError):
        backend.load(0, b"something else")


def test_game_in_memory_that_never_ended_ends_as_no_contest():
    game = GAMES.synthetic_game(length=3, first=-41)
    game.frames["end_method"] = 0
    backend = make_backend("replay", paths=game)
    backend.reset(np.zeros(1, np.uint32), options(1))
    assert backend.step(neutral(1, 2))["end_method"][0] == 7
    backend.close()
    backend.close()


def test_errors_say_what_to_do(tmp_path, folder):
    with pytest.raises(OptionError, match="paths="):
        make_backend("replay")
    with pytest.raises(ReplayError, match="not_slp"):
        make_backend("replay", paths=folder / "broken.slp")
    with pytest.raises(BackendError, match="not reset"):
        make_backend("replay", paths=folder).step(neutral(1, 2))
