"""The store: a folder of games that were read once and load fast.

``store.json`` says with which frame schema and settings it was made; a store made otherwise is refused.
``games/<digest>.arrow`` holds one game, a column per field (see :mod:`demonstrations.frame_table`), and its
description. The digest is that of the recording, so a recording that occurs twice is stored once, and the bytes
depend on nothing else. ``manifest.json`` is written last: every game's frames, bytes and source with its digest, so
that an unfinished, short or stale store is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from demonstrations.frame_table import read_frames, read_head, to_arrow
from demonstrations.headers import info_to_json
from melee_env.errors import OptionError, ReplayError
from melee_env.frame import schema_hash
from melee_env.game import Game, GameInfo, SeatInfo

FORMAT = 2
SUFFIX = ".arrow"
MANIFEST = "manifest.json"


class Store:
    """A folder of games.

    Args:
        root: the folder; it is made if ``settings`` is given.
        settings: what the games depend on (reader's options, source), to fill the store; None opens a finished one.

    Raises:
        OptionError: not a store, one made with another schema or other settings, or an unfinished or short one.
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
        made = _read_json(index)
        wanted = {"format": FORMAT, "schema": schema_hash()}
        if settings is not None:
            wanted["settings"] = settings
        for key, value in wanted.items():
            if made.get(key) != value:
                raise OptionError(
                    f"{self.root} was made with {key} {made.get(key)!r}, not {value!r}; convert into another folder"
                )
        self.games_listed: list[dict[str, Any]] = [] if settings is not None else self._check()

    def _check(self) -> list[dict[str, Any]]:
        """Return the manifest's games, all of which are there with all their bytes."""
        manifest = self.root / MANIFEST
        if not manifest.exists():
            raise OptionError(f"{self.root} is unfinished (no {MANIFEST}); run the same 'data convert' again")
        games = _read_json(manifest)["games"]
        for game in games:
            path = self.root / game["file"]
            size = path.stat().st_size if path.exists() else 0
            if size != game["bytes"]:
                raise OptionError(
                    f"{path} has {size} bytes, {game['bytes']} expected; run the same 'data convert' again"
                )
        return games

    def __len__(self) -> int:
        """Number of games."""
        return len(self.games_listed)

    @property
    def frames(self) -> int:
        """Frames of all games."""
        return sum(game["frames"] for game in self.games_listed)

    def paths(self) -> list[Path]:
        """Return the games' files, by digest."""
        return [self.root / game["file"] for game in self.games_listed]

    def path_of(self, digest: str) -> Path:
        """Return where the game of a recording is or would be."""
        return game_path(self.root, digest)

    def games(self) -> Iterator[Game]:
        """Load all games, one at a time, by digest."""
        for path in self.paths():
            yield load_game(path)

    def check_source(self, digests: Mapping[str, str]) -> None:
        """Compare with the source as it is now.

        Args:
            digests: digest by file name below the source (see :func:`demonstrations.encode.source_digests`).

        Raises:
            OptionError: a recording of which a game is stored is gone or changed.
        """
        for game in self.games_listed:
            if digests.get(game["source"]) != game["digest"]:
                raise OptionError(
                    f"{self.root} is older than its source ({game['source']} differs); convert into another folder"
                )

    def start(self) -> None:
        """Say that the store is not finished until :meth:`finish`."""
        (self.root / MANIFEST).unlink(missing_ok=True)

    def finish(self, stored: Sequence[tuple[str, str, int]]) -> None:
        """Write the manifest, and remove games that are not in it.

        Args:
            stored: source, digest and frames of every stored game.
        """
        games: list[dict[str, Any]] = []
        for source, digest, frames in sorted(stored, key=lambda item: item[1]):
            path = self.path_of(digest)
            file = path.relative_to(self.root).as_posix()
            size = path.stat().st_size
            games.append({"file": file, "frames": frames, "bytes": size, "source": source, "digest": digest})
        for stale in set((self.root / "games").glob(f"*{SUFFIX}")) - {
            self.root / game["file"] for game in games
        }:
            stale.unlink()
        head = _read_json(self.root / "store.json")
        total = sum(game["frames"] for game in games)
        manifest = {**head, "frames": total, "games": games}
        write_atomically(self.root / MANIFEST, json.dumps(manifest, indent=1).encode())


def game_path(root: Path, digest: str) -> Path:
    """Return where a store keeps the game of a recording."""
    return root / "games" / f"{digest}{SUFFIX}"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise OptionError(f"{path} is damaged ({error}); remove the folder and convert again") from error


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
    write_atomically(path, to_arrow(game.frames, {"info": info_to_json(game.info), "outcome": outcome}))


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
        frames = read_frames(path)
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise _bad(path, error) from error
    return Game(info_from_json(head["info"]), frames)


def _load_head(path: Path) -> dict[str, Any]:
    try:
        return read_head(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _bad(path, error) from error


def _bad(path: Path, error: Exception) -> ReplayError:
    detail = str(error).split("\n")[0]
    return ReplayError("bad_store", path, None, f"{detail}; convert the recording again")


def info_from_json(value: dict[str, Any]) -> GameInfo:
    """Return the description that :func:`demonstrations.headers.info_to_json` wrote."""
    seats = tuple(SeatInfo(**{**seat, "ratios": tuple(seat["ratios"])}) for seat in value["seats"])
    version = tuple(value["version"])
    return GameInfo(**{**value, "seats": seats, "version": version, "absent": frozenset(value["absent"])})
