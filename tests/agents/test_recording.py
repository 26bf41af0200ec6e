"""Demonstrations are what the agent did: playing them again gives the same observations and rewards."""

import gymnasium as gym
import numpy as np
import pytest

import agents
import melee_env  # noqa: F401 (registers the ids)
from agents.bc.lanes import Demonstrations
from agents.recording import record_demonstrations
from melee_env.errors import OptionError


def test_a_demonstration_played_again_is_the_same_episode() -> None:
    options = {"action": "discrete", "frame_skip": 3, "opponent": "scripted:idle", "time_limit": 240}
    recorded = record_demonstrations(
        agents.make("scripted:fighter-9"), "melee_env/Versus-v0", 2, seed=5, **options
    )
    assert len({len(trajectory.acts) for trajectory in recorded}) == 1
    for lane, trajectory in enumerate(recorded):
        env = gym.make("melee_env/Versus-v0", **options)
        observation, _ = env.reset(seed=5 + lane)
        for t, action in enumerate(trajectory.acts):
            assert (observation == trajectory.obs[t]).all()
            observation, reward, terminated, truncated, _ = env.step(action)
            assert np.float32(reward) == trajectory.rews[t]
        assert truncated and not terminated and not trajectory.terminal
        assert (observation == trajectory.obs[-1]).all()
        env.close()
    assert Demonstrations(recorded).actions.shape == (sum(len(t.acts) for t in recorded), 1)


def test_a_delay_is_refused() -> None:
    with pytest.raises(OptionError, match="delay"):
        record_demonstrations(agents.make("scripted:idle"), "melee_env/Versus-v0", 1, action_delay=2)
