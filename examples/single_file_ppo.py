"""PPO in one file, on the native vector environment: ``python examples/single_file_ppo.py``.

Everything is here, nothing is configurable from elsewhere: read it, copy it, change it. The environment resets its
lanes by itself within a step (``SameStep``), so an episode's last observation is in ``infos["final_obs"]``.
"""

from __future__ import annotations

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import melee_env  # noqa: F401 (registers the ids)


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    """Return a linear layer with orthogonal weights."""
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


class ActorCritic(nn.Module):
    """Two small networks over one observation."""

    def __init__(self, observation_size: int, actions: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(
            layer(observation_size, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, actions, 0.01)
        )
        self.critic = nn.Sequential(
            layer(observation_size, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0)
        )

    def forward(self, observations: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution of actions and the value ``[N]``."""
        return Categorical(logits=self.actor(observations)), self.critic(observations)[:, 0]


def train(
    env_id: str = "melee_env/Recovery-v0",
    total_steps: int = 300_000,
    num_envs: int = 64,
    num_steps: int = 64,
    minibatches: int = 4,
    epochs: int = 4,
    learning_rate: float = 5e-4,
    gamma: float = 0.98,
    gae_lambda: float = 0.95,
    clip: float = 0.2,
    entropy_weight: float = 0.01,
    seed: int = 0,
) -> list[float]:
    """Train and return the mean return of the episodes that ended in every rollout (NaN where none did)."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    envs = gym.make_vec(
        env_id,
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        observation="compact",
        action="movement",
    )
    actions_count = int(envs.single_action_space.n)  # type: ignore[attr-defined]
    size = envs.single_observation_space.shape[0]  # type: ignore[index]
    model = ActorCritic(size, actions_count)
    optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate, eps=1e-5)

    observations = torch.zeros(num_steps, num_envs, size)
    actions = torch.zeros(num_steps, num_envs, dtype=torch.int64)
    log_probs, rewards, values, next_values = (torch.zeros(num_steps, num_envs) for _ in range(4))
    dones = torch.zeros(num_steps, num_envs)
    history = []
    running = np.zeros(num_envs)
    shown = torch.from_numpy(envs.reset(seed=seed)[0])
    began = time.perf_counter()
    for rollout in range(max(total_steps // (num_envs * num_steps), 1)):
        ended: list[float] = []
        for t in range(num_steps):
            with torch.no_grad():
                distribution, values[t] = model(shown)
                actions[t] = distribution.sample()
                log_probs[t] = distribution.log_prob(actions[t])
            observations[t] = shown
            step, reward, terminated, truncated, infos = envs.step(actions[t].numpy())
            shown = torch.from_numpy(step)
            over = terminated | truncated
            # The value behind the step: of the old episode's last observation where one was cut off, 0 where it ended.
            behind = shown.clone()
            for lane in np.flatnonzero(over):
                behind[lane] = torch.from_numpy(infos["final_obs"][lane])
            with torch.no_grad():
                next_values[t] = model(behind)[1] * torch.from_numpy(~terminated)
            rewards[t] = torch.from_numpy(reward)
            dones[t] = torch.from_numpy(over)
            running += reward
            ended += running[over].tolist()
            running[over] = 0

        advantages = torch.zeros_like(rewards)
        carried = torch.zeros(num_envs)
        for t in reversed(range(num_steps)):
            delta = rewards[t] + gamma * next_values[t] - values[t]
            carried = delta + gamma * gae_lambda * (1 - dones[t]) * carried
            advantages[t] = carried
        flat = [
            part.flatten(0, 1) for part in (observations, actions, log_probs, advantages, advantages + values)
        ]
        for _ in range(epochs):
            for chosen in np.array_split(rng.permutation(num_envs * num_steps), minibatches):
                seen, taken, old, advantage, target = (part[torch.from_numpy(chosen)] for part in flat)
                distribution, value = model(seen)
                ratio = (distribution.log_prob(taken) - old).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                surrogate = torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
                loss = -surrogate.mean() + 0.5 * (value - target).pow(2).mean()
                loss = loss - entropy_weight * distribution.entropy().mean()
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimiser.step()
        history.append(float(np.mean(ended)) if ended else float("nan"))
        steps = (rollout + 1) * num_envs * num_steps
        rate = steps / (time.perf_counter() - began)
        print(f"{steps:9,} steps  {rate:8,.0f} steps/s  return of {len(ended)} episodes: {history[-1]:.3f}")
    envs.close()
    return history


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env-id", default="melee_env/Recovery-v0")
    parser.add_argument("--total-steps", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    train(given.env_id, given.total_steps, seed=given.seed)
