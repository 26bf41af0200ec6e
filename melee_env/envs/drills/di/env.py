"""The DI drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.envs.drills.di.reward import judge
from melee_env.envs.drills.di.starts import draw_start, smash
from melee_env.envs.drills.drill import DrillTask, Parts, fill
from melee_env.envs.task import Opening, Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames


class DITask(DrillTask):
    """Survive one smash attack."""

    defaults: dict[str, Any] = {"percent": None}
    max_frames = 600

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Stand in front of the other, badly damaged."""
        return fill(options, draw_start(options, rng))

    def opening(self, match: MatchOptions, rng: np.random.Generator) -> Opening:
        """Be struck."""
        return smash(rng)

    def judge(self, memory: NDArray[np.void], previous: Frames, frames: Frames) -> Parts:
        """Look for floor under the feet."""
        return judge(memory, previous, frames)


class DIEnv(VersusEnv):
    """A smash attack has just connected at high percent: steer the knockback, survive and come back.

    Observation, action:
        As :class:`VersusEnv`.
    Reward:
        +1 for standing on the stage or hanging on its ledge again, -1 for the lost stock.
    Termination:
        Success or a lost stock (terminated); ten seconds (truncated).
    Teacher:
        ``teacher:di``.
    """

    task_type: ClassVar[type[Task]] = DITask


make_vector = partial(VersusVectorEnv, task_type=DITask)
"""the native vector environment of this drill"""
