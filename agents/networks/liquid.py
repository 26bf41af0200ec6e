"""Liquid network in closed form (Hasani et al. 2022): a gate in time between two candidate states."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.networks.backbone import State, zero_where
from agents.networks.layers import Mixer, ResidualStack


class LiquidMixer(Mixer):
    """h_t = σ(−f) tanh(g) + σ(f) tanh(k), with f, g, k linear in x_t and h_{t−1}. State: h ``[B, H]``.

    f stands for the two terms of the closed form, −(w_τ t + b): frames are equally far apart.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.from_input = nn.Linear(size, 3 * size)
        self.from_state = nn.Linear(size, 3 * size, bias=False)

    def initial_state(self, batch_size: int) -> State:
        """Return zeros ``[B, H]``."""
        return (self.from_input.weight.new_zeros(batch_size, self.from_input.in_features),)

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``, frame after frame."""
        outputs = []
        for t, driven in enumerate(self.from_input(x).unbind(1)):
            if episode_start is not None:
                state = zero_where(state, episode_start[:, t])
            f, g, k = (driven + self.from_state(state[0])).chunk(3, -1)
            h = torch.lerp(g.tanh(), k.tanh(), f.sigmoid())
            outputs.append(h)
            state = (h,)
        return torch.stack(outputs, 1), state


class Liquid(ResidualStack):
    """``num_layers`` of liquid cells on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 1, dropout: float = 0.0
    ) -> None:
        mixers = [LiquidMixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout)
