"""The trainer of behavioural cloning, top to bottom.

One epoch walks once along all training games in ``batch_size`` lanes and backpropagates through ``window``
frames at a time, carrying the recurrent state on (truncated backpropagation through time). After each epoch the
held-out games are played through from their first frame; the best epoch is the checkpoint. Everything random in
epoch e comes from the seed and e, so a resumed run is the uninterrupted one, bit for bit.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents import checkpoint
from agents.base import Progress
from agents.bc.config import BCConfig
from agents.bc.lanes import Demonstrations, Window, count_windows
from agents.bc.stored import lay_out
from agents.losses import ImitationLoss
from agents.metrics import ImitationMetrics
from agents.network_agent import NetworkAgent
from agents.networks.backbone import State, detach
from agents.networks.heads import choices_per_head
from agents.networks.policy import NetworkConfig, Policy
from agents.optimiser import Optimiser
from melee_env.actions import make_codec
from melee_env.errors import CheckpointError, OptionError
from melee_env.observations import make_encoder

TRAINING_STATE = "training.safetensors"
"""Last weights and optimiser, from which a run resumes; the checkpoint beside it holds the best weights."""

FITTED = 200_000
"""Most frames, evenly spread, from which the normaliser takes mean and standard deviation."""

FeedBack = Callable[[Policy, Window, State | None, Tensor, int], Tensor]
"""``(policy, window, state, hidden [B, T], epoch) → previous actions [B, T, heads]``"""

MAY_CHANGE = ("epochs", "max_seconds", "patience")
"""Settings that a resumed run may change; with a cosine schedule other ``epochs`` change the learning rate."""


def train(
    config: BCConfig,
    *,
    out: Path,
    demonstrations: Sequence[Any] | None,
    progress: Progress | None = None,
    resume: bool = False,
    name: str = "bc",
    feed_back: FeedBack | None = None,
) -> NetworkAgent:
    """Clone the players of ``demonstrations`` and return the agent of the best epoch.

    Args:
        config: settings.
        out: folder of the checkpoint.
        demonstrations: trajectories with ``obs [T + 1, F]`` and ``acts [T, heads]``; those of a tensor store
            (:class:`demonstrations.stored_trajectories.StoredTrajectories`) stay in its files.
        progress: called with ``{"event": "update", …}`` and ``{"event": "epoch", …}``.
        resume: continue an interrupted run in ``out``.
        name: algorithm that the checkpoint names.
        feed_back: makes the previous actions that the network trains on, called with the network, the window,
            the state before it, where that input is hidden, and the epoch; None for the demonstrations' own.
    """
    report = progress or (lambda event: None)
    if demonstrations is None:
        raise OptionError(f"{name} needs demonstrations=: see demonstrations.load_trajectories")
    if not resume and (out / checkpoint.META).exists():
        raise OptionError(f"{out} already holds a checkpoint: resume it, or choose another folder for out")

    # Data.
    data = lay_out(demonstrations, config.observation, config.action)
    encoder, codec = make_encoder(config.observation), make_codec(config.action)
    nvec = choices_per_head(codec.space)
    _check_shapes(data, encoder.space.shape[-1], nvec, config)
    training, validation = data.split(config.validation_fraction, config.seed)
    train_index = torch.cat([torch.arange(span.start, span.stop) for span in training])

    # Network, loss, optimiser.
    network = NetworkConfig(
        network=config.network,
        observation_size=data.observations.shape[1],
        nvec=nvec,
        hidden_size=config.hidden_size,
        num_layers=config.num_layers,
        dropout=config.dropout,
        previous_action=config.previous_action,
        heads=config.heads,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        policy = Policy(network)
    policy.normaliser.fit(data.observations[train_index[:: -(-len(train_index) // FITTED)]])
    policy.heads.start_from_marginals(data.actions[train_index])
    press_rates = (data.actions[train_index] == 1).float().mean(0)
    loss_of = ImitationLoss(config, press_rates, codec)
    updates_per_epoch = count_windows(len(train_index), config.batch_size, config.window)
    optimiser = Optimiser(policy, config, total_steps=config.epochs * updates_per_epoch)

    meta: dict[str, Any] = {
        "agent": name,
        "network": network.to_json(),
        "observation": {"name": config.observation, "schema_hash": encoder.schema_hash},
        "action": {"name": config.action, "nvec": nvec},
        "characters": config.characters,
        "config": dataclasses.asdict(config),
        "data": {
            "digest": data.digest(),
            "trajectories": len(data.starts),
            "training_frames": len(train_index),
            "validation_frames": sum(len(span) for span in validation),
        },
    }
    run = _resume(out, policy, optimiser, meta) if resume else _Run()
    began = time.perf_counter() - run.seconds

    for epoch in range(run.epochs_done, config.epochs + 1):
        if run.is_over(config):
            break
        train_loss = None
        if epoch > 0:  # epoch 0 only measures the untrained network, which knows the marginals
            train_loss = train_epoch(
                policy, optimiser, loss_of, data, training, config, epoch, report, feed_back
            )
        validation_loss, metrics = evaluate(policy, loss_of, data, validation)
        run.finish_epoch(
            {
                "epoch": epoch,
                # A loss on the network's own inputs is not comparable with one on the demonstrations'.
                "train_loss" if feed_back is None else "fed_back_train_loss": train_loss,
                "validation_loss": validation_loss,
                "seconds": time.perf_counter() - began,
                **metrics.summary(),
            }
        )
        if run.best_epoch == epoch:
            play = {
                "deterministic": config.deterministic,
                "temperature": config.temperature,
                "thresholds": metrics.thresholds(),
                "frame_skip": config.frame_skip,
            }
            best_meta = {**meta, "play": play, "history": run.history, "best_epoch": epoch}
            checkpoint.save(out, policy.state_dict(), best_meta)
        _save_training_state(out, policy, optimiser, run, meta)
        report({"event": "epoch", "epochs": config.epochs, **run.history[-1]})

    agent = NetworkAgent.load(out)
    # The checkpoint of the best epoch does not know the later ones yet.
    agent.meta["history"] = run.history
    agent.save(out)
    return agent


class _Run:
    """What a run remembers between epochs."""

    def __init__(self, history: list[dict[str, Any]] | None = None) -> None:
        self.history = history or []

    @property
    def epochs_done(self) -> int:
        return len(self.history)

    @property
    def seconds(self) -> float:
        return float(self.history[-1]["seconds"]) if self.history else 0.0

    @property
    def best_epoch(self) -> int:
        losses = [entry["validation_loss"] for entry in self.history]
        return losses.index(min(losses))

    def finish_epoch(self, entry: dict[str, Any]) -> None:
        self.history.append(checkpoint.plain(entry))

    def is_over(self, config: BCConfig) -> bool:
        if not self.history:
            return False
        stale = self.epochs_done - 1 - self.best_epoch >= config.patience
        return stale or (config.max_seconds > 0 and self.seconds > config.max_seconds)


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
) -> float:
    """Walk once along the training games; return the mean loss of the updates."""
    policy.train()
    rng = np.random.default_rng([config.seed, 2, epoch])
    losses = []
    state: State | None = None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**62)))
        for window in data.lanes(spans, config.batch_size, config.window, rng):
            hidden_previous = window.episode_start | (
                torch.rand(window.episode_start.shape) < config.previous_action_dropout
            )
            before = None if window.first else detach(state or ())
            previous_actions = window.previous_actions
            if feed_back is not None:
                previous_actions = feed_back(policy, window, before, hidden_previous, epoch)
            distribution, state = policy(
                window.observations, before, window.episode_start, previous_actions, hidden_previous
            )
            loss = loss_of(distribution, window.actions, window.previous_actions)
            losses.append(optimiser.update(loss))
            report(
                {
                    "event": "update",
                    "epoch": epoch,
                    "epochs": config.epochs,
                    "update": optimiser.step_count,
                    "updates": optimiser.total_steps,
                    "loss": losses[-1],
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
        loss = loss_of(distribution, actions, window.previous_actions[valid])
        total, frames = total + float(loss) * len(actions), frames + len(actions)
        metrics.add(distribution, actions)
    return total / max(frames, 1), metrics


def _check_shapes(
    data: Demonstrations, observation_size: int, nvec: tuple[int, ...], config: BCConfig
) -> None:
    """Refuse demonstrations that another encoder or codec made."""
    if data.observations.shape[1:] != (observation_size,):
        raise OptionError(
            f"demonstrations have observations of shape {list(data.observations.shape[1:])}, "
            f"observation={config.observation!r} has [{observation_size}]; load them with the same observation="
        )
    if data.actions.shape[1:] != (len(nvec),) or (data.actions.amax(0) >= torch.tensor(nvec)).any():
        raise OptionError(
            f"demonstrations have actions of shape {list(data.actions.shape[1:])}, action={config.action!r} has "
            f"choices {list(nvec)}; load them with the same action="
        )


def _save_training_state(
    out: Path, policy: Policy, optimiser: Optimiser, run: _Run, meta: dict[str, Any]
) -> None:
    tensors: dict[str, Tensor] = {f"policy.{k}": v for k, v in policy.state_dict().items()}
    tensors |= {f"optimiser.{k}": v for k, v in optimiser.tensors().items()}
    state = {
        "config": meta["config"],
        "data": meta["data"],
        "history": run.history,
        "step": optimiser.step_count,
    }
    checkpoint.save_tensors(out / TRAINING_STATE, tensors, {"state": json.dumps(checkpoint.plain(state))})


def _resume(out: Path, policy: Policy, optimiser: Optimiser, meta: dict[str, Any]) -> _Run:
    """Put the last epoch's weights and optimiser back; refuse another run's."""
    tensors, metadata = checkpoint.load_tensors(out / TRAINING_STATE)
    state = json.loads(metadata.get("state", "null"))
    if state is None:
        raise CheckpointError(f"{out / TRAINING_STATE}: holds no training state")
    wanted = checkpoint.plain(meta["config"])
    changed = [k for k in wanted if k not in MAY_CHANGE and state["config"].get(k) != wanted[k]]
    if changed:
        pairs = ", ".join(f"{k}: {state['config'].get(k)!r} then, {wanted[k]!r} now" for k in changed)
        raise OptionError(f"cannot resume {out} with other settings ({pairs})")
    if state["data"] != checkpoint.plain(meta["data"]):
        raise OptionError(f"cannot resume {out} on other demonstrations than it began with")
    parts: dict[str, dict[str, Tensor]] = {"policy": {}, "optimiser": {}}
    for name, tensor in tensors.items():
        owner, _, key = name.partition(".")
        parts[owner][key] = tensor
    policy.load_state_dict(parts["policy"])
    optimiser.load(parts["optimiser"], state["step"])
    return _Run(state["history"])
