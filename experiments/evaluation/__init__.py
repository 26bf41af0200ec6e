"""How well an agent plays: games against an opponent, drills, and the intervals of every figure.

A result is never without its seed, its number of games and its interval.
"""

from experiments.evaluation.comparison import compare
from experiments.evaluation.drills import run_drill
from experiments.evaluation.games import GameResults, play_games
from experiments.evaluation.intervals import Interval, mean_interval, wilson_interval
from experiments.evaluation.players import make_player

__all__ = [
    "GameResults",
    "Interval",
    "compare",
    "make_player",
    "mean_interval",
    "play_games",
    "run_drill",
    "wilson_interval",
]
