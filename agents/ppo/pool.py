"""Self-play: a pool of opponents that grows with the policy, and who is met how often.

Prioritised fictitious self-play (Vinyals et al. 2019): the less often the policy beats a member of the pool, the
more often it meets it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from melee_env.controller import Controllers, neutral
from melee_env.frame import Frames


@dataclass
class Member:
    """One opponent of the pool."""

    name: str
    agent: Agent
    games: int = 0
    """games that the policy has finished against it"""
    points: float = 0.0
    """points of the policy in them, 1 a win"""

    @property
    def win_rate(self) -> float:
        """The policy's share of points, with one game lost and one won before the first."""
        return (self.points + 1.0) / (self.games + 2.0)


class OpponentPool:
    """Plays the other seat of every lane with a member that is drawn anew for every game.

    Args:
        members: the first opponents, by name.
        capacity: members at most; the oldest copy of the policy makes room, the first members stay.
        power: of the priority (1 − win rate)^power; 0 draws all members alike.
    """

    def __init__(self, members: Sequence[tuple[str, Agent]], capacity: int = 10, power: float = 1.0) -> None:
        self.members = [Member(name, agent) for name, agent in members]
        self.fixed = len(self.members)
        self.capacity = max(capacity, self.fixed + 1)
        self.power = power
        self.reset(1)

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Make room for ``num_envs`` games; ``seed`` fixes who is met."""
        self.num_envs = num_envs
        self.rng = np.random.default_rng(seed)
        self.playing: list[Member | None] = [None] * num_envs
        for member in self.members:
            member.agent.reset(num_envs, int(self.rng.integers(2**31)))

    def add(self, name: str, agent: Agent) -> None:
        """Take a copy of ``agent`` in; games that run go on against whom they began with."""
        if len(self.members) >= self.capacity:
            del self.members[self.fixed]
        newcomer = Member(name, copy.deepcopy(agent))
        newcomer.agent.reset(self.num_envs, int(self.rng.integers(2**31)))
        self.members.append(newcomer)

    def probabilities(self) -> NDArray[np.float64]:
        """Return how likely each member is drawn for the next game, ``[members]``."""
        weights = np.array([(1.0 - member.win_rate) ** self.power for member in self.members])
        return np.asarray(weights / weights.sum())

    def finish(self, lane: int, points: float) -> None:
        """Record a game's result for the policy: 1 won, 0.5 drawn, 0 lost."""
        member = self.playing[lane]
        if member is not None:
            member.games += 1
            member.points += points

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the members' controllers ``[N]`` for frames ``[N]`` seen from their seat."""
        start = np.zeros(self.num_envs, bool) if episode_start is None else np.asarray(episode_start).copy()
        start |= np.array([member is None for member in self.playing])
        for lane in np.flatnonzero(start):
            self.playing[lane] = self.members[int(self.rng.choice(len(self.members), p=self.probabilities()))]
        controllers = neutral(self.num_envs)
        for member in {id(m): m for m in self.playing if m is not None}.values():
            theirs = np.array([playing is member for playing in self.playing])
            controllers[theirs] = member.agent.act(frames, start)[theirs]
        return controllers
