"""K52: windows stay inside a game, and no game (nor player, on request) is on two sides."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from demonstrations.dataset import Windows, split
from demonstrations.games import game_key
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


@pytest.fixture
def trajectories():
    return [trajectory(game, length) for game, length in enumerate([50, 7, 10, 33, 100])]


@pytest.mark.parametrize("stride", [None, 1, 3, 40])
def test_k52_windows_never_cross_a_game(trajectories, stride):
    windows = Windows(trajectories, 10, stride)
    for window in (windows[index] for index in range(len(windows))):
        assert len(np.unique(window.obs[:, 0])) == 1
        np.testing.assert_array_equal(window.obs, window.acts)
        assert (np.diff(window.obs[:, 1]) == 1).all()
        assert window.episode_start.tolist() == (window.obs[:, 1] == 0).tolist()


def test_k52_every_step_of_a_long_enough_game_is_covered(trajectories):
    windows = Windows(trajectories, 10)
    seen = {tuple(step) for index in range(len(windows)) for step in windows[index].obs.tolist()}
    assert seen == {(g, s) for g, n in enumerate([50, 7, 10, 33, 100]) if n >= 10 for s in range(n)}


def test_k52_batches_hold_every_window_once(trajectories):
    windows = Windows(trajectories, 10, 2)
    batches = list(windows.batches(8, seed=1))
    starts = np.concatenate([batch.obs[:, 0] for batch in batches])
    assert len(starts) == len(windows) == len(np.unique(starts, axis=0))
    assert batches[0].obs.shape == (8, 10, 2)
    again = np.concatenate([batch.obs[:, 0] for batch in windows.batches(8, seed=1)])
    np.testing.assert_array_equal(starts, again)


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


def test_k52_shares_must_sum_to_one(trajectories):
    with pytest.raises(OptionError, match="sum to 1"):
        split(trajectories, {"train": 0.9})


def test_k52_one_recording_under_two_names_is_one_game():
    assert game_key(GAMES.synthetic_game(seed=1)) == game_key(GAMES.synthetic_game(seed=1))
    assert game_key(GAMES.synthetic_game(seed=1)) != game_key(GAMES.synthetic_game(seed=2))
