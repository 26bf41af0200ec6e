"""L-cancel: press a trigger just before an aerial attack lands."""

from melee_env.envs.drills.lcancel.env import LCancelEnv, LCancelTask
from melee_env.envs.drills.lcancel.teacher import LCancelTeacher

__all__ = ["LCancelEnv", "LCancelTask", "LCancelTeacher"]
