"""``parallel_env`` and ``aec_env``: both seats as PettingZoo agents."""

from __future__ import annotations

from melee_env.envs.selfplay import SelfPlayEnv, aec_env, parallel_env

__all__ = ["SelfPlayEnv", "aec_env", "parallel_env"]
