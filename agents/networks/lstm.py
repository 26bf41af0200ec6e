"""Long short-term memory (Hochreiter & Schmidhuber 1997) behind one linear layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.networks.backbone import Backbone, State, as_window, segments, without_first_start, zero_where


class LSTM(Backbone):
    """Linear → GELU → ``num_layers`` of LSTM. State: hidden and cell, ``[B, num_layers, hidden_size]`` each."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        self.num_layers = num_layers
        self.embed = nn.Sequential(nn.Linear(input_size, hidden_size), nn.GELU(), nn.Dropout(dropout))
        self.lstm = nn.LSTM(
            hidden_size, hidden_size, num_layers, batch_first=True, dropout=dropout if num_layers > 1 else 0.0
        )

    def initial_state(self, batch_size: int) -> State:
        """Return zeros, twice ``[B, num_layers, hidden_size]``."""
        zeros = next(self.parameters()).new_zeros(batch_size, self.num_layers, self.output_size)
        return zeros, zeros.clone()

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
            layers_first = tuple(s.transpose(0, 1).contiguous() for s in state)
            y, (h, c) = self.lstm(embedded[:, begin:end], layers_first)
            state = (h.transpose(0, 1), c.transpose(0, 1))
            outputs.append(y)
        return torch.cat(outputs, 1), state

    def step(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process one frame ``[B, F]`` with the single cell; the kernel for windows packs its weights every call."""
        state, _ = without_first_start(state or self.initial_state(len(x)), as_window(episode_start))
        y, hidden, cells = self.embed(x), [], []
        for k, (h, c) in enumerate(zip(state[0].unbind(1), state[1].unbind(1), strict=True)):
            y, cell = torch.lstm_cell(y, (h, c), *self.lstm.all_weights[k])
            hidden.append(y)
            cells.append(cell)
        return y, (torch.stack(hidden, 1), torch.stack(cells, 1))
