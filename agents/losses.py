"""Imitation losses, each a small function, and their sum.

Shapes: logits of Bernoulli heads ``[..., heads]``, of categorical heads ``[..., heads, C]``; their losses are
``[..., heads]``. Label smoothing is for categorical heads only: with a positive weight w, a smoothed button has its
optimum at wε/(wε + 1 − ε), so that a button that is never pressed would be.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from agents.networks.heads import HeadGroup, choices_per_head
from agents.networks.policy import Distribution
from agents.settings import LossConfig
from melee_env.actions import ActionCodec


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


def main_stick_tilts(codec: ActionCodec) -> dict[int, Tensor]:
    """Return, for every head that moves the main stick, how far each of its choices tilts it, 0..1 ``[C]``.

    The other heads rest meanwhile. With one head per axis and neutral bucket c, that is |i − c|/c of bucket i.
    """
    rest = np.asarray(codec.neutral(), np.int64).reshape(-1)
    tilts = {}
    for head, choices in enumerate(choices_per_head(codec.space)):
        actions = np.repeat(rest[None], choices, 0)
        actions[:, head] = np.arange(choices)
        sticks = codec.decode(actions.reshape(-1, *(codec.space.shape or ())))
        tilt = np.maximum(np.abs(sticks["stick_x"]), np.abs(sticks["stick_y"]))
        if tilt.any():
            tilts[head] = torch.from_numpy(tilt)
    return tilts


def stick_edge_weights(target: Tensor, tilts: Tensor, edge: float) -> Tensor:
    """Return 1 + (e − 1)·tilt of target choices, with the ``tilts`` ``[C]`` of all choices: ``edge`` at full tilt."""
    return 1 + (edge - 1) * tilts[target]


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


def resting_action(codec: ActionCodec) -> Tensor:
    """Return the codec's neutral action ``[heads]``, with -1 for every head but the buttons and the main stick."""
    neutral = torch.from_numpy(np.asarray(codec.neutral(), np.int64).reshape(-1))
    moves_stick = main_stick_tilts(codec)
    counted = [n == 2 or head in moves_stick for head, n in enumerate(choices_per_head(codec.space))]
    return torch.where(torch.tensor(counted), neutral, -1)


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
        codec: says what the actions mean.
    """

    def __init__(self, config: LossConfig, press_rates: Tensor, codec: ActionCodec) -> None:
        self.config = config
        self.resting = resting_action(codec)
        self.tilts = main_stick_tilts(codec)
        if config.button_pos_weight == "auto":
            self.positive = positive_weights(press_rates)
        else:
            self.positive = torch.full_like(press_rates, float(config.button_pos_weight))

    def __call__(
        self,
        distribution: Distribution,
        actions: Tensor,
        previous_actions: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> Tensor:
        """Return the loss of actions ``[..., heads]``, a scalar: mean over frames, sum over heads.

        ``weights`` ``[...]`` of frames multiply those of the settings.
        Autoregressive heads see the demonstrated choices of the heads before them, in the entropy bonus as well.
        """
        config = self.config
        conditionals = distribution.given(actions)
        if config.neutral_weight != 1.0 or config.transition_weight != 1.0:
            own = frame_weights(
                actions,
                self.resting,
                config.neutral_weight,
                previous_actions,
                config.transition_weight,
            )
            weights = own if weights is None else own * weights
        total = actions.new_zeros((), dtype=torch.float32)
        for group, logits in zip(conditionals.groups, conditionals.logits, strict=True):
            target = actions[..., group.heads]
            if group.is_buttons:
                loss = button_loss(logits, target, self.positive[group.heads], config.focal_gamma)
            else:
                loss = categorical_loss(logits, target, config.label_smoothing, config.focal_gamma)
                if config.stick_edge_weight != 1.0:
                    loss = loss * self._edge_weights(group, target)
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

    def _edge_weights(self, group: HeadGroup, target: Tensor) -> Tensor:
        """Return the weights of targets ``[..., count]``: 1 for heads that do not move the main stick."""
        weights = torch.ones(target.shape)
        for k in range(group.count):
            if group.first + k in self.tilts:
                tilts = self.tilts[group.first + k]
                weights[..., k] = stick_edge_weights(target[..., k], tilts, self.config.stick_edge_weight)
        return weights
