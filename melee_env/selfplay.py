"""``parallel_env`` and ``aec_env``: both seats as PettingZoo agents."""

from __future__ import annotations

try:
    import pettingzoo as _installed  # type: ignore[import-untyped]  # noqa: F401
except ImportError as error:
    from melee_env.errors import MissingExtra

    raise MissingExtra("pettingzoo", "selfplay") from error

from melee_env.envs.selfplay import SelfPlayEnv, aec_env, parallel_env

__all__ = ["SelfPlayEnv", "aec_env", "parallel_env"]
