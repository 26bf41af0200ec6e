"""A backend without physics for tests: the B button hits for 10 %, three hits take a stock."""

import numpy as np

from melee_env.backends.base import Capabilities
from melee_env.controller import Button, make_controllers, neutral
from melee_env.frame import empty_frames


class ToyBackend:
    capabilities = Capabilities(vector=True)

    def __init__(self, num_games: int = 1) -> None:
        self.num_games = num_games
        self.frames = empty_frames(num_games)

    def reset(self, seeds, options, mask=None):
        self.limits = np.array([o.time_limit for o in options])
        for n, option in enumerate(options):
            self.frames["frame"][n] = option.start_frame - 1
            self.frames["stage"][n] = option.stage.external
            for seat in range(2):
                leader = self.frames["seats"][n, seat]["leader"]
                leader["present"], leader["character"] = 1, option.characters[seat].internal
                leader["stocks"] = option.stocks[seat]
        self.frames["seats"]["port"] = [0, 1]
        return self.frames

    def step(self, controllers):
        running = self.frames["end_method"] == 0
        self.frames["frame"][running] += 1
        leaders = self.frames["seats"]["leader"]
        leaders["controller"] = controllers
        hits = (controllers["buttons"] & Button.B != 0) & running[:, None]
        leaders["percent"] += 10 * hits[:, ::-1]
        dead = leaders["percent"] > 29
        leaders["stocks"] -= dead.astype(np.uint8)
        leaders["percent"][dead] = 0
        over = (leaders["stocks"] == 0).any(-1)
        late = self.frames["frame"] >= self.limits
        self.frames["end_method"][running & late] = 1
        self.frames["end_method"][running & over] = 2
        return self.frames

    def close(self) -> None:
        pass


class WalkingToy(ToyBackend):
    """Both walk on the first half of their frames and then jump."""

    def step(self, controllers):
        frames = super().step(controllers)
        frames["seats"]["leader"]["action"] = np.where(frames["frame"] < 0, 15, 25)[:, None]
        return frames


class PressingAgent:
    """Presses B every ``period`` frames (0: never), counted by its own clock, and remembers what it saw."""

    characters = stages = schema_hash = None

    def __init__(self, period: int, name: str = "pressing") -> None:
        self.period, self.name, self.seen = period, name, []

    def reset(self, num_envs, seed=None):
        self.age, self.num_envs = 0, num_envs

    def act(self, frames, episode_start=None):
        self.age += 1
        self.seen.append(frames.copy())
        press = self.period and self.age % self.period == 0
        return (
            make_controllers(stick_x=np.ones(self.num_envs), buttons=Button.B)
            if press
            else neutral(self.num_envs)
        )
