"""The ledgedash drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.envs.drills.drill import DRILL_FIELDS, DrillTask, Parts, fill
from melee_env.envs.drills.ledgedash.reward import judge
from melee_env.envs.drills.ledgedash.starts import draw_start, fall_onto_ledge
from melee_env.envs.task import Opening, Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class LedgedashTask(DrillTask):
    """One ledgedash."""

    max_frames = 240
    memory_dtype = np.dtype([*DRILL_FIELDS, ("landed", "u1")])

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Start beside a ledge."""
        return fill(options, draw_start(options, rng))

    def opening(self, match: MatchOptions, rng: np.random.Generator) -> Opening:
        """Fall onto the ledge."""
        return fall_onto_ledge

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Look for an action on the stage that is still intangible."""
        return judge(memory, previous, frames)


class LedgedashEnv(VersusEnv):
    """Hang on the ledge; get up by a jump and an air dodge so fast that the ledge's intangibility lasts.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        0.2 for landing out of an air dodge; +1 for acting on the stage while intangible, -1 for acting later,
        another way up, or a lost stock.
    Termination:
        Success or failure (terminated); four seconds (truncated).
    Teacher:
        ``teacher:ledgedash`` (Fox and Falco).
    """

    task_type: ClassVar[type[Task]] = LedgedashTask


make_vector = partial(VersusVectorEnv, task_type=LedgedashTask)
"""the native vector environment of this drill"""
