"""DeltaNet (Yang et al. 2024): a matrix that is corrected towards each new pair of key and value."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from agents.kernels import delta_scan
from agents.networks.backbone import State
from agents.networks.layers import CausalConv, Mixer, ResidualStack, number_of_heads


class DeltaNetMixer(Mixer):
    """The delta rule over short convolutions of query, key and value.

    State: the convolution's last inputs ``[B, 3, 3H]`` and the matrices ``[B, heads, H / heads, H / heads]``.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.heads = number_of_heads(size)
        self.into = nn.Linear(size, 3 * size, bias=False)
        self.rate = nn.Linear(size, self.heads)
        self.conv = CausalConv(3 * size)
        self.norm = nn.LayerNorm(size // self.heads)
        self.out = nn.Linear(size, size, bias=False)

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for the convolution and for the matrices."""
        width = self.out.in_features // self.heads
        matrices = self.out.weight.new_zeros(batch_size, self.heads, width, width)
        return self.conv.initial_state(batch_size), matrices

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        mixed, last_inputs = self.conv(self.into(x), state[0], episode_start)
        query, key, value = F.silu(mixed).unflatten(-1, (3, self.heads, -1)).unbind(2)
        query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        y, matrices = delta_scan(query, key, value, self.rate(x).sigmoid(), state[1], episode_start)
        return self.out(self.norm(y).flatten(-2)), (last_inputs, matrices)


class DeltaNet(ResidualStack):
    """``num_layers`` × (delta rule, gated feed-forward) on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        mixers = [DeltaNetMixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout, feed_forward=True)
