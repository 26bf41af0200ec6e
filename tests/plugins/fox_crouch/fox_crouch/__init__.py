"""An agent that crouches, as a package of its own."""

from typing import Any

from agents import Agent, AgentSpec
from melee_env.controller import make_controllers


class Crouch(Agent):
    name = "crouch"

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        pass

    def act(self, frames: Any, episode_start: Any = None) -> Any:
        return make_controllers(stick_y=[-1.0] * len(frames))


SPEC = AgentSpec("crouch", "crouches", make=Crouch)
