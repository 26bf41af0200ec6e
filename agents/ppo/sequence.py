"""PPO over policies with a memory: Stable-Baselines3's loop around rollouts that remember their states.

A rollout is cut into chunks. Each is trained on from the state that the rollout had there, with the same game
starts and previous actions, so that before the first update the chunk's log-probabilities are the rollout's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from agents.networks.backbone import State
from agents.ppo.actor_critic import NetworkActorCritic
from agents.ppo.sequence_buffer import SequenceBuffer, Sequences


class SequencePPO(PPO):
    """Proximal policy optimisation over whole sequences.

    Args:
        chunk: frames that gradients flow back through; divides ``n_steps``.
        kwargs: as of PPO; ``batch_size`` counts frames, ``policy`` is a :class:`NetworkActorCritic`.
    """

    policy: NetworkActorCritic
    rollout_buffer: SequenceBuffer

    def __init__(self, *args: Any, chunk: int, **kwargs: Any) -> None:
        self.chunk = chunk
        super().__init__(*args, **{**kwargs, "rollout_buffer_class": SequenceBuffer})
        self.rng = np.random.default_rng(self.seed)
        self._memory: tuple[State, State, Tensor] | None = None

    def collect_rollouts(
        self, env: VecEnv, callback: BaseCallback, rollout_buffer: RolloutBuffer, n_rollout_steps: int
    ) -> bool:
        """Play ``n_rollout_steps`` steps of every game; memories go on where the last rollout ended."""
        assert isinstance(rollout_buffer, SequenceBuffer)
        policy, anchor = self.policy, self.policy.anchor
        policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        if self._memory is None:
            none = torch.zeros(env.num_envs, rollout_buffer.action_dim, dtype=torch.int64)
            anchor_state = () if anchor is None else anchor.initial_state(env.num_envs)
            self._memory = policy.network.initial_state(env.num_envs), anchor_state, none
        state, anchor_state, previous = self._memory

        for step in range(n_rollout_steps):
            last_obs, last_start = np.asarray(self._last_obs), np.asarray(self._last_episode_starts)
            obs, start = torch.as_tensor(last_obs), torch.as_tensor(last_start)
            hidden = None
            with torch.no_grad():
                if anchor is not None and policy.kl_coef:
                    window = (obs[:, None], anchor_state, start[:, None], previous[:, None])
                    hidden, anchor_state = anchor.hidden(*window)
                    hidden = hidden[:, 0]
                rollout_buffer.keep(step, previous, None if step % self.chunk else state, hidden)
                distribution, values, state = policy.look(obs, state, start, previous)
                actions = distribution.sample()
                log_prob = distribution.log_prob(actions)
            assert self.action_space.shape is not None
            new_obs, rewards, dones, infos = env.step(actions.numpy().reshape(-1, *self.action_space.shape))
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            self._update_info_buffer(infos, dones)
            self._add_value_of_cut_games(rewards, dones, infos, state, actions)
            rollout_buffer.add(last_obs, actions.numpy(), rewards, last_start, values, log_prob)
            self._last_obs, self._last_episode_starts = np.asarray(new_obs), dones
            previous = actions

        with torch.no_grad():
            _, values, _ = policy.look(
                torch.as_tensor(np.asarray(self._last_obs)), state, torch.as_tensor(dones), previous
            )
        self._memory = state, anchor_state, previous
        rollout_buffer.compute_returns_and_advantage(last_values=values, dones=np.asarray(dones))
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _add_value_of_cut_games(
        self,
        rewards: NDArray[np.float32],
        dones: NDArray[np.bool_],
        infos: list[dict[str, Any]],
        state: State,
        actions: Tensor,
    ) -> None:
        """A game that only ran out of time would have gone on: add what its last state was worth."""
        cut = [n for n in np.flatnonzero(dones) if infos[n].get("TimeLimit.truncated")]
        if not cut:
            return
        last = torch.as_tensor(np.stack([infos[n]["terminal_observation"] for n in cut]))
        lanes = torch.tensor(cut)
        with torch.no_grad():
            _, values, _ = self.policy.look(
                last, tuple(s[lanes] for s in state), torch.zeros(len(cut), dtype=torch.bool), actions[lanes]
            )
        rewards[cut] += self.gamma * values.numpy()

    def train(self) -> None:
        """Update on the rollout, ``n_epochs`` times."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        assert callable(self.clip_range)
        clip_range = self.clip_range(self._current_progress_remaining)
        figures: dict[str, list[float]] = {}
        for _ in range(self.n_epochs):
            for batch in self.rollout_buffer.chunks(max(1, self.batch_size // self.chunk), self.rng):
                loss, parts = self.loss(batch, clip_range)
                self.policy.optimizer.zero_grad()
                loss.backward()
                norm = torch.nn.utils.clip_grad_norm_(self.policy.network.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                for name, part in {**parts, "gradient_norm": float(norm)}.items():
                    figures.setdefault(name, []).append(part)
        self._n_updates += self.n_epochs
        for name, values in figures.items():
            self.logger.record(f"train/{name}", float(np.mean(values)))

    def loss(self, batch: Sequences, clip_range: float) -> tuple[Tensor, dict[str, float]]:
        """Return PPO's loss of some chunks, and its parts."""
        policy = self.policy
        distribution, values = policy.look_along(batch)
        advantages = batch.advantages
        if self.normalize_advantage and advantages.numel() > 1:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        ratio = (distribution.log_prob(batch.actions) - batch.log_prob).exp()
        clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        if self.clip_range_vf is not None:
            assert callable(self.clip_range_vf)
            limit = self.clip_range_vf(self._current_progress_remaining)
            values = batch.values + (values - batch.values).clamp(-limit, limit)
        value_loss = F.mse_loss(batch.returns, values)
        bonus = policy.regularisation(distribution, batch.anchor_hidden).mean()
        loss = policy_loss + self.vf_coef * value_loss - bonus
        return loss, {
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "clip_fraction": ((ratio - 1).abs() > clip_range).float().mean().item(),
            "approx_kl": (ratio - 1 - ratio.log()).mean().item(),
        }
