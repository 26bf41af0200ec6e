"""N lanes of one task: the batch that the single, the vector and the SB3 environments share.

A lane depends on its own generator alone, so lane i of a vector is the single environment with lane i's
seed, bit for bit. Everything in here is seen from the learner: it sits in seat 0 of every frame, whatever
seat of the backend it plays and whether the game is shown in a mirror.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env import __version__
from melee_env.actions import make_codec
from melee_env.backends.base import MatchOptions, make_backend, split_options, step_some
from melee_env.controller import CONTROLLER_DTYPE, Controllers, neutral
from melee_env.envs.controls import Controls
from melee_env.envs.options import DEFAULTS, Episode, check_keys, resolve
from melee_env.envs.task import Task
from melee_env.errors import BackendError, OptionError, StateVersionError
from melee_env.frame import FRAME_DTYPE, Frames, empty_frames, schema_hash, swap_seats
from melee_env.mirror import mirror_pads, mirror_rows
from melee_env.observations import make_encoder
from melee_env.opponents import LineUp, Opponent, OpponentPool

MAX_OPENING = 600
"""frames that an opening may take before it counts as stuck"""
_PAD = CONTROLLER_DTYPE.itemsize
_WHOLE_PAD = np.dtype(f"V{_PAD}")
"""a controller that NumPy copies in one piece"""


class Games:
    """The lanes. Observations ``[N, F] float32``, actions as the codec's space, seat 0 learns."""

    def __init__(
        self,
        task: Task,
        num_games: int,
        *,
        observation: str = "compact",
        action: str = "multidiscrete",
        opponent: str | Opponent | OpponentPool | None = None,
        action_delay: int | None = 0,
        frame_skip: int | None = None,
        sticky_actions: float = 0.0,
        backend: str = "embedded",
        backend_options: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Build lanes; ``options`` override the task's defaults for every episode.

        Raises:
            OptionError: an unknown name or impossible value.
        """
        # What the backend's constructor names, such as dolphin= and iso=, may stand among the options.
        own, options = split_options(backend, options or {})
        check_keys(options)
        self.task = task
        self.num_games = num_games
        self.defaults = {
            **DEFAULTS,
            **task.defaults,
            "opponent": task.opponent if opponent is None else opponent,
            "action_delay": action_delay,
            **options,
        }
        resolve(self.defaults, np.random.default_rng(0))
        self.frame_skip = task.frame_skip if frame_skip is None else frame_skip
        if type(self.frame_skip) is not int or self.frame_skip < 1:
            raise OptionError(f"frame_skip must be a whole number of frames, 1 or more, got {frame_skip!r}")
        self.encoder = make_encoder(observation)
        self.codec = make_codec(action)
        self.controls = Controls(self.codec, num_games, sticky=sticky_actions)
        self.opponents = LineUp(num_games)
        self.backend = make_backend(backend, num_games, **{**own, **(backend_options or {})})
        if not self.backend.capabilities.any_stocks:
            # A task's own number of stocks is a wish, so that a game outlasts its episode; the user's is none.
            self.defaults |= {
                key: DEFAULTS[key] for key in ("stocks", "opponent_stocks") if key not in options
            }
        self.frames: Frames = empty_frames(num_games)
        self.previous: Frames = empty_frames(num_games)
        self._pads = neutral(num_games, 2)
        self.seats = np.zeros(num_games, np.int64)
        self.mirrors = np.zeros(num_games, np.bool_)
        self._plain = True
        self.memory = np.zeros(num_games, task.memory_dtype)
        self._view_bytes()
        self._episode_start = np.ones(num_games, np.bool_)
        self.listeners: list[Callable[[Games], None]] = []
        """called after every frame that was played; ``previous`` and ``frames`` are its two ends"""

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
        starting = np.flatnonzero(np.ones(self.num_games, bool) if mask is None else mask).tolist()
        for i in starting:
            if options[i]:
                check_keys(options[i] or {})
                resolve({**self.defaults, **(options[i] or {})}, np.random.default_rng(0))
        matches: list[MatchOptions] = [MatchOptions()] * self.num_games
        seeds = np.zeros(self.num_games, np.uint32)
        episodes: dict[int, Episode] = {}
        for i in starting:
            wanted = self.task.draw_start({**self.defaults, **(options[i] or {})}, rngs[i])
            episodes[i] = episode = resolve(wanted, rngs[i])
            matches[i] = episode.for_backend()
            seeds[i] = rngs[i].integers(2**32)
            self._begin(i, episode, *rngs[i].integers(2**31, size=2).tolist())
        self._plain = not (self.seats.any() or self.mirrors.any())
        chosen = np.zeros(self.num_games, np.bool_)
        chosen[starting] = True
        self._take(self.backend.reset(seeds, matches, chosen))
        for i in starting:
            self._play_opening(i, episodes[i], rngs[i])
        memory = self.memory[starting]
        self.task.begin(memory, self.frames[starting])
        self.memory[starting] = memory
        self._episode_start[starting] = True
        return self.observe()

    def _begin(self, lane: int, episode: Episode, opponent_seed: int, control_seed: int) -> None:
        self.seats[lane], self.mirrors[lane] = episode.seat, episode.mirror
        self.opponents.assign(lane, episode.opponent, opponent_seed)
        self.controls.start(lane, episode.action_delay, control_seed)

    def _play_opening(self, lane: int, episode: Episode, rng: np.random.Generator) -> None:
        """Let both seats follow the task's opening until the learner takes over."""
        opening = self.task.opening(episode.match, rng)
        if opening is None:
            return
        lanes = np.array([lane])
        for number in range(MAX_OPENING):
            controllers = opening(number, self.frames["seats"]["leader"][lane])
            if controllers is None:
                return
            for seat in range(2):
                self._hold(seat, controllers[seat].tobytes(), lanes)
            self._take(step_some(self.backend, self._pads, lanes))
        raise BackendError(f"the opening of {type(self.task).__name__} did not end in {MAX_OPENING} frames")

    def observe(self) -> NDArray[np.float32]:
        """Return fresh observations ``[N, F]`` of the current frames."""
        out = np.empty((self.num_games, self.encoder.size), np.float32)
        committed = self.controls.committed(self.encoder.previous)
        self.encoder.encode_bytes(self._bytes, out, committed=committed, delays=self.controls.delays)
        return out

    def _view_bytes(self) -> None:
        # Frames move as bytes: NumPy copies nested records one field at a time.
        shape = (self.num_games, FRAME_DTYPE.itemsize)
        self._bytes = self.frames.view(np.uint8).reshape(shape)
        self._previous_bytes = self.previous.view(np.uint8).reshape(shape)
        self._pad_bytes = self._pads.view(np.uint8).reshape(self.num_games, 2, _PAD)
        self._whole_pads = self._pads.view(_WHOLE_PAD)
        self._played = self.memory["frames"]
        self._source: Frames | None = None

    def _take(self, frames: Frames) -> None:
        """Copy the backend's frames, which it will overwrite, as the learners see them."""
        if frames is not self._source:
            self._source = frames
            self._source_bytes = frames.view(np.uint8).reshape(self._bytes.shape)
        if self._plain:
            self._bytes[...] = self._source_bytes
            return
        swap_seats(self._source_bytes, self._bytes)
        straight = self.seats == 0
        self._bytes[straight] = self._source_bytes[straight]
        mirror_rows(self._bytes, self.mirrors)

    def step(
        self, actions: NDArray[Any], active: NDArray[np.bool_] | None = None
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, NDArray[Any]],
    ]:
        """Hold actions ``[N, …]`` for ``frame_skip`` frames in every active lane.

        Returns:
            Observations, rewards, terminated, truncated and info arrays. A lane that ends early stays at its
            last frame.
        """
        return self.play(self.controls.decide(actions), active)

    def play(
        self, controllers: Controllers, active: NDArray[np.bool_] | None = None
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, NDArray[Any]],
    ]:
        """Do what :meth:`step` does with controllers ``[N]`` instead of actions."""
        if self.frame_skip == 1 and active is None:
            total, parts = self._frame(controllers, None)
            terminated, truncated = self.task.outcome(self.memory, self.frames)
            return self.observe(), total, terminated, truncated, self._info(parts)
        total = np.zeros(self.num_games, np.float32)
        parts = {}
        terminated = truncated = np.zeros(self.num_games, np.bool_)
        playing = np.ones(self.num_games, np.bool_) if active is None else active.copy()
        for _ in range(self.frame_skip):
            everyone = bool(playing.all())
            rewards, values = self._frame(controllers, None if everyone else playing)
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
        self, controllers: Controllers, playing: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """Advance every playing lane by one frame."""
        others = self.opponents.act(self.frames, self._episode_start)
        self._hold(0, self.controls.commit(controllers))
        self._hold(1, np.ascontiguousarray(others).view(np.uint8).reshape(self.num_games, _PAD))
        self._episode_start[:] = False
        # What was shown last becomes the frame before; the next one is written over the one before that.
        self.frames, self.previous = self.previous, self.frames
        self._bytes, self._previous_bytes = self._previous_bytes, self._bytes
        if playing is None:
            self._take(self.backend.step(self._pads))
            self._played += 1
            for listen in self.listeners:
                listen(self)
            return self.task.rewards(self.memory, self.previous, self.frames)
        kept = self.memory[~playing]
        # A game that is over stands still by itself: nothing to keep, which a real emulator could not.
        moving = np.flatnonzero(playing | (self.frames["end_method"] != 0))
        self._take(step_some(self.backend, self._pads, moving))
        self._played += 1
        for listen in self.listeners:
            listen(self)
        result = self.task.rewards(self.memory, self.previous, self.frames)
        self.memory[~playing] = kept
        return result

    def _hold(
        self, seat: int, rows: NDArray[np.uint8] | bytes, lanes: NDArray[np.int64] | None = None
    ) -> None:
        """Give the controllers of the learner (seat 0) or of the other to the backend, for all or some lanes."""
        if isinstance(rows, bytes):
            rows = np.frombuffer(rows, np.uint8)[None]
        if self._plain:
            self._whole_pads[slice(None) if lanes is None else lanes, seat] = rows.view(_WHOLE_PAD)[:, 0]
            return
        lanes = np.arange(self.num_games) if lanes is None else lanes
        turned = rows[:, None].copy()
        mirror_pads(turned, self.mirrors[lanes])
        self._pad_bytes[lanes, seat ^ self.seats[lanes]] = turned[:, 0]

    def get_state(self, lane: int) -> dict[str, Any]:
        """Return everything that the next frames of a lane depend on."""
        return {
            "version": (__version__, schema_hash()),
            "backend": self.backend.save(lane),
            "frame": self.frames[lane].tobytes(),
            "memory": self.memory[lane].tobytes(),
            "controls": self.controls.get_state(lane),
            "seat": int(self.seats[lane]),
            "mirror": bool(self.mirrors[lane]),
            "episode_start": bool(self._episode_start[lane]),
            "opponent": self.opponents.get_state(lane),
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
        if len(state["memory"]) != self.memory.dtype.itemsize:
            raise StateVersionError("this state was saved by another task; start a new episode")
        self.backend.load(lane, state["backend"])
        self.opponents.set_state(lane, state["opponent"])
        self.frames[lane] = np.frombuffer(state["frame"], FRAME_DTYPE)[0]
        self.memory[lane] = np.frombuffer(state["memory"], self.memory.dtype)[0]
        self.controls.set_state(lane, state["controls"])
        self.seats[lane], self.mirrors[lane] = state["seat"], state["mirror"]
        self._plain = not (self.seats.any() or self.mirrors.any())
        self._episode_start[lane] = state["episode_start"]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the frames; the byte views of them are made again."""
        views = (
            "_bytes",
            "_previous_bytes",
            "_pad_bytes",
            "_whole_pads",
            "_played",
            "_source",
            "_source_bytes",
        )
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the frames and their byte views."""
        self.__dict__.update(state)
        self._view_bytes()

    def close(self) -> None:
        """Release the backend."""
        self.backend.close()
