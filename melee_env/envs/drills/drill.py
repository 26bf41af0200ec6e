"""What drills share: a judge that says when the technique was done, and what an episode pays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.options import DEFAULTS
from melee_env.envs.task import Task
from melee_env.frame import Frames
from melee_env.ids import Stage, parse
from melee_env.observations.features import EDGE_X

Parts = dict[str, NDArray[np.float32]]

DRILL_FIELDS: list[tuple[Any, ...]] = [
    ("frames", "i8"),
    ("count", "i4"),
    ("success", "u1"),
    ("failure", "u1"),
]
"""what every drill counts in an episode: frames, repetitions, and how it came out"""
SUCCESS, FAILURE = np.float32(1), np.float32(-1)
LAST_DEAD_STATE = 11
HELPLESS_STATES = 13
"""states up to this one are deaths, entry and the platform after a death"""


class DrillTask(Task):
    """A technique, repeated until the judge is satisfied; +1 for success, -1 for failure, plus the judge's parts."""

    opponent = "scripted:idle"
    memory_dtype = np.dtype(DRILL_FIELDS)

    def __init__(self, reward: str | None = None) -> None:
        """The drill has its own reward; a preset replaces it."""
        self._own_reward = reward is None
        super().__init__(reward)

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Look at one frame ``[N]``: set ``success``, ``failure`` and counters in ``memory``, return rewards.

        A lost stock need not be looked at: it fails every drill.
        """
        raise NotImplementedError

    def rewards(
        self, memory: NDArray[np.void], previous: Frames, frames: Frames
    ) -> tuple[NDArray[np.float32], Parts]:
        """Judge the frame and pay for it."""
        parts = self.judge(memory, previous, frames)
        lost = own(frames)["stocks"] < own(previous)["stocks"]
        memory["failure"] |= lost
        memory["success"] &= memory["failure"] == 0
        if not self._own_reward:
            return super().rewards(memory, previous, frames)
        result = memory["success"] * SUCCESS + memory["failure"] * FAILURE
        total = result.astype(np.float32)
        for value in parts.values():
            total = total + value
        return total.astype(np.float32), {**parts, "result": result.astype(np.float32)}

    def outcome(
        self, memory: NDArray[np.void], frames: Frames
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """End on success or failure, besides the game's own ends."""
        over, cut = super().outcome(memory, frames)
        return over | (memory["success"] != 0) | (memory["failure"] != 0), cut

    def info(self, memory: NDArray[np.void], frames: Frames) -> dict[str, NDArray[Any]]:
        """Add ``success`` and ``count``, the repetitions of the technique."""
        return {
            **super().info(memory, frames),
            "success": memory["success"] != 0,
            "count": memory["count"].copy(),
        }


def own(frames: Frames) -> Frames:
    """Return the learner's fighters ``[N]`` of frames ``[N]``."""
    return frames["seats"]["leader"][:, 0]


def other(frames: Frames) -> Frames:
    """Return the other fighters ``[N]`` of frames ``[N]``."""
    return frames["seats"]["leader"][:, 1]


def entered(before: Frames, after: Frames, first: int, last: int | None = None) -> NDArray[np.bool_]:
    """Tell which fighters entered a range of action states with this frame, ``[N] bool``."""
    last = first if last is None else last
    return within(after, first, last) & ~within(before, first, last)


def within(fighters: Frames, first: int, last: int) -> NDArray[np.bool_]:
    """Tell which fighters are in a range of action states, ``[N] bool``."""
    return (fighters["action"] >= first) & (fighters["action"] <= last)


def dealt(before: Frames, after: Frames) -> NDArray[np.float32]:
    """Return the percent that fighters gained with this frame, ``[N] float32``; a reset is no healing."""
    return np.maximum(after["percent"] - before["percent"], np.float32(0))


def edge_of(options: dict[str, Any]) -> float:
    """Return half the width of the main floor of the stage in ``options`` (its default when it is drawn)."""
    stage = options.get("stage") or DEFAULTS["stage"]
    return EDGE_X[parse(Stage, stage).external]


def edges_of(frames: Frames) -> NDArray[np.float32]:
    """Return half the width of the main floor for every frame, ``[N] float32``."""
    return _EDGES[frames["stage"]]


_EDGES = np.array([EDGE_X.get(stage, 80.0) for stage in range(256)], np.float32)


def fill(options: dict[str, Any], drawn: dict[str, Any]) -> dict[str, Any]:
    """Return ``options`` with what was drawn where they leave it open."""
    return {**options, **{key: value for key, value in drawn.items() if options.get(key) is None}}
