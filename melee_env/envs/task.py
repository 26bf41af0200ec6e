"""What an environment asks of its player: starts, rewards, and when an episode is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.controller import Controllers
from melee_env.frame import Frames
from melee_env.rewards import make_reward

Opening = Callable[[int, NDArray[np.void]], Controllers | None]
"""``(frame since the start, leaders [2])`` → both controllers ``[2]`` of the next frame, None to hand over.

The learner comes first in both; it takes over at the frame that was shown last.
"""


class Task:
    """A plain game: until the stocks or the clock run out.

    A drill derives from this and changes what it needs. Counters of running episodes live in
    :attr:`memory`, so that save states carry them.
    """

    defaults: dict[str, Any] = {}
    """options that differ from :data:`melee_env.envs.options.DEFAULTS`"""
    opponent = "scripted:fighter-3"
    """who plays the other seat unless the user says otherwise"""
    reward = "damage+stock"
    """reward preset unless the user says otherwise"""
    frame_skip = 1
    """frames that an action is held"""
    max_frames: int | None = None
    """frames after which an episode is cut off, besides the game's clock"""
    memory_dtype = np.dtype([("frames", "i8")])
    """counters of an episode; ``frames`` counts the frames that were played"""

    def __init__(self, reward: str | None = None) -> None:
        """Choose the reward preset."""
        self.reward_sum = make_reward(self.reward if reward is None else reward)

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Return the options of a new episode; a drill draws here what its start leaves open."""
        return options

    def opening(self, match: MatchOptions, rng: np.random.Generator) -> Opening | None:
        """Return how a new episode is brought about, or None if it begins where its game starts."""
        return None

    def begin(self, memory: NDArray[np.void], frames: Frames) -> None:
        """Reset the counters of episodes that start with ``frames`` (views of the starting lanes)."""
        memory[...] = np.zeros((), memory.dtype)

    def rewards(
        self, memory: NDArray[np.void], previous: Frames, frames: Frames
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """Return one frame's rewards ``[N]`` and their parts by name."""
        return self.reward_sum.ledger(previous, frames)

    def outcome(
        self, memory: NDArray[np.void], frames: Frames
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return ``(terminated, truncated)`` ``[N]`` after a frame."""
        end = frames["end_method"]
        truncated = end == 1
        terminated = (end != 0) ^ truncated
        if self.max_frames is not None:
            truncated = truncated | (memory["frames"] >= self.max_frames)
        return terminated, truncated

    def info(self, memory: NDArray[np.void], frames: Frames) -> dict[str, NDArray[Any]]:
        """Return what the info shows, arrays ``[N]``."""
        return {"frame": frames["frame"].copy()}
