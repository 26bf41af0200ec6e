"""Games from wherever they are: a file, a folder of files, a store, or memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demonstrations import mimic
from demonstrations.filters import GameFilter
from demonstrations.leaders import leaders
from demonstrations.readers import find_sources, read
from demonstrations.store import Store
from melee_env.errors import ReplayError
from melee_env.game import Game
from melee_env.slp.rollback import Rollback

Source = str | os.PathLike[str] | Game | Iterable[Game]


def iterate_games(
    source: Source,
    filters: GameFilter | None = None,
    reader: str = "own",
    rollback: Rollback = "last",
    on_skip: Callable[[Path, str], None] | None = None,
) -> Iterator[Game]:
    """Yield two-player games one at a time; files that are no such game are skipped.

    Args:
        source: a ``.slp`` file, a folder, a store, a game or games.
        filters: which games to yield; games with unusual ratios are left out by default.
        reader: see :mod:`demonstrations.readers`.
        rollback: see :func:`melee_env.slp.read_game`.
        on_skip: called with every file that is skipped and the reason.

    Raises:
        OptionError: nothing is there, or an unknown name in the filter.
        ReplayError: ``source`` is one file and is refused.
    """
    filters = filters or GameFilter()
    if not isinstance(source, str | os.PathLike):
        for game in [source] if isinstance(source, Game) else source:
            if not filters.refusal_of(game):
                yield game
        return
    root = Path(source)
    if (root / "store.json").exists():
        for game in Store(root).games():
            if not filters.refusal_of(game):
                yield game
        return
    for file, name in find_sources(root):
        if file.suffix == mimic.SUFFIX:
            yield from (game for _, game in mimic.stream_shard(file) if not filters.refusal_of(game))
            continue
        reason = filters.refusal_of_name(name)
        if reason:
            if on_skip is not None:
                on_skip(file, reason)
            continue
        try:
            reading = read(file, reader, rollback)
        except ReplayError as error:
            if file == root:
                raise
            reason = error.reason
        else:
            reason = reading.reason
            if reading.game is not None:
                reason = filters.refusal_of(reading.game)
                if not reason:
                    yield reading.game
                    continue
        if on_skip is not None:
            on_skip(file, reason)


def game_key(game: Game, players: NDArray[np.void] | None = None) -> str:
    """Return a name of the game that depends on its content alone, for splits and duplicates.

    Args:
        game: the game.
        players: :func:`demonstrations.leaders.leaders` of its frames, if they are there already.
    """
    players = leaders(game.frames) if players is None else players
    digest = hashlib.sha256()
    digest.update(repr((game.info.stage, game.info.seed, game.info.seats, len(game))).encode())
    digest.update(game.frames["frame"].tobytes())
    for field in ("x", "y", "action"):
        digest.update(players[field].tobytes())
    return digest.hexdigest()[:16]
