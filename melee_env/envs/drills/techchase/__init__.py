"""Tech-chase: follow a knocked-down fighter and hit it again."""

from melee_env.envs.drills.techchase.env import TechChaseEnv, TechChaseTask

__all__ = ["TechChaseEnv", "TechChaseTask"]
