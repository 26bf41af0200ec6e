"""Griffin (De et al. 2024): two gated linear recurrences, then attention to the last frames, and so on."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.kernels import linear_scan
from agents.networks.attention import AttentionMixer
from agents.networks.backbone import State
from agents.networks.layers import CausalConv, Mixer, ResidualStack

PERIOD = 3
DECAY_SCALE = 8.0
"""the paper's c in a_t = a^(c r_t)"""


class RecurrentMixer(Mixer):
    """gelu(linear(x)) · RG-LRU(convolution(linear(x))). State: the convolution's inputs and h ``[B, H]``."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.into = nn.Linear(size, 2 * size)
        self.conv = CausalConv(size)
        self.gates = nn.Linear(size, 2 * size)
        self.out = nn.Linear(size, size)
        # a^c starts uniform in 0.9..0.999; a = exp(−softplus(decay)).
        start = torch.empty(size).uniform_(0.9, 0.999)
        self.decay = nn.Parameter(torch.expm1(-start.log() / DECAY_SCALE).log())

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for the convolution and for h."""
        return self.conv.initial_state(batch_size), self.decay.new_zeros(batch_size, len(self.decay))

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        gate, u = self.into(x).chunk(2, -1)
        u, last_inputs = self.conv(u, state[0], episode_start)
        forget, take = self.gates(u).sigmoid().chunk(2, -1)
        log_a = -DECAY_SCALE * F.softplus(self.decay) * forget
        scale = (-torch.expm1(2 * log_a)).clamp_min(1e-6).sqrt()  # keeps the variance of h
        h = linear_scan(log_a.exp(), scale * take * u, state[1], episode_start)
        return self.out(F.gelu(gate) * h), (last_inputs, h[:, -1])


class Griffin(ResidualStack):
    """``num_layers`` × (recurrence or attention, gated feed-forward) on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 3, dropout: float = 0.0
    ) -> None:
        mixers: list[Mixer] = [
            AttentionMixer(hidden_size) if k % PERIOD == PERIOD - 1 else RecurrentMixer(hidden_size)
            for k in range(num_layers)
        ]
        super().__init__(input_size, hidden_size, mixers, dropout, feed_forward=True)
