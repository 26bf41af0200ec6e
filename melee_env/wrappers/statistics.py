"""What happened in an episode: damage, stocks, time beside the stage."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from melee_env.envs.games import Games
from melee_env.envs.versus import VersusEnv
from melee_env.rewards.terms import (
    LEAD,
    NUM_EVENTS,
    OTHER_DAMAGE,
    OTHER_STOCKS,
    OWN_DAMAGE,
    OWN_OFF,
    OWN_STOCKS,
    events_between,
)


class GameStatistics(gym.Wrapper[Any, Any, Any, Any]):
    """Adds ``info["game"]`` to an episode's last step.

    ``frames``, ``damage_dealt``, ``damage_taken`` (percent), ``stocks_taken``, ``stocks_lost``, ``offstage`` (share of
    the frames that the learner was beside the stage), ``won`` (True, False, or None for neither).
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wrap an environment of this package."""
        super().__init__(env)
        versus = env.unwrapped
        assert isinstance(versus, VersusEnv)
        self._sums = np.zeros(NUM_EVENTS)
        self._frames = 0
        versus.games.listeners.append(self._listen)

    def _listen(self, games: Games) -> None:
        self._sums += events_between(games.previous, games.frames)[0]
        self._frames += 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode, and counting."""
        result = self.env.reset(seed=seed, options=options)
        self._sums[:] = 0
        self._frames = 0
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play one action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            info["game"] = self._summary()
        return observation, reward, terminated, truncated, info

    def _summary(self) -> dict[str, Any]:
        lead = float(self._sums[LEAD])
        return {
            "frames": self._frames,
            "damage_dealt": float(self._sums[OTHER_DAMAGE]),
            "damage_taken": float(self._sums[OWN_DAMAGE]),
            "stocks_taken": int(self._sums[OTHER_STOCKS]),
            "stocks_lost": int(self._sums[OWN_STOCKS]),
            "offstage": float(self._sums[OWN_OFF]) / max(self._frames, 1),
            "won": None if lead == 0 else lead > 0,
        }
