"""The L-cancel drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import DrillTask, Parts, fill
from melee_env.envs.drills.lcancel.reward import judge
from melee_env.envs.drills.lcancel.starts import draw_start
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class LCancelTask(DrillTask):
    """Five cancelled landings within ten seconds."""

    max_frames = 600

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Stand or fall, the other near or far."""
        return fill(options, draw_start(options, rng))

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Count cancelled landings."""
        return judge(memory, previous, frames)


class LCancelEnv(VersusEnv):
    """Land five aerial attacks with their landing lag halved.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        +0.2 per cancelled landing, -0.2 per missed one; +1 for the fifth, -1 for a lost stock.
    Termination:
        Success or a lost stock (terminated); ten seconds (truncated).
    Teacher:
        ``teacher:lcancel``.
    """

    task_type: ClassVar[type[Task]] = LCancelTask


make_vector = partial(VersusVectorEnv, task_type=LCancelTask)
"""the native vector environment of this drill"""
