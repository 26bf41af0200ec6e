"""Rule-based opponents for the other seat. ``make_opponent("scripted:fighter-5")`` gives one.

An opponent sees frames with itself in the first seat and returns controllers; it keeps its own state per
game and draws only from the generator that its seed makes. Anything with the two methods of
:class:`Opponent` can be an opponent.
"""

from __future__ import annotations

import difflib
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.opponents.dummies import Idle, Jump, Random, Shield, Walk
from melee_env.opponents.fighter import LEVELS, Fighter

__all__ = [
    "Fighter",
    "Idle",
    "Jump",
    "Opponent",
    "Random",
    "Shield",
    "Walk",
    "make_opponent",
    "opponent_names",
]


@runtime_checkable
class Opponent(Protocol):
    """Whoever plays the other seat."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Make room for ``num_envs`` games and forget everything."""
        ...

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers ``[N]`` for frames ``[N]`` seen from the opponent's seat."""
        ...


_DUMMIES: dict[str, type[Opponent]] = {
    "scripted:idle": Idle,
    "scripted:random": Random,
    "scripted:walk": Walk,
    "scripted:jump": Jump,
    "scripted:shield": Shield,
}
_FIGHTERS = {f"scripted:fighter-{level}": level for level in LEVELS}


def opponent_names() -> list[str]:
    """Return the names that :func:`make_opponent` knows."""
    return [*_DUMMIES, "scripted:fighter", *_FIGHTERS]


def make_opponent(name: str) -> Opponent:
    """Return a new opponent.

    Raises:
        OptionError: unknown name.
    """
    if name in _DUMMIES:
        return _DUMMIES[name]()
    if name == "scripted:fighter":
        return Fighter()
    if name in _FIGHTERS:
        return Fighter(_FIGHTERS[name])
    near = difflib.get_close_matches(str(name), opponent_names(), n=3) or opponent_names()
    raise OptionError(f"unknown opponent {name!r}; did you mean {', '.join(near)}?")
