"""The scripted opponents as agents: ``scripted:idle``, ``scripted:walk``, ``scripted:fighter-5``, …."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, AgentSpec
from melee_env.controller import Controllers
from melee_env.frame import Frames


class ScriptedAgent(Agent):
    """Wraps one of :mod:`melee_env.opponents`, which environments use on the other seat."""

    def __init__(self, variant: str) -> None:
        from melee_env.opponents import make_opponent

        self.name = f"scripted:{variant}"
        self.opponent = make_opponent(self.name)
        self.reset(1)

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Forget everything; ``seed`` fixes what is drawn."""
        self.opponent.reset(num_envs, seed)

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the script's controllers ``[num_envs]``."""
        return self.opponent.act(frames, episode_start)

    def get_state(self) -> Any:
        """Return a copy of the script's memory."""
        return copy.deepcopy(self.opponent.__dict__)

    def set_state(self, state: Any) -> None:
        """Continue from :meth:`get_state`."""
        self.opponent.__dict__.update(copy.deepcopy(state))


def _variants() -> list[str]:
    from melee_env.opponents import opponent_names

    return [name.removeprefix("scripted:") for name in opponent_names()]


SPEC = AgentSpec("scripted", "scripted players, no learning", make=ScriptedAgent, variants=_variants)
