"""K56: PPO continues a clone exactly, and the KL anchor pulls."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3.common.vec_env import DummyVecEnv

import agents
from agents.network_agent import NetworkAgent
from agents.ppo.config import PPOConfig
from agents.ppo.train import train_on
from agents.testing import toy_trajectories
from melee_env.actions import make_codec
from melee_env.errors import OptionError
from melee_env.observations import make_encoder

SMALL: dict[str, Any] = {
    "total_steps": 512,
    "rollout_steps": 32,
    "batch_size": 64,
    "epochs": 2,
    "num_envs": 4,
}


class PressA(gym.Env[Any, Any]):
    """Reward 1 for every frame on which A is held; observations are noise, games last 20 frames."""

    def __init__(self, seed: int) -> None:
        self.observation_space = make_encoder("compact").space
        self.action_space = make_codec("multidiscrete").space
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.frames = 0
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.frames += 1
        return self._observe(), float(action[0]), self.frames == 20, False, {}

    def _observe(self) -> Any:
        obs = np.zeros(self.observation_space.shape, np.float32)
        obs[:2] = self.rng.normal(size=2)
        return obs


def environments() -> DummyVecEnv:
    return DummyVecEnv([lambda seed=seed: PressA(seed) for seed in range(4)])


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("clone") / "bc"
    trajectories = toy_trajectories(observation_size=make_encoder("compact").space.shape[-1])
    agents.train(
        "bc",
        demonstrations=trajectories,
        out=out,
        network="mlp",
        hidden_size=16,
        batch_size=4,
        window=16,
        epochs=2,
    )
    return out


def observations(n: int = 64) -> torch.Tensor:
    obs = torch.zeros(n, make_encoder("compact").space.shape[-1])
    obs[:, :2] = torch.randn(n, 2, generator=torch.Generator().manual_seed(3))
    return obs


def press_rate(agent: NetworkAgent) -> float:
    with torch.no_grad():
        return float(agent.policy.step(observations())[0].button_probabilities()[:, 0].mean())


def kl(agent: NetworkAgent, origin: Path) -> float:
    teacher = agents.load(origin)
    assert isinstance(teacher, NetworkAgent)
    with torch.no_grad():
        return float(agent.policy.step(observations())[0].kl(teacher.policy.step(observations())[0]).mean())


def test_k56_learning_rate_zero_leaves_the_clone_as_it_is(clone: Path, tmp_path: Path) -> None:
    agent = train_on(environments(), PPOConfig(init=str(clone), learning_rate=0.0, **SMALL), tmp_path / "ppo")
    assert kl(agent, clone) == 0.0


def test_k56_kl_to_the_clone_falls_when_its_weight_rises(clone: Path, tmp_path: Path) -> None:
    distances = [
        kl(
            train_on(
                environments(),
                PPOConfig(
                    init=str(clone), learning_rate=3e-3, kl_coef=coef, **{**SMALL, "total_steps": 4096}
                ),
                tmp_path / str(coef),
            ),
            clone,
        )
        for coef in (0.0, 0.5, 10.0)
    ]
    assert distances[0] > distances[1] > distances[2] > 0


def test_k56_first_rollout_has_the_log_probabilities_of_the_update(clone: Path, tmp_path: Path) -> None:
    from agents.ppo.actor_critic import NetworkActorCritic
    from agents.ppo.train import build_network

    envs = environments()
    network, anchor, _ = build_network(PPOConfig(init=str(clone)), envs)
    policy = NetworkActorCritic(
        envs.observation_space, envs.action_space, lambda _: 0.0, network=network, anchor=anchor
    )
    actions, values, log_prob = policy(observations())
    again_values, again_log_prob, _ = policy.evaluate_actions(observations(), actions)
    torch.testing.assert_close(log_prob, again_log_prob)
    torch.testing.assert_close(values, again_values)
    assert not any(p.requires_grad for p in policy.anchor.parameters())


def test_ppo_learns_and_its_checkpoint_plays(tmp_path: Path) -> None:
    events: list[Any] = []
    config = PPOConfig(hidden_size=16, learning_rate=1e-2, **{**SMALL, "total_steps": 3000})
    trained = train_on(environments(), config, tmp_path / "ppo", events.append)
    assert events[-1]["reward_per_step"] > 0.8 > events[0]["reward_per_step"]
    loaded = agents.load(tmp_path / "ppo")
    assert isinstance(loaded, NetworkAgent)
    assert press_rate(loaded) == press_rate(trained) > 0.8


def test_ppo_explains_what_it_cannot_do(clone: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="init"):
        train_on(environments(), PPOConfig(kl_coef=0.1), tmp_path / "ppo")
    with pytest.raises(OptionError, match="divide"):
        train_on(environments(), PPOConfig(network="gru", window=7, **SMALL), tmp_path / "ppo")
    with pytest.raises(OptionError, match="resume"):
        agents.train("ppo", out=tmp_path / "ppo", resume=True)
