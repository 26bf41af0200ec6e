"""Heads that see each other's choices: buttons → main x → main y → C x → C y → shoulder.

The buttons are independent given the hidden vector; every later head is conditioned on all choices before it. In
training those are the demonstrated ones, in play the ones just drawn. With a codec of clusters the order is
buttons → main stick → C-stick → shoulder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.networks.heads import ActionDistribution, HeadGroup, head_groups, marginal_logits

MOST_ACTIONS = 4096
"""With up to so many different actions, entropy and KL are exact sums."""


class AutoregressiveHeads(nn.Module):
    """Per stage: logits = linear(silu(z)); then z grows by an embedding of what was chosen.

    A stage is a group of buttons or one categorical head; z starts as the hidden vector.
    """

    def __init__(self, input_size: int, nvec: Sequence[int]) -> None:
        super().__init__()
        self.nvec = tuple(nvec)
        self.stages = [stage for group in head_groups(self.nvec) for stage in _stages(group)]
        self.logits = nn.ModuleList(nn.Linear(input_size, stage.num_logits) for stage in self.stages)
        self.embeddings = nn.ModuleList(
            nn.Linear(stage.num_logits, input_size, bias=False) for stage in self.stages[:-1]
        )

    def forward(self, hidden: Tensor) -> AutoregressiveDistribution:
        """Return the distribution of hidden vectors ``[..., H]``."""
        return AutoregressiveDistribution(self, hidden)

    def output_layers(self) -> list[nn.Linear]:
        """Return the layers whose outputs are logits, head after head."""
        return [layer for layer in self.logits if isinstance(layer, nn.Linear)]

    @torch.no_grad()
    def start_from_marginals(self, actions: Tensor) -> None:
        """Make the untrained heads predict how often each choice occurs in ``actions`` ``[N, heads]``."""
        for stage, layer in zip(self.stages, self.output_layers(), strict=True):
            layer.bias.copy_(marginal_logits(actions[:, stage.heads], self.nvec[stage.heads]))
            layer.weight.mul_(0.1)

    def walk(self, hidden: Tensor, choose: Callable[[HeadGroup, Tensor], Tensor]) -> Iterator[Tensor]:
        """Yield the logits ``[..., L]`` of each stage, given what ``choose(stage, logits)`` chose before it."""
        z = hidden
        for k, stage in enumerate(self.stages):
            logits = self.logits[k](F.silu(z))
            yield logits
            if k < len(self.embeddings):
                chosen = choose(stage, logits)
                if not stage.is_buttons:
                    chosen = F.one_hot(chosen[..., 0], stage.choices)
                z = z + self.embeddings[k](chosen.to(z.dtype))


class AutoregressiveDistribution:
    """What :class:`AutoregressiveHeads` say about hidden vectors ``[..., H]``.

    It is used like an :class:`ActionDistribution`. With more than :data:`MOST_ACTIONS` different actions, entropy
    and KL are the conditionals' along one drawn action: right in the mean.
    """

    def __init__(self, heads: AutoregressiveHeads, hidden: Tensor) -> None:
        self.heads, self.hidden = heads, hidden

    def given(self, actions: Tensor) -> ActionDistribution:
        """Return every head's distribution given the heads before it in ``actions`` ``[..., heads]``."""
        hidden = self.hidden.expand(*actions.shape[:-1], self.hidden.shape[-1])
        parts = self.heads.walk(hidden, lambda stage, logits: actions[..., stage.heads])
        return ActionDistribution(torch.cat(list(parts), -1), self.heads.nvec)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Return the log-probability ``[...]`` of actions ``[..., heads]``: the sum of the conditionals."""
        return self.given(actions).log_prob(actions)

    def entropy(self) -> Tensor:
        """Return the entropy ``[...]`` in nats."""
        return self._expectation(lambda conditionals, actions: conditionals.entropy())

    def kl(self, other: AutoregressiveDistribution) -> Tensor:
        """Return KL(self ‖ other) ``[...]``."""
        return self._expectation(lambda conditionals, actions: conditionals.kl(other.given(actions)))

    def mode(self, thresholds: Tensor | None = None) -> Tensor:
        """Return each head's most likely choice given the choices before it, ``[..., heads]``.

        Args:
            thresholds: as in :meth:`ActionDistribution.mode`.
        """
        first = 0

        def choose(stage: HeadGroup, logits: Tensor) -> Tensor:
            nonlocal first
            limits = None
            if stage.is_buttons and thresholds is not None:
                limits = thresholds[..., first : first + stage.count]
                first += stage.count
            return self._stage(stage, logits).mode(limits)

        return self._choices(choose)

    def sample(self, temperature: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
        """Draw actions ``[..., heads]``; a temperature below 1 sharpens every conditional."""
        return self._choices(lambda stage, logits: self._stage(stage, logits).sample(temperature, generator))

    def button_probabilities(self) -> Tensor:
        """Return the press probability of every button, ``[..., buttons]``, after the likeliest choices."""
        return self.given(self.mode()).button_probabilities()

    def _choices(self, choose: Callable[[HeadGroup, Tensor], Tensor]) -> Tensor:
        chosen: list[Tensor] = []

        def remember(stage: HeadGroup, logits: Tensor) -> Tensor:
            chosen.append(choose(stage, logits))
            return chosen[-1]

        *_, last = self.heads.walk(self.hidden, remember)
        remember(self.heads.stages[-1], last)
        return torch.cat(chosen, -1)

    def _stage(self, stage: HeadGroup, logits: Tensor) -> ActionDistribution:
        return ActionDistribution(logits, self.heads.nvec[stage.heads])

    def _expectation(self, value: Callable[[ActionDistribution, Tensor], Tensor]) -> Tensor:
        """Return the mean over own actions of what the conditionals along an action are worth, ``[...]``."""
        nvec = self.heads.nvec
        if math.prod(nvec) > MOST_ACTIONS:
            with torch.no_grad():
                actions = self.sample()
            return value(self.given(actions), actions)
        every = torch.cartesian_prod(*(torch.arange(n) for n in nvec)).view(-1, len(nvec))
        lanes = self.hidden.shape[:-1]
        actions = every.view(-1, *[1] * len(lanes), len(nvec)).expand(-1, *lanes, -1)
        conditionals = self.given(actions)
        return (conditionals.log_prob(actions).exp() * value(conditionals, actions)).sum(0)


def _stages(group: HeadGroup) -> list[HeadGroup]:
    """Buttons stay together, categorical heads come one by one."""
    if group.is_buttons:
        return [group]
    return [HeadGroup(group.first + k, 1, group.choices) for k in range(group.count)]
