"""One round of DAgger in the environment: the expert labels every visited frame, β decides who plays it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from imitation.algorithms.dagger import InteractiveTrajectoryCollector
from imitation.data.rollout import TrajectoryAccumulator
from imitation.data.types import TrajectoryWithRew
from numpy.typing import NDArray
from stable_baselines3.common.policies import BasePolicy

from agents.base import Agent
from agents.network_agent import NetworkAgent
from melee_env.envs.sb3 import NativeVecEnv


class ExpertPolicy(BasePolicy):
    """An agent as the policy that ``imitation`` asks for labels.

    The agent sees the games' frames, not the observations: both are of the same moment.
    """

    def __init__(self, expert: Agent, venv: NativeVecEnv) -> None:
        super().__init__(venv.observation_space, venv.action_space)
        self.expert, self.games = expert, venv.env.games

    def predict(
        self,
        observation: Any,
        state: tuple[NDArray[Any], ...] | None = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """Return the expert's actions ``[N, heads]`` for the frames that the games now show.

        Args:
            observation: not read.
            state: None on the first call of a rollout, ``imitation``'s way to say that all games are new.
            episode_start: ``[N]`` bool.
            deterministic: not read.
        """
        start = np.ones(self.games.num_games, bool) if state is None else episode_start
        labels = self.games.codec.encode(self.expert.act(self.games.frames.copy(), start))
        return np.asarray(labels, np.int64).reshape(self.games.num_games, -1), ()

    def _predict(self, observation: Any, deterministic: bool = False) -> torch.Tensor:
        raise NotImplementedError("an expert labels frames: call predict")


class RecurrentCollector(InteractiveTrajectoryCollector):
    """``imitation``'s collector for learners with a memory.

    The learner follows every lane on every frame, also where the expert plays, and is told what was played. The
    trajectories hold the expert's labels as ``acts`` and what was played as ``executed`` in their ``infos``.
    """

    def __init__(
        self, venv: NativeVecEnv, learner: NetworkAgent, beta: float, rng: np.random.Generator
    ) -> None:
        super().__init__(venv, get_robot_acts=learner.act_on, beta=beta, save_dir=".", rng=rng)
        self.learner = learner
        self.accumulator = TrajectoryAccumulator()
        self.trajectories: list[TrajectoryWithRew] = []

    def reset(self) -> NDArray[np.float32]:
        """Start all games and the learner's memory."""
        self.observations = np.asarray(self.venv.reset())
        self.learner.reset(self.num_envs, seed=int(self.rng.integers(2**31)))
        self.accumulator = TrajectoryAccumulator()
        for lane, observation in enumerate(self.observations):
            self.accumulator.add_step({"obs": observation}, key=lane)
        self.start = np.ones(self.num_envs, bool)
        return self.observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Play the expert's ``actions [N, heads]`` with probability β, else the learner's."""
        own = self.learner.act_on(self.observations, self.start)
        by_learner = self.rng.uniform(size=self.num_envs) >= self.beta
        self.play(labels=actions, executed=np.where(by_learner[:, None], own, actions))

    def play(self, labels: NDArray[np.int64], executed: NDArray[np.int64]) -> None:
        """Send ``executed [N, heads]`` to the games and tell the learner."""
        self.labels, self.executed = labels, executed
        self.learner.previous = torch.from_numpy(executed)
        assert self.venv.action_space.shape is not None
        self.venv.step_async(executed.reshape(-1, *self.venv.action_space.shape))

    def step_wait(self) -> Any:
        """Return the step's result and keep what it teaches."""
        observations, rewards, dones, infos = self.venv.step_wait()
        for info, action in zip(infos, self.executed, strict=True):
            info["executed"] = action
        self.observations, self.start = np.asarray(observations), dones
        self.trajectories += self.accumulator.add_steps_and_auto_finish(
            obs=self.observations, acts=self.labels, rews=rewards, infos=infos, dones=dones
        )
        return observations, rewards, dones, infos
