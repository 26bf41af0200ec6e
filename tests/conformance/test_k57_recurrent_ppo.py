"""K57: recurrent PPO trains on the states, game starts and previous actions that the rollout had.

K56 for networks with a memory: the first update at learning rate 0 changes nothing, and the KL to the teacher pulls.
"""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3.common.vec_env import DummyVecEnv

import agents
from agents.network_agent import NetworkAgent
from agents.networks.backbone import backbone_names
from agents.networks.policy import NetworkConfig, Policy
from agents.ppo.actor_critic import NetworkActorCritic
from agents.ppo.config import PPOConfig
from agents.ppo.sequence import SequencePPO
from agents.ppo.train import build_network, train_on
from agents.testing import toy_trajectories
from melee_env.actions import make_codec
from melee_env.observations import make_encoder

STEPS, CHUNK = 32, 8
SMALL: dict[str, Any] = {
    "total_steps": 512,
    "rollout_steps": STEPS,
    "window": CHUNK,
    "batch_size": 64,
    "epochs": 2,
}


class RememberA(gym.Env[Any, Any]):
    """Reward 1 for holding A if and only if the signal was on two frames ago; games last 13 frames, cut off."""

    def __init__(self, seed: int) -> None:
        self.observation_space = make_encoder("compact").space
        self.action_space = make_codec("multidiscrete").space
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.signals: list[int] = []
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        wanted = self.signals[-3] if len(self.signals) > 2 else 0
        reward = float(int(action[0]) == wanted)
        observation = self._observe()
        return observation, reward, False, len(self.signals) == 14, {}

    def _observe(self) -> Any:
        self.signals.append(int(self.rng.integers(2)))
        obs = np.zeros(self.observation_space.shape, np.float32)
        obs[0] = 2 * self.signals[-1] - 1
        return obs


def environments() -> DummyVecEnv:
    return DummyVecEnv([lambda seed=seed: RememberA(seed) for seed in range(4)])


def model(network: str, **settings: Any) -> SequencePPO:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    envs = environments()
    policy = Policy(
        NetworkConfig(
            network=network,
            observation_size=envs.observation_space.shape[0],
            nvec=tuple(envs.action_space.nvec),
            hidden_size=32,
            previous_action=True,
            value=True,
        )
    )
    made = SequencePPO(
        NetworkActorCritic,
        envs,
        chunk=CHUNK,
        n_steps=STEPS,
        batch_size=4 * CHUNK,
        n_epochs=1,
        seed=0,
        device="cpu",
        policy_kwargs={"network": policy, "entropy_coef": 0.0},
        **settings,
    )
    _, callback = made._setup_learn(10_000)
    callback.on_training_start({}, {})
    for _ in range(2):  # the second rollout goes on in the middle of games
        assert made.collect_rollouts(made.env, callback, made.rollout_buffer, STEPS)
    return made


@pytest.mark.parametrize("network", backbone_names())
def test_k57_chunks_reproduce_the_rollouts_log_probabilities(network: str) -> None:
    made = model(network)
    frames = 0
    for batch in made.rollout_buffer.chunks(5, np.random.default_rng(0)):
        with torch.no_grad():
            distribution, values = made.policy.look_along(batch)
        torch.testing.assert_close(distribution.log_prob(batch.actions), batch.log_prob, rtol=0, atol=1e-5)
        torch.testing.assert_close(values, batch.values, rtol=0, atol=1e-5)
        frames += batch.actions.shape[0] * batch.actions.shape[1]
    assert frames == STEPS * 4
    starts = made.rollout_buffer.episode_starts.astype(bool)
    assert starts.any() and not starts.all()


def test_k57_a_wrong_state_or_game_start_would_be_seen() -> None:
    """The check above fails when the stored state or the starts are ignored."""
    made = model("gru")
    [batch] = made.rollout_buffer.chunks(1000, np.random.default_rng(0))
    wrong_state = batch.__class__(**{**vars(batch), "state": tuple(s * 0 for s in batch.state)})
    no_starts = batch.__class__(**{**vars(batch), "episode_start": torch.zeros_like(batch.episode_start)})
    for wrong in (wrong_state, no_starts):
        with torch.no_grad():
            log_prob = made.policy.look_along(wrong)[0].log_prob(batch.actions)
        assert float((log_prob - batch.log_prob).abs().max()) > 1e-4


