"""The embedded engine as a backend: no emulator, no disc, N games in one call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import Capabilities, MatchOptions
from melee_env.controller import Controllers
from melee_env.engine.engine import Engine, compiled, warm_up
from melee_env.frame import Frames

PAUSED = 1
"""what a game's end stands at while the others go on: the engine leaves alone what has ended"""


class EmbeddedBackend:
    """``num_games`` games on the embedded engine. See :class:`melee_env.backends.base.Backend`."""

    capabilities = Capabilities(save_states=True, vector=True, rng=True)

    def __init__(self, num_games: int = 1) -> None:
        """Make room for ``num_games`` games; the first one of a new version compiles the engine."""
        if not compiled():
            warm_up()
        self.num_games = num_games
        self._engine = Engine(num_games)

    def reset(
        self,
        seeds: NDArray[np.uint32],
        options: Sequence[MatchOptions],
        mask: NDArray[np.bool_] | None = None,
    ) -> Frames:
        """Start new games where ``mask`` is true (None: everywhere)."""
        for n in range(self.num_games):
            if mask is None or mask[n]:
                self._engine.start(n, int(seeds[n]), options[n])
        return self._engine.frames

    def step(self, controllers: Controllers) -> Frames:
        """Advance every running game by one frame with controllers ``[num_games, 2]``."""
        return self._engine.step(controllers)

    def step_games(self, controllers: Controllers, games: NDArray[np.int64]) -> Frames:
        """Advance the games of the given numbers by one frame with controllers ``[num_games, 2]``."""
        ends = self._engine.games["end_method"]
        resting = np.ones(self.num_games, np.bool_)
        resting[games] = False
        kept = ends[resting]
        ends[resting] = PAUSED
        try:
            return self._engine.step(controllers)
        finally:
            ends[resting] = kept

    def save(self, game: int) -> bytes:
        """Return the whole state of one game, tagged with the engine's version."""
        return self._engine.save(game)

    def load(self, game: int, state: bytes) -> Frames:
        """Put a saved state into one game and return all frames."""
        self._engine.load(game, state)
        return self._engine.frames

    def close(self) -> None:
        """Nothing to release."""
