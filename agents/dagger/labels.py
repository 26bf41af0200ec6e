"""What a DAgger run has collected, round after round, in memory and on disk."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import CheckpointError


@dataclass
class LabelledGame:
    """A visited game with the expert's labels, in the shape that the sequence trainers read."""

    obs: NDArray[np.float32]
    """``[T + 1, F]``"""
    acts: NDArray[np.int64]
    """``[T, heads]``, what the expert would have done"""
    executed: NDArray[np.int64]
    """``[T, heads]``, what was done"""
    rews: NDArray[np.float32]
    """``[T]``"""
    infos: NDArray[Any] | None = field(default=None)
    """none: every game is its own"""

    @classmethod
    def of(cls, trajectory: Any) -> LabelledGame:
        """Take a collector's trajectory."""
        return cls(
            np.asarray(trajectory.obs, np.float32),
            np.asarray(trajectory.acts, np.int64),
            np.stack([info["executed"] for info in trajectory.infos]),
            np.asarray(trajectory.rews, np.float32),
        )


FIELDS = ("obs", "acts", "executed", "rews")


def write_round(file: Path, games: Sequence[LabelledGame]) -> None:
    """Write one round's games, beside and then in place."""
    file.parent.mkdir(parents=True, exist_ok=True)
    arrays = {f"{n}.{name}": getattr(game, name) for n, game in enumerate(games) for name in FIELDS}
    pending = file.with_name(file.name + ".part")
    with pending.open("wb") as stream:
        np.savez(stream, **arrays)
    os.replace(pending, file)


def read_round(file: Path) -> list[LabelledGame]:
    """Read :func:`write_round`.

    Raises:
        CheckpointError: the file is missing, cut, or something else.
    """
    try:
        with np.load(file, allow_pickle=False) as arrays:
            count = len(arrays.files) // len(FIELDS)
            return [LabelledGame(*(arrays[f"{n}.{name}"] for name in FIELDS)) for n in range(count)]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{file}: not the labels of a DAgger round ({error})") from error