def test_values_are_clipped_when_asked_to() -> None:
    for limit, moves in ((None, True), (0.1, False)):
        made = model("gru", clip_range_vf=limit)
        made.clip_range_vf = None if limit is None else (lambda _: 0.1)
        [batch] = made.rollout_buffer.chunks(1000, np.random.default_rng(0))
        far = batch.__class__(**{**vars(batch), "values": batch.values + 5, "returns": batch.returns - 5})
        made.policy.optimizer.zero_grad()
        (made.loss(far, 0.2)[0]).backward()
        assert (float(made.policy.network.value.bias.grad.abs().sum()) > 0) is moves  # type: ignore[union-attr]


def test_gradients_are_clipped() -> None:
    made = model("gru", max_grad_norm=1e-3)
    made.train()
    parameters = made.policy.network.parameters()
    norm = torch.stack([p.grad.square().sum() for p in parameters if p.grad is not None]).sum().sqrt()
    assert float(norm) == pytest.approx(1e-3, rel=1e-2)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("clone") / "gru"
    games = toy_trajectories(observation_size=make_encoder("compact").space.shape[-1])
    settings: dict[str, Any] = {"hidden_size": 16, "batch_size": 4, "window": 16, "epochs": 2}
    agents.train("bc", demonstrations=games, out=out, network="gru", previous_action=True, **settings)
    return out


def kl(agent: NetworkAgent, origin: Path) -> float:
    """KL(agent ‖ origin) along a signal, mean over frames."""
    teacher = agents.load(origin)
    assert isinstance(teacher, NetworkAgent)
    obs = torch.zeros(8, 20, make_encoder("compact").space.shape[-1])
    obs[..., 0] = torch.randint(0, 2, (8, 20), generator=torch.Generator().manual_seed(0)) * 2 - 1
    previous = torch.zeros(8, 20, 13, dtype=torch.int64)
    with torch.no_grad():
        ours, theirs = (a.policy(obs, previous_actions=previous)[0] for a in (agent, teacher))
        return float(ours.kl(theirs).mean())


def test_k56_recurrent_clone_is_unchanged_at_learning_rate_zero(clone: Path, tmp_path: Path) -> None:
    agent = train_on(environments(), PPOConfig(init=str(clone), learning_rate=0.0, **SMALL), tmp_path / "ppo")
    assert kl(agent, clone) == 0.0


def test_k56_kl_pulls_a_recurrent_clone(clone: Path, tmp_path: Path) -> None:
    distances = []
    for coef in (0.0, 0.5, 10.0):
        config = PPOConfig(
            init=str(clone), learning_rate=3e-3, kl_coef=coef, **{**SMALL, "total_steps": 2048}
        )
        distances.append(kl(train_on(environments(), config, tmp_path / str(coef)), clone))
    assert distances[0] > distances[1] > distances[2] > 0


def test_k56_anchor_sees_what_the_network_sees(clone: Path) -> None:
    """Before the first update the pull towards the clone is zero, also inside games."""
    envs = environments()
    network, anchor, _ = build_network(PPOConfig(init=str(clone)), envs)
    made = SequencePPO(
        NetworkActorCritic,
        envs,
        chunk=CHUNK,
        n_steps=STEPS,
        batch_size=64,
        seed=0,
        device="cpu",
        policy_kwargs={"network": network, "anchor": anchor, "kl_coef": 1.0},
    )
    _, callback = made._setup_learn(10_000)
    callback.on_training_start({}, {})
    made.collect_rollouts(made.env, callback, made.rollout_buffer, STEPS)
    for batch in made.rollout_buffer.chunks(4, np.random.default_rng(0)):
        distribution, _ = made.policy.look_along(batch)
        with torch.no_grad():
            pull = made.policy.regularisation(distribution, batch.anchor_hidden)
        assert float(pull.abs().max()) < 1e-5


def test_a_memory_is_learnt(tmp_path: Path) -> None:
    config = PPOConfig(
        network="gru",
        hidden_size=32,
        num_layers=1,
        learning_rate=1e-2,
        gamma=0.0,
        **{**SMALL, "total_steps": 8_000, "rollout_steps": 64, "batch_size": 128},
    )
    events: list[Any] = []
    train_on(environments(), config, tmp_path / "ppo", events.append)
    assert events[-1]["reward_per_step"] > 0.85 > 0.65 > events[0]["reward_per_step"]
