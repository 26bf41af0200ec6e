"""Players for the other seat. ``make_opponent("scripted:fighter-5")`` gives one.

An opponent sees frames with itself in the first seat and returns controllers; it keeps its own state per
game and draws only from the generator that its seed makes. Anything with the two methods of
:class:`Opponent` can be an opponent.
"""

from melee_env.opponents.base import Opponent
from melee_env.opponents.dummies import Idle, Jump, Random, Shield, Walk
from melee_env.opponents.fighter import LEVELS, Fighter
from melee_env.opponents.partners import Drift, ShieldGrab, TechRandom
from melee_env.opponents.pool import LineUp, OpponentPool
from melee_env.opponents.registry import is_known_opponent, make_opponent, opponent_names
from melee_env.opponents.replayed import ReplayedInputs

__all__ = [
    "LEVELS",
    "Drift",
    "Fighter",
    "Idle",
    "Jump",
    "LineUp",
    "Opponent",
    "OpponentPool",
    "Random",
    "ReplayedInputs",
    "Shield",
    "ShieldGrab",
    "TechRandom",
    "Walk",
    "is_known_opponent",
    "make_opponent",
    "opponent_names",
]
