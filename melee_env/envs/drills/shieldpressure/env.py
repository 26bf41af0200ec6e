"""The shield-pressure drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import DrillTask, Parts, fill
from melee_env.envs.drills.shieldpressure.reward import judge
from melee_env.envs.drills.shieldpressure.starts import draw_start
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class ShieldPressureTask(DrillTask):
    """Eight hits on a shield, or a broken one."""

    opponent = "scripted:shield_grab"
    max_frames = 600

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Stand near the shield."""
        return fill(options, draw_start(options, rng))

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Count hits on the shield."""
        return judge(memory, previous, frames)


class ShieldPressureEnv(VersusEnv):
    """The other holds its shield and grabs when there is a gap: hit the shield eight times.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        0.1 per hit on the shield, 0.01 per percent dealt; +1 for the eighth hit or a broken shield, -1 for being
        grabbed or a lost stock.
    Termination:
        Success or failure (terminated); ten seconds (truncated).
    Teacher:
        ``teacher:shieldpressure``.
    """

    task_type: ClassVar[type[Task]] = ShieldPressureTask


make_vector = partial(VersusVectorEnv, task_type=ShieldPressureTask)
"""the native vector environment of this drill"""
