"""N lanes of one task: the batch that the single, the vector and the SB3 environments share.

A lane depends on its own generator alone, so lane i of a vector is the single environment with lane i's
seed, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env import __version__
from melee_env.actions import make_codec
from melee_env.backends.base import MatchOptions, make_backend, split_options
from melee_env.controller import Controllers, neutral
from melee_env.envs.options import DEFAULTS, check_keys, resolve
from melee_env.envs.task import Task
from melee_env.errors import OptionError, StateVersionError
from melee_env.frame import FRAME_DTYPE, Frames, empty_frames, schema_hash, swap_seats
from melee_env.observations import make_encoder
from melee_env.opponents import Opponent, make_opponent

MAX_DELAY = 24


class Games:
    """The lanes. Observations ``[N, F] float32``, actions as the codec's space, seat 0 learns."""

    def __init__(
        self,
        task: Task,
        num_games: int,
        *,
        observation: str = "compact",
        action: str = "multidiscrete",
        opponent: str | Opponent | None = None,
        action_delay: int = 0,
        frame_skip: int | None = None,
        backend: str = "embedded",
        backend_options: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Build lanes; ``options`` override the task's defaults for every episode.

        Raises:
            OptionError: an unknown name or impossible value.
        """
        if type(action_delay) is not int or not 0 <= action_delay <= MAX_DELAY:
            raise OptionError(f"action_delay must be 0..{MAX_DELAY} frames, got {action_delay!r}")
        # What the backend's constructor names, such as dolphin= and iso=, may stand among the options.
        own, options = split_options(backend, options or {})
        check_keys(options)
        self.task = task
        self.num_games = num_games
        self.defaults = {**DEFAULTS, **task.defaults, **options}
        resolve(self.defaults, np.random.default_rng(0))
        self.frame_skip = task.frame_skip if frame_skip is None else frame_skip
        if type(self.frame_skip) is not int or self.frame_skip < 1:
            raise OptionError(f"frame_skip must be a whole number of frames, 1 or more, got {frame_skip!r}")
        self.encoder = make_encoder(observation)
        self.codec = make_codec(action)
        chosen = task.opponent if opponent is None else opponent
        self.opponent = make_opponent(chosen) if isinstance(chosen, str) else chosen
        if not isinstance(self.opponent, Opponent):
            raise OptionError(f"opponent must be a name or have reset and act, got {opponent!r}")
        self.opponent.reset(num_games, seed=0)
        self.backend = make_backend(backend, num_games, **{**own, **(backend_options or {})})
        self.frames: Frames = empty_frames(num_games)
        self.previous: Frames = empty_frames(num_games)
        self._mirror: Frames = empty_frames(num_games)
        self._controllers = neutral(num_games, 2)
        self._view_bytes()
        self.memory = np.zeros(num_games, task.memory_dtype)
        self.action_delay = action_delay
        still = self.codec.neutral()
        self._still = np.tile(still, (num_games,) + (1,) * still.ndim)
        self._queue = np.tile(still, (action_delay, num_games) + (1,) * still.ndim)
        self._episode_start = np.ones(num_games, np.bool_)

    def reset(
        self,
        rngs: Sequence[np.random.Generator],
        options: Sequence[Mapping[str, Any] | None],
        mask: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        """Start new episodes where ``mask`` is true (None: everywhere) and return all observations.

        Raises:
            OptionError: a bad option; nothing was changed then.
        """
        starting = np.flatnonzero(np.ones(self.num_games, bool) if mask is None else mask)
        starts: list[MatchOptions] = [MatchOptions()] * self.num_games
        seeds = np.zeros(self.num_games, np.uint32)
        opponent_seeds = np.zeros(self.num_games, np.int64)
        for i in starting.tolist():
            check_keys(options[i] or {})
            resolve({**self.defaults, **(options[i] or {})}, np.random.default_rng(0))
        for i in starting.tolist():
            wanted = self.task.draw_start({**self.defaults, **(options[i] or {})}, rngs[i])
            starts[i] = resolve(wanted, rngs[i])
            seeds[i] = rngs[i].integers(2**32)
            opponent_seeds[i] = rngs[i].integers(2**31)
        chosen = np.zeros(self.num_games, np.bool_)
        chosen[starting] = True
        frames = self.backend.reset(seeds, starts, chosen)
        self._take(frames)
        self._seed_opponent(opponent_seeds, chosen)
        self._queue[:, starting] = self.codec.neutral()
        memory = self.memory[starting]
        self.task.begin(memory, self.frames[starting])
        self.memory[starting] = memory
        self._episode_start[starting] = True
        return self.observe()

    def _seed_opponent(self, seeds: NDArray[np.int64], mask: NDArray[np.bool_]) -> None:
        if hasattr(self.opponent, "seed_games"):
            self.opponent.seed_games(seeds, mask)

    def observe(self) -> NDArray[np.float32]:
        """Return fresh observations ``[N, F]`` of the current frames."""
        out = np.empty((self.num_games, self.encoder.size), np.float32)
        self.encoder.encode_bytes(self._bytes, out)
        return out

    def _view_bytes(self) -> None:
        # Frames move as bytes: NumPy copies nested records one field at a time.
        shape = (self.num_games, FRAME_DTYPE.itemsize)
        self._bytes = self.frames.view(np.uint8).reshape(shape)
        self._previous_bytes = self.previous.view(np.uint8).reshape(shape)
        self._mirror_bytes = self._mirror.view(np.uint8).reshape(shape)
        self._pad_bytes = self._controllers.view(np.uint8).reshape(self.num_games, 2, -1)
        self._source: Frames | None = None

    def _take(self, frames: Frames) -> None:
        """Copy the backend's frames, which it will overwrite."""
        if frames is not self._source:
            self._source = frames
            self._source_bytes = frames.view(np.uint8).reshape(self._bytes.shape)
        self._bytes[...] = self._source_bytes

    def _seen_by_opponent(self) -> Frames:
        swap_seats(self._bytes, self._mirror_bytes)
        return self._mirror

    def step(
        self, actions: NDArray[Any], active: NDArray[np.bool_] | None = None
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, NDArray[Any]],
    ]:
        """Play ``frame_skip`` frames; lanes whose ``active`` is false stand still.

        Returns:
            Observations, rewards, terminated, truncated, info arrays, all ``[N, …]``.
        """
        if self.frame_skip == 1 and active is None:
            total, parts = self._frame(actions, None)
            terminated, truncated = self.task.outcome(self.memory, self.frames)
            return self.observe(), total, terminated, truncated, self._info(parts)
        total = np.zeros(self.num_games, np.float32)
        parts = {}
        terminated = truncated = np.zeros(self.num_games, np.bool_)
        playing = np.ones(self.num_games, np.bool_) if active is None else active.copy()
        for _ in range(self.frame_skip):
            everyone = bool(playing.all())
            rewards, values = self._frame(actions, None if everyone else playing)
            over, cut = self.task.outcome(self.memory, self.frames)
            if not everyone:
                rewards = np.where(playing, rewards, np.float32(0))
                values = {name: np.where(playing, value, np.float32(0)) for name, value in values.items()}
                over, cut = over & playing, cut & playing
            total += rewards
            for name, value in values.items():
                parts[name] = parts[name] + value if name in parts else value
            terminated, truncated = terminated | over, truncated | cut
            playing &= ~(over | cut)
            if self.frame_skip > 1 and not playing.any():
                break
        return self.observe(), total, terminated, truncated, self._info(parts)

    def _info(self, parts: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
        info: dict[str, NDArray[Any]] = {f"reward.{name}": value for name, value in parts.items()}
        info.update(self.task.info(self.memory, self.frames))
        return info

    def _frame(
        self, actions: NDArray[Any], playing: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """Advance every playing lane by one frame."""
        if self.action_delay:
            acting = self._queue[0].copy()
            self._queue[:-1] = self._queue[1:]
            self._queue[-1] = actions
        else:
            acting = actions
        self._hold(0, self.codec.decode(acting))
        self._hold(1, self.opponent.act(self._seen_by_opponent(), self._episode_start))
        self._episode_start[:] = False
        self._previous_bytes[...] = self._bytes
        if playing is None:
            self._take(self.backend.step(self._controllers))
            self.memory["frames"] += 1
        else:
            # A game that is over stands still by itself.
            still = np.flatnonzero(~playing & (self.frames["end_method"] == 0))
            kept = [(i, self.backend.save(int(i))) for i in still]
            frames = self.backend.step(self._controllers)
            for i, state in kept:
                frames = self.backend.load(int(i), state)
            self._take(frames)
            self.memory["frames"][playing] += 1
        return self.task.rewards(self.memory, self.previous, self.frames)

    def _hold(self, seat: int, controllers: Controllers) -> None:
        self._pad_bytes[:, seat] = (
            np.ascontiguousarray(controllers).view(np.uint8).reshape(self.num_games, -1)
        )

    def get_state(self, lane: int) -> dict[str, Any]:
        """Return everything that the next frames of a lane depend on."""
        opponent = self.opponent.get_state(lane) if hasattr(self.opponent, "get_state") else None
        return {
            "version": (__version__, schema_hash()),
            "backend": self.backend.save(lane),
            "frame": self.frames[lane].tobytes(),
            "memory": self.memory[lane].tobytes(),
            "queue": self._queue[:, lane].copy(),
            "episode_start": bool(self._episode_start[lane]),
            "opponent": opponent,
        }

    def set_state(self, lane: int, state: Mapping[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`.

        Raises:
            StateVersionError: it was saved by another version.
        """
        if state.get("version") != (__version__, schema_hash()):
            raise StateVersionError(
                f"this state was saved by version {state.get('version')}; start a new episode"
            )
        self.backend.load(lane, state["backend"])
        self.frames[lane] = np.frombuffer(state["frame"], FRAME_DTYPE)[0]
        self.memory[lane] = np.frombuffer(state["memory"], self.memory.dtype)[0]
        self._queue[:, lane] = state["queue"]
        self._episode_start[lane] = state["episode_start"]
        if state["opponent"] is not None:
            self.opponent.set_state(lane, state["opponent"])  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the frames; the byte views of them are made again."""
        views = ("_bytes", "_previous_bytes", "_mirror_bytes", "_pad_bytes", "_source", "_source_bytes")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the frames and their byte views."""
        self.__dict__.update(state)
        self._view_bytes()

    def close(self) -> None:
        """Release the backend."""
        self.backend.close()
