"""Recorded inputs play the other seat."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from melee_env.errors import OptionError, ReplayError
from melee_env.opponents import ReplayedInputs, make_opponent
from melee_env.testing import check_opponent
from melee_env.wrappers import RecordGames


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short game of which both seats press at random."""
    folder = tmp_path_factory.mktemp("games with spaces")
    env = RecordGames(gym.make("melee_env/Versus-v0", opponent="scripted:random", time_limit=60), folder)
    env.action_space.seed(1)
    env.reset(seed=3)
    while not any(env.step(env.action_space.sample())[2:4]):
        pass
    return folder / "episode-00000.slp"


@pytest.mark.parametrize("seat", [0, 1])
def test_the_opponent_presses_what_was_recorded(recording: Path, seat: int) -> None:
    from melee_env.slp import read_game

    game = read_game(recording)
    env = gym.make("melee_env/Versus-v0", opponent=f"replay:{recording}#{seat}", time_limit=80).unwrapped
    env.reset(seed=9)
    wanted = dict(
        zip(game.numbers.tolist(), game.frames["seats"]["leader"]["controller"][:, seat], strict=True)
    )
    compared = 0
    over = False
    while not over:
        over = any(env.step(env.games.codec.neutral())[2:4])
        pressed = env.frame["seats"]["leader"]["controller"][1]
        assert pressed == wanted.get(int(env.frame["frame"]), np.zeros((), pressed.dtype))
        compared += int(env.frame["frame"]) in wanted
    assert compared == len(game) - 1


def test_it_keeps_the_rules_of_opponents(recording: Path) -> None:
    check_opponent(f"replay:{recording}")


@pytest.mark.parametrize("name", ["replay:nowhere.slp", "replay:", "replay:x.slp#2"])
def test_what_is_not_there_is_named(name: str) -> None:
    with pytest.raises(OptionError, match="replay:"):
        gym.make("melee_env/Versus-v0", opponent=name)


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.slp").write_bytes(b"nothing")
    with pytest.raises(ReplayError):
        make_opponent(f"replay:{tmp_path / 'no.slp'}")


def test_a_seat_that_is_not_there_is_refused(recording: Path) -> None:
    from melee_env.slp import read_game

    with pytest.raises(OptionError, match="seat"):
        ReplayedInputs(read_game(recording), 2)
