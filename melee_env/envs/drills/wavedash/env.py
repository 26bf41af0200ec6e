"""The wavedash drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import DRILL_FIELDS, DrillTask, Parts, fill
from melee_env.envs.drills.wavedash.reward import judge
from melee_env.envs.drills.wavedash.starts import draw_start
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class WavedashTask(DrillTask):
    """Five wavedashes within ten seconds."""

    max_frames = 600
    memory_dtype = np.dtype([*DRILL_FIELDS, ("air", "i4")])

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Stand in the middle, the other at an edge."""
        return fill(options, draw_start(options, rng))

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Count wavedashes."""
        return judge(memory, previous, frames)


class WavedashEnv(VersusEnv):
    """Alone on the stage: wavedash five times.

    A wavedash is a landing out of an air dodge, at most four frames after the jump squat, that slides.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        0.2 per wavedash, 0.04 less for every frame in the air beyond the first; +1 for the fifth, -1 for a lost
        stock.
    Termination:
        Success or a lost stock (terminated); ten seconds (truncated).
    Teacher:
        ``teacher:wavedash``.
    """

    task_type: ClassVar[type[Task]] = WavedashTask


make_vector = partial(VersusVectorEnv, task_type=WavedashTask)
"""the native vector environment of this drill"""
