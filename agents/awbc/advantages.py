"""How much better than expected a game went on after each frame, and what the frame weighs for that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.awbc.config import AWBCConfig
from agents.bc.lanes import Demonstrations
from agents.networks.policy import Normaliser
from melee_env.errors import OptionError

ROWS = 65_536
RIDGE = 1e-3
"""share of the frames' number that is added to the diagonal: features that hardly vary do not decide the value"""


class Advantages:
    """Weighs frames by exp(A / temperature), A = discounted return − value, in A's own standard deviations.

    The value is the linear function of the normalised observation that fits the training games' returns best.
    Weights have mean 1 over the training frames, before the clip to ``max_weight``.

    Args:
        config: settings.
        trajectories: with ``rews [T]`` each.
    """

    def __init__(self, config: AWBCConfig, trajectories: Sequence[Any]) -> None:
        if not 0.0 <= config.discount < 1.0:
            raise OptionError(f"discount {config.discount} must be a share below 1")
        if config.advantage_temperature <= 0 or config.max_weight <= 0:
            raise OptionError("advantage_temperature and max_weight must be above 0")
        self.config = config
        self.rewards = []
        for number, t in enumerate(trajectories):
            rewards = np.asarray(getattr(t, "rews", ()), np.float64)
            if len(rewards) != len(t.acts):
                raise OptionError(
                    f"awbc needs a reward per action: trajectory {number} has {len(rewards)} for {len(t.acts)}; "
                    "load the demonstrations with reward="
                )
            self.rewards.append(rewards)

    def __call__(self, data: Demonstrations, training: Tensor) -> Tensor:
        """Return the weights ``[N]`` of all frames; ``training`` are the numbers of those that fit the value."""
        returns = np.concatenate([discounted(rewards, self.config.discount) for rewards in self.rewards])
        advantages = torch.from_numpy(returns) - values(data, torch.from_numpy(returns), training)
        scale = advantages[training].std().clamp_min(1e-8) * self.config.advantage_temperature
        # The largest is taken off before the exponential, which the mean of 1 cancels.
        weights = ((advantages - advantages.max()) / scale).exp()
        weights = weights / weights[training].mean()
        return weights.clamp_max(self.config.max_weight).float()


def discounted(rewards: NDArray[np.float64], discount: float) -> NDArray[np.float64]:
    """Return G_t = r_t + discount · G_{t+1} of one game ``[T]``; nothing is expected after its last frame."""
    returns = np.empty_like(rewards)
    following = 0.0
    for t in range(len(rewards) - 1, -1, -1):
        following = rewards[t] + discount * following
        returns[t] = following
    return returns


def values(data: Demonstrations, returns: Tensor, training: Tensor) -> Tensor:
    """Return the expected returns ``[N]`` float64: ridge regression on the frames ``training``."""
    normaliser = Normaliser(data.observations.shape[1])
    normaliser.fit(data.observations[training])

    def features(at: Tensor) -> Tensor:
        x = normaliser(data.observations[at]).double()
        return torch.cat([x, x.new_ones(len(x), 1)], 1)

    size = data.observations.shape[1] + 1
    products, sums = torch.zeros(size, size, dtype=torch.float64), torch.zeros(size, dtype=torch.float64)
    for part in training.split(ROWS):
        x = features(part)
        products += x.T @ x
        sums += x.T @ returns[part]
    slopes = torch.linalg.solve(products + RIDGE * len(training) * torch.eye(size, dtype=torch.float64), sums)
    return torch.cat([features(part) @ slopes for part in torch.arange(len(returns)).split(ROWS)])
