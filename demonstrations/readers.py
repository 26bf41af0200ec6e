"""Readers by name. Every one returns a :class:`Reading` or raises a typed :class:`ReplayError`.

The project's own reader is the default: it reads everything that the others read, and files that they
refuse, at about the same speed. ``peppi`` is a second opinion; what it cannot read, the own reader does.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from demonstrations import peppi
from melee_env import slp
from melee_env.errors import OptionError, ReplayError
from melee_env.slp.reader import Reading
from melee_env.slp.rollback import Rollback

Reader = Callable[[str | os.PathLike[str], Rollback], Reading]


def _read_peppi(path: str | os.PathLike[str], rollback: Rollback) -> Reading:
    try:
        game = peppi.read_game(path, rollback)
    except ReplayError:
        return slp.read(path, rollback)
    return Reading(game.info, game, len(game), "read")


READERS: dict[str, Reader] = {"own": slp.read, "peppi": _read_peppi}


def read(path: str | os.PathLike[str], reader: str = "own", rollback: Rollback = "last") -> Reading:
    """Read one file.

    Args:
        path: the ``.slp`` file.
        reader: a name in :data:`READERS`.
        rollback: ``last`` for what finally happened, ``first`` for what the players were shown.

    Raises:
        OptionError: unknown reader.
        ReplayError: the file is refused; see :func:`melee_env.slp.read_game` for the reasons.
        MissingExtra: the reader's library is not installed.
    """
    if reader not in READERS:
        raise OptionError(f"unknown reader {reader!r}; known: {', '.join(sorted(READERS))}")
    return READERS[reader](path, rollback)
