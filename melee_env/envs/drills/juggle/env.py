"""The juggle drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import DrillTask, Parts, fill
from melee_env.envs.drills.juggle.reward import judge
from melee_env.envs.drills.juggle.starts import draw_start
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class JuggleTask(DrillTask):
    """Three hits before the other lands."""

    defaults: dict[str, Any] = {"opponent_percent": None}
    opponent = "scripted:drift"
    max_frames = 600

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Stand below the other."""
        return fill(options, draw_start(options, rng))

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Count hits in the air."""
        return judge(memory, previous, frames)


class JuggleEnv(VersusEnv):
    """The other falls and drifts at random: hit it three times before it lands.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        0.25 per hit in the air; +1 for the third or for its stock, -1 when it lands or for a lost stock.
    Termination:
        Success or failure (terminated); ten seconds (truncated).
    Baseline:
        ``scripted:fighter-9``; no teacher.
    """

    task_type: ClassVar[type[Task]] = JuggleTask


make_vector = partial(VersusVectorEnv, task_type=JuggleTask)
"""the native vector environment of this drill"""
