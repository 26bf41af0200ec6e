"""Families of action states: what a fighter is doing, coarse enough for a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from melee_env.ids import Action

_STARTS = {
    0: "dead",
    14: "standing",
    15: "walking, running",
    24: "jump squat",
    25: "airborne",
    35: "helpless fall",
    38: "hurt",
    39: "crouching",
    42: "landing",
    44: "ground attack",
    65: "aerial attack",
    70: "aerial landing",
    75: "hurt",
    92: "item",
    178: "shield",
    183: "down",
    199: "tech",
    205: "shield break",
    212: "grab",
    223: "grabbed",
    233: "dodge",
    237: "other",
    239: "grabbed",
    244: "other",
    247: "hurt",
    251: "other",
    252: "ledge",
    264: "other",
    266: "grabbed",
    293: "other",
    301: "grabbed",
    305: "other",
    len(Action): "special",
}
"""First action state of every run of one family; the states behind the common ones are a fighter's own specials.
Runs follow the game's own order of states (:class:`melee_env.ids.Action`)."""

FAMILIES = tuple(dict.fromkeys(_STARTS.values()))
MOVEMENT = (
    "standing",
    "walking, running",
    "jump squat",
    "airborne",
    "helpless fall",
    "crouching",
    "landing",
    "aerial landing",
)
"""families in which a fighter moves by itself, and no animation moves it"""
_FAMILY_OF_RUN = np.array([FAMILIES.index(name) for name in _STARTS.values()])
_MOVES = np.array([name in MOVEMENT for name in FAMILIES])


def families(actions: ArrayLike) -> NDArray[np.int64]:
    """Return the number in :data:`FAMILIES` of each action state ``[...]``."""
    runs = np.searchsorted(list(_STARTS), np.asarray(actions, np.int64), "right") - 1
    return _FAMILY_OF_RUN[runs]


def is_movement(actions: ArrayLike) -> NDArray[np.bool_]:
    """Tell for each action state ``[...]`` whether it belongs to :data:`MOVEMENT`."""
    return _MOVES[families(actions)]


def state_name(action: int) -> str:
    """Return the name of an action state; those of a fighter's own have a number.

    >>> state_name(24), state_name(360)
    ('KneeBend', 'special 360')
    """
    return Action(action).name if action < len(Action) else f"special {action}"
