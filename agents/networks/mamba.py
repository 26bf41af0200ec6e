"""Mamba (Gu & Dao 2023): a selective state space model; each channel keeps 16 numbers of the past."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.kernels import is_played, mamba_cell, selective_scan
from agents.networks.backbone import State
from agents.networks.layers import CausalConv, Mixer, ResidualStack


class MambaMixer(Mixer):
    """Gate · selective scan(silu(convolution(linear(x)))).

    State: the convolution's last inputs ``[B, conv − 1, D]`` and the scan's ``[B, D, state_size]``,
    D = ``expand`` · ``size``.
    """

    def __init__(self, size: int, state_size: int = 16, expand: int = 2, conv: int = 4) -> None:
        super().__init__()
        inner, rank = expand * size, math.ceil(size / 16)
        self.inner, self.sizes = inner, (rank, state_size, state_size)
        self.into = nn.Linear(size, 2 * inner, bias=False)
        self.conv = CausalConv(inner, conv)
        self.select = nn.Linear(inner, sum(self.sizes), bias=False)
        self.delta = nn.Linear(rank, inner)
        self.out = nn.Linear(inner, size, bias=False)
        self.log_a = nn.Parameter(torch.arange(1, state_size + 1).float().log().repeat(inner, 1))
        self.skip = nn.Parameter(torch.ones(inner))
        # Time steps start log-uniform in 0.001..0.1, through the inverse of softplus.
        steps = torch.exp(torch.empty(inner).uniform_(math.log(1e-3), math.log(0.1)))
        with torch.no_grad():
            self.delta.bias.copy_(steps + (-torch.expm1(-steps)).log())
            self.delta.weight.uniform_(-(rank**-0.5), rank**-0.5)

    def initial_state(self, batch_size: int) -> State:
        """Return zeros ``[B, conv − 1, D]`` and ``[B, D, state_size]``."""
        return self.conv.initial_state(batch_size), self.skip.new_zeros(batch_size, *self.log_a.shape)

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        u_and_gate = self.into(x)
        if episode_start is None and is_played(x):
            y, *new = mamba_cell(
                u_and_gate[:, 0],
                state[0],
                state[1],
                (self.conv.weight, self.conv.bias),
                self.select.weight,
                (self.delta.weight, self.delta.bias),
                -self.log_a.exp(),
                self.skip,
            )
            return self.out(y)[:, None], tuple(new)
        u, gate = u_and_gate.chunk(2, -1)
        u, last_inputs = self.conv(u, state[0], episode_start)
        u = F.silu(u)
        rank, b, c = self.select(u).split(self.sizes, -1)
        delta = F.softplus(self.delta(rank))
        y, h = selective_scan(u, delta, -self.log_a.exp(), b, c, state[1], episode_start)
        return self.out(torch.addcmul(y, u, self.skip) * F.silu(gate)), (last_inputs, h)


class Mamba(ResidualStack):
    """``num_layers`` of Mamba on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        mixers = [MambaMixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout)
