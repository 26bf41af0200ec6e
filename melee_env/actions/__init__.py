"""Policy actions and their exact conversion to and from controllers.

``make_codec(name)`` gives a codec; every codec has ``space``, ``encode`` and ``decode``.
"""

from __future__ import annotations

import difflib
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.actions.box import BoxCodec
from melee_env.actions.cleaning import clean_actions, press_edges, released_first, with_hysteresis
from melee_env.actions.clusters import ClusterCodec, fit_centres
from melee_env.actions.discrete import DiscreteCodec, MovementCodec
from melee_env.actions.multidiscrete import MultiDiscreteCodec
from melee_env.actions.switches import ActionSwitches, SwitchedCodec, parse_action
from melee_env.controller import Controllers
from melee_env.errors import OptionError

__all__ = [
    "ActionCodec",
    "ActionSwitches",
    "BoxCodec",
    "ClusterCodec",
    "DiscreteCodec",
    "MovementCodec",
    "MultiDiscreteCodec",
    "SwitchedCodec",
    "clean_actions",
    "codec_names",
    "fit_centres",
    "make_codec",
    "press_edges",
    "released_first",
    "with_hysteresis",
]


class ActionCodec(Protocol):
    """Policy action ↔ controller."""

    name: str

    @property
    def space(self) -> spaces.Space[Any]:
        """The space of the actions."""
        ...

    def encode(self, controllers: Controllers) -> NDArray[Any]:
        """Return the nearest actions of controllers ``[...]``."""
        ...

    def decode(self, actions: NDArray[Any]) -> Controllers:
        """Return the controllers of actions."""
        ...

    def neutral(self) -> NDArray[np.generic]:
        """Return the action that presses nothing."""
        ...


_CODECS: dict[str, type[ActionCodec]] = {
    "multidiscrete": MultiDiscreteCodec,
    "box": BoxCodec,
    "discrete": DiscreteCodec,
    "movement": MovementCodec,
    "clusters": ClusterCodec,
}


def codec_names() -> list[str]:
    """Return the names that :func:`make_codec` knows."""
    return sorted(_CODECS)


def make_codec(name: str) -> ActionCodec:
    """Return the codec called ``name``; ``"codec:switch=value,…"`` puts switches on it.

    The switches are those of :class:`~melee_env.actions.switches.ActionSwitches`.

    Raises:
        OptionError: unknown name or switch, or an impossible value.
    """
    codec, switches = parse_action(name)
    if codec not in _CODECS:
        near = difflib.get_close_matches(codec, _CODECS, n=1) or codec_names()
        raise OptionError(f"unknown action {name!r}; did you mean {', '.join(near)}?")
    plain = _CODECS[codec]()
    return plain if switches == ActionSwitches() else SwitchedCodec(plain, switches, str(name))
