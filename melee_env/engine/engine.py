"""The engine as Python sees it: N games, one call advances all.

Compiled entry points work on arrays; :class:`Engine` owns those arrays and nothing else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.controller import Controllers, neutral
from melee_env.engine.export import export_game
from melee_env.engine.kernel import cache_folder, engine_digest, entry_point
from melee_env.engine.setup import place_fighter, setup_fighter, setup_game, spawn_point
from melee_env.engine.state import GAME_STATE, allocate
from melee_env.engine.step import step_game
from melee_env.errors import BackendError, StateVersionError
from melee_env.frame import FRAME_DTYPE, Frames, empty_frames

HEAD_FIELDS = [name for name in FRAME_DTYPE.names or () if name not in ("seats", "items")]
_MAGIC = b"melee_env engine "


@entry_point
def step_games(games, controllers, early, head, leaders, items):
    """Advance every running game by one frame and write the frames.

    The only entry point that holds the whole step: each further one would be compiled anew for a minute.
    """
    for n in range(games.shape[0]):
        game = games[n]
        if game.end_method == 0:
            step_game(game, controllers[n], early)
            export_game(game, head[n], leaders[n], items[n], controllers[n])


@entry_point
def start_game(games, n, seed, stage, time_limit, ports, characters, stocks, percents):
    """Set up game ``n`` before its entrance."""
    game = games[n]
    setup_game(game, seed, stage, time_limit)
    for seat in range(2):
        x, y, facing = spawn_point(game, seat)
        f = game.fighters[seat]
        setup_fighter(f, seat, ports[seat], characters[seat], stocks[seat], percents[seat], x, y, facing)


@entry_point
def place_fighters(games, n, positions):
    """Move the fighters of game ``n`` to ``positions [2, 2]`` where they are numbers, falling or standing."""
    game = games[n]
    for seat in range(2):
        if not np.isnan(positions[seat, 0]):
            place_fighter(game, game.fighters[seat], positions[seat, 0], positions[seat, 1])


@entry_point
def export_one(games, n, controllers, head, leaders, items):
    """Write the frame of game ``n``."""
    export_game(games[n], head[n], leaders[n], items[n], controllers[n])


class Engine:
    """``num_games`` games that advance together.

    Attributes:
        games: ``[num_games]`` of ``GAME_STATE``: the whole state.
        frames: ``[num_games]`` of ``FRAME_DTYPE``: the last frames, overwritten by the next call.
    """

    def __init__(self, num_games: int) -> None:
        """Make room for ``num_games`` games; :meth:`start` fills it."""
        self.games = allocate(num_games)
        self.frames: Frames = empty_frames(num_games)
        self.frames["seats"]["port"] = [0, 1]
        self._controllers = neutral(num_games, 2)
        self._views = self._make_views()

    def _make_views(self) -> tuple[NDArray[np.void], ...]:
        head = np.dtype(  # type: ignore[call-overload]
            {
                "names": HEAD_FIELDS,
                "formats": [FRAME_DTYPE.fields[name][0] for name in HEAD_FIELDS],  # type: ignore[index]
                "offsets": [FRAME_DTYPE.fields[name][1] for name in HEAD_FIELDS],  # type: ignore[index]
                "itemsize": FRAME_DTYPE.itemsize,
            }
        )
        # Items come last first: a reversed view is never contiguous, so that the step is compiled once, not a second
        # time for the contiguous layout that a single game would have.
        return self.frames.view(head), self.frames["seats"]["leader"], self.frames["items"][:, ::-1]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the arrays; the views of them are made again."""
        return {**self.__dict__, "_views": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the arrays and their views."""
        self.__dict__.update(state)
        self._views = self._make_views()

    def start(self, n: int, seed: int, options: MatchOptions) -> None:
        """Start game ``n`` anew; its frame is the one before ``options.start_frame``."""
        self.games[n] = np.zeros((), GAME_STATE)
        positions = np.full((2, 2), np.nan, np.float32)
        for seat, position in enumerate(options.positions):
            if position is not None:
                positions[seat] = position
        start_game(
            self.games,
            n,
            np.uint32(seed & 0xFFFFFFFF),
            options.stage.external,
            options.time_limit,
            np.array([0, 1], np.int32),
            np.array([character.internal for character in options.characters], np.int32),
            np.array(options.stocks, np.int32),
            np.array(options.percents, np.float32),
        )
        self.frames[n]["items"] = np.zeros((), FRAME_DTYPE)["items"]
        self._controllers[n] = neutral(2)
        one = slice(n, n + 1)
        views = [view[one] for view in self._views]
        while self.games["frame"][n] < options.start_frame - 1:
            step_games(self.games[one], self._controllers[one], False, *views)
        place_fighters(self.games, n, positions)
        export_one(self.games, n, self._controllers, *self._views)

    def step(self, controllers: Controllers) -> Frames:
        """Advance every running game by one frame with controllers ``[num_games, 2]``."""
        if controllers.shape != self._controllers.shape:
            raise BackendError(
                f"controllers must have shape {self._controllers.shape}, got {controllers.shape}"
            )
        step_games(self.games, controllers, False, *self._views)
        return self.frames

    def replay(self, controllers: Controllers, early: bool) -> Frames:
        """Advance every running game by one frame to the point at which Slippi records it.

        Before Slippi 3.5 that point is ``early``, before the hits of the frame: those of the frame before come first.
        """
        step_games(self.games, controllers, early, *self._views)
        return self.frames

    def save(self, n: int) -> bytes:
        """Return the whole state of game ``n``, tagged with the engine's digest."""
        return _MAGIC + engine_digest().encode() + self.games[n].tobytes() + self.frames[n].tobytes()

    def load(self, n: int, state: bytes) -> None:
        """Put a saved state into game ``n``.

        Raises:
            StateVersionError: the state was saved by another version of the engine.
        """
        tag = _MAGIC + engine_digest().encode()
        body = state[len(tag) :]
        if not state.startswith(tag) or len(body) != GAME_STATE.itemsize + FRAME_DTYPE.itemsize:
            raise StateVersionError("this state was saved by another version of the engine; start a new game")
        self.games[n] = np.frombuffer(body[: GAME_STATE.itemsize], GAME_STATE)[0]
        self.frames[n] = np.frombuffer(body[GAME_STATE.itemsize :], FRAME_DTYPE)[0]

    def save_many(self, games: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Return the states of many games ``[M]`` as rows of bytes ``[M, bytes of a game]``, for this process."""
        return np.concatenate([_bytes(self.games)[games], _bytes(self.frames)[games]], axis=1)

    def load_many(self, games: NDArray[np.integer], states: NDArray[np.uint8]) -> None:
        """Put states that :meth:`save_many` gave into the games ``[M]``."""
        _bytes(self.games)[games] = states[:, : GAME_STATE.itemsize]
        _bytes(self.frames)[games] = states[:, GAME_STATE.itemsize :]


def _bytes(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """View records ``[N]`` as bytes ``[N, bytes of a record]``, which NumPy copies far faster than fields."""
    return records.view(np.uint8).reshape(len(records), -1)


def compiled() -> bool:
    """Tell whether this version of the engine is in the compile cache already."""
    folder = cache_folder()
    return folder.is_dir() and any(folder.rglob("*step_games*.nbc"))


def warm_up(stream: TextIO | None = None) -> float:
    """Compile the engine, with a line on ``stream`` when that takes a while; return the seconds it took."""
    out = stream if stream is not None else sys.stderr
    begun = time.perf_counter()
    if not compiled():
        print("compiling the engine, about a minute, once per version …", file=out, flush=True)
    engine = Engine(1)
    engine.start(0, 0, MatchOptions())
    engine.step(neutral(1, 2))
    return time.perf_counter() - begun


def running(games: NDArray[np.void] | Sequence[object]) -> NDArray[np.bool_]:
    """Return which games have not ended, ``[num_games] bool``."""
    return np.asarray(games)["end_method"] == 0
