"""The teachers of the drills as agents: ``teacher:wavedash``, ``teacher:lcancel``, …."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, AgentSpec
from melee_env.controller import Controllers
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.opponents import Opponent


class DrillTeacher(Agent):
    """A teacher that lives beside its drill."""

    def __init__(self, name: str, teacher: Opponent) -> None:
        self.name = name
        self._teacher = teacher

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the teacher's controllers ``[num_envs]``."""
        return self._teacher.act(frames, episode_start)


def _spec(drill: str, teacher: str) -> AgentSpec:
    """Describe the class ``teacher`` beside a drill; it is imported when it is made."""
    name = f"teacher:{drill}"

    def make(**options: Any) -> Agent:
        if options:
            raise OptionError(f"{name} has no options, got {', '.join(options)}")
        return DrillTeacher(name, getattr(import_module(f"melee_env.envs.drills.{drill}.teacher"), teacher)())

    return AgentSpec(name, f"scripted expert of the {drill} drill", make=make)


WAVEDASH = _spec("wavedash", "WavedashTeacher")
LCANCEL = _spec("lcancel", "LCancelTeacher")
LEDGEDASH = _spec("ledgedash", "LedgedashTeacher")
SHIELDPRESSURE = _spec("shieldpressure", "ShieldPressureTeacher")
DI = _spec("di", "DITeacher")
