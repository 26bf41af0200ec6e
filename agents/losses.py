"""Imitation losses, each a small function, and their sum.

Shapes: logits of Bernoulli heads ``[..., heads]``, of categorical heads ``[..., heads, C]``; their losses are
``[..., heads]``. Label smoothing is for categorical heads only: with a positive weight w, a smoothed button has its
optimum at wε/(wε + 1 − ε), so that a button that is never pressed would be.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from agents.networks.policy import Distribution
from agents.settings import LossConfig


def button_loss(
    logits: Tensor, pressed: Tensor, positive_weight: float | Tensor = 1.0, focal_gamma: float = 0.0
) -> Tensor:
    """Binary cross-entropy w·y·softplus(−z) + (1−y)·softplus(z), times (1 − p_t)^γ."""
    y = pressed.to(logits.dtype)
    loss = positive_weight * y * F.softplus(-logits) + (1 - y) * F.softplus(logits)
    if focal_gamma == 0:
        return loss
    p = logits.sigmoid()
    return (1 - (y * p + (1 - y) * (1 - p))) ** focal_gamma * loss


def categorical_loss(
    logits: Tensor, target: Tensor, label_smoothing: float = 0.0, focal_gamma: float = 0.0
) -> Tensor:
    """Cross-entropy against 1 − ε on the target and ε/(C − 1) elsewhere, times (1 − p_target)^γ."""
    log_p = logits.log_softmax(-1)
    log_p_target = log_p.gather(-1, target[..., None])[..., 0]
    loss = -log_p_target
    if label_smoothing > 0:
        rest = (log_p.sum(-1) - log_p_target) / (logits.shape[-1] - 1)
        loss = -(1 - label_smoothing) * log_p_target - label_smoothing * rest
    return loss if focal_gamma == 0 else (1 - log_p_target.exp()) ** focal_gamma * loss


def positive_weights(press_rates: Tensor, lowest: float = 1.0, highest: float = 30.0) -> Tensor:
    """Return sqrt((1 − r)/r) clipped to 1..30, for press rates r of the training split, any shape.

    The unrooted ratio over-presses 3 to 8 times.
    """
    r = press_rates.clamp_min(1e-4)
    return ((1 - r) / r).sqrt().clamp(lowest, highest)


def stick_edge_weights(target: Tensor, choices: int, edge: float) -> Tensor:
    """Return 1 + (e − 1)·|i − c|/c for target bucket i and neutral bucket c: ``edge`` at full tilt."""
    centre = (choices - 1) / 2
    return 1 + (edge - 1) * (target - centre).abs() / centre


def frame_weights(
    actions: Tensor,
    neutral_action: Tensor,
    neutral_weight: float = 1.0,
    previous_actions: Tensor | None = None,
    transition_weight: float = 1.0,
) -> Tensor:
    """Weigh frames ``[...]`` by what the player does on them.

    Args:
        actions: ``[..., heads]``.
        neutral_action: ``[heads]``; heads that it marks with -1 do not count.
        neutral_weight: weight of a frame on which every counted head is neutral; 1 for any other frame.
        previous_actions: actions of the frame before; None for no transition weight.
        transition_weight: lowest weight of a frame on which the action changes.
    """
    neutral = ((actions == neutral_action) | (neutral_action < 0)).all(-1)
    weights = torch.where(neutral, neutral_weight, 1.0)
    if previous_actions is None or transition_weight == 1.0:
        return weights
    changed = (actions != previous_actions).any(-1)
    return torch.where(changed, weights.clamp_min(transition_weight), weights)


def resting_action(neutral_action: Tensor, nvec: Sequence[int]) -> Tensor:
    """Return ``neutral_action`` with -1 for every head but the buttons and the main stick (the first two axes)."""
    axes = [k for k, n in enumerate(nvec) if n != 2]
    counted = [k for k, n in enumerate(nvec) if n == 2] + axes[:2]
    marked = torch.full_like(neutral_action, -1)
    marked[counted] = neutral_action[counted]
    return marked


def mean_over_frames(loss: Tensor, weights: Tensor | None) -> Tensor:
    """Return Σ w·l / Σ w per head ``[heads]`` of a loss ``[..., heads]``; the plain mean without weights."""
    flat = loss.flatten(0, -2)
    if weights is None:
        return flat.mean(0)
    w = weights.flatten()
    return (flat * w[:, None]).sum(0) / w.sum().clamp_min(1e-8)


def normalised(loss: Tensor, smallest: float = 0.1) -> Tensor:
    """Divide each head's mean loss by its own size, so that no head drowns the others."""
    return loss / loss.detach().clamp_min(smallest)


class ImitationLoss:
    """The weighted sum of all heads' losses.

    Args:
        config: how to shape and sum them.
        press_rates: ``[heads]``, how often each head's choice 1 is taken in the training split; read for buttons
            with ``button_pos_weight="auto"``.
        neutral_action: ``[heads]``, see :func:`frame_weights`.
    """

    def __init__(self, config: LossConfig, press_rates: Tensor, neutral_action: Tensor) -> None:
        self.config = config
        self.neutral_action = neutral_action
        if config.button_pos_weight == "auto":
            self.positive = positive_weights(press_rates)
        else:
            self.positive = torch.full_like(press_rates, float(config.button_pos_weight))

    def __call__(
        self, distribution: Distribution, actions: Tensor, previous_actions: Tensor | None = None
    ) -> Tensor:
        """Return the loss of actions ``[..., heads]``, a scalar: mean over frames, sum over heads.

        Autoregressive heads see the demonstrated choices of the heads before them, in the entropy bonus as well.
        """
        config = self.config
        conditionals = distribution.given(actions)
        weights = None
        if config.neutral_weight != 1.0 or config.transition_weight != 1.0:
            weights = frame_weights(
                actions,
                self.neutral_action,
                config.neutral_weight,
                previous_actions,
                config.transition_weight,
            )
        total = actions.new_zeros((), dtype=torch.float32)
        sticks_seen = False
        for group, logits in zip(conditionals.groups, conditionals.logits, strict=True):
            target = actions[..., group.heads]
            if group.is_buttons:
                loss = button_loss(logits, target, self.positive[group.heads], config.focal_gamma)
            else:
                loss = categorical_loss(logits, target, config.label_smoothing, config.focal_gamma)
                if config.stick_edge_weight != 1.0 and not sticks_seen:
                    edge = stick_edge_weights(target, group.choices, config.stick_edge_weight)
                    edge[..., 2:] = 1.0  # the main stick is the first two axes
                    loss = loss * edge
                sticks_seen = True
            per_head = mean_over_frames(loss, weights)
            if config.head_normalize:
                per_head = normalised(per_head)
            total = total + per_head.sum() * (config.button_weight if group.is_buttons else 1.0)
        if config.entropy_weight:
            total = (
                total
                - config.entropy_weight * mean_over_frames(conditionals.entropy()[..., None], weights).sum()
            )
        return total
