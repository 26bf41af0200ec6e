"""K54: trajectories are what `imitation` expects, and survive its serialisation."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import melee_env.actions
import melee_env.observations
from demonstrations import load_trajectories
from demonstrations.filters import GameFilter
from melee_env.errors import OptionError
from melee_env.slp import write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


pytest.importorskip("imitation", reason="imitation is not installed")


class PositionEncoder:
    """Frame number and own position, enough to know what was encoded."""

    previous = 0

    def encode(self, frames, *, committed, delays):
        leader = frames["seats"]["leader"][..., 0]
        return np.stack([frames["frame"], leader["x"], leader["percent"]], -1).astype(np.float32)


class ButtonCodec:
    """The physical buttons as one number."""

    def encode(self, controllers):
        return controllers["buttons"].astype(np.int64)[..., None]


class FrameReward:
    """One for every step; says so if it is given frames that do not follow each other."""

    def step(self, previous, frames):
        assert (frames["frame"] - previous["frame"] == 1).all()
        return np.ones(len(frames), np.float32)


@pytest.fixture
def stand_ins(monkeypatch):
    """Put a tiny encoder and codec in the place of the real ones."""
    monkeypatch.setattr(melee_env.observations, "make_encoder", lambda name: PositionEncoder())
    monkeypatch.setattr(melee_env.actions, "make_codec", lambda name: ButtonCodec(), raising=False)


def load(source, **kwargs):
    kwargs.setdefault("filters", GameFilter(normal_ratios=False))
    return load_trajectories(source, reward=FrameReward(), **kwargs)


def test_k54_lengths_rewards_and_terminal(stand_ins):
    game = GAMES.synthetic_game(length=200)
    (trajectory,) = load(game, character="FOX")
    assert len(trajectory.obs) == len(trajectory.acts) + 1 == len(trajectory.rews) + 1
    assert trajectory.terminal
    np.testing.assert_array_equal(trajectory.obs[:, 0], game.numbers[game.numbers >= -39])
    np.testing.assert_array_equal(trajectory.obs[:, 1], game.frames["seats"]["leader"]["x"][84:, 1])
    pads = game.frames["seats"]["leader"]["controller"]["buttons"]
    np.testing.assert_array_equal(trajectory.acts[:, 0], pads[85:, 1])


def test_k54_a_game_that_was_cut_short_is_not_terminal(stand_ins):
    game = GAMES.synthetic_game(length=200)
    game.frames["end_method"][-1] = 7
    assert not load(game, character="FOX")[0].terminal


def test_k54_the_port_is_that_of_the_wanted_character(stand_ins):
    game = GAMES.synthetic_game(length=200)
    (fox,) = load(game, character="fox")
    (ice,) = load(game, character="ice climbers")
    assert (fox.infos[0]["port"], ice.infos[0]["port"]) == (3, 1)
    assert ice.infos[0]["player"] == "ICE#123"
    assert load(game, character="MARTH") == []
    assert len(load(game)) == 2
    with pytest.raises(OptionError, match="did you mean"):
        load(game, character="FOXX")


def test_k54_unusual_ratios_are_left_out(stand_ins):
    assert load(GAMES.synthetic_game(length=200), filters=GameFilter()) == []


def test_k54_serialisation_round_trip(stand_ins, tmp_path):
    from imitation.data import serialize

    for number in range(3):
        write_game(tmp_path / f"{number}.slp", GAMES.synthetic_game(length=150, seed=number))
    (tmp_path / "bad.slp").write_bytes(b"<html>")
    skipped = []
    trajectories = load(
        tmp_path, character="FOX", on_skip=lambda path, reason: skipped.append((path.name, reason))
    )
    assert len(trajectories) == 3 and skipped == [("bad.slp", "not_slp")]
    serialize.save(tmp_path / "saved", trajectories)
    again = serialize.load(tmp_path / "saved")
    for saved, original in zip(again, trajectories, strict=True):
        np.testing.assert_array_equal(saved.obs, original.obs)
        np.testing.assert_array_equal(saved.acts, original.acts)
        np.testing.assert_array_equal(saved.rews, original.rews)
        assert saved.terminal == original.terminal


def test_k54_real_encoder_and_codec(tmp_path):
    observations = pytest.importorskip("melee_env.observations")
    if not hasattr(melee_env.actions, "make_codec"):
        pytest.skip("no action codecs yet")
    from melee_env.actions import make_codec

    write_game(tmp_path / "game.slp", GAMES.synthetic_game(length=150))
    (trajectory,) = load_trajectories(tmp_path, character="FOX", filters=GameFilter(normal_ratios=False))
    assert trajectory.obs.dtype == np.float32 and trajectory.acts.dtype == np.int64
    assert trajectory.obs.shape[1:] == observations.make_encoder("compact").space.shape
    assert all(make_codec("multidiscrete").space.contains(action) for action in trajectory.acts)
