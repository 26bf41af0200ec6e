"""How late a player's actions are: seconds of thinking, frames between a frame and its answer."""

from __future__ import annotations

from typing import Any

import numpy as np

STALE_LIMIT = 0.1
"""Share of repeated actions above which a game says little about its player."""


class Timing:
    """Collects figures of one player over all its games."""

    def __init__(self) -> None:
        self._seconds: list[float] = []
        self._ages: list[int] = []
        self._repeats = self._run = self._longest = 0

    def thought(self, seconds: float) -> None:
        """Note how long one action took."""
        self._seconds.append(seconds)

    def sent(self, age: int, repeated: bool) -> None:
        """Note one action that was sent.

        Args:
            age: frames between the frame that it answers and the newest one.
            repeated: nothing newer than the action before was there.
        """
        self._ages.append(age)
        self._run = self._run + 1 if repeated else 0
        self._repeats += repeated
        self._longest = max(self._longest, self._run)

    @property
    def stale_share(self) -> float:
        """Share of frames on which the last action was repeated."""
        return self._repeats / max(1, len(self._ages))

    def summary(self) -> dict[str, Any]:
        """Return ``actions``, ``inference_ms`` and ``age_frames`` (median, p99, max), and how many were repeated."""
        return {
            "actions": len(self._ages),
            "inference_ms": spread([1000 * value for value in self._seconds]),
            "age_frames": spread(self._ages),
            "stale_frames": self._repeats,
            "stale_share": self.stale_share,
            "longest_stale": self._longest,
        }


def spread(values: list[float] | list[int]) -> dict[str, float] | None:
    """Return ``median``, ``p99`` and ``max``, None of nothing."""
    if not values:
        return None
    return {
        "median": float(np.median(values)),
        "p99": float(np.percentile(values, 99)),
        "max": float(max(values)),
    }
