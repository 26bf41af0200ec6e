"""The policy: normaliser → backbone → action heads, with a value head on request.

Behavioural cloning trains it, reinforcement learning continues it, agents play with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from agents.networks.autoregressive import AutoregressiveDistribution, AutoregressiveHeads
from agents.networks.backbone import State, default_shape, make_backbone
from agents.networks.heads import ActionDistribution, IndependentHeads
from melee_env.errors import OptionError

Distribution = ActionDistribution | AutoregressiveDistribution
HEADS: dict[str, type[IndependentHeads] | type[AutoregressiveHeads]] = {
    "independent": IndependentHeads,
    "autoregressive": AutoregressiveHeads,
}


@dataclass(frozen=True)
class NetworkConfig:
    """Everything that the shape of a policy depends on; stored in its checkpoint."""

    network: str = "gru"
    """backbone by name"""
    observation_size: int = 0
    """features per frame"""
    nvec: tuple[int, ...] = ()
    """choices per action head"""
    hidden_size: int | None = None
    """width of the backbone, None for its own default"""
    num_layers: int | None = None
    """layers of the backbone, None for its own default"""
    dropout: float = 0.0
    """dropout inside the backbone, 0..1"""
    previous_action: bool = False
    """the action of the previous frame is an input too"""
    heads: str = "independent"
    """how the action's heads depend on each other: independent, or autoregressive"""
    value: bool = False
    """with a value head"""

    def with_defaults(self) -> NetworkConfig:
        """Return the config with the backbone's own size where none is given."""
        hidden_size, num_layers = default_shape(self.network)
        return dataclasses.replace(
            self,
            hidden_size=hidden_size if self.hidden_size is None else self.hidden_size,
            num_layers=num_layers if self.num_layers is None else self.num_layers,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> NetworkConfig:
        """Rebuild from :meth:`to_json`."""
        return cls(**{**values, "nvec": tuple(values["nvec"])})


class Normaliser(nn.Module):
    """Shifts and scales features by the statistics of the training data; the statistics are weights."""

    mean: Tensor
    scale: Tensor

    def __init__(self, size: int, limit: float = 10.0, smallest_std: float = 0.05) -> None:
        super().__init__()
        self.limit = limit
        self.smallest_std = smallest_std
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("scale", torch.ones(size))

    def fit(self, observations: Tensor) -> None:
        """Take mean and standard deviation of ``[N, F]``; a nearly constant feature is not blown up."""
        total = torch.zeros(observations.shape[1], dtype=torch.float64)
        squares = torch.zeros_like(total)
        for part in observations.split(65_536):  # in double precision, without a copy of everything
            total += part.double().sum(0)
            squares += part.double().square().sum(0)
        mean = total / len(observations)
        std = (squares / len(observations) - mean.square()).clamp_min(0).sqrt()
        self.mean.copy_(mean)
        self.scale.copy_(1.0 / std.clamp_min(self.smallest_std))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise ``[..., F]``."""
        return ((x - self.mean) * self.scale).clamp(-self.limit, self.limit)


class Policy(nn.Module):
    """Observations in, a distribution over actions out."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config = config.with_defaults()
        self.normaliser = Normaliser(config.observation_size)
        self.backbone = make_backbone(
            config.network,
            config.observation_size + (len(config.nvec) if config.previous_action else 0),
            hidden_size=config.hidden_size,
            num_layers=config.num_layers,
            dropout=config.dropout,
        )
        if config.heads not in HEADS:
            raise OptionError(f"unknown heads {config.heads!r}; known: {', '.join(HEADS)}")
        self.heads = HEADS[config.heads](self.backbone.output_size, config.nvec)
        self.value = nn.Linear(self.backbone.output_size, 1) if config.value else None

    def initial_state(self, batch_size: int) -> State:
        """Return the state at the start of a game, ``[B, ...]``."""
        return self.backbone.initial_state(batch_size)

    def hidden(
        self,
        observations: Tensor,
        state: State | None = None,
        episode_start: Tensor | None = None,
        previous_actions: Tensor | None = None,
        blank_previous: Tensor | None = None,
    ) -> tuple[Tensor, State]:
        """Return the backbone's output ``[B, T, H]`` and the state; arguments as in :meth:`forward`."""
        blank = episode_start if blank_previous is None else blank_previous
        return self.backbone(self._features(observations, blank, previous_actions), state, episode_start)

    def forward(
        self,
        observations: Tensor,
        state: State | None = None,
        episode_start: Tensor | None = None,
        previous_actions: Tensor | None = None,
        blank_previous: Tensor | None = None,
    ) -> tuple[Distribution, State]:
        """Process a window.

        Args:
            observations: ``[B, T, F]`` float32, not normalised.
            state: what the previous window returned.
            episode_start: ``[B, T]`` bool.
            previous_actions: ``[B, T, heads]`` int64, what was done on the frame before; needed when the policy
                has that channel.
            blank_previous: ``[B, T]`` bool, where that channel is blank; default: where a game starts.

        Returns:
            The distribution over ``[B, T]`` actions, and the state after the last frame.
        """
        hidden, state = self.hidden(observations, state, episode_start, previous_actions, blank_previous)
        return self.heads(hidden), state

    def step(
        self,
        observations: Tensor,
        state: State | None = None,
        episode_start: Tensor | None = None,
        previous_actions: Tensor | None = None,
    ) -> tuple[Distribution, State]:
        """Process one frame: ``[B, F]``, ``[B]``, ``[B, heads]``."""
        features = self._features(observations, episode_start, previous_actions)
        hidden, state = self.backbone.step(features, state, episode_start)
        return self.heads(hidden), state

    def _features(self, x: Tensor, blank: Tensor | None, previous_actions: Tensor | None) -> Tensor:
        features = self.normaliser(x)
        if not self.config.previous_action:
            return features
        if previous_actions is None:
            raise ValueError("this policy was built with previous_action=True: pass previous_actions")
        scaled = scale_actions(previous_actions, self.config.nvec)
        if blank is not None:
            scaled = scaled.masked_fill(blank[..., None], 0.0)
        return torch.cat([features, scaled], -1)


def scale_actions(actions: Tensor, nvec: Sequence[int]) -> Tensor:
    """Map each head's choices to -1..1, ``[..., heads]`` float32 (a blank action is 0)."""
    n = torch.tensor(nvec, dtype=torch.float32, device=actions.device)
    return actions.float() * (2.0 / (n - 1.0)) - 1.0
