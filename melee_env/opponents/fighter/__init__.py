"""A rule-based fighter with nine levels, for every character.

``levels.py`` says what a level means, ``reach.py`` how far each character's moves go, ``defence.py`` how it gets
back, shields, techs and gets up, ``offence.py`` how it approaches, strikes, punishes, chases and edge-guards, and
``fighter.py`` which of them applies (compiled through ``..cache``).
"""

from melee_env.opponents.fighter.fighter import Fighter
from melee_env.opponents.fighter.levels import LEVELS

__all__ = ["LEVELS", "Fighter"]
