"""Mamba-2 (Dao & Gu 2024): one decay per head, a matrix as state, windows as matrix products."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.kernels import matrix_scan
from agents.networks.backbone import State
from agents.networks.layers import CausalConv, Mixer, ResidualStack, number_of_heads


class Mamba2Mixer(Mixer):
    """norm(gate · scan(silu(convolution(linear(x))))) with one key and one query for all heads.

    State: the convolution's last inputs ``[B, conv − 1, D + 2N]`` and the scan's ``[B, heads, N, P]``.
    """

    def __init__(self, size: int, state_size: int = 64, expand: int = 2, conv: int = 4) -> None:
        super().__init__()
        inner = expand * size
        heads = number_of_heads(inner)
        self.shape = (heads, state_size, inner // heads)
        self.mixed_sizes = (inner, state_size, state_size)
        self.sizes = (inner, sum(self.mixed_sizes), heads)
        self.into = nn.Linear(size, sum(self.sizes), bias=False)
        self.conv = CausalConv(self.sizes[1], conv)
        self.norm = nn.LayerNorm(inner)
        self.out = nn.Linear(inner, size, bias=False)
        self.log_a = nn.Parameter(torch.empty(heads).uniform_(1, 16).log())
        self.skip = nn.Parameter(torch.ones(heads, 1))
        steps = torch.exp(torch.empty(heads).uniform_(math.log(1e-3), math.log(0.1)))
        self.delta_bias = nn.Parameter(steps + (-torch.expm1(-steps)).log())

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for the convolution and for the scan."""
        return self.conv.initial_state(batch_size), self.skip.new_zeros(batch_size, *self.shape)

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        heads, _, width = self.shape
        gate, mixed, delta = self.into(x).split(self.sizes, -1)
        mixed, last_inputs = self.conv(mixed, state[0], episode_start)
        values, key, query = F.silu(mixed).split(self.mixed_sizes, -1)
        values = values.unflatten(-1, (heads, width))
        delta = F.softplus(delta + self.delta_bias)
        key, query = (z[:, :, None].expand(-1, -1, heads, -1) for z in (key, query))
        y, s = matrix_scan(
            query, key, values * delta[..., None], -delta * self.log_a.exp(), state[1], episode_start
        )
        y = (y + self.skip * values).flatten(-2)
        return self.out(self.norm(y * F.silu(gate))), (last_inputs, s)


class Mamba2(ResidualStack):
    """``num_layers`` of Mamba-2 on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        mixers = [Mamba2Mixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout)
