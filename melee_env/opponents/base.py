"""What an opponent is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers
from melee_env.frame import Frames


@runtime_checkable
class Opponent(Protocol):
    """Whoever plays the other seat.

    Optional methods: ``act_from(frames, seat, episode_start)`` does what ``act`` does on frames in which the player
    sits in ``seat``, so that they need not be turned for it; ``seed_games(seeds [N], mask [N])`` seeds single games
    as an episode starts;
    ``get_state(game)`` and ``set_state(game, state)`` carry its memory of one game in save states.
    """

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Make room for ``num_envs`` games and forget everything."""
        ...

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers ``[N]`` for frames ``[N]`` seen from the opponent's seat."""
        ...
