"""The edge-guard drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import DRILL_FIELDS, DrillTask, Parts, fill
from melee_env.envs.drills.edgeguard.reward import judge
from melee_env.envs.drills.edgeguard.starts import draw_start
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class EdgeGuardTask(DrillTask):
    """One edge-guard."""

    defaults: dict[str, Any] = {"opponent_percent": None, "opponent_stocks": 2, "stocks": 2}
    opponent = "scripted:fighter-5"
    max_frames = 600
    memory_dtype = np.dtype([*DRILL_FIELDS, ("safe", "i4")])

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Put the other beside the stage."""
        return fill(options, draw_start(options, rng))

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Look whether the other came back."""
        return judge(memory, previous, frames)


class EdgeGuardEnv(VersusEnv):
    """The other is off the stage and recovers: take its stock before it is back.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        0.01 per percent dealt; +1 for the other's stock, -1 when it stands on the stage for half a second or for
        a lost stock.
    Termination:
        Success or failure (terminated); ten seconds (truncated).
    Baseline:
        ``scripted:fighter-9``; no teacher.
    """

    task_type: ClassVar[type[Task]] = EdgeGuardTask


make_vector = partial(VersusVectorEnv, task_type=EdgeGuardTask)
"""the native vector environment of this drill"""
