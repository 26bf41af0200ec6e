"""What is in a set of games: lengths, fighters, stages, and what the hands did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from demonstrations.filters import GameFilter
from demonstrations.games import Source, game_key, iterate_games
from demonstrations.leaders import leaders
from demonstrations.quality import Quality, score
from demonstrations.trajectories import practice as practice_span
from melee_env.controller import Button
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.game import Game
from melee_env.ids import Stage, character_from_external

STICK_BINS = 17
"""Bins per stick axis, from -1 to 1; the middle one is neutral."""
FRAMES_PER_MINUTE = 3600
BANDS = ((80, "80 to 100"), (60, "60 to 80"), (40, "40 to 60"))
"""Bands of the quality score (ExPhil ``training/replay_quality.ex``)."""


def describe(
    source: Source,
    character: str | None = None,
    filters: GameFilter | None = None,
    top: int = 20,
    port: int | None = None,
    practice: bool = False,
    on_game: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Count over all players who play ``character`` (None: all players), on frames where input counts.

    Args:
        source: a file, a folder, a store, or games in memory.
        character: whose hands to describe.
        filters: further conditions on games.
        top: how many action states and players to list.
        port: only the player of this port, 1..4.
        practice: only :func:`demonstrations.trajectories.practice`, the part of a drill that is learned from.
        on_game: called with the number of games so far.

    Returns:
        JSON values. Shares are fractions of player-frames; ``presses_per_minute`` counts button downs;
        ``quality`` counts games by band of :func:`demonstrations.quality.score`.
    """
    fields = {**vars(filters or GameFilter()), **({"characters": (character,)} if character else {})}
    filters = GameFilter(**fields)
    lengths: list[int] = []
    names = ("characters", "stages", "versions", "ends", "players", "quality")
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    states: Counter[int] = Counter()
    held: Counter[str] = Counter()
    pressed: Counter[str] = Counter()
    sticks = np.zeros((2, STICK_BINS, STICK_BINS), np.int64)
    keys: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    player_frames = 0

    for game in iterate_games(source, filters, on_skip=lambda _, reason: skipped.update([reason])):
        players = leaders(game.frames)
        lengths.append(len(game))
        keys[game_key(game, players)] += 1
        counts["stages"][_stage_name(game.info.stage)] += 1
        counts["versions"][".".join(map(str, game.info.version))] += 1
        counts["ends"][str(game.info.end_method)] += 1
        counts["quality"][_band(score(game, players))] += 1
        for seat in filters.seats(game.info):
            info = game.info.seats[seat]
            if port is not None and info.port != port - 1:
                continue
            counts["characters"][character_from_external(info.character).name] += 1
            counts["players"][info.code or info.name or "unnamed"] += 1
            span = practice_span(game, seat) if practice else slice(_first_input(game), len(game))
            leader = players[span, seat]
            player_frames += len(leader)
            numbers, occurrences = np.unique(leader["action"], return_counts=True)
            states.update(dict(zip(numbers.tolist(), occurrences.tolist(), strict=True)))
            for button in Button:
                down = leader["buttons"] & button != 0
                held[str(button.name)] += int(down.sum())
                pressed[str(button.name)] += int((down[1:] & ~down[:-1]).sum())
            for index, (x, y) in enumerate((("stick_x", "stick_y"), ("cstick_x", "cstick_y"))):
                np.add.at(sticks[index], (_bin(leader[x]), _bin(leader[y])), 1)
        if on_game is not None:
            on_game(len(lengths))

    per_frame = 1 / max(player_frames, 1)
    return {
        "games": len(lengths),
        "duplicates": sum(keys.values()) - len(keys),
        "skipped": dict(skipped.most_common()),
        "frames": int(sum(lengths)),
        "minutes": round(sum(lengths) / FRAMES_PER_MINUTE, 2),
        "player_frames": player_frames,
        "game_frames": _spread(lengths),
        **{
            name: dict(counter.most_common(top if name == "players" else None))
            for name, counter in counts.items()
        },
        "held": {name: count * per_frame for name, count in held.items()},
        "presses_per_minute": {name: n * per_frame * FRAMES_PER_MINUTE for name, n in pressed.items()},
        "states": [{"state": state, "share": count * per_frame} for state, count in states.most_common(top)],
        "stick": sticks[0].tolist(),
        "cstick": sticks[1].tolist(),
    }


def _first_input(game: Game) -> int:
    return int(np.searchsorted(game.numbers, FIRST_CONTROLLABLE_FRAME))


def _band(quality: Quality) -> str:
    """Return the band of a score, or why the game is rejected."""
    if quality.rejected:
        return f"rejected: {quality.rejected}"
    return next((name for bound, name in BANDS if quality.total >= bound), "below 40")


def _bin(values: np.ndarray) -> np.ndarray:
    """Return the bin of stick values, -1..1."""
    clean = np.nan_to_num(np.clip(values, -1, 1))
    return np.floor((clean + 1) / 2 * (STICK_BINS - 1) + 0.5).astype(np.int64)


def _stage_name(external: int) -> str:
    try:
        return Stage(external).name
    except ValueError:
        return f"stage {external}"


def _spread(values: list[int]) -> dict[str, float]:
    if not values:
        return {}
    low, median, high = np.percentile(values, [10, 50, 90])
    return {"mean": float(np.mean(values)), "p10": float(low), "median": float(median), "p90": float(high)}
