"""Parts that several backbones share: a residual stack of mixers, a causal convolution, gated feed-forward."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.networks.backbone import Backbone, State, without_first_start


class Mixer(nn.Module):
    """Mixes the frames of a sequence: ``forward`` as :class:`Backbone`'s, ``[B, T, H]`` in and out.

    ``episode_start`` may be None; then the whole window belongs to one game.
    """

    def initial_state(self, batch_size: int) -> State:
        """Return the state at the start of a game, zeros ``[B, ...]``."""
        raise NotImplementedError

    def forward(self, x: Tensor, state: State, episode_start: Tensor | None) -> tuple[Tensor, State]:
        """Process a window ``[B, T, H]``."""
        raise NotImplementedError


class ResidualStack(Backbone):
    """Linear → per mixer x + mixer(norm(x)), then x + feed-forward(norm(x)) on request → norm.

    Args:
        input_size: features per frame.
        hidden_size: width.
        mixers: the layers.
        dropout: on the way back into the residual stream, 0..1.
        feed_forward: with a gated feed-forward layer after each mixer.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        mixers: Sequence[Mixer],
        dropout: float = 0.0,
        feed_forward: bool = False,
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        self.embed = nn.Linear(input_size, hidden_size)
        self.mixers = nn.ModuleList(mixers)
        self._state_sizes = [len(mixer.initial_state(1)) for mixer in mixers]
        self.norms = nn.ModuleList(nn.LayerNorm(hidden_size) for _ in mixers)
        self.feed_forwards = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(hidden_size), GatedLinear(hidden_size, 2 * hidden_size))
            for _ in mixers
            if feed_forward
        )
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(hidden_size)

    def initial_state(self, batch_size: int) -> State:
        """Return the states of all mixers, one after the other."""
        return tuple(tensor for mixer in self._mixers() for tensor in mixer.initial_state(batch_size))

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process ``[B, T, F]``."""
        state = state or self.initial_state(x.shape[0])
        state, episode_start = without_first_start(state, episode_start)
        x = self.embed(x)
        begin = 0
        states: list[Tensor] = []
        for k, mixer in enumerate(self._mixers()):
            end = begin + self._state_sizes[k]
            y, new = mixer(self.norms[k](x), state[begin:end], episode_start)
            x = x + self.dropout(y)
            if self.feed_forwards:
                x = x + self.dropout(self.feed_forwards[k](x))
            begin, states = end, [*states, *new]
        return self.norm(x), tuple(states)

    def _mixers(self) -> list[Mixer]:
        return [mixer for mixer in self.mixers if isinstance(mixer, Mixer)]


class GatedLinear(nn.Module):
    """linear(silu(u) · w) with (u, w) = linear(x) (Shazeer 2020)."""

    def __init__(self, size: int, inner: int) -> None:
        super().__init__()
        self.into = nn.Linear(size, 2 * inner)
        self.out = nn.Linear(inner, size)

    def forward(self, x: Tensor) -> Tensor:
        """Map ``[..., size]`` to the same shape."""
        gate, value = self.into(x).chunk(2, -1)
        return self.out(F.silu(gate) * value)


class CausalConv(nn.Module):
    """Depthwise convolution over the last ``width`` frames of the same game. State: the last ``width`` − 1 inputs."""

    def __init__(self, channels: int, width: int = 4) -> None:
        super().__init__()
        self.channels, self.width = channels, width
        self.weight = nn.Parameter(torch.empty(width, channels).uniform_(-1, 1) / width**0.5)
        self.bias = nn.Parameter(torch.zeros(channels))

    def initial_state(self, batch_size: int) -> Tensor:
        """Return zeros ``[B, width − 1, channels]``."""
        return self.weight.new_zeros(batch_size, self.width - 1, self.channels)

    def forward(self, x: Tensor, state: Tensor, episode_start: Tensor | None) -> tuple[Tensor, Tensor]:
        """Convolve ``[B, T, channels]``; the newest frame has the last weight."""
        length = x.shape[1]
        padded = torch.cat([state, x], 1)
        if length == 1:
            return (padded * self.weight).sum(1, keepdim=True) + self.bias, padded[:, 1:]
        age = None if episode_start is None else frames_since_start(episode_start)
        y = torch.addcmul(self.bias, x, self.weight[-1])
        for back in range(1, self.width):
            tap = padded[:, self.width - 1 - back : self.width - 1 - back + length]
            if age is not None:
                tap = tap.masked_fill((age < back)[..., None], 0.0)
            y = torch.addcmul(y, tap, self.weight[-1 - back])
        last = padded[:, length:]
        if age is not None:
            back_from_end = torch.arange(self.width - 2, -1, -1, device=x.device)
            last = last.masked_fill((age[:, -1:] < back_from_end)[..., None], 0.0)
        return y, last


def frames_since_start(episode_start: Tensor) -> Tensor:
    """Return how many frames of its game each frame has before it, ``[B, T]``; many where no start is in sight."""
    length = episode_start.shape[1]
    time = torch.arange(length, device=episode_start.device)
    begun = torch.where(episode_start, time, -(2**30)).cummax(1).values
    return time - begun


def number_of_heads(size: int, wanted: int = 64) -> int:
    """Return how many heads split ``size`` into equal parts of at least ``wanted`` channels where possible."""
    return next(n for n in range(max(1, size // wanted), 0, -1) if size % n == 0)
