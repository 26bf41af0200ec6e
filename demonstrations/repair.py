"""Write what can be read of a damaged recording as a proper one."""

from __future__ import annotations

import os

from demonstrations.readers import read
from melee_env.errors import ReplayError
from melee_env.slp import write_game
from melee_env.slp.reader import Reading


def repair(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> Reading:
    """Read a file as far as it goes and write its frames with all events of the written version.

    Args:
        path: the damaged file.
        out: the file to write; it may be ``path`` itself.

    Returns:
        What was wrong with it.

    Raises:
        ReplayError: nothing of it can be read, or it is no two-player game.
    """
    reading = read(path)
    if reading.game is None:
        raise ReplayError("not_versus", path, None, reading.detail)
    write_game(out, reading.game)
    return reading
