"""Rollouts of policies with a memory: what Stable-Baselines3's buffer keeps, and the states to start from again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.buffers import RolloutBuffer
from torch import Tensor

from agents.networks.backbone import State


@dataclass(frozen=True)
class Sequences:
    """Chunks of rollouts, ``B`` of them, ``T`` frames each."""

    observations: Tensor
    """``[B, T, F]``"""
    actions: Tensor
    """``[B, T, heads]`` int64"""
    previous_actions: Tensor
    """``[B, T, heads]`` int64"""
    episode_start: Tensor
    """``[B, T]`` bool"""
    state: State
    """the network's before the first frame, ``[B, ...]``"""
    anchor_hidden: Tensor | None
    """what the anchor's backbone makes of the frames, ``[B, T, H]``"""
    values: Tensor
    """``[B, T]``, as of the rollout"""
    log_prob: Tensor
    """``[B, T]``, as of the rollout"""
    advantages: Tensor
    """``[B, T]``"""
    returns: Tensor
    """``[B, T]``"""


class SequenceBuffer(RolloutBuffer):
    """A rollout ``[T, N]`` with the previous actions of every step and the states at every chunk's begin."""

    def reset(self) -> None:
        """Forget the rollout."""
        super().reset()
        self.previous_actions = np.zeros((self.buffer_size, self.n_envs, self.action_dim), np.int64)
        self.states: dict[int, State] = {}
        self.anchor_hidden: list[Tensor] = []

    def keep(
        self,
        step: int,
        previous_actions: Tensor,
        state: State | None = None,
        anchor_hidden: Tensor | None = None,
    ) -> None:
        """Keep what goes into step ``step``: previous actions ``[N, heads]``, the state where a chunk begins."""
        self.previous_actions[step] = previous_actions.numpy()
        if state is not None:
            self.states[step] = tuple(s.clone() for s in state)
        if anchor_hidden is not None:
            self.anchor_hidden.append(anchor_hidden)

    def chunks(self, per_batch: int, rng: np.random.Generator) -> Iterator[Sequences]:
        """Yield all chunks once, ``per_batch`` at a time, in an order that ``rng`` draws."""
        begins = sorted(self.states)
        length = self.buffer_size // len(begins)
        places = [(begin, lane) for begin in begins for lane in range(self.n_envs)]
        order = rng.permutation(len(places))
        hidden = torch.stack(self.anchor_hidden) if self.anchor_hidden else None

        for first in range(0, len(order), per_batch):
            chosen = [places[k] for k in order[first : first + per_batch]]
            time = np.array([begin for begin, _ in chosen])[:, None] + np.arange(length)
            lane = np.array([lane for _, lane in chosen])[:, None]

            def take(values: Any, time: Any = time, lane: Any = lane) -> Tensor:
                return torch.as_tensor(values[time, lane])

            states = [tuple(part[n] for part in self.states[begin]) for begin, n in chosen]
            yield Sequences(
                observations=take(self.observations),
                actions=take(self.actions).long(),
                previous_actions=take(self.previous_actions),
                episode_start=take(self.episode_starts).bool(),
                state=tuple(torch.stack(parts) for parts in zip(*states, strict=True)),
                anchor_hidden=None if hidden is None else take(hidden),
                values=take(self.values),
                log_prob=take(self.log_probs),
                advantages=take(self.advantages),
                returns=take(self.returns),
            )
