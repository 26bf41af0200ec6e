"""Jamba (Lieber et al. 2024) without experts: Mamba layers, every third layer attention."""

from __future__ import annotations

from agents.networks.attention import AttentionMixer
from agents.networks.layers import Mixer, ResidualStack
from agents.networks.mamba import MambaMixer

PERIOD = 3


class Jamba(ResidualStack):
    """``num_layers`` × (Mamba or attention, gated feed-forward) on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 3, dropout: float = 0.0
    ) -> None:
        mixers: list[Mixer] = [
            AttentionMixer(hidden_size) if k % PERIOD == PERIOD - 1 else MambaMixer(hidden_size)
            for k in range(num_layers)
        ]
        super().__init__(input_size, hidden_size, mixers, dropout, feed_forward=True)
