"""Attention over a sliding window of the last frames, with a cache of keys and values in play."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.networks.backbone import State
from agents.networks.layers import Mixer, ResidualStack, number_of_heads


class AttentionMixer(Mixer):
    """Multi-head attention to the last ``window`` frames of the same game, with a learned bias per distance.

    Keys and queries are normalised (Dehghani et al. 2023). State: keys and values of the last ``window`` − 1
    frames, ``[B, window − 1, H]`` each, and which of them exist, ``[B, window − 1]`` (0 or 1).
    """

    def __init__(self, size: int, window: int = 64, input_size: int | None = None) -> None:
        super().__init__()
        self.size, self.window, self.heads = size, window, number_of_heads(size)
        self.into = nn.Linear(input_size or size, 3 * size, bias=False)
        self.out = nn.Linear(size, size, bias=False)
        # Drawn, because from all zeros a delay of four frames is not learned in 1,500 updates (drawn: in 58).
        self.bias = nn.Parameter(torch.randn(self.heads, window))
        self.sharpness = nn.Parameter(torch.full((self.heads, 1, 1), float(size // self.heads) ** 0.5))

    def initial_state(self, batch_size: int) -> State:
        """Return an empty cache."""
        cache = self.bias.new_zeros(batch_size, self.window - 1, self.size)
        return cache, cache.clone(), self.bias.new_zeros(batch_size, self.window - 1)

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        length = x.shape[1]
        queries, keys, values = self.into(x).chunk(3, -1)
        keys = F.normalize(keys.unflatten(-1, (self.heads, -1)), dim=-1).flatten(-2)
        queries = F.normalize(self._split(queries), dim=-1) * self.sharpness
        keys, values = torch.cat([state[0], keys], 1), torch.cat([state[1], values], 1)
        exists = torch.cat([state[2], state[2].new_ones(len(x), length)], 1)
        mask = self._mask(exists, length, episode_start)
        y = F.scaled_dot_product_attention(
            queries, self._split(keys), self._split(values), attn_mask=mask, scale=1.0
        )
        last = slice(-(self.window - 1), None)
        kept = exists[:, last]
        if episode_start is not None:
            kept = kept * (_games(episode_start, self.window - 1)[:, last] == episode_start.sum(1)[:, None])
        state = (keys[:, last] * kept[..., None], values[:, last] * kept[..., None], kept)
        return self.out(y.transpose(1, 2).flatten(-2)), state

    def _split(self, z: Tensor) -> Tensor:
        """``[B, T, H]`` → ``[B, heads, T, H / heads]``."""
        return z.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _mask(self, exists: Tensor, length: int, episode_start: Tensor | None) -> Tensor:
        """Return what is added to the scores, ``[B, heads, T, window − 1 + T]``: bias, or −∞ for what is not seen."""
        if length == 1:
            return self.bias.flip(-1)[:, None].masked_fill(exists[:, None, None] == 0, -torch.inf)
        now = torch.arange(length, device=exists.device) + self.window - 1
        distance = now[:, None] - torch.arange(exists.shape[1], device=exists.device)
        visible = (distance >= 0) & (distance < self.window) & (exists[:, None] > 0)
        if episode_start is not None:
            game = _games(episode_start, self.window - 1)
            visible = visible & (game[:, self.window - 1 :, None] == game[:, None])
        bias = self.bias[:, distance.clamp(0, self.window - 1)]
        return bias.masked_fill(~visible[:, None], -torch.inf)


def _games(episode_start: Tensor, cached: int) -> Tensor:
    """Number the games of cached frames (0) and of the window's, ``[B, cached + T]``."""
    return F.pad(episode_start.cumsum(1), (cached, 0))


class Attention(ResidualStack):
    """``num_layers`` × (attention, gated feed-forward) on a residual stream."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        mixers = [AttentionMixer(hidden_size) for _ in range(num_layers)]
        super().__init__(input_size, hidden_size, mixers, dropout, feed_forward=True)
