"""DART: DAgger's rounds, but the expert plays, and its inputs are disturbed.

The noise that makes the expert visit what the learner will visit is as large as the learner's error (Laskey et
al. 2017). Here every action head is disturbed on its own: on a share of the frames, which is how often the
learner's choice differed from the expert's in the round before, it takes any choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Progress
from agents.dagger.learner import SequenceDAgger
from agents.dagger.rollouts import RecurrentCollector
from agents.dagger.train import train_rounds
from agents.dart.config import DARTConfig
from agents.network_agent import NetworkAgent
from melee_env.errors import OptionError


def train(
    config: DARTConfig,
    *,
    out: Path,
    demonstrations: Sequence[Any] | None = None,
    progress: Progress | None = None,
    resume: bool = False,
) -> NetworkAgent:
    """Train in ``config.env`` under ``config.expert`` and return the agent; arguments as of DAgger."""
    if demonstrations is not None:
        raise OptionError("dart takes no demonstrations: its expert makes them while it is disturbed")
    if not 0 <= config.first_noise <= config.max_noise <= 1 or config.noise_scale < 0:
        raise OptionError("dart needs 0 <= first_noise <= max_noise <= 1 and noise_scale >= 0")
    return train_rounds(config, "dart", NoisyExpertRounds, lambda round_number: 1.0, out, progress, resume)


class NoisyExpertCollector(RecurrentCollector):
    """Plays the expert's actions through noise; the learner follows and is compared."""

    def __init__(
        self,
        venv: Any,
        learner: NetworkAgent,
        rng: np.random.Generator,
        noise: NDArray[np.float64],
    ) -> None:
        super().__init__(venv, learner, 1.0, rng)
        self.noise = noise
        self.choices = np.asarray(learner.policy.config.nvec)
        self.steps, self.differences = 0, np.zeros(len(noise))

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Play the expert's ``actions [N, heads]``, each head disturbed with its own probability."""
        own = self.learner.act_on(self.observations, self.start)
        self.steps += self.num_envs
        self.differences += (own != actions).sum(0)
        disturbed = self.rng.uniform(size=actions.shape) < self.noise
        any_choice = self.rng.integers(self.choices, size=actions.shape)
        self.play(labels=actions, executed=np.where(disturbed, any_choice, actions))


class NoisyExpertRounds(SequenceDAgger):
    """Rounds whose noise follows the learner's error."""

    def __init__(self, *, config: DARTConfig, **arguments: Any) -> None:
        super().__init__(config=config, **arguments)
        self.settings = config
        self.noise = np.full(len(self.cloning.agent.policy.config.nvec), config.first_noise)

    def resume(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Take up games and noise where the run was interrupted."""
        super().resume(history)
        if history:
            self.noise = np.asarray(history[-1]["next_noise"])

    def make_collector(self, beta: float) -> RecurrentCollector:
        """Return a collector with this round's noise."""
        return NoisyExpertCollector(self.lanes, self.cloning.agent, self.rng, self.noise)

    def play_round(self) -> dict[str, Any]:
        """Play, train, and set the next round's noise."""
        noise = self.noise
        figures = super().play_round()
        assert isinstance(self.collector, NoisyExpertCollector)
        error = self.collector.differences / self.collector.steps
        self.noise = np.minimum(self.settings.noise_scale * error, self.settings.max_noise)
        return {
            **figures,
            "mean_noise": float(noise.mean()),
            "learner_error": float(error.mean()),
            "next_noise": self.noise.tolist(),
        }
