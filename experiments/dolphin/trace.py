"""State traces: the frames of one game as they arrived, in one ``.npz`` file, readable without pickle."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import whole_file
from melee_env.errors import ReplayError
from melee_env.frame import FRAME_DTYPE, Frames, schema_hash

SUFFIX = ".npz"


def write_trace(path: str | Path, frames: Frames, about: dict[str, Any]) -> Path:
    """Write frames ``[T]`` and what is worth knowing about them."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**about, "schema": schema_hash()})
    with whole_file(path) as pending:
        np.savez_compressed(pending, frames=frames.view(np.uint8), about=np.array(text))
    return path


def next_trace(folder: Path) -> Path:
    """Return the first name ``game-NNN.npz`` that is free."""
    number = 1
    while (path := folder / f"game-{number:03d}{SUFFIX}").exists():
        number += 1
    return path


def read_trace(path: str | Path) -> Frames:
    """Return the frames ``[T]`` of a trace.

    Raises:
        ReplayError: no trace, or one of another frame schema.
    """
    try:
        with np.load(path, allow_pickle=False) as held:
            about, data = json.loads(str(held["about"])), held["frames"]
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ReplayError("not_a_trace", path, None, str(error)) from error
    if about.get("schema") != schema_hash() or data.size % FRAME_DTYPE.itemsize:
        raise ReplayError(
            "other_schema", path, None, "recorded with another version; compare its .slp replay instead"
        )
    return data.reshape(-1).view(FRAME_DTYPE)
