"""Split by game or by player, so that nothing is on two sides."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from melee_env.errors import OptionError


def split(
    trajectories: Sequence[Any],
    shares: Mapping[str, float],
    seed: int = 0,
    by: Literal["game", "player"] = "game",
) -> dict[str, list[Any]]:
    """Split trajectories or episodes so that no game (or no player) is on two sides.

    Which side a game is on depends on the seed and the game alone, so adding games moves no other.

    Args:
        trajectories: each names ``game`` and ``player``, itself (:class:`demonstrations.tensors.Episode`) or in
            the first of its ``infos`` (see ``load_trajectories``).
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
    infos = [vars(item) if hasattr(item, "game") else item.infos[0] for item in trajectories]
    games = [str(info["game"]) for info in infos]
    if by == "game":
        return games
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for info, game in zip(infos, games, strict=True):
        player = info["player"]
        if player:
            first, second = sorted((root(f"game {game}"), root(f"player {player}")))
            parent[second] = first
    return [root(f"game {game}") for game in games]
