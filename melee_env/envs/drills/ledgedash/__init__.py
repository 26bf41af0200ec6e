"""Ledgedash: from the ledge onto the stage with invincibility to spare."""

from melee_env.envs.drills.ledgedash.env import LedgedashEnv, LedgedashTask
from melee_env.envs.drills.ledgedash.teacher import LedgedashTeacher

__all__ = ["LedgedashEnv", "LedgedashTask", "LedgedashTeacher"]
