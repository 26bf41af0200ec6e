"""Everyone against everyone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.evaluation.games import GameResults, play_games
from experiments.evaluation.intervals import Interval
from experiments.evaluation.players import make_player
from experiments.league.elo import Result, rating_intervals
from melee_env.errors import OptionError


@dataclass
class League:
    """What a round robin came to."""

    players: list[str]
    """as they were named"""
    pairs: dict[tuple[int, int], GameResults]
    """results of every pair, seen from the first of the two"""
    elo: list[Interval]
    """rating of every player"""
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Return what ``melee-env league --json`` writes."""
        return {
            "players": [
                {"name": name, "elo": rating.to_json()}
                for name, rating in zip(self.players, self.elo, strict=True)
            ],
            "pairs": [
                {
                    "first": self.players[a],
                    "second": self.players[b],
                    "games": len(results),
                    "win_rate": results.win_rate.to_json(),
                    "net_stocks": results.mean_net_stocks.to_json(),
                }
                for (a, b), results in self.pairs.items()
            ],
            "seed": self.seed,
        }


def play_league(
    players: Sequence[str],
    games: int,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> League:
    """Let every pair play ``games`` games, seats alternating.

    Args:
        players: checkpoint folders or names; one that is named twice plays its mirror.
        games: games of every pair.
        seed: fixes everything that is drawn.
        progress: called with (pairs played, pairs).
        options: of :func:`~experiments.evaluation.games.play_games`.
    """
    if len(players) < 2:
        raise OptionError(f"a league needs at least two players, got {len(players)}")
    numbers = list(itertools.combinations(range(len(players)), 2))
    pairs: dict[tuple[int, int], GameResults] = {}
    results: list[Result] = []
    for done, (a, b) in enumerate(numbers):
        # Each side its own object: an agent remembers its games.
        ours, theirs = make_player(players[a]), make_player(players[b])
        pairs[a, b] = play_games(ours, theirs, games, seed + 1000 * done, **options)
        results += [Result(a, b, float(outcome)) for outcome in pairs[a, b].outcomes]
        if progress is not None:
            progress(done + 1, len(numbers))
    return League(list(players), pairs, rating_intervals(results, len(players), seed), seed)
