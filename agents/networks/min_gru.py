"""minGRU (Feng et al. 2024): a GRU whose gates see only the input, so that a window is one scan."""

from __future__ import annotations

from torch import Tensor, nn

from agents.kernels import linear_scan
from agents.networks.backbone import State
from agents.networks.layers import CausalConv, Mixer, ResidualStack


class MinGRUMixer(Mixer):
    """h_t = (1 − z_t) h_{t−1} + z_t h̃_t ; z = σ(linear(u)), h̃ = linear(u), u = convolution(x).

    State: the convolution's last inputs ``[B, 3, H]`` and h ``[B, H]``.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.conv = CausalConv(size)
        self.gates = nn.Linear(size, 2 * size)

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for the convolution and for h."""
        h = self.gates.weight.new_zeros(batch_size, self.gates.in_features)
        return self.conv.initial_state(batch_size), h

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        mixed, last_inputs = self.conv(x, state[0], episode_start)
        gate, candidate = self.gates(mixed).chunk(2, -1)
        z = gate.sigmoid()
        h = linear_scan(1 - z, z * candidate, state[1], episode_start)
        return h, (last_inputs, h[:, -1])


class MinGRU(ResidualStack):
    """``num_layers`` × (convolution, minGRU, gated feed-forward) on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        mixers = [MinGRUMixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout, feed_forward=True)
