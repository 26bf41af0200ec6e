"""The trainer of behavioural cloning, top to bottom.

One epoch walks once along all training games in ``batch_size`` lanes and backpropagates through ``window``
frames at a time, carrying the recurrent state on (truncated backpropagation through time). After each epoch the
held-out games are played through from their first frame; the best epoch is the checkpoint. Everything random in
epoch e comes from the seed and e, so a resumed run is the uninterrupted one, bit for bit.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from agents import checkpoint
from agents.base import Progress
from agents.bc.config import BCConfig
from agents.bc.epoch import FeedBack, evaluate, running_mean, train_epoch, updates_per_epoch
from agents.bc.lanes import Demonstrations, button_rarity
from agents.bc.stored import lay_out
from agents.bc.tensorboard import with_tensorboard
from agents.losses import ImitationLoss
from agents.network_agent import NetworkAgent
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

MAY_CHANGE = ("epochs", "max_seconds", "patience", "min_delta", "tensorboard")
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
    weigh: Callable[[Demonstrations, Tensor], Tensor] | None = None,
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
        weigh: gives every frame a weight ``[N]`` in the loss, from all of them and the numbers of those that train.
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
    optimiser = Optimiser(policy, config, config.epochs * updates_per_epoch(len(train_index), config))
    average = running_mean(policy, config.ema_decay) if config.ema else None
    rarity = None
    if config.action_oversample > 1.0:
        rarity = button_rarity(data.actions, nvec, press_rates, config.action_oversample)
    if weigh is not None:
        data.weights = weigh(data, train_index)

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
    run = _resume(out, policy, optimiser, average, meta) if resume else _Run()
    began = time.perf_counter() - run.seconds
    shown = policy if average is None else cast(Policy, average.module)

    with ExitStack() as stack:
        if config.tensorboard:
            report = stack.enter_context(with_tensorboard(report, out, run.epochs_done))
        for epoch in range(run.epochs_done, config.epochs + 1):
            if run.is_over(config):
                break
            train_loss = None
            if epoch > 0:  # epoch 0 only measures the untrained network, which knows the marginals
                train_loss = train_epoch(
                    policy,
                    optimiser,
                    loss_of,
                    data,
                    training,
                    config,
                    epoch,
                    report,
                    feed_back,
                    average,
                    rarity,
                )
            validation_loss, metrics = evaluate(shown, loss_of, data, validation)
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
                checkpoint.save(out, shown.state_dict(), best_meta)
            _save_training_state(out, policy, optimiser, average, run, meta)
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
        return self._stale_epochs(config.min_delta) >= config.patience or (
            config.max_seconds > 0 and self.seconds > config.max_seconds
        )

    def _stale_epochs(self, min_delta: float) -> int:
        """Return how many epochs have passed since the last that was better by ``min_delta`` than all before."""
        best, since = math.inf, 0
        for entry in self.history:
            better = entry["validation_loss"] < best - min_delta
            best, since = (entry["validation_loss"], 0) if better else (best, since + 1)
        return since


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
    out: Path,
    policy: Policy,
    optimiser: Optimiser,
    average: AveragedModel | None,
    run: _Run,
    meta: dict[str, Any],
) -> None:
    tensors: dict[str, Tensor] = {f"policy.{k}": v for k, v in policy.state_dict().items()}
    if average is not None:
        tensors |= {f"average.{k}": v for k, v in average.state_dict().items()}
    tensors |= {f"optimiser.{k}": v for k, v in optimiser.tensors().items()}
    state = {
        "config": meta["config"],
        "data": meta["data"],
        "history": run.history,
        "step": optimiser.step_count,
    }
    checkpoint.save_tensors(out / TRAINING_STATE, tensors, {"state": json.dumps(checkpoint.plain(state))})


def _resume(
    out: Path, policy: Policy, optimiser: Optimiser, average: AveragedModel | None, meta: dict[str, Any]
) -> _Run:
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
    parts: dict[str, dict[str, Tensor]] = {"policy": {}, "optimiser": {}, "average": {}}
    for name, tensor in tensors.items():
        owner, _, key = name.partition(".")
        parts[owner][key] = tensor
    policy.load_state_dict(parts["policy"])
    optimiser.load(parts["optimiser"], state["step"])
    if average is not None:
        average.load_state_dict(parts["average"])
    return _Run(state["history"])
