"""Zamba (Glorioso et al. 2024): Mamba layers, and one attention layer whose weights serve at several depths."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.networks.attention import AttentionMixer
from agents.networks.backbone import Backbone, State, without_first_start
from agents.networks.mamba import MambaMixer

PERIOD = 2


class Zamba(Backbone):
    """``num_layers`` of Mamba; before every second one, attention over the stream beside the embedded input.

    State: per layer the Mamba's two tensors, before which every second layer has the attention's three.
    """

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 4, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        self.embed = nn.Linear(input_size, hidden_size)
        self.shared_norm = nn.LayerNorm(2 * hidden_size)
        self.shared = AttentionMixer(hidden_size, input_size=2 * hidden_size)
        self.mambas = nn.ModuleList(MambaMixer(hidden_size) for _ in range(num_layers))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden_size) for _ in range(num_layers))
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(hidden_size)

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for every use of every layer."""
        tensors: list[Tensor] = []
        for k, mamba in enumerate(self.mambas):
            assert isinstance(mamba, MambaMixer)
            if k % PERIOD == 0:
                tensors += self.shared.initial_state(batch_size)
            tensors += mamba.initial_state(batch_size)
        return tuple(tensors)

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process ``[B, T, F]``."""
        state, episode_start = without_first_start(state or self.initial_state(x.shape[0]), episode_start)
        x = embedded = self.embed(x)
        begin = 0
        states: list[Tensor] = []
        for k, mamba in enumerate(self.mambas):
            if k % PERIOD == 0:
                both = self.shared_norm(torch.cat([x, embedded], -1))
                y, cache = self.shared(both, state[begin : begin + 3], episode_start)
                x, begin, states = x + self.dropout(y), begin + 3, [*states, *cache]
            y, new = mamba(self.norms[k](x), state[begin : begin + 2], episode_start)
            x, begin, states = x + self.dropout(y), begin + 2, [*states, *new]
        return self.norm(x), tuple(states)
