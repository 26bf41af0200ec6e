"""Read games that slippi-frame-extractor wrote as parquet, one file per game and player's view."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from demonstrations.arrow import import_arrow
from demonstrations.tables import game_from_columns
from melee_env.errors import ReplayError
from melee_env.slp.reader import Reading


def read(path: str | os.PathLike[str]) -> Reading:
    """Read one game; the two views of a game give the same frames, so the second is found to be a duplicate.

    Raises:
        MissingExtra: pyarrow is not installed.
        ReplayError: ``unreadable``, ``not_parquet``, ``bad_table``, ``no_frames`` or ``not_versus``.
    """
    pa = import_arrow()
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path).read()
    except pa.ArrowException as error:
        raise ReplayError("not_parquet", path, None, str(error).split("\n")[0]) from error
    except OSError as error:
        raise ReplayError("unreadable", path, None, error.strerror or str(error).split("\n")[0]) from error

    def column(name: str) -> NDArray[np.generic] | None:
        if name not in table.column_names:
            return None
        values = table.column(name)
        if pa.types.is_null(values.type) or not (
            pa.types.is_integer(values.type)
            or pa.types.is_floating(values.type)
            or pa.types.is_boolean(values.type)
        ):
            return None
        return (values.fill_null(0) if values.null_count else values).to_numpy()

    started = table.column("startAt")[0].as_py() if "startAt" in table.column_names and len(table) else ""
    game = game_from_columns(column, len(table), path, str(started or ""))
    return Reading(game.info, game, len(game), "read")
