"""Windows over trajectories: fixed length, never across a game, split by game. NumPy only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import OptionError


def split(
    trajectories: Sequence[Any],
    shares: Mapping[str, float],
    seed: int = 0,
    by: Literal["game", "player"] = "game",
) -> dict[str, list[Any]]:
    """Split trajectories so that no game (or no player) is on two sides.

    Which side a game is on depends on the seed and the game alone, so adding games moves no other.

    Args:
        trajectories: with ``infos`` that name ``game`` and ``player`` (see ``load_trajectories``).
        shares: name and share of each side, e.g. ``{"train": 0.9, "valid": 0.1}``; they sum to 1.
        seed: of the split.
        by: keep games together, or everything of a player and of those they played against.

    Raises:
        OptionError: shares that do not sum to 1.
    """
    if not shares or min(shares.values()) < 0 or abs(sum(shares.values()) - 1) > 1e-6:
        raise OptionError(f"shares must be positive and sum to 1, not {dict(shares)}")
    groups = _groups(trajectories, by)
    names, bounds = list(shares), np.cumsum(list(shares.values()))
    sides: dict[str, list[Any]] = {name: [] for name in names}
    for trajectory, group in zip(trajectories, groups, strict=True):
        digest = hashlib.sha256(f"{seed}:{group}".encode()).digest()
        draw = int.from_bytes(digest[:8], "big") / 2**64
        side = min(int(np.searchsorted(bounds, draw, "right")), len(names) - 1)
        sides[names[side]].append(trajectory)
    return sides


def _groups(trajectories: Sequence[Any], by: str) -> list[str]:
    """Return the name of each trajectory's group; players who met are one group."""
    if by not in ("game", "player"):
        raise OptionError(f"split by 'game' or 'player', not {by!r}")
    games = [str(trajectory.infos[0]["game"]) for trajectory in trajectories]
    if by == "game":
        return games
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for trajectory, game in zip(trajectories, games, strict=True):
        player = trajectory.infos[0]["player"]
        if player:
            first, second = sorted((root(f"game {game}"), root(f"player {player}")))
            parent[second] = first
    return [root(f"game {game}") for game in games]


@dataclass(frozen=True)
class Batch:
    """A batch of windows."""

    obs: NDArray[np.float32]
    """``[B, L, …]``"""
    acts: NDArray[np.int64]
    """``[B, L, …]``"""
    episode_start: NDArray[np.bool_]
    """``[B, L]``, true where a trajectory begins"""


class Windows:
    """All windows of ``length`` steps inside trajectories, ``stride`` steps apart.

    A trajectory shorter than ``length`` has none. The last window of a trajectory ends with its last
    action, so every step of a long enough trajectory is in some window.

    Args:
        trajectories: with ``obs`` one longer than ``acts``.
        length: steps in a window.
        stride: steps between the beginnings of two windows.
    """

    def __init__(self, trajectories: Sequence[Any], length: int, stride: int | None = None) -> None:
        if length < 1 or (stride is not None and stride < 1):
            raise OptionError(f"length and stride must be positive, not {length} and {stride}")
        self.trajectories, self.length = trajectories, length
        stride = stride or length
        places = []
        for number, trajectory in enumerate(trajectories):
            last = len(trajectory.acts) - length
            starts = np.arange(0, last + 1, stride)
            if len(starts) and starts[-1] != last:
                starts = np.append(starts, last)
            places.append(np.stack([np.full(len(starts), number), starts], -1))
        self.places: NDArray[np.int64] = np.concatenate(places) if places else np.zeros((0, 2), np.int64)
        """``[windows, 2]``: trajectory and first step of each window"""

    def __len__(self) -> int:
        """Number of windows."""
        return len(self.places)

    def __getitem__(self, index: int) -> Batch:
        """Return one window, without a batch axis."""
        number, start = self.places[index]
        trajectory, end = self.trajectories[number], start + self.length
        episode_start = np.zeros(self.length, bool)
        episode_start[0] = start == 0
        return Batch(trajectory.obs[start:end], trajectory.acts[start:end], episode_start)

    def batches(self, size: int, seed: int | None = None) -> Iterator[Batch]:
        """Yield batches of ``size`` windows (the last one may be smaller), shuffled if a seed is given."""
        order = np.arange(len(self))
        if seed is not None:
            np.random.default_rng(seed).shuffle(order)
        for first in range(0, len(order), size):
            chosen = [self[index] for index in order[first : first + size]]
            yield Batch(
                np.stack([window.obs for window in chosen]),
                np.stack([window.acts for window in chosen]),
                np.stack([window.episode_start for window in chosen]),
            )
