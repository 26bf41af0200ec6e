"""Wavedash: jump, air-dodge into the floor, slide."""

from melee_env.envs.drills.wavedash.env import WavedashEnv, WavedashTask
from melee_env.envs.drills.wavedash.teacher import WavedashTeacher

__all__ = ["WavedashEnv", "WavedashTask", "WavedashTeacher"]
