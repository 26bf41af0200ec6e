"""One pass of behavioural cloning over the training games, and one measurement on the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from agents.base import Progress
from agents.bc.config import BCConfig
from agents.bc.lanes import Demonstrations, Window, count_windows
from agents.losses import ImitationLoss
from agents.metrics import ImitationMetrics
from agents.networks.backbone import State, detach
from agents.networks.policy import Policy
from agents.optimiser import Optimiser
from melee_env.errors import OptionError

PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16}

FeedBack = Callable[[Policy, Window, State | None, Tensor, int], Tensor]
"""``(policy, window, state, hidden [B, T], epoch) → previous actions [B, T, heads]``"""


def running_mean(policy: Policy, decay: float) -> AveragedModel:
    """Return what follows ``policy``: e ← decay · e + (1 − decay) · w at every update."""
    if not 0.0 <= decay < 1.0:
        raise OptionError(f"ema_decay {decay} must be a share below 1")
    return AveragedModel(policy, multi_avg_fn=get_ema_multi_avg_fn(decay))


def updates_per_epoch(frames: int, config: BCConfig) -> int:
    """Return how many updates one pass over so many frames makes."""
    if config.accumulation_steps < 1:
        raise OptionError(f"accumulation_steps {config.accumulation_steps} must be at least 1")
    return -(-count_windows(frames, config.batch_size, config.window) // config.accumulation_steps)


def train_epoch(
    policy: Policy,
    optimiser: Optimiser,
    loss_of: ImitationLoss,
    data: Demonstrations,
    spans: list[range],
    config: BCConfig,
    epoch: int,
    report: Progress,
    feed_back: FeedBack | None = None,
    average: AveragedModel | None = None,
    rarity: Tensor | None = None,
) -> float:
    """Walk once along the training games; return the mean loss of the updates.

    Args:
        policy: what is trained.
        optimiser: its optimiser.
        loss_of: the loss.
        data: all frames.
        spans: those that train.
        config: settings.
        epoch: its number, which fixes everything that is drawn.
        report: called after every update.
        feed_back: makes the previous actions; None for the demonstrations' own.
        average: follows the weights.
        rarity: see :meth:`Demonstrations.lanes`.
    """
    if config.precision not in PRECISIONS:
        raise OptionError(f"unknown precision {config.precision!r}; known: {', '.join(PRECISIONS)}")
    policy.train()
    rng = np.random.default_rng([config.seed, 2, epoch])
    losses: list[float] = []
    parts: list[float] = []
    state: State | None = None
    frames = sum(len(span) for span in spans)
    windows = count_windows(frames, config.batch_size, config.window)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**62)))
        lanes = data.lanes(spans, config.batch_size, config.window, rng, rarity)
        for number, window in enumerate(lanes, 1):
            hidden_previous = window.episode_start | (
                torch.rand(window.episode_start.shape) < config.previous_action_dropout
            )
            before = None if window.first else detach(state or ())
            previous_actions = window.previous_actions
            if feed_back is not None:
                previous_actions = feed_back(policy, window, before, hidden_previous, epoch)
            with torch.autocast("cpu", PRECISIONS[config.precision], enabled=config.precision != "float32"):
                distribution, state = policy(
                    window.observations, before, window.episode_start, previous_actions, hidden_previous
                )
                loss = loss_of(distribution, window.actions, window.previous_actions, window.weights)
            first = number - (number - 1) % config.accumulation_steps
            size = min(config.accumulation_steps, windows - first + 1)
            parts.append(optimiser.accumulate(loss, 1.0 / size))
            if len(parts) < size:
                continue
            losses.append(float(np.mean(parts)))
            parts = []
            rate = optimiser.learning_rate(optimiser.step_count)
            optimiser.step(losses[-1])
            if average is not None:
                average.update_parameters(policy)
            report(
                {
                    "event": "update",
                    "epoch": epoch,
                    "epochs": config.epochs,
                    "update": optimiser.step_count,
                    "updates": optimiser.total_steps,
                    "loss": losses[-1],
                    "learning_rate": rate,
                }
            )
    return float(np.mean(losses))


@torch.inference_mode()
def evaluate(
    policy: Policy, loss_of: ImitationLoss, data: Demonstrations, spans: list[range]
) -> tuple[float, ImitationMetrics]:
    """Play the held-out games through from their first frame; return the mean loss and the metrics."""
    policy.eval()
    metrics = ImitationMetrics(policy.config.nvec)
    total, frames = 0.0, 0
    state: State | None = None
    for window in data.whole_games(spans, batch_size=32, window=256):
        previous_state = None if window.first else state
        hidden, state = policy.hidden(
            window.observations, previous_state, window.episode_start, window.previous_actions
        )
        valid = window.valid
        distribution, actions = policy.heads(hidden[valid]), window.actions[valid]
        weights = None if window.weights is None else window.weights[valid]
        loss = loss_of(distribution, actions, window.previous_actions[valid], weights)
        total, frames = total + float(loss) * len(actions), frames + len(actions)
        metrics.add(distribution, actions)
    return total / max(frames, 1), metrics
