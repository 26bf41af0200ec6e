"""Recorded games as a backend: frames come from files, controllers change nothing."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import Capabilities, MatchOptions
from melee_env.controller import Controllers
from melee_env.errors import BackendError, OptionError, ReplayError, StateVersionError
from melee_env.frame import SCHEMA_VERSION, Frames, empty_frames
from melee_env.game import Game
from melee_env.slp.reader import read_game, read_header
from melee_env.slp.rollback import Rollback
from melee_env.slp.start import check_versus

Source = str | os.PathLike[str] | Game
_STATE = struct.Struct(">4sHii")
_MAGIC = b"MRPL"
NO_CONTEST = 7


class ReplayBackend:
    """Steps through recorded games; ``capabilities.inputs`` is False.

    ``reset`` picks the game ``seed % number of games`` for each lane and shows the frame before
    ``options.start_frame`` (the first frame, if the recording begins later); characters and stage come
    from the recording. The last frame of a recording that was never closed counts as no contest, so
    every game ends. The controllers that the players used are in the frames.
    """

    capabilities = Capabilities(
        save_states=True, vector=True, realtime=False, items=True, rng=True, inputs=False
    )

    def __init__(
        self,
        num_games: int = 1,
        paths: Source | Iterable[Source] = (),
        rollback: Rollback = "last",
    ) -> None:
        """Prepare the games; files are read when they are first shown.

        Args:
            num_games: lanes that advance together.
            paths: files, folders (their two-player games, by name) or games in memory.
            rollback: see :func:`melee_env.slp.read_game`.

        Raises:
            OptionError: there is no game.
            ReplayError: a file that was named is not a replay.
        """
        self.num_games = num_games
        self._rollback = rollback
        self._sources = _collect([paths] if isinstance(paths, str | os.PathLike | Game) else list(paths))
        if not self._sources:
            raise OptionError("the replay backend needs paths=, a file, a folder with .slp files or games")
        self._chosen = np.zeros(num_games, np.int64)
        self._position = np.zeros(num_games, np.int64)
        self._games: list[Game | None] = [None] * num_games
        self._frames = empty_frames(num_games)

    def __len__(self) -> int:
        """Number of recorded games."""
        return len(self._sources)

    def reset(
        self,
        seeds: NDArray[np.uint32],
        options: Sequence[MatchOptions],
        mask: NDArray[np.bool_] | None = None,
    ) -> Frames:
        """Show the first frame of a recording in each lane where ``mask`` is true."""
        for lane in range(self.num_games):
            if mask is not None and not mask[lane]:
                continue
            choice = int(seeds[lane]) % len(self._sources)
            numbers = self._open(lane, choice).numbers
            before = np.searchsorted(numbers, options[lane].start_frame - 1)
            self._position[lane] = min(int(before), len(numbers) - 1)
            self._show(lane)
        return self._frames

    def step(self, controllers: Controllers) -> Frames:
        """Advance every lane by one recorded frame, whatever ``controllers`` says."""
        for lane, game in enumerate(self._games):
            if game is None:
                raise BackendError(f"game {lane} was not reset")
            if self._position[lane] + 1 < len(game):
                self._position[lane] += 1
                self._show(lane)
        return self._frames

    def save(self, game: int) -> bytes:
        """Return which recording a lane shows, and where it is."""
        return _STATE.pack(_MAGIC, SCHEMA_VERSION, int(self._chosen[game]), int(self._position[game]))

    def load(self, game: int, state: bytes) -> Frames:
        """Go to a saved place.

        Raises:
            StateVersionError: the state is not of this backend, this version and these recordings.
        """
        if len(state) != _STATE.size:
            raise StateVersionError("this is not a state of the replay backend")
        magic, version, choice, position = _STATE.unpack(state)
        if magic != _MAGIC or version != SCHEMA_VERSION or not 0 <= choice < len(self._sources):
            raise StateVersionError("this state belongs to another backend, version or set of recordings")
        if not 0 <= position < len(self._open(game, choice)):
            raise StateVersionError(f"the recording has no frame {position}")
        self._position[game] = position
        self._show(game)
        return self._frames

    def close(self) -> None:
        """Drop the games."""
        self._games = [None] * self.num_games

    def _open(self, lane: int, choice: int) -> Game:
        game = self._games[lane]
        if game is None or self._chosen[lane] != choice:
            source = self._sources[choice]
            game = source if isinstance(source, Game) else read_game(source, self._rollback)
            self._games[lane], self._chosen[lane] = game, choice
        return game

    def _show(self, lane: int) -> None:
        game, position = self._games[lane], self._position[lane]
        assert game is not None
        self._frames[lane] = game.frames[position]
        if position == len(game) - 1 and not self._frames["end_method"][lane]:
            self._frames["end_method"][lane] = NO_CONTEST


def _collect(sources: list[Source]) -> list[Source]:
    found: list[Source] = []
    for source in sources:
        if isinstance(source, Game):
            found.append(source)
        elif Path(source).is_dir():
            found += [path for path in sorted(Path(source).rglob("*.slp")) if _is_versus(path)]
        else:
            check_versus(read_header(source), source)
            found.append(source)
    return found


def _is_versus(path: Path) -> bool:
    try:
        check_versus(read_header(path), path)
    except ReplayError:
        return False
    return True
