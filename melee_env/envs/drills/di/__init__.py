"""DI: survive a blow by steering it, and come back."""

from melee_env.envs.drills.di.env import DIEnv, DITask
from melee_env.envs.drills.di.teacher import DITeacher

__all__ = ["DIEnv", "DITask", "DITeacher"]
