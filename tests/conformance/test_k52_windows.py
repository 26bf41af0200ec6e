"""K52: windows stay inside a game, and no game (nor player, on request) is on two sides."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from demonstrations.columns import Columns
from demonstrations.games import game_key
from demonstrations.splits import split
from demonstrations.tensors import Episode, Rows
from demonstrations.windows import Settings, Windows
from melee_env.errors import OptionError

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


def trajectory(game, length, player=""):
    """A trajectory whose numbers tell its game and step."""
    steps = np.arange(length + 1)
    obs = np.stack([np.full(length + 1, game), steps], -1).astype(np.float32)
    infos = np.array([{"game": f"game {game}", "player": player}] * length, object)
    return SimpleNamespace(obs=obs, acts=np.stack([np.full(length, game), steps[:-1]], -1), infos=infos)


COLUMNS = Columns(2)
"""Observations of two numbers: game and step."""


def windows(lengths, **settings):
    """Windows over episodes in two parts whose rows tell their game and step; actions tell the step in 16ths."""
    parts, game = [], 0
    for group in (lengths[:2], lengths[2:]):
        numbers, episodes, start = [], [], 0
        for length in group:
            numbers.append(np.stack([np.full(length + 1, game), np.arange(length + 1)], -1))
            episodes.append(Episode(start, length, "", f"game {game}", 0, 0, "", 0, 0, 32, True, 0.0))
            start, game = start + length + 1, game + 1
        numbers = np.concatenate(numbers).astype(np.float32)
        actions = np.repeat(numbers[:, 1:] % 17, 13, 1).astype(np.uint8)
        ids = np.zeros((len(numbers), 0), np.uint8)
        parts.append(Rows(numbers, ids, actions, numbers[:, 1].copy(), tuple(episodes)))
    return Windows(parts, COLUMNS, ["own.x", "own.percent"], Settings(**settings))


@pytest.fixture
def lengths():
    return [50, 7, 10, 33, 100]


@pytest.mark.parametrize("stride", [0, 1, 3, 40])
def test_k52_windows_never_cross_a_game(lengths, stride):
    made = windows(lengths, length=10, stride=stride)
    for window in (made[index] for index in range(len(made))):
        assert len(np.unique(window.numbers[:, 0])) == 1
        steps = window.numbers[:, 1]
        assert (np.diff(steps) == 1).all()
        np.testing.assert_array_equal(window.actions[:, 0], steps % 17)
        np.testing.assert_array_equal(window.rewards, steps)
        assert window.episode_start.tolist() == (steps == 0).tolist()


def test_k52_every_step_of_a_long_enough_game_is_covered(lengths):
    made = windows(lengths, length=10)
    seen = {tuple(step) for index in range(len(made)) for step in made[index].numbers.tolist()}
    assert seen == {(g, s) for g, n in enumerate(lengths) if n >= 10 for s in range(n)}


def test_k52_batches_hold_every_window_once(lengths):
    made = windows(lengths, length=10, stride=2, seed=1)
    batches = list(made.batches(8))
    starts = np.concatenate([batch.numbers[:, 0] for batch in batches])
    assert len(starts) == len(made) == len(np.unique(starts, axis=0))
    assert batches[0].numbers.shape == (8, 10, 2)
    again = np.concatenate([batch.numbers[:, 0] for batch in made.batches(8)])
    other = np.concatenate([batch.numbers[:, 0] for batch in made.batches(8, epoch=1)])
    np.testing.assert_array_equal(starts, again)
    assert (starts != other).any()


def test_k52_chosen_episodes_only(lengths):
    rows = windows(lengths).parts
    names = ["own.x", "own.percent"]
    made = Windows(rows, COLUMNS, names, Settings(length=5), keep=lambda e: e.game == "game 3")
    assert len(made) and {made[k].numbers[0, 0] for k in range(len(made))} == {3}


def test_k52_both_players_of_a_game_are_on_one_side():
    trajectories = [trajectory(game, 5) for game in range(200) for _ in range(2)]
    sides = split(trajectories, {"train": 0.8, "valid": 0.2}, seed=3)
    games = {name: {t.infos[0]["game"] for t in side} for name, side in sides.items()}
    assert not games["train"] & games["valid"]
    assert sum(map(len, sides.values())) == 400
    assert 0.1 < len(games["valid"]) / 200 < 0.3


def test_k52_split_is_seeded_and_independent_of_other_games():
    trajectories = [trajectory(game, 5) for game in range(50)]
    shares = {"train": 0.5, "valid": 0.5}
    whole, part = split(trajectories, shares, seed=1), split(trajectories[:20], shares, seed=1)
    names = [trajectory.infos[0]["game"] for trajectory in whole["valid"]]
    assert [name for name in names if int(name.split()[1]) < 20] == [
        t.infos[0]["game"] for t in part["valid"]
    ]
    assert [t.infos[0]["game"] for t in split(trajectories, shares, seed=2)["valid"]] != names


def test_k52_players_stay_together_on_request():
    rng = np.random.default_rng(0)
    trajectories = []
    for game in range(100):
        for player in rng.choice(60, 2, replace=False):
            trajectories.append(trajectory(game, 5, f"PLAYER#{player // 4 * 4 + player % 2}"))
    sides = split(trajectories[:40], {"train": 0.5, "valid": 0.5}, by="player")
    players = {name: {t.infos[0]["player"] for t in side} for name, side in sides.items()}
    assert not players["train"] & players["valid"]


def test_k52_episodes_split_like_trajectories(lengths):
    episodes = [episode for part in windows(lengths * 8).parts for episode in part.episodes]
    shares = {"train": 0.5, "valid": 0.5}
    ours = split(episodes, shares, seed=4)["valid"]
    theirs = split([trajectory(game, 5) for game in range(40)], shares, seed=4)["valid"]
    assert [episode.game for episode in ours] == [t.infos[0]["game"] for t in theirs]


def test_k52_shares_must_sum_to_one():
    with pytest.raises(OptionError, match="sum to 1"):
        split([trajectory(0, 5)], {"train": 0.9})


def test_k52_one_recording_under_two_names_is_one_game():
    assert game_key(GAMES.synthetic_game(seed=1)) == game_key(GAMES.synthetic_game(seed=1))
    assert game_key(GAMES.synthetic_game(seed=1)) != game_key(GAMES.synthetic_game(seed=2))
