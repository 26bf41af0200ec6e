"""Games as training tensors: packed observations, actions and rewards, row by row, with a list of episodes.

An episode is one player's view of a gapless run of frames (see :mod:`demonstrations.trajectories` for the
alignment). It has one row more than actions: the last observation comes with no action, its row repeats none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from demonstrations.columns import Columns
from demonstrations.games import game_key
from demonstrations.leaders import leaders
from demonstrations.quality import score
from demonstrations.trajectories import ENDS, runs
from melee_env.actions import make_codec
from melee_env.controller import CONTROLLER_DTYPE
from melee_env.frame import FRAME_DTYPE, Frames, seen_from
from melee_env.game import Game
from melee_env.observations import make_encoder
from melee_env.observations.encoder import controller_history

BLOCK = 256
"""Frames that are encoded at once; their dense observations stay in the processor's cache."""


@dataclass(frozen=True)
class Episode:
    """Where one player's run of frames is, and what it is."""

    start: int
    """first row"""
    length: int
    """actions; there is one row more"""
    source: str
    """file below the source folder, empty for a game in memory"""
    game: str
    """see :func:`demonstrations.games.game_key`"""
    seat: int
    """the player's seat in the recording"""
    port: int
    """the player's port, 0-based"""
    player: str
    """connect code or name, empty if not recorded"""
    character: int
    """the player's fighter, external id"""
    opponent: int
    """the other fighter, external id"""
    stage: int
    """external id"""
    terminal: bool
    """the game was decided on the last row"""
    quality: float
    """see :func:`demonstrations.quality.score`"""


@dataclass(frozen=True)
class Rows:
    """Rows of episodes laid end to end."""

    numbers: NDArray[np.float32]
    """``[N, plain columns]``, see :class:`Columns`"""
    ids: NDArray[np.uint8]
    """``[N, one-hot blocks]``"""
    actions: NDArray[Any]
    """``[N, …]`` in the codec's smallest type"""
    rewards: NDArray[np.float32]
    """``[N]``, of the step that begins in this row"""
    episodes: tuple[Episode, ...]
    """in order of their rows"""

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.numbers)


class TensorEncoder:
    """Turns games into rows; its scratch memory is used again for every game.

    Args:
        observation: name of the observation encoder.
        action: name of the action codec.
        reward: name of the reward; empty for none (zeros).

    Raises:
        OptionError: an unknown name.
    """

    def __init__(self, observation: str = "compact", action: str = "multidiscrete", reward: str = "") -> None:
        from melee_env.rewards import make_reward

        self.encoder, self.codec = make_encoder(observation), make_codec(action)
        self.columns = Columns(self.encoder.size, self.encoder.one_hot)
        self.action_dtype, self.action_shape = _storage(self.codec.space)
        self._reward = make_reward(reward) if reward else None
        self._dense = np.empty((BLOCK, self.encoder.size), np.float32)

    def nothing(self) -> Rows:
        """Return rows of no game."""
        return Rows(
            np.empty((0, len(self.columns.plain)), np.float32),
            np.empty((0, len(self.columns.blocks)), np.uint8),
            np.empty((0, *self.action_shape), self.action_dtype),
            np.empty(0, np.float32),
            (),
        )

    def encode(self, game: Game, seats: Sequence[int], source: str = "") -> Rows:
        """Encode a game as each of ``seats`` sees it; a game without a long enough run gives no rows."""
        players = leaders(game.frames)
        spans = [(seat, run) for run in runs(game, players=players) for seat in seats]
        count = sum(run.stop - run.start for _, run in spans)
        rows = Rows(
            np.empty((count, len(self.columns.plain)), np.float32),
            np.empty((count, len(self.columns.blocks)), np.uint8),
            np.zeros((count, *self.action_shape), self.action_dtype),
            np.zeros(count, np.float32),
            (),
        )
        key, quality = game_key(game, players), score(game, players).total
        episodes, start = [], 0
        for seat, run in spans:
            frames, info = game.frames[run], game.info.seats[seat]
            self._fill(frames, seat, players[run, seat], rows, start)
            episodes.append(
                Episode(
                    start=start,
                    length=len(frames) - 1,
                    source=source,
                    game=key,
                    seat=seat,
                    port=info.port,
                    player=info.code or info.name,
                    character=info.character,
                    opponent=game.info.seats[1 - seat].character,
                    stage=game.info.stage,
                    terminal=bool(frames["end_method"][-1] in ENDS),
                    quality=quality,
                )
            )
            start += len(frames)
        return replace(rows, episodes=tuple(episodes))

    def _fill(self, frames: Frames, seat: int, pads: NDArray[np.void], rows: Rows, start: int) -> None:
        data = frames.view(np.uint8).reshape(len(frames), FRAME_DTYPE.itemsize)
        seen = slice(start, start + len(frames))
        committed = None
        if self.encoder.previous > 1:
            depth = self.encoder.previous
            history = controller_history(frames["seats"]["leader"]["controller"][:, seat], depth)
            committed = history.view(np.uint8).reshape(len(frames), depth, CONTROLLER_DTYPE.itemsize)
        self._pack(data, seat, committed, rows.numbers[seen], rows.ids[seen])
        steps = slice(start, start + len(frames) - 1)
        rows.actions[steps] = self.codec.encode(pads[1:])
        if self._reward is not None:
            view = seen_from(frames, seat)
            rows.rewards[steps] = self._reward.step(view[:-1], view[1:])

    def _pack(
        self,
        data: NDArray[np.uint8],
        seat: int,
        committed: NDArray[np.uint8] | None,
        numbers: NDArray[np.float32],
        ids: NDArray[np.uint8],
    ) -> None:
        if self.encoder.packs:
            self.encoder.pack_bytes(data, numbers, ids, seat, committed=committed)
            return
        for begin in range(0, len(data), BLOCK):
            block = data[begin : begin + BLOCK]
            dense = self._dense[: len(block)]
            shown = None if committed is None else committed[begin : begin + BLOCK]
            self.encoder.encode_bytes(block, dense, seat, committed=shown)
            self.columns.pack(dense, numbers[begin : begin + BLOCK], ids[begin : begin + BLOCK])


def concatenate(parts: Sequence[Rows]) -> Rows:
    """Lay rows end to end."""
    begins = np.cumsum([0, *(len(part) for part in parts)])
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS
    }
    episodes = tuple(
        replace(episode, start=episode.start + int(begin))
        for part, begin in zip(parts, begins[:-1], strict=True)
        for episode in part.episodes
    )
    return Rows(**arrays, episodes=episodes)


ARRAYS = ("numbers", "ids", "actions", "rewards")
"""The arrays of :class:`Rows`."""


def _storage(space: spaces.Space[Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return the smallest type that holds every action, and an action's shape."""
    if isinstance(space, spaces.MultiDiscrete):
        return np.min_scalar_type(int(space.nvec.max()) - 1), space.nvec.shape
    if isinstance(space, spaces.Discrete):
        return np.min_scalar_type(int(space.n) - 1), ()
    return np.dtype(space.dtype), tuple(space.shape or ())
