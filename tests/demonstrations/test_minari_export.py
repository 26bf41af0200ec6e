"""Trajectories as Minari data sets: Minari itself reads them back."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from demonstrations.trajectories import load_trajectories
from melee_env.errors import OptionError

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)
minari = pytest.importorskip("minari", reason="minari is not installed")
pytest.importorskip("imitation", reason="imitation is not installed")
from demonstrations.filters import GameFilter  # noqa: E402
from demonstrations.minari_export import Description, export  # noqa: E402


@pytest.fixture(scope="module")
def trajectories():
    games = [GAMES.synthetic_game(length=250, seed=seed) for seed in range(2)]
    return load_trajectories(games, filters=GameFilter(normal_ratios=False))


def test_minari_reads_back_what_was_exported(trajectories, tmp_path, monkeypatch):
    about = Description(author="A. Fox", code_permalink="https://example.org/code/1")
    result = export(iter(trajectories), "melee/some-players/fox-v0", tmp_path, about)
    assert result == {"episodes": 4, "steps": sum(map(len, trajectories))}
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset("melee/some-players/fox-v0")
    metadata = dataset.storage.metadata
    assert metadata["author"] == {"A. Fox"} and metadata["code_permalink"] == "https://example.org/code/1"
    assert metadata["algorithm_name"] == "recorded play" and "author_email" not in metadata
    described = dataset.storage.get_episode_metadata(range(4))
    for episode, trajectory, words in zip(dataset, trajectories, described, strict=True):
        np.testing.assert_array_equal(episode.observations, trajectory.obs)
        np.testing.assert_array_equal(episode.actions, trajectory.acts)
        np.testing.assert_array_equal(episode.rewards, trajectory.rews)
        assert bool(episode.terminations[-1]) == trajectory.terminal != bool(episode.truncations[-1])
        assert not (episode.terminations | episode.truncations)[:-1].any()
        assert {key: words[key] for key in trajectory.infos[0]} == trajectory.infos[0]
    environment = dataset.recover_environment()
    assert environment.observation_space == dataset.observation_space
    assert environment.action_space == dataset.action_space


def test_what_cannot_be_exported_is_refused_and_leaves_nothing(trajectories, tmp_path, monkeypatch):
    for name, about, words in (
        ("no version", None, "Malformed"),
        ("fox-v0", Description(env="melee_env/Nothing-v0"), "Nothing"),
        ("fox-v0", Description(observation="compakt"), "compact"),
    ):
        with pytest.raises(OptionError, match=words):
            export(trajectories, name, tmp_path, about)
    with pytest.raises(OptionError, match="no trajectory"):
        export([], "fox-v0", tmp_path)
    assert not list(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    export(trajectories[:1], "fox-v0", ".")
    with pytest.raises(OptionError, match="already"):
        export(trajectories, "fox-v0", tmp_path)
