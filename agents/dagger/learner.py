"""The learner inside ``imitation``'s DAgger: a sequence policy instead of a policy of single transitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from imitation.algorithms.base import DemonstrationAlgorithm
from imitation.algorithms.dagger import SimpleDAggerTrainer

from agents.bc.lanes import Demonstrations
from agents.dagger.config import ExpertRoundsConfig
from agents.dagger.labels import LabelledGame, read_round, write_round
from agents.dagger.rollouts import ExpertPolicy, RecurrentCollector
from agents.losses import ImitationLoss
from agents.network_agent import NetworkAgent
from agents.networks.backbone import State, detach
from agents.optimiser import Optimiser
from melee_env.envs.sb3 import NativeVecEnv


class SequenceCloning(DemonstrationAlgorithm[Any]):
    """Clones whole games by truncated backpropagation through time; stands where ``imitation`` expects its BC."""

    def __init__(
        self,
        venv: NativeVecEnv,
        agent: NetworkAgent,
        optimiser: Optimiser,
        make_loss: Callable[[torch.Tensor], ImitationLoss],
        config: ExpertRoundsConfig,
        logger: Any,
    ) -> None:
        super().__init__(demonstrations=None, custom_logger=logger, allow_variable_horizon=True)
        self.observation_space, self.action_space = venv.observation_space, venv.action_space
        self.agent, self.optimiser, self.make_loss, self.config = agent, optimiser, make_loss, config
        self.batch_size = config.batch_size
        self.losses: list[float] = []
        """of the last training"""

    @property
    def policy(self) -> Any:
        """The agent around the network."""
        return self.agent

    def set_demonstrations(self, demonstrations: Sequence[LabelledGame]) -> None:  # type: ignore[override]
        """Take all games so far; the first of them decide how observations are normalised."""
        self.data = Demonstrations(demonstrations)
        if self.optimiser.step_count == 0:
            self.agent.policy.normaliser.fit(self.data.observations)
            self.agent.policy.heads.start_from_marginals(self.data.actions)
        self.loss_of = self.make_loss((self.data.actions == 1).float().mean(0))

    def train(self, *, updates: int, seed: Sequence[int], **_: Any) -> None:
        """Take ``updates`` gradient steps on windows of all games, in an order that ``seed`` fixes."""
        policy, config = self.agent.policy, self.config
        rng = np.random.default_rng(list(seed))
        spans = [range(a, b) for a, b in zip(self.data.starts, self.data.ends, strict=True)]
        self.losses = []
        state: State | None = None
        policy.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**62)))
            while len(self.losses) < updates:
                for window in self.data.lanes(spans, config.batch_size, config.window, rng):
                    hidden = window.episode_start | (
                        torch.rand(window.episode_start.shape) < config.previous_action_dropout
                    )
                    distribution, state = policy(
                        window.observations,
                        None if window.first else detach(state or ()),
                        window.episode_start,
                        window.previous_actions,
                        hidden,
                    )
                    loss = self.loss_of(distribution, window.actions, window.previous_actions)
                    self.losses.append(self.optimiser.update(loss))
                    if len(self.losses) == updates:
                        break
        policy.eval()


class SequenceDAgger(SimpleDAggerTrainer):
    """``imitation``'s rounds and schedules over whole games, with a memory in the learner.

    Everything random in a round comes from the seed and the round's number, so that a resumed run is the
    uninterrupted one.
    """

    def __init__(
        self,
        *,
        config: ExpertRoundsConfig,
        venv: NativeVecEnv,
        bc_trainer: SequenceCloning,
        **arguments: Any,
    ) -> None:
        trainer: Any = bc_trainer
        super().__init__(rng=np.random.default_rng(config.seed), venv=venv, bc_trainer=trainer, **arguments)
        self.config, self.lanes, self.cloning = config, venv, bc_trainer
        self.collector: RecurrentCollector | None = None
        self.games: list[LabelledGame] = []

    def label_file(self, round_number: int) -> Path:
        """Where a round's games are kept."""
        return Path(self.scratch_dir) / f"round-{round_number:03d}.npz"

    def resume(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Take up the games of the rounds that are over, whose figures are in ``history``."""
        for number in range(len(history)):
            self.games += read_round(self.label_file(number))
        self.round_num = len(history)

    def create_trajectory_collector(self) -> RecurrentCollector:
        """Return the collector of this round, its games and its draws seeded by the round."""
        self.rng = np.random.default_rng([self.config.seed, 1, self.round_num])
        self.venv.seed(int(self.rng.integers(2**31)))
        assert isinstance(self.expert_policy, ExpertPolicy)
        self.expert_policy.expert.reset(self.venv.num_envs, int(self.rng.integers(2**31)))
        self.collector = self.make_collector(self.beta_schedule(self.round_num))
        return self.collector

    def make_collector(self, beta: float) -> RecurrentCollector:
        """Return a collector that mixes expert and learner."""
        return RecurrentCollector(self.lanes, self.cloning.agent, beta, self.rng)

    def play_round(self) -> dict[str, Any]:
        """Play one episode of every lane, train on all labels so far, and return the round's figures."""
        number, beta = self.round_num, self.beta_schedule(self.round_num)
        self.train(total_timesteps=1, rollout_round_min_episodes=self.venv.num_envs)
        fresh = self.games[-self.fresh_games :]
        return {
            "round": number,
            "beta": beta,
            "frames": sum(len(game.acts) for game in self.games),
            "episode_return": float(np.mean([game.rews.sum() for game in fresh])),
            **agreement(fresh),
            "train_loss": float(np.mean(self.cloning.losses[-50:])),
        }

    def extend_and_update(self, bc_train_kwargs: Mapping[str, Any] | None = None) -> int:
        """Keep the round's games and train on all of them."""
        assert self.collector is not None
        fresh = [LabelledGame.of(trajectory) for trajectory in self.collector.trajectories]
        write_round(self.label_file(self.round_num), fresh)
        self.games += fresh
        self.fresh_games = len(fresh)
        self.cloning.set_demonstrations(self.games)
        self.cloning.train(updates=self.config.updates_per_round, seed=(self.config.seed, 2, self.round_num))
        self.round_num += 1
        return self.round_num


def agreement(games: Sequence[LabelledGame]) -> dict[str, float]:
    """Return how often what was played is what the expert would have done, beside its most frequent action."""
    labels = np.concatenate([game.acts for game in games])
    executed = np.concatenate([game.executed for game in games])
    most_frequent = int(np.unique(labels, axis=0, return_counts=True)[1].max())
    return {
        "agreement": float((labels == executed).all(-1).mean()),
        "majority_baseline": most_frequent / len(labels),
    }
