"""An LSTM whose outputs attend to the last frames."""

from __future__ import annotations

from torch import Tensor

from agents.networks.attention import AttentionMixer
from agents.networks.backbone import Backbone, State
from agents.networks.layers import ResidualStack
from agents.networks.lstm import LSTM


class LSTMHybrid(Backbone):
    """``num_layers`` of LSTM → attention with a gated feed-forward. State: the LSTM's two, the attention's three."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        self.lstm = LSTM(input_size, hidden_size, num_layers, dropout)
        self.attention = ResidualStack(
            hidden_size, hidden_size, [AttentionMixer(hidden_size)], dropout, feed_forward=True
        )

    def initial_state(self, batch_size: int) -> State:
        """Return zeros for both parts."""
        return self.lstm.initial_state(batch_size) + self.attention.initial_state(batch_size)

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process ``[B, T, F]``."""
        state = state or self.initial_state(x.shape[0])
        remembered, recurrent = self.lstm(x, state[:2], episode_start)
        y, cache = self.attention(remembered, state[2:], episode_start)
        return y, recurrent + cache
