"""Edge-guard: keep the other from coming back."""

from melee_env.envs.drills.edgeguard.env import EdgeGuardEnv, EdgeGuardTask

__all__ = ["EdgeGuardEnv", "EdgeGuardTask"]
