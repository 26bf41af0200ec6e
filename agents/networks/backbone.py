"""The backbone interface, and the registry of backbones (entry points ``melee_env.backbones``)."""

from __future__ import annotations

import importlib
import inspect
from importlib.metadata import entry_points
from typing import Any

import torch
from torch import Tensor, nn

from melee_env.errors import OptionError

State = tuple[Tensor, ...]
"""Recurrent state: tensors ``[B, ...]``, batch first; empty for a backbone without memory. Zeros start a game."""

GROUP = "melee_env.backbones"

BUILT_IN = {
    "attention": "agents.networks.attention:Attention",
    "deltanet": "agents.networks.deltanet:DeltaNet",
    "griffin": "agents.networks.griffin:Griffin",
    "gru": "agents.networks.gru:GRU",
    "h3": "agents.networks.h3:H3",
    "jamba": "agents.networks.jamba:Jamba",
    "liquid": "agents.networks.liquid:Liquid",
    "lstm": "agents.networks.lstm:LSTM",
    "lstm_hybrid": "agents.networks.lstm_hybrid:LSTMHybrid",
    "mamba": "agents.networks.mamba:Mamba",
    "mamba2": "agents.networks.mamba2:Mamba2",
    "min_gru": "agents.networks.min_gru:MinGRU",
    "min_lstm": "agents.networks.min_lstm:MinLSTM",
    "mlp": "agents.networks.mlp:MLP",
    "zamba": "agents.networks.zamba:Zamba",
}


class Backbone(nn.Module):
    """Turns a sequence of features into a sequence of hidden vectors.

    ``forward`` over a window and ``step`` repeated over its frames give the same result, also with games that
    start inside the window. Constructor: ``(input_size, hidden_size, num_layers, dropout)``.
    """

    output_size: int

    def initial_state(self, batch_size: int) -> State:
        """Return the state at the start of a game, ``[B, ...]``."""
        raise NotImplementedError

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process a window.

        Args:
            x: ``[B, T, F]`` float32.
            state: what the previous window returned, None for the start of a game.
            episode_start: ``[B, T]`` bool, true where a new game begins: the state is zeroed before that frame.

        Returns:
            ``[B, T, output_size]`` and the state after the last frame.
        """
        raise NotImplementedError

    def step(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process one frame ``[B, F]`` with ``episode_start`` ``[B]``; the same as a window of length 1."""
        y, state = self(x[:, None], state, as_window(episode_start))
        return y[:, 0], state


def zero_where(state: State, episode_start: Tensor) -> State:
    """Return ``state`` with zeros in the lanes ``[B]`` where a game starts; gradients stop there too."""
    return tuple(s.masked_fill(episode_start.view(-1, *[1] * (s.dim() - 1)), 0.0) for s in state)


def without_first_start(state: State, episode_start: Tensor | None) -> tuple[State, Tensor | None]:
    """Zero the state of lanes that start a game on the first frame; return None for starts that are left over."""
    if episode_start is None or not bool(episode_start.any()):
        return state, None
    first = episode_start[:, 0]
    if bool(first.any()):
        state = zero_where(state, first)
    return state, None if episode_start.shape[1] == 1 else episode_start


def as_window(episode_start: Tensor | None) -> Tensor | None:
    """``[B]`` of one frame → ``[B, 1]``."""
    return None if episode_start is None else episode_start[:, None]


def detach(state: State) -> State:
    """Cut the state from the graph, as truncated backpropagation does between windows."""
    return tuple(s.detach() for s in state)


def backbone_names() -> list[str]:
    """Return the name of every backbone, built-in and installed."""
    return sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))})


def make_backbone(name: str, input_size: int, **options: Any) -> Backbone:
    """Build the backbone ``name``; what ``options`` leave out is the backbone's own default.

    Raises:
        OptionError: unknown name, two plug-ins that share it, or a plug-in that cannot be loaded.
    """
    backbone: Backbone = backbone_class(name)(input_size, **options)
    return backbone


def default_shape(name: str) -> tuple[int, int]:
    """Return the backbone's own ``hidden_size`` and ``num_layers``."""
    parameters = inspect.signature(backbone_class(name)).parameters
    return parameters["hidden_size"].default, parameters["num_layers"].default


def backbone_class(name: str) -> type[Backbone]:
    """Return the class that is registered as ``name``; errors as in :func:`make_backbone`."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        built_in: type[Backbone] = getattr(importlib.import_module(module), attribute)
        return built_in
    points = {point.value: point for point in entry_points(group=GROUP, name=name)}
    if not points:
        raise OptionError(f"unknown network {name!r}; known: {', '.join(backbone_names())}")
    if len(points) > 1:
        raise OptionError(
            f"two plug-ins call themselves network {name!r}: {' and '.join(points)}; uninstall one"
        )
    [point] = points.values()
    try:
        plug_in: type[Backbone] = point.load()
    except Exception as error:  # whatever a stranger's module raises
        raise OptionError(f"network {name!r} from {point.value}: {type(error).__name__}: {error}") from error
    return plug_in


def segments(episode_start: Tensor | None, length: int) -> list[tuple[int, int, Tensor | None]]:
    """Cut a window where any lane starts a game.

    Args:
        episode_start: ``[B, T]`` bool or None.
        length: T.

    Returns:
        ``(begin, end, lanes)`` in order: a fast kernel may run over ``begin:end`` in one call after zeroing the
        state of the ``lanes`` ``[B]`` (None: no lane).
    """
    if episode_start is None:
        return [(0, length, None)]
    cuts = torch.nonzero(episode_start.any(0)).flatten().tolist()
    bounds = sorted({0, *cuts}) + [length]
    return [
        (begin, end, episode_start[:, begin] if begin in cuts else None)
        for begin, end in zip(bounds, bounds[1:], strict=False)
    ]
