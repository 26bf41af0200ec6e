"""Gymnasium wrappers for what is Melee's own; for the rest there are Gymnasium's.

Mirrored games, the other seat and opponents from a pool need no wrapper: the options ``mirror=None`` and
``seat=None`` draw them per episode, and ``opponent=OpponentPool(…)`` draws one at every episode's start.
"""

from melee_env.wrappers.recording import RecordGames
from melee_env.wrappers.statistics import GameStatistics
from melee_env.wrappers.structured import StructuredObservation

__all__ = ["GameStatistics", "RecordGames", "StructuredObservation"]
