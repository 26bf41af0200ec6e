"""Does every level of the rule-based fighter beat the one below it, and the top the bottom?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from experiments.evaluation.games import play_games
from experiments.evaluation.players import make_player
from melee_env.opponents import LEVELS

MAIN_CHARACTERS = (
    "FOX",
    "FALCO",
    "MARTH",
    "SHEIK",
    "CAPTAIN_FALCON",
    "JIGGLYPUFF",
    "PEACH",
)


def measure_ladder(
    characters: Sequence[str] = MAIN_CHARACTERS,
    games: int = 200,
    seed: int = 0,
    stage: str = "BATTLEFIELD",
    stocks: int = 4,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Play dittos between neighbouring levels, and between the top and the bottom.

    Args:
        characters: the fighters, one ladder each.
        games: games per pair of levels; the seats alternate, eight minutes at most.
        seed: fixes everything that is drawn.
        stage: the stage.
        stocks: stocks of both.
        progress: called with (pairs played, pairs).

    Returns:
        ``rows`` with the higher level's share of games won (a draw counts one half) and its 95 % interval (Wilson);
        ``worst_step`` and ``worst_top``, the smallest shares of a level against the one below and of 9 against 1.
    """
    top, bottom = max(LEVELS), min(LEVELS)
    pairs = [(top, bottom), *((level + 1, level) for level in LEVELS if level + 1 in LEVELS)]
    rows: list[dict[str, Any]] = []
    tops: list[float] = []
    steps: list[float] = []
    for character in characters:
        for higher, lower in pairs:
            results = play_games(
                make_player(f"scripted:fighter-{higher}"),
                make_player(f"scripted:fighter-{lower}"),
                games,
                seed,
                character=character,
                opponent_character=character,
                stage=stage,
                stocks=stocks,
            )
            (tops if higher - lower > 1 else steps).append(results.win_rate.mean)
            rows.append(
                {
                    "character": character,
                    "level": higher,
                    "against": lower,
                    "games": games,
                    **{name: float(value) for name, value in results.win_rate.to_json().items()},
                    "net_stocks": results.mean_net_stocks.mean,
                }
            )
            if progress is not None:
                progress(len(rows), len(characters) * len(pairs))
    return {
        "seed": seed,
        "stage": stage,
        "stocks": stocks,
        "worst_top": min(tops),
        "worst_step": min(steps),
        "rows": rows,
    }
