"""H3 (Fu et al. 2023): a shift of the keys, a bank of decays over key · value, read out by the query."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.kernels import linear_scan
from agents.networks.backbone import State
from agents.networks.layers import CausalConv, Mixer, ResidualStack


class H3Mixer(Mixer):
    """q · diagonal(shift(k) · v), the diagonal model with ``state_size`` decays per channel.

    State: the shift's last inputs ``[B, 3, H]`` and the decayed sums ``[B, H · state_size]``.
    """

    def __init__(self, size: int, state_size: int = 4) -> None:
        super().__init__()
        self.into = nn.Linear(size, 3 * size)
        self.shift = CausalConv(size)
        self.out = nn.Linear(size, size)
        # Memories of about 2 to 250 frames; through a sigmoid, because an exponential diverges when it is trained.
        self.decay = nn.Parameter(torch.linspace(0.5, 5.5, state_size).repeat(size, 1))
        self.read = nn.Parameter(torch.randn(size, state_size) / state_size)
        self.skip = nn.Parameter(torch.ones(size))

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for the shift and for the sums."""
        return self.shift.initial_state(batch_size), self.decay.new_zeros(batch_size, self.decay.numel())

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        query, key, value = self.into(x).chunk(3, -1)
        key, last_keys = self.shift(key, state[0], episode_start)
        product = key * value
        decay = self.decay.sigmoid()
        driven = ((1 - decay) * product[..., None]).flatten(-2)
        sums = linear_scan(decay.flatten().expand_as(driven), driven, state[1], episode_start)
        y = (sums.unflatten(-1, self.decay.shape) * self.read).sum(-1)
        return self.out(query * torch.addcmul(y, product, self.skip)), (last_keys, sums[:, -1])


class H3(ResidualStack):
    """``num_layers`` × (H3, gated feed-forward) on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        mixers = [H3Mixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout, feed_forward=True)
