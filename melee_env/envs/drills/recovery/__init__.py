"""Recovery: come back to the stage from beside it."""

from melee_env.envs.drills.recovery.env import RecoveryEnv, RecoveryTask

__all__ = ["RecoveryEnv", "RecoveryTask"]
