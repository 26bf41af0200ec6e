"""A gated recurrent unit (Cho et al. 2014) behind one linear layer; one matrix product per frame live."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.networks.backbone import Backbone, State, as_window, segments, without_first_start, zero_where


class GRU(Backbone):
    """Linear → GELU → ``num_layers`` of GRU. State: one tensor ``[B, num_layers, hidden_size]``."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        self.num_layers = num_layers
        self.embed = nn.Sequential(nn.Linear(input_size, hidden_size), nn.GELU(), nn.Dropout(dropout))
        self.gru = nn.GRU(
            hidden_size, hidden_size, num_layers, batch_first=True, dropout=dropout if num_layers > 1 else 0.0
        )

    def initial_state(self, batch_size: int) -> State:
        """Return zeros ``[B, num_layers, hidden_size]``."""
        return (next(self.parameters()).new_zeros(batch_size, self.num_layers, self.output_size),)

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process ``[B, T, F]``: one call of the fused kernel between two game starts."""
        state = state or self.initial_state(x.shape[0])
        embedded = self.embed(x)
        outputs = []
        for begin, end, lanes in segments(episode_start, x.shape[1]):
            if lanes is not None:
                state = zero_where(state, lanes)
            y, h = self.gru(embedded[:, begin:end], state[0].transpose(0, 1).contiguous())
            state = (h.transpose(0, 1),)
            outputs.append(y)
        return torch.cat(outputs, 1), state

    def step(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process one frame ``[B, F]`` with the single cell, which starts faster than the kernel for windows."""
        state, _ = without_first_start(state or self.initial_state(len(x)), as_window(episode_start))
        y, layers = self.embed(x), []
        for k, previous in enumerate(state[0].unbind(1)):
            y = torch.gru_cell(y, previous, *self.gru.all_weights[k])
            layers.append(y)
        return y, (torch.stack(layers, 1),)
