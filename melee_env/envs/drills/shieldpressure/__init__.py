"""Shield pressure: hit a shield without being grabbed."""

from melee_env.envs.drills.shieldpressure.env import ShieldPressureEnv, ShieldPressureTask

__all__ = ["ShieldPressureEnv", "ShieldPressureTask"]
