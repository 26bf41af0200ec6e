"""Episodes as ``.slp`` files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from melee_env.envs.games import Games
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import character_from_internal
from melee_env.slp import write_game


class RecordGames(gym.Wrapper[Any, Any, Any, Any]):
    """Writes every episode that came to its end to ``folder/episode-00000.slp``, the learner in port 1.

    Every frame is recorded, those inside a held action too. Files that are there already are kept: numbers go on.
    """

    def __init__(
        self, env: gym.Env[Any, Any], folder: str | Path, trigger: Callable[[int], bool] | None = None
    ) -> None:
        """Wrap an environment of this package.

        Args:
            env: the environment.
            folder: where the files go; made if needed.
            trigger: episode number → whether to record it; None records all.
        """
        super().__init__(env)
        versus = env.unwrapped
        assert isinstance(versus, VersusEnv)
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._trigger = trigger
        self._episode = -1
        self._rows: list[Frames] = []
        self._recording = False
        self._games = versus.games
        versus.games.listeners.append(self._listen)

    def _listen(self, games: Games) -> None:
        if self._recording:
            self._rows.append(games.frames[0].copy())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; one that was not played to its end is not written."""
        self._recording = False
        result = self.env.reset(seed=seed, options=options)
        self._episode += 1
        self._recording = self._trigger is None or self._trigger(self._episode)
        self._rows = [self._games.frames[0].copy()] if self._recording else []
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play one action; ``info["recording"]`` names the file that was written."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._recording and (terminated or truncated):
            info["recording"] = str(self._write())
        return observation, reward, terminated, truncated, info

    def _write(self) -> Path:
        self._recording = False
        frames = np.array(self._rows)
        leaders = frames["seats"]["leader"][0]
        seats = tuple(
            SeatInfo(
                port=seat,
                character=character_from_internal(leaders["character"][seat]).external,
                stocks=int(leaders["stocks"][seat]),
            )
            for seat in range(2)
        )
        info = GameInfo(
            int(frames["stage"][0]), seats, end_method=int(frames["end_method"][-1]), played_on="melee_env"
        )
        number = len(list(self.folder.glob("episode-*.slp")))
        path = self.folder / f"episode-{number:05d}.slp"
        write_game(path, Game(info, frames))
        return path
