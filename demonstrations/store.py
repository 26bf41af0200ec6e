"""The store: a folder of games that were read once and load fast.

``store.json`` says with which frame schema and settings it was made; a store made otherwise is refused.
``games/<digest>.npz`` holds one game: its frames as they are in memory, items without their empty slots,
and the description. The digest is that of the recording, so a recording that occurs
twice is stored once, and the bytes depend on nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demonstrations.headers import info_to_json
from melee_env.errors import OptionError, ReplayError
from melee_env.frame import FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, Frames, empty_frames, schema_hash
from melee_env.game import Game, GameInfo, SeatInfo

FORMAT = 1
_ITEMS_AT = FRAME_DTYPE.fields["items"][1]  # type: ignore[index]  # items are the last field of a frame


class Store:
    """A folder of games.

    Args:
        root: the folder; it is made if ``settings`` is given.
        settings: what the games depend on (reader's options, source); None opens an existing store.

    Raises:
        OptionError: not a store, or one made with another schema or other settings.
    """

    def __init__(self, root: str | os.PathLike[str], settings: dict[str, Any] | None = None) -> None:
        self.root = Path(root)
        index = self.root / "store.json"
        if not index.exists():
            if settings is None:
                raise OptionError(f"{self.root} is not a store (no store.json); make one with 'data convert'")
            (self.root / "games").mkdir(parents=True, exist_ok=True)
            head = {"format": FORMAT, "schema": schema_hash(), "settings": settings}
            write_atomically(index, json.dumps(head, indent=1, sort_keys=True).encode())
        try:
            made = json.loads(index.read_text())
        except ValueError as error:
            raise OptionError(f"{index} is damaged ({error}); remove the folder and convert again") from error
        wanted = {"format": FORMAT, "schema": schema_hash()}
        if settings is not None:
            wanted["settings"] = settings
        for key, value in wanted.items():
            if made.get(key) != value:
                raise OptionError(
                    f"{self.root} was made with {key} {made.get(key)!r}, not {value!r}; convert into another folder"
                )

    def __len__(self) -> int:
        """Number of games."""
        return len(self.paths())

    def paths(self) -> list[Path]:
        """Return the games' files, by digest."""
        return sorted((self.root / "games").glob("*.npz"))

    def path_of(self, digest: str) -> Path:
        """Return where the game of a recording is or would be."""
        return self.root / "games" / f"{digest}.npz"

    def games(self) -> Iterator[Game]:
        """Load all games, one at a time, by digest."""
        for path in self.paths():
            yield load_game(path)


def digest_of(path: str | os.PathLike[str]) -> str:
    """Return the digest of a recording's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:24]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(data)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def save_game(path: Path, game: Game, outcome: dict[str, Any]) -> None:
    """Write one game, with the outcome of its reading."""
    exists = game.frames["items"]["exists"] != 0
    head = {"info": info_to_json(game.info), "outcome": outcome}
    parts = {
        "head": np.frombuffer(json.dumps(head, sort_keys=True).encode(), np.uint8),
        "frames": _bytes(game.frames)[:, :_ITEMS_AT],
        "item_place": np.flatnonzero(exists).astype(np.int32),
        "item_rows": game.frames["items"][exists].view(np.uint8),
    }
    beside = path.with_name(f".{path.name}.{os.getpid()}.npz")
    try:
        np.savez(beside, allow_pickle=False, **parts)  # type: ignore[arg-type]
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_outcome(path: Path) -> dict[str, Any]:
    """Return the outcome that was stored with a game.

    Raises:
        ReplayError: ``bad_store``.
    """
    return _load_head(path)["outcome"]


def load_game(path: Path) -> Game:
    """Load one stored game.

    Raises:
        ReplayError: ``bad_store``.
    """
    head = _load_head(path)
    try:
        with np.load(path, allow_pickle=False) as parts:
            rows = parts["frames"]
            frames = empty_frames(len(rows))
            _bytes(frames)[:, :_ITEMS_AT] = rows
            items = parts["item_rows"].view(ITEM_DTYPE)
            row, slot = np.divmod(parts["item_place"], NUM_ITEMS)
            frames["items"][row, slot] = items
    except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile) as error:
        raise ReplayError("bad_store", path, None, f"{error}; convert the recording again") from error
    return Game(info_from_json(head["info"]), frames)


def _bytes(frames: Frames) -> NDArray[np.uint8]:
    """View frames ``[T]`` as bytes ``[T, bytes of a frame]``."""
    return np.ascontiguousarray(frames).view(np.uint8).reshape(len(frames), FRAME_DTYPE.itemsize)


def _load_head(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as columns:
            return json.loads(columns["head"].tobytes())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ReplayError("bad_store", path, None, f"{error}; convert the recording again") from error


def info_from_json(value: dict[str, Any]) -> GameInfo:
    """Return the description that :func:`demonstrations.headers.info_to_json` wrote."""
    seats = tuple(SeatInfo(**{**seat, "ratios": tuple(seat["ratios"])}) for seat in value["seats"])
    version = tuple(value["version"])
    return GameInfo(**{**value, "seats": seats, "version": version, "absent": frozenset(value["absent"])})
