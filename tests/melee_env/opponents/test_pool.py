"""A pool of opponents changes them at episode starts only; sides and mirrors are drawn per episode too."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import melee_env  # noqa: F401 (registers the ids)
from melee_env.controller import Controllers, make_controllers
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.opponents import OpponentPool

VERSUS = "melee_env/Versus-v0"


class Lean:
    """Holds its stick to where its number says, so that a frame tells who plays."""

    def __init__(self, value: float) -> None:
        self.value = value

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: Any = None) -> Controllers:
        """Return the same for every game."""
        return make_controllers(cstick_x=np.full(len(frames), self.value))


def who_plays(pool: OpponentPool, lanes: int, steps: int, **options: Any) -> np.ndarray:
    """Return what the opponents' C-sticks say, ``[steps, lanes]``."""
    envs = gym.make_vec(
        VERSUS,
        lanes,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        opponent=pool,
        **options,
    )
    envs.reset(seed=0)
    seen = []
    for _ in range(steps):
        over = np.logical_or(*envs.step(envs.action_space.sample())[2:4])
        pads = envs.unwrapped.games.frames["seats"]["leader"]["controller"]["cstick_x"][:, 1]
        seen.append(np.where(over, 0, pads))
    return np.array(seen)


def test_opponents_change_at_episode_starts_only() -> None:
    seen = who_plays(OpponentPool([Lean(0.5), Lean(1.0)]), lanes=8, steps=250, time_limit=5)
    assert set(np.unique(seen)) == {0.0, 0.5, 1.0}
    changed = (seen[1:] != seen[:-1]) & (seen[1:] != 0) & (seen[:-1] != 0)
    assert not changed.any()
    assert all(set(np.unique(lane)) == {0.0, 0.5, 1.0} for lane in seen.T)


def test_weights_are_shares() -> None:
    pool = OpponentPool([Lean(0.5), Lean(1.0)], weights=[1, 3])
    seen = who_plays(pool, lanes=400, steps=1)
    assert np.mean(seen == 1.0) == pytest.approx(0.75, abs=0.07)  # three standard errors


def test_what_is_added_plays_from_the_next_episode_on() -> None:
    pool = OpponentPool([Lean(0.5)])
    env = gym.make(VERSUS, opponent=pool, time_limit=5).unwrapped
    env.reset(seed=0)
    pool.add(Lean(1.0), weight=1e9)

    def stick() -> float:
        env.step(env.action_space.sample())
        return float(env.frame["seats"]["leader"]["controller"]["cstick_x"][1])

    assert [stick() for _ in range(3)] == [0.5] * 3
    env.reset()
    assert [stick() for _ in range(3)] == [1.0] * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OpponentPool().choose(0), "empty"),
        (lambda: OpponentPool(["scripted:walk"], weights=[1, 2]), "1 opponents and 2 weights"),
        (lambda: OpponentPool(["scripted:wlak"]), "scripted:walk"),
        (lambda: OpponentPool().add("scripted:walk", 0), "above 0"),
        (lambda: OpponentPool().add(3), "reset and act"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()


def test_sides_and_mirrors_are_drawn_per_episode() -> None:
    """Whatever is drawn, the learner sits in seat 0 of what it sees and its own actions reach its own fighter."""
    lanes = 40
    envs = gym.make_vec(
        VERSUS,
        lanes,
        vectorization_mode="vector_entry_point",
        seat=None,
        mirror=None,
        position=(-20.0, 0.0001),
        opponent="scripted:idle",
        action="box",
    ).unwrapped
    envs.reset(seed=0)
    drawn = set(zip(envs.games.seats.tolist(), envs.games.mirrors.tolist(), strict=True))
    assert drawn == {(0, False), (0, True), (1, False), (1, True)}
    actions = np.tile(envs.games.codec.neutral(), (lanes, 1))
    actions[:, 8] = 1  # to the right
    for _ in range(20):
        envs.step(actions)
    leaders = envs.games.frames["seats"]["leader"]
    assert (leaders["x"][:, 0] > -15).all()
    assert (leaders["controller"]["stick_x"] == [1, 0]).all()
