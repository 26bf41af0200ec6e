"""Our policy network in the shape that Stable-Baselines3's PPO trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor
from torch.optim import Adam

from agents.networks.backbone import State
from agents.networks.policy import Distribution, Policy

if TYPE_CHECKING:
    from agents.ppo.sequence_buffer import Sequences


class NetworkActorCritic(ActorCriticPolicy):
    """Actor and critic on one :class:`Policy` with a value head.

    Stable-Baselines3's own methods see one observation at a time and fit feed-forward networks; :meth:`look` and
    :meth:`look_along` carry the state of any network.

    Args:
        network: the policy that is trained.
        anchor: the policy that it is pulled towards, or None.
        entropy_coef: factor of the entropy bonus.
        kl_coef: factor of KL(network ‖ anchor).

    Stable-Baselines3's loss has one term for regularisation, ``-ent_coef * entropy``. With ``ent_coef=1`` that
    place takes ``entropy_coef * entropy - kl_coef * KL``, so that PPO itself stays untouched.
    """

    def __init__(
        self,
        *args: Any,
        network: Policy,
        anchor: Policy | None = None,
        entropy_coef: float = 0.0,
        kl_coef: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self._parts = (network, anchor)  # before torch's constructor has run, a module may not hold modules
        self.entropy_coef, self.kl_coef = entropy_coef, kl_coef
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network, self.anchor = self._parts
        if self.anchor is not None:
            self.anchor.requires_grad_(False).eval()
        trained = [p for p in self.network.parameters() if p.requires_grad]
        self.optimizer = Adam(trained, lr=lr_schedule(1), eps=1e-5)

    def forward(self, obs: Tensor, deterministic: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions shaped as the space has them, values ``[B, 1]`` and log-probabilities ``[B]``."""
        distribution, values = self._evaluate(obs)
        actions = distribution.mode() if deterministic else distribution.sample()
        return self._shaped(actions), values, distribution.log_prob(actions)

    def evaluate_actions(self, obs: PyTorchObs, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return values, log-probabilities and the regularisation term of given actions."""
        assert isinstance(obs, Tensor)
        distribution, values = self._evaluate(obs)
        actions = actions.long().reshape(len(obs), -1)  # a Discrete space has one head and no axis for it
        bonus = self.entropy_coef * distribution.entropy()
        if self.anchor is not None and self.kl_coef:
            bonus = bonus - self.kl_coef * distribution.kl(anchored(self.anchor, obs))
        return values, distribution.log_prob(actions), bonus

    def look(
        self, obs: Tensor, state: State, start: Tensor, previous: Tensor
    ) -> tuple[Distribution, Tensor, State]:
        """Process one frame of every game.

        Args:
            obs: ``[N, F]``.
            state: the network's, ``[N, ...]``.
            start: ``[N]`` bool, where a game starts.
            previous: actions of the frame before, ``[N, heads]`` int64.

        Returns:
            Distribution over ``[N]`` actions, values ``[N]``, the state after the frame.
        """
        hidden, state = self.network.hidden(obs[:, None], state, start[:, None], previous[:, None])
        return self.network.heads(hidden[:, 0]), self._value(hidden[:, 0]), state

    def look_along(self, batch: Sequences) -> tuple[Distribution, Tensor]:
        """Return the distribution over ``[B, T]`` actions of chunks of a rollout, and the values ``[B, T]``."""
        hidden, _ = self.network.hidden(
            batch.observations, batch.state, batch.episode_start, batch.previous_actions
        )
        return self.network.heads(hidden), self._value(hidden)

    def regularisation(self, distribution: Distribution, anchor_hidden: Tensor | None) -> Tensor:
        """Return ``entropy_coef`` × entropy − ``kl_coef`` × KL to the anchor, per action."""
        bonus = self.entropy_coef * distribution.entropy()
        if self.anchor is None or anchor_hidden is None:
            return bonus
        with torch.no_grad():
            theirs = self.anchor.heads(anchor_hidden)
        return bonus - self.kl_coef * distribution.kl(theirs)

    def _value(self, hidden: Tensor) -> Tensor:
        assert self.network.value is not None
        values: Tensor = self.network.value(hidden)[..., 0]
        return values

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Return values ``[B, 1]``."""
        assert isinstance(obs, Tensor)
        return self._evaluate(obs)[1]

    def _predict(self, observation: PyTorchObs, deterministic: bool = False) -> Tensor:
        assert isinstance(observation, Tensor)
        distribution, _ = self._evaluate(observation)
        return self._shaped(distribution.mode() if deterministic else distribution.sample())

    def _shaped(self, actions: Tensor) -> Tensor:
        assert self.action_space.shape is not None
        return actions.reshape(-1, *self.action_space.shape)

    def _evaluate(self, obs: Tensor) -> tuple[Distribution, Tensor]:
        hidden, _ = self.network.hidden(obs[:, None])
        assert self.network.value is not None
        return self.network.heads(hidden[:, 0]), self.network.value(hidden[:, 0])


def anchored(anchor: Policy, obs: Tensor) -> Any:
    """Return the anchor's distribution at observations ``[B, F]``, of the same kind as its clone's."""
    with torch.no_grad():
        return anchor.step(obs)[0]
