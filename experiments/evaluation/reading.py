"""Recorded games one at a time; what is not used is named with its reason, never passed over in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from melee_env.errors import OptionError, ReplayError
from melee_env.ids import Character, parse

if TYPE_CHECKING:
    from demonstrations.filters import GameFilter
    from demonstrations.trajectories import Stretch
    from melee_env.game import Game


def recorded_games(
    path: Path, character: str | None, skipped: dict[str, str], min_length: int = 2
) -> Iterator[tuple[str, list[Stretch]]]:
    """Yield every two-player game once.

    Args:
        path: a recording, a folder of them, or a store.
        character: only players of this fighter; None for everyone.
        skipped: why a file is not used goes here, by its name.
        min_length: shortest gapless run to use, frames.

    Yields:
        The game's key and what its players saw and did.

    Raises:
        OptionError: there is no game, or nobody plays ``character``.
        ReplayError: ``path`` is one file and is refused.
    """
    from demonstrations.filters import GameFilter
    from demonstrations.games import game_key
    from demonstrations.trajectories import stretches

    filters = GameFilter(characters=(parse(Character, character),) if character else ())
    keys: set[str] = set()
    for name, game in _games(path, filters, skipped):
        key = game_key(game)
        parts = list(stretches(game, filters.seats(game.info), min_length))
        if parts and key not in keys:
            keys.add(key)
            yield key, parts
        else:
            skipped[name] = "duplicate" if parts else "too_short"
    if not keys:
        who = f"player of {character}" if character else "two-player game"
        reasons = f" ({count_reasons(skipped)})" if skipped else ""
        raise OptionError(f"{path}: no {who}{reasons}; 'melee-env data scan {path}' shows what is there")


def _games(path: Path, filters: GameFilter, skipped: dict[str, str]) -> Iterator[tuple[str, Game]]:
    """Yield file and game; why a file has none goes to ``skipped``."""
    from demonstrations.games import iterate_games
    from demonstrations.readers import find_sources

    for file, name in find_sources(path):
        try:
            for game in iterate_games(file, filters, on_skip=partial(_note, skipped, name)):
                yield name, game
        except ReplayError as error:
            if file == Path(path):
                raise
            skipped[name] = error.reason


def _note(skipped: dict[str, str], name: str, file: Path, reason: str) -> None:
    skipped[name] = reason


def count_reasons(skipped: Mapping[str, str]) -> str:
    """Return how often each reason occurs, the commonest first.

    >>> count_reasons({"a.slp": "not_slp", "b.slp": "no_frames", "c.slp": "not_slp"})
    '2 not_slp, 1 no_frames'
    """
    return ", ".join(f"{n} {reason}" for reason, n in Counter(skipped.values()).most_common())
