"""A backbone: the running mean of a linear layer's output since the start of the game."""

import torch
from torch import nn

from agents.networks.backbone import Backbone, State, zero_where


class RunningMean(Backbone):
    def __init__(
        self, input_size: int, hidden_size: int = 8, num_layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        self.linear = nn.Linear(input_size, hidden_size)

    def initial_state(self, batch_size: int) -> State:
        return torch.zeros(batch_size, self.output_size), torch.zeros(batch_size, 1)

    def forward(self, x, state=None, episode_start=None):  # type: ignore[no-untyped-def]
        state = state or self.initial_state(x.shape[0])
        outputs = []
        for t in range(x.shape[1]):
            if episode_start is not None:
                state = zero_where(state, episode_start[:, t])
            state = (state[0] + self.linear(x[:, t]), state[1] + 1)
            outputs.append(state[0] / state[1])
        return torch.stack(outputs, 1), state
