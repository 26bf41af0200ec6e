"""Super Smash Bros. Melee as Gymnasium and PettingZoo environments."""

__version__ = "0.1.0"

from melee_env.envs.registry import register_all

register_all()
