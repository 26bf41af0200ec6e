"""Action heads: from a hidden vector to a distribution over policy actions ``int64 [..., heads]``.

A head with two choices is a Bernoulli (one logit), any other a categorical. In the ``multidiscrete`` codec the
heads are A B X Y Z L R D-up, main stick x and y, C-stick x and y, shoulder. Neighbours with the same number of
choices form a group and are computed together: 8 buttons, 4 stick axes, 1 shoulder.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from gymnasium import spaces
from torch import Tensor, nn

from melee_env.errors import OptionError

BUTTON_NAMES = ("A", "B", "X", "Y", "Z", "L", "R", "D_UP")
HEAD_NAMES = (*BUTTON_NAMES, "main_x", "main_y", "c_x", "c_y", "shoulder")
"""Names of the heads of the ``multidiscrete`` codec."""
CLUSTER_HEAD_NAMES = (*BUTTON_NAMES, "main_stick", "c_stick", "shoulder")
"""Names of the heads of the ``clusters`` codec."""

LOGIT_LIMIT = 60.0
"""Logits are clamped to ± this before any loss or sample."""


@dataclass(frozen=True)
class HeadGroup:
    """Neighbouring heads with equally many choices."""

    first: int
    """number of its first head"""
    count: int
    """how many heads"""
    choices: int
    """choices of each"""

    @property
    def heads(self) -> slice:
        """Its place on the last axis of an action."""
        return slice(self.first, self.first + self.count)

    @property
    def is_buttons(self) -> bool:
        """Whether its heads are Bernoullis, with logits ``[..., count]``; else ``[..., count, choices]``."""
        return self.choices == 2

    @property
    def num_logits(self) -> int:
        """Logits of the whole group."""
        return self.count if self.is_buttons else self.count * self.choices


def choices_per_head(space: spaces.Space[Any]) -> tuple[int, ...]:
    """Return the choices of each head of a policy's action space; a ``Discrete`` one has a single head.

    Raises:
        OptionError: the space is continuous.
    """
    if isinstance(space, spaces.Discrete):
        return (int(space.n),)
    if not isinstance(space, spaces.MultiDiscrete):
        raise OptionError(
            f"a policy network needs a discrete action space, got {space}; use 'multidiscrete' or 'discrete'"
        )
    return tuple(int(n) for n in space.nvec)


@cache
def head_groups(nvec: tuple[int, ...]) -> tuple[HeadGroup, ...]:
    """Group the heads ``nvec`` (choices per head)."""
    groups, first = [], 0
    for choices, members in itertools.groupby(nvec):
        count = len(list(members))
        groups.append(HeadGroup(first, count, choices))
        first += count
    return tuple(groups)


def head_names(nvec: Sequence[int]) -> list[str]:
    """Name the heads: a codec's own names where their number is its own, else ``head_0``, ``head_1``, …."""
    for names in (HEAD_NAMES, CLUSTER_HEAD_NAMES):
        if len(names) == len(nvec):
            return list(names)
    return [f"head_{k}" for k in range(len(nvec))]


class IndependentHeads(nn.Module):
    """One linear layer; given the hidden vector, all heads are independent."""

    def __init__(self, input_size: int, nvec: Sequence[int]) -> None:
        super().__init__()
        self.nvec = tuple(nvec)
        self.linear = nn.Linear(input_size, sum(group.num_logits for group in head_groups(self.nvec)))

    def forward(self, hidden: Tensor) -> ActionDistribution:
        """Return the distribution of hidden vectors ``[..., H]``."""
        return ActionDistribution(self.linear(hidden), self.nvec)

    def output_layers(self) -> list[nn.Linear]:
        """Return the layers whose outputs are logits, head after head."""
        return [self.linear]

    @torch.no_grad()
    def start_from_marginals(self, actions: Tensor) -> None:
        """Make the untrained heads predict how often each choice occurs in ``actions`` ``[N, heads]``."""
        self.linear.bias.copy_(marginal_logits(actions, self.nvec))
        self.linear.weight.mul_(0.1)


def marginal_logits(actions: Tensor, nvec: Sequence[int]) -> Tensor:
    """Return the logits ``[L]`` of how often each choice occurs in ``actions`` ``[N, heads]``."""
    logits = []
    for k, n in enumerate(nvec):
        counts = torch.bincount(actions[:, k], minlength=n).double() + 0.5
        log_p = (counts / counts.sum()).log()
        logits.append(log_p[1:] - log_p[:1] if n == 2 else log_p)
    return torch.cat(logits)


