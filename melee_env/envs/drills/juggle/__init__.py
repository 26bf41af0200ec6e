"""Juggle: keep the other in the air."""

from melee_env.envs.drills.juggle.env import JuggleEnv, JuggleTask

__all__ = ["JuggleEnv", "JuggleTask"]
