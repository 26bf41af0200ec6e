"""How well a policy copies a player, offline. No accuracy without its majority-class baseline.

Accuracy alone hides a collapse: "no button ever" is right on more than 90 % of frames. So every button's press
rate stands beside the player's, and a button that the player uses and the policy never presses is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from agents.networks.heads import head_names
from agents.networks.policy import Distribution

COLLAPSE_HUMAN, COLLAPSE_PREDICTED = 0.01, 0.001
"""A button collapsed when the player presses it on more than 1 % of frames and the policy on less than 0.1 %."""


CALIBRATION_BINS = 15


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
        self.in_top_3 = torch.zeros(len(nvec), dtype=torch.int64)
        self.true_presses = torch.zeros(len(nvec), dtype=torch.int64)
        self.calibration = torch.zeros(len(nvec), CALIBRATION_BINS, 3, dtype=torch.float64)
        self.probabilities: list[Tensor] = []

    def add(self, distribution: Distribution, actions: Tensor) -> None:
        """Add frames: a distribution over ``[N]`` and the player's actions ``[N, heads]``.

        Of autoregressive heads, the likeliest choices follow their own choices, probabilities the player's.
        """
        mode = distribution.mode()
        right = mode == actions
        self.frames += actions.shape[0]
        self.correct += right.sum(0)
        self.exact += int(right.all(-1).sum())
        self.whole_actions.append(action_numbers(actions, self.nvec))
        conditionals = distribution.given(actions)
        self.negative_log_likelihood -= float(conditionals.log_prob(actions).double().sum())
        for k, n in enumerate(self.nvec):
            self.human[k] += torch.bincount(actions[:, k], minlength=n)
            self.predicted[k] += torch.bincount(mode[:, k], minlength=n)
        for group, logits in zip(conditionals.groups, conditionals.logits, strict=True):
            p = (
                torch.stack([1 - logits.sigmoid(), logits.sigmoid()], -1)
                if group.is_buttons
                else logits.softmax(-1)
            )
            for k in range(group.count):
                self._add_head(group.first + k, p[:, k], actions[:, group.first + k])
        self.probabilities.append(distribution.button_probabilities())

    def _add_head(self, head: int, p: Tensor, target: Tensor) -> None:
        """Add the probabilities ``[N, C]`` of one head and what the player chose ``[N]``."""
        self.expected[head] += p.double().sum(0)
        top = p.topk(min(3, p.shape[1]), -1)
        self.in_top_3[head] += (top.indices == target[:, None]).any(-1).sum()
        right = top.indices[:, 0] == target
        if p.shape[1] == 2:
            self.true_presses[head] += (right & (target == 1)).sum()
        confidence = top.values[:, 0].double()
        bin_of = (confidence * CALIBRATION_BINS).long().clamp_max(CALIBRATION_BINS - 1)
        for column, value in enumerate((torch.ones_like(confidence), confidence, right.double())):
            self.calibration[head, :, column].index_add_(0, bin_of, value)

    @classmethod
    def merged(cls, parts: Sequence[ImitationMetrics]) -> ImitationMetrics:
        """Return what one collector of the frames of all ``parts`` holds; at least one, all of the same heads."""
        whole = cls(parts[0].nvec)
        for part in parts:
            whole.frames += part.frames
            whole.exact += part.exact
            whole.negative_log_likelihood += part.negative_log_likelihood
            whole.whole_actions += part.whole_actions
            whole.probabilities += part.probabilities
            for name in ("correct", "in_top_3", "true_presses", "calibration"):
                getattr(whole, name).add_(getattr(part, name))
            for name in ("human", "predicted", "expected"):
                for total, counts in zip(getattr(whole, name), getattr(part, name), strict=True):
                    total.add_(counts)
        return whole

    def summary(self) -> dict[str, Any]:
        """Return the comparison as plain values; shares and rates are fractions 0..1.

        ``heads``: accuracy of the most likely choice beside the majority-class baseline of the same frames, share
        of frames on which the player's choice is among the three most likely, beside that of the three most frequent,
        and expected calibration error.
        ``buttons``: press rate of the player, of the most likely choice, of samples, whether it collapsed, and F1
        of the presses (None if neither presses; "never pressed", the majority's choice, has 0).
        ``histograms``: shares of each choice of the categorical heads, player, most likely choice, samples.
        """
        names, n = head_names(self.nvec), max(self.frames, 1)
        heads, buttons, histograms = {}, {}, {}
        for k, name in enumerate(names):
            heads[name] = {
                "accuracy": float(self.correct[k]) / n,
                "majority_baseline": float(self.human[k].max()) / n,
                "top_3": float(self.in_top_3[k]) / n,
                "top_3_baseline": float(self.human[k].topk(min(3, self.nvec[k])).values.sum()) / n,
                "calibration_error": self._calibration_error(k),
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
                    "f1": self._f1(k),
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

    def _f1(self, head: int) -> float | None:
        """2·hits / (presses of the player + of the most likely choice)."""
        presses = float(self.human[head][1] + self.predicted[head][1])
        return 2 * float(self.true_presses[head]) / presses if presses else None

    def _calibration_error(self, head: int) -> float:
        """Mean distance of confidence and accuracy over equal bins of confidence (Guo et al. 2017)."""
        _, confidence, right = self.calibration[head].unbind(-1)
        return float((confidence - right).abs().sum()) / max(self.frames, 1)

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
