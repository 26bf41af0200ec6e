"""How well a policy copies a player, offline. No accuracy without its majority-class baseline.

Accuracy alone hides a collapse: "no button ever" is right on more than 90 % of frames. So every button's press
rate stands beside the player's, and a button that the player uses and the policy never presses is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from agents.networks.heads import ActionDistribution, head_names

COLLAPSE_HUMAN, COLLAPSE_PREDICTED = 0.01, 0.001
"""A button collapsed when the player presses it on more than 1 % of frames and the policy on less than 0.1 %."""


class ImitationMetrics:
    """Collects a policy's predictions and the player's actions, then compares them."""

    def __init__(self, nvec: Sequence[int]) -> None:
        self.nvec = tuple(nvec)
        self.frames = 0
        self.correct = torch.zeros(len(nvec), dtype=torch.int64)
        self.exact = 0
        self.whole_actions: list[Tensor] = []
        self.negative_log_likelihood = 0.0
        self.human = [torch.zeros(n, dtype=torch.float64) for n in nvec]
        self.predicted = [torch.zeros(n, dtype=torch.float64) for n in nvec]
        self.expected = [torch.zeros(n, dtype=torch.float64) for n in nvec]
        self.probabilities: list[Tensor] = []

    def add(self, distribution: ActionDistribution, actions: Tensor) -> None:
        """Add frames: a distribution over ``[N]`` and the player's actions ``[N, heads]``."""
        mode = distribution.mode()
        right = mode == actions
        self.frames += actions.shape[0]
        self.correct += right.sum(0)
        self.exact += int(right.all(-1).sum())
        self.whole_actions.append(action_numbers(actions, self.nvec))
        self.negative_log_likelihood -= float(distribution.log_prob(actions).double().sum())
        for k, n in enumerate(self.nvec):
            self.human[k] += torch.bincount(actions[:, k], minlength=n)
            self.predicted[k] += torch.bincount(mode[:, k], minlength=n)
        for group, logits in zip(distribution.groups, distribution.logits, strict=True):
            p = (
                torch.stack([1 - logits.sigmoid(), logits.sigmoid()], -1)
                if group.is_buttons
                else logits.softmax(-1)
            )
            for k in range(group.count):
                self.expected[group.first + k] += p[:, k].double().sum(0)
        self.probabilities.append(distribution.button_probabilities())

    def summary(self) -> dict[str, Any]:
        """Return the comparison as plain values; shares and rates are fractions 0..1.

        ``heads``: accuracy of the most likely choice beside the majority-class baseline of the same frames.
        ``buttons``: press rate of the player, of the most likely choice, of samples, and whether it collapsed.
        ``histograms``: shares of each choice of the categorical heads, player, most likely choice, samples.
        """
        names, n = head_names(self.nvec), max(self.frames, 1)
        heads, buttons, histograms = {}, {}, {}
        for k, name in enumerate(names):
            heads[name] = {
                "accuracy": float(self.correct[k]) / n,
                "majority_baseline": float(self.human[k].max()) / n,
            }
            shares = [(counts[k] / n).tolist() for counts in (self.human, self.predicted, self.expected)]
            if self.nvec[k] == 2:
                human, predicted, sampled = (share[1] for share in shares)
                collapsed = human > COLLAPSE_HUMAN and predicted < COLLAPSE_PREDICTED
                buttons[name] = {
                    "human": human,
                    "predicted": predicted,
                    "sampled": sampled,
                    "collapsed": collapsed,
                }
            else:
                histograms[name] = dict(zip(("human", "predicted", "sampled"), shares, strict=True))
        return {
            "frames": self.frames,
            "accuracy": float(self.correct.sum()) / n / len(self.nvec),
            "majority_baseline": sum(head["majority_baseline"] for head in heads.values()) / len(self.nvec),
            "exact_accuracy": self.exact / n,
            "exact_majority_baseline": self._most_frequent_action() / n,
            "negative_log_likelihood": self.negative_log_likelihood / n,
            "heads": heads,
            "buttons": buttons,
            "collapsed": [name for name, button in buttons.items() if button["collapsed"]],
            "histograms": histograms,
        }

    def _most_frequent_action(self) -> int:
        if not self.whole_actions:
            return 0
        return int(torch.unique(torch.cat(self.whole_actions), return_counts=True)[1].max())

    def thresholds(self) -> list[float]:
        """Return per button the probability above which it is pressed as often as the player presses it."""
        p = torch.cat(self.probabilities).double()
        buttons = [k for k, n in enumerate(self.nvec) if n == 2]
        limits = []
        for column, k in enumerate(buttons):
            pressed = int(self.human[k][1])
            ordered = p[:, column].sort(descending=True).values
            limits.append(float(ordered[pressed]) if 0 < pressed < len(ordered) else 0.5)
        return limits


def action_numbers(actions: Tensor, nvec: Sequence[int]) -> Tensor:
    """Give every whole action ``[N, heads]`` its own number ``[N]``."""
    number = torch.zeros_like(actions[:, 0])
    for k, n in enumerate(nvec):
        number = number * n + actions[:, k]
    return number
