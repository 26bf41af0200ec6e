"""The multishine drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.multishine.chain import CHAIN, advance_all
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames

CHAIN_BONUS = np.float32(0.02)
"""added per shine of the running chain, so that long chains pay more than lone shines"""


class MultishineTask(Task):
    """One point per shine onset, a little more the longer its chain is. Episodes last 1,800 frames."""

    defaults: dict[str, Any] = {
        "character": "FOX",
        "opponent_character": "FOX",
        "stage": "FINAL_DESTINATION",
        "stocks": 99,
        "opponent_stocks": 99,
    }
    opponent = "scripted:idle"
    max_frames = 1800
    memory_dtype = np.dtype([("frames", "i8"), ("chain", CHAIN)])

    def __init__(self, reward: str | None = None) -> None:
        """The drill has its own reward; a preset replaces it."""
        self._own_reward = reward is None
        super().__init__(reward)
        self._onsets = np.zeros(0, np.bool_)

    def rewards(
        self, memory: NDArray[np.void], previous: Frames, frames: Frames
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """Count the frame and pay for onsets."""
        if len(self._onsets) != len(frames):
            self._onsets = np.zeros(len(frames), np.bool_)
        advance_all(memory["chain"], frames["seats"]["leader"]["action"][:, 0], self._onsets)
        if not self._own_reward:
            return super().rewards(memory, previous, frames)
        length = memory["chain"]["current"].astype(np.float32)
        shine = np.where(self._onsets, np.float32(1) + CHAIN_BONUS * np.minimum(length, 50), np.float32(0))
        shine = shine.astype(np.float32)
        return shine, {"shine": shine}

    def info(self, memory: NDArray[np.void], frames: Frames) -> dict[str, NDArray[Any]]:
        """Add the running counts: ``shines`` (onsets) and ``max_chain``."""
        chain = memory["chain"]
        return {
            **super().info(memory, frames),
            "shines": chain["onsets"].copy(),
            "max_chain": chain["max_chain"].copy(),
        }


class MultishineEnv(VersusEnv):
    """Fox alone on Final Destination: shine as often as possible.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        1 + 0.02 × the running chain (at most 50) on every onset of the grounded reflector.
    Termination:
        Truncated after 1,800 frames.
    Teacher:
        ``teacher:multishine``.
    """

    task_type: ClassVar[type[Task]] = MultishineTask


make_vector = partial(VersusVectorEnv, task_type=MultishineTask)
"""the native vector environment of this drill"""
