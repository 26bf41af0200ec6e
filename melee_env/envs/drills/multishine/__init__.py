"""Fox's multishine: shine, jump out, shine again, without a break."""

from melee_env.envs.drills.multishine.chain import CHAIN, count_chains
from melee_env.envs.drills.multishine.env import MultishineEnv, MultishineTask

__all__ = ["CHAIN", "MultishineEnv", "MultishineTask", "count_chains"]
