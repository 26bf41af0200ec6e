"""The tech-chase drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.envs.drills.drill import DRILL_FIELDS, DrillTask, Parts, fill
from melee_env.envs.drills.techchase.reward import judge
from melee_env.envs.drills.techchase.starts import draw_start, throw_down
from melee_env.envs.task import Opening, Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class TechChaseTask(DrillTask):
    """Three follow-ups in a row."""

    defaults: dict[str, Any] = {"opponent_percent": None}
    opponent = "scripted:tech_random"
    max_frames = 600
    memory_dtype = np.dtype([*DRILL_FIELDS, ("free", "i4")])

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Stand in front of the other."""
        return fill(options, draw_start(options, rng))

    def opening(self, match: MatchOptions, rng: np.random.Generator) -> Opening:
        """Throw the other down."""
        return throw_down

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Count follow-ups."""
        return judge(memory, previous, frames)


class TechChaseEnv(VersusEnv):
    """The other was thrown down and techs at random: hit or grab it three times before it gets away.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        0.25 per follow-up; +1 for the third or for its stock, -1 when it is free for 25 frames or for a lost stock.
    Termination:
        Success or failure (terminated); ten seconds (truncated).
    Baseline:
        ``scripted:fighter-9``; no teacher.
    """

    task_type: ClassVar[type[Task]] = TechChaseTask


make_vector = partial(VersusVectorEnv, task_type=TechChaseTask)
"""the native vector environment of this drill"""
