"""GAIL and AIRL through ``imitation``: GAIL finds the demonstrated behaviour without seeing a reward.

AIRL runs and saves here, no more: on this toy its policy collapses to one action.
"""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from imitation.data.types import TrajectoryWithRew
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import agents
from agents.adversarial.config import AdversarialConfig
from agents.adversarial.train import train_on
from melee_env.actions import make_codec
from melee_env.errors import OptionError
from melee_env.observations import make_encoder

LENGTH = 16


class Signal(gym.Env[Any, Any]):
    """Observations are a random sign; the reward is always zero."""

    def __init__(self, seed: int) -> None:
        self.observation_space = make_encoder("compact").space
        self.action_space = make_codec("multidiscrete").space
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.frames = 0
        return signal(self.rng, 1)[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.frames += 1
        return signal(self.rng, 1)[0], 0.0, self.frames == LENGTH, False, {}


def signal(rng: np.random.Generator, n: int) -> np.ndarray:
    obs = np.zeros((n, *(make_encoder("compact").space.shape or ())), np.float32)
    obs[:, 0] = rng.choice([-1.0, 1.0], n)
    return obs


def demonstrations(games: int = 64) -> list[TrajectoryWithRew]:
    """A player who holds A exactly while the sign is positive."""
    rng, made = np.random.default_rng(5), []
    for _ in range(games):
        obs = signal(rng, LENGTH + 1)
        acts = np.tile(make_codec("multidiscrete").neutral(), (LENGTH, 1)).astype(np.int64)
        acts[:, 0] = obs[:-1, 0] > 0
        made.append(TrajectoryWithRew(obs, acts, None, True, np.zeros(LENGTH)))
    return made


def environments() -> VecMonitor:
    return VecMonitor(DummyVecEnv([lambda seed=seed: Signal(seed) for seed in range(8)]))


def test_gail_imitates_without_a_reward(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    config = AdversarialConfig(
        total_steps=20_000,
        rollout_steps=32,
        batch_size=128,
        hidden_size=32,
        learning_rate=3e-3,
        gamma=0.5,
        discriminator_learning_rate=1e-3,
        demonstration_batch_size=256,
    )
    agent = train_on("gail", environments(), config, demonstrations(), tmp_path / "gail")
    obs = torch.from_numpy(signal(np.random.default_rng(9), 64))
    with torch.no_grad():
        pressed = agent.policy.step(obs)[0].button_probabilities()[:, 0]
    held, released = pressed[obs[:, 0] > 0].mean(), pressed[obs[:, 0] < 0].mean()
    assert float(held) - float(released) > 0.4
    assert agents.load(tmp_path / "gail").name == "gail"


def test_airl_trains_and_saves(tmp_path: Path) -> None:
    events: list[Any] = []
    config = AdversarialConfig(total_steps=512, rollout_steps=32, batch_size=128, hidden_size=8)
    train_on("airl", environments(), config, demonstrations(), tmp_path / "airl", events.append)
    assert np.isfinite([event["reward_per_step"] for event in events]).all() and len(events) == 2
    assert any(event["reward_per_step"] != 0 for event in events), (
        "the learnt reward never reached the policy"
    )
    assert agents.load(tmp_path / "airl").name == "airl"


def test_what_it_cannot_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="demonstrations"):
        agents.train("gail", out=tmp_path / "a")
    with pytest.raises(OptionError, match="memory"):
        train_on("gail", environments(), AdversarialConfig(network="gru"), demonstrations(2), tmp_path / "b")
