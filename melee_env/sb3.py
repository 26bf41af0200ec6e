"""``make_vec``: this package's environments as a native Stable-Baselines3 ``VecEnv``."""

from __future__ import annotations

try:
    import stable_baselines3 as _installed  # noqa: F401
except ImportError as error:
    from melee_env.errors import MissingExtra

    raise MissingExtra("stable_baselines3", "train") from error

from melee_env.envs.sb3 import NativeVecEnv, make_vec

__all__ = ["NativeVecEnv", "make_vec"]
