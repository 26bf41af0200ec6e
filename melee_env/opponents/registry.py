"""Opponents by name: the scripted ones, and whatever installed packages can make of a name.

A package adds names through the entry-point group ``melee_env.opponents``: a function that takes a name and
returns an opponent, or None for a name that is not its own.
"""

from __future__ import annotations

import difflib
from importlib.metadata import entry_points

from melee_env.errors import OptionError
from melee_env.opponents.base import Opponent
from melee_env.opponents.dummies import Idle, Jump, Random, Shield, Walk
from melee_env.opponents.fighter import LEVELS, Fighter
from melee_env.opponents.partners import Drift, ShieldGrab, TechRandom
from melee_env.opponents.replayed import PREFIX, replayed_inputs

GROUP = "melee_env.opponents"

DUMMIES: dict[str, type[Opponent]] = {
    "scripted:idle": Idle,
    "scripted:stand": Idle,
    "scripted:random": Random,
    "scripted:walk": Walk,
    "scripted:jump": Jump,
    "scripted:shield": Shield,
    "scripted:shield_grab": ShieldGrab,
    "scripted:drift": Drift,
    "scripted:tech_random": TechRandom,
}
FIGHTERS = {"scripted:fighter": 5, **{f"scripted:fighter-{level}": level for level in LEVELS}}


def opponent_names() -> list[str]:
    """Return the names of the built-in opponents."""
    return [*DUMMIES, *FIGHTERS]


def is_known_opponent(name: str) -> bool:
    """Tell whether a name is built in, without making the opponent."""
    return name in DUMMIES or name in FIGHTERS


def make_opponent(name: str) -> Opponent:
    """Return a new opponent: a scripted one, or ``replay:<file>`` for recorded inputs.

    Raises:
        OptionError: unknown name.
        ReplayError: a recording that cannot be read.
    """
    if name in DUMMIES:
        return DUMMIES[name]()
    if name in FIGHTERS:
        return Fighter(FIGHTERS[name])
    if str(name).startswith(PREFIX):
        return replayed_inputs(name)
    for point in entry_points(group=GROUP):
        made: Opponent | None = point.load()(name)
        if made is not None:
            return made
    near = difflib.get_close_matches(str(name), opponent_names(), n=3) or opponent_names()
    raise OptionError(f"unknown opponent {name!r}; did you mean {', '.join(near)}?")
