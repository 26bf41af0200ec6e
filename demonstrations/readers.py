"""Readers by name. Every one returns a :class:`Reading` or raises a typed :class:`ReplayError`.

The project's own reader is the default: it reads everything that the others read, and files that they
refuse, at about the same speed. ``peppi`` is a second opinion; what it cannot read, the own reader does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from demonstrations import mimic, parquet, peppi, store
from melee_env import slp
from melee_env.errors import OptionError, ReplayError
from melee_env.slp.reader import Reading
from melee_env.slp.rollback import Rollback

Reader = Callable[[str | os.PathLike[str], Rollback], Reading]
SUFFIXES = (".slp", ".parquet")
"""Recordings, by the ends of their names."""


def find_sources(path: str | os.PathLike[str]) -> list[tuple[Path, str]]:
    """Return the recordings and ``.pt`` shards of a folder and the folders in it, or the games of a store.

    Each comes with its name below the folder; a store's game with that of its recording.

    Raises:
        OptionError: nothing is there.
    """
    root = Path(path)
    if not root.exists():
        raise OptionError(f"{root} does not exist; give a recording, a folder of them or a store")
    if root.is_file():
        return [(root, root.name)]
    if (root / "store.json").exists():
        games = store.Store(root).games_listed
        return sorted(((root / game["file"], game["source"]) for game in games), key=lambda entry: entry[1])
    files = sorted(f for f in root.rglob("*") if f.suffix in (*SUFFIXES, mimic.SUFFIX) and f.is_file())
    return [(file, file.relative_to(root).as_posix()) for file in files]


def _read_peppi(path: str | os.PathLike[str], rollback: Rollback) -> Reading:
    try:
        game = peppi.read_game(path, rollback)
    except ReplayError:
        return slp.read(path, rollback)
    return Reading(game.info, game, len(game), "read")


READERS: dict[str, Reader] = {"own": slp.read, "peppi": _read_peppi}


def read(path: str | os.PathLike[str], reader: str = "own", rollback: Rollback = "last") -> Reading:
    """Read one file: a ``.slp`` file (whatever its name), a ``.parquet`` game, or a game of a store.

    Args:
        path: the file.
        reader: a name in :data:`READERS`, for ``.slp`` files.
        rollback: ``last`` for what finally happened, ``first`` for what the players were shown.

    Raises:
        OptionError: unknown reader.
        ReplayError: the file is refused; see :func:`melee_env.slp.read_game` for the reasons.
        MissingExtra: the reader's library is not installed.
    """
    if reader not in READERS:
        raise OptionError(f"unknown reader {reader!r}; known: {', '.join(sorted(READERS))}")
    match Path(path).suffix:
        case store.SUFFIX:
            game = store.load_game(Path(path))
            outcome = store.load_outcome(Path(path))
            return Reading(
                game.info, game, len(game), outcome["status"], outcome["reason"], outcome["detail"]
            )
        case ".parquet":
            return parquet.read(path)
    return READERS[reader](path, rollback)
