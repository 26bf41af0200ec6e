"""The package's own wrappers, each against what the frames say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import melee_env  # noqa: F401 (registers the ids)
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.ids import Character, Stage
from melee_env.slp import read_game
from melee_env.wrappers import GameStatistics, RecordGames, StructuredObservation

VERSUS = "melee_env/Versus-v0"


def play(env: gym.Env[Any, Any], seed: int = 0) -> tuple[list[np.void], dict[str, Any]]:
    """Play an episode at random; return its frames as the environment shows them, and the last info."""
    env.action_space.seed(seed)
    env.reset(seed=seed)
    frames, info, over = [env.unwrapped.frame], {}, False
    while not over:
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        frames.append(env.unwrapped.frame)
        over = terminated or truncated
    return frames, info


def close_fight(**options: Any) -> gym.Env[Any, Any]:
    """Two fighters side by side, the learner with much damage and one stock."""
    given = {"percent": 150, "stocks": 1, "time_limit": 900, "opponent": "scripted:fighter-9", **options}
    return gym.make(VERSUS, position=(-8.0, 0.0001), opponent_position=(8.0, 0.0001), **given)


@pytest.mark.parametrize("frame_skip", [1, 4])
def test_statistics_are_those_of_every_frame(frame_skip: int) -> None:
    env = GameStatistics(close_fight(frame_skip=frame_skip))
    listened: list[np.void] = []
    env.unwrapped.games.listeners.append(lambda games: listened.append(games.frames[0].copy()))
    shown, info = play(env)
    leaders = np.array([shown[0], *listened])["seats"]["leader"]
    gained = np.maximum(np.diff(leaders["percent"], axis=0), 0).sum(0)
    summary = info["game"]
    assert summary["frames"] == len(listened) >= len(shown) - 1
    assert (summary["damage_taken"], summary["damage_dealt"]) == pytest.approx(tuple(gained), abs=1e-3)
    assert summary["damage_taken"] > 0
    assert summary["stocks_lost"] == leaders["stocks"][0, 0] - leaders["stocks"][-1, 0] == 1
    assert (summary["stocks_taken"], summary["won"]) == (0, False)
    assert 0 <= summary["offstage"] < 1


def test_statistics_start_anew_and_come_last() -> None:
    env = GameStatistics(close_fight(time_limit=30, percent=0))
    env.action_space.seed(0)
    env.reset(seed=0)
    assert "game" not in env.step(env.action_space.sample())[4]
    frames = [play(env, seed)[1]["game"]["frames"] for seed in (1, 1)]
    assert frames == [30 - FIRST_CONTROLLABLE_FRAME + 1] * 2


@pytest.mark.parametrize("frame_skip", [1, 3])
def test_a_recording_is_the_game_that_was_played(tmp_path: Path, frame_skip: int) -> None:
    env = RecordGames(
        close_fight(
            character="MARTH", opponent_character="SHEIK", stage="BATTLEFIELD", frame_skip=frame_skip
        ),
        tmp_path,
    )
    shown, info = play(env)
    game = read_game(info["recording"])
    assert [seat.character for seat in game.info.seats] == [
        Character.MARTH.external,
        Character.SHEIK.external,
    ]
    assert game.info.stage == Stage.BATTLEFIELD.external
    assert game.info.seats[0].stocks == 1
    assert np.diff(game.numbers).tolist() == [1] * (len(game) - 1)
    places = {int(number): n for n, number in enumerate(game.numbers)}
    for frame in shown:
        recorded = game.frames[places[int(frame["frame"])]]
        for field in ("x", "y", "action", "percent", "stocks", "controller"):
            ours, theirs = (one["seats"]["leader"][field] for one in (frame, recorded))
            assert ours.tobytes() == theirs.tobytes(), field


def test_recordings_go_on_counting_and_can_be_chosen(tmp_path: Path) -> None:
    env = RecordGames(
        close_fight(time_limit=5, percent=0), tmp_path, trigger=lambda episode: episode % 2 == 1
    )
    for seed in range(4):
        play(env, seed)
    env.reset()  # given up: not written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["episode-00000.slp", "episode-00001.slp"]
    play(RecordGames(close_fight(time_limit=5, percent=0), tmp_path))
    assert (tmp_path / "episode-00002.slp").exists()


@pytest.mark.parametrize("observation", ["compact", "full:previous=3", "exphil"])
def test_structured_observations_are_the_flat_ones_in_parts(observation: str) -> None:
    plain = gym.make(VERSUS, observation=observation)
    parts = StructuredObservation(gym.make(VERSUS, observation=observation))
    flat, shown = plain.reset(seed=3)[0], parts.reset(seed=3)[0]
    for _ in range(30):
        assert parts.observation_space.contains(shown)
        ordered = [shown[name] for name in parts._slices]
        np.testing.assert_array_equal(np.concatenate(ordered), flat)
        action = plain.action_space.sample()
        flat, shown = plain.step(action)[0], parts.step(action)[0]