class ActionDistribution:
    """A product of Bernoullis and categoricals.

    Args:
        logits: ``[..., L]``, group after group.
        nvec: choices per head.
    """

    def __init__(self, logits: Tensor, nvec: tuple[int, ...]) -> None:
        self.groups = head_groups(nvec)
        self.flat = logits.float().clamp(-LOGIT_LIMIT, LOGIT_LIMIT)
        self.logits = self._parts(self.flat)
        """per group ``[..., count]`` for buttons, ``[..., count, choices]`` otherwise"""

    def _parts(self, flat: Tensor) -> list[Tensor]:
        parts = flat.split([group.num_logits for group in self.groups], -1)
        return [
            part if group.is_buttons else part.view(*part.shape[:-1], group.count, group.choices)
            for group, part in zip(self.groups, parts, strict=True)
        ]

    def given(self, actions: Tensor) -> ActionDistribution:
        """Return every head's distribution given the heads before it in ``actions``: here, itself."""
        return self

    def button_probabilities(self) -> Tensor:
        """Return the press probability of every Bernoulli head, ``[..., buttons]``."""
        none = self.logits[0].new_zeros(*self.logits[0].shape[:-2], 0)
        return torch.cat(
            [z.sigmoid() for g, z in zip(self.groups, self.logits, strict=True) if g.is_buttons] or [none], -1
        )

    def log_prob(self, actions: Tensor) -> Tensor:
        """Return the log-probability ``[...]`` of actions ``[..., heads]``."""
        total: Tensor = torch.zeros(())
        for group, z in zip(self.groups, self.logits, strict=True):
            chosen = actions[..., group.heads]
            if group.is_buttons:
                part = -F.binary_cross_entropy_with_logits(z, chosen.float(), reduction="none")
            else:
                part = z.log_softmax(-1).gather(-1, chosen[..., None])[..., 0]
            total = total + part.sum(-1)
        return total

    def entropy(self) -> Tensor:
        """Return the entropy ``[...]`` in nats, summed over the heads."""
        log_ps = (_log_probabilities(g, z) for g, z in zip(self.groups, self.logits, strict=True))
        return torch.stack([-(log_p.exp() * log_p).sum((-2, -1)) for log_p in log_ps]).sum(0)

    def kl(self, other: ActionDistribution) -> Tensor:
        """Return KL(self ‖ other) ``[...]``, summed over the heads."""
        parts = []
        for group, mine, theirs in zip(self.groups, self.logits, other.logits, strict=True):
            p, q = _log_probabilities(group, mine), _log_probabilities(group, theirs)
            parts.append((p.exp() * (p - q)).sum((-2, -1)))
        return torch.stack(parts).sum(0)

    def mode(self, thresholds: Tensor | None = None) -> Tensor:
        """Return the most likely action ``[..., heads]``.

        Args:
            thresholds: ``[buttons]`` or ``[..., buttons]``, the probability above which a button counts as
                pressed; default 0.5.
        """
        choices, button = [], 0
        for group, z in zip(self.groups, self.logits, strict=True):
            if group.is_buttons:
                limit = 0.5 if thresholds is None else thresholds[..., button : button + group.count]
                button += group.count
                choices.append((z.sigmoid() > limit).long())
            else:
                choices.append(z.argmax(-1))
        return torch.cat(choices, -1)

    def sample(self, temperature: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
        """Draw actions ``[..., heads]``; a temperature below 1 sharpens every head."""
        u = torch.rand(self.flat.shape, generator=generator).clamp_(1e-20, 1 - 1e-7)
        scaled = self.flat if temperature == 1.0 else self.flat / temperature
        choices = []
        for group, z, v in zip(self.groups, self._parts(scaled), self._parts(u), strict=True):
            if group.is_buttons:
                choices.append((v < z.sigmoid()).long())
            else:
                choices.append((z - v.log_().neg_().log_()).argmax(-1))  # Gumbel-max
        return torch.cat(choices, -1)


def _log_probabilities(group: HeadGroup, logits: Tensor) -> Tensor:
    """Return ``[..., count, choices]`` log-probabilities, a Bernoulli's as (released, pressed)."""
    if group.is_buttons:
        return torch.stack([F.logsigmoid(-logits), F.logsigmoid(logits)], -1)
    return logits.log_softmax(-1)
