"""Behavioural cloning with several backbones: the same games, parameters and updates for each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.benchmarks.policies import count_parameters
from experiments.evaluation.players import one_thread
from melee_env.errors import OptionError
from melee_env.ids import Stage

if TYPE_CHECKING:
    from agents.bc.config import BCConfig
    from agents.networks.policy import NetworkConfig

BACKBONES = ("mlp", "gru", "lstm", "mamba", "attention", "min_gru", "jamba")
SHORTEST_GAME = 1800
"""frames; shorter ones are often abandoned"""


def compare_networks(
    training: Path,
    validation: Path,
    *,
    backbones: Sequence[str] = BACKBONES,
    parameters: int = 300_000,
    epochs: int = 1,
    validation_frames: int = 1800,
    seed: int = 0,
    done: Mapping[str, Any] | None = None,
    report: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Clone the players of ``training`` with every backbone, and measure on the games of ``validation``.

    Buttons are weighted by sqrt((1-r)/r) of their press rate r; that lets a rare press be the likelier choice.

    Args:
        training: replays to learn from: two human players, the six tournament stages, half a minute or more.
        validation: replays to measure on, chosen likewise.
        backbones: names.
        parameters: trained numbers of every policy, met as closely as widths in steps of 8 allow.
        epochs: passes over the training frames; the updates are equally many for all.
        validation_frames: first frames of every player's games that are measured.
        seed: fixes initial weights and the order of the data.
        done: an earlier result whose rows are kept.
        report: called with every new row.

    Returns:
        ``rows`` with ``backbone``, ``hidden_size``, ``num_layers``, ``params``, ``updates``, ``loss`` (nats per
        frame), ``button_f1`` (mean over buttons pressed on more than 1 % of frames), ``stick_accuracy`` (main stick,
        both axes), ``stick_baseline``, ``accuracy``, ``majority_baseline``, ``collapsed`` and ``seconds``.
    """
    from agents.bc.config import BCConfig
    from agents.bc.lanes import Demonstrations

    config = BCConfig(seed=seed, epochs=epochs, button_pos_weight="auto", dropout=0.0, schedule="cosine")
    train_data = Demonstrations(_clean_games(training, config))
    held_out = Demonstrations([_first_frames(t, validation_frames) for t in _clean_games(validation, config)])
    rows = list((done or {}).get("rows", []))
    with one_thread():
        for name in backbones:
            if all(row["backbone"] != name for row in rows):
                rows.append(_measure(name, parameters, config, train_data, held_out))
                report(rows[-1])
    return {
        "rows": rows,
        "training_frames": len(train_data),
        "validation_frames": len(held_out),
        "parameters": parameters,
        "epochs": epochs,
        "seed": seed,
    }


def markdown(result: Mapping[str, Any]) -> str:
    """Return the rows as a Markdown table."""
    lines = [
        "| backbone | width × layers | parameters | loss | button F1 | main stick accuracy | all heads | collapsed |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in result["rows"]:
        lines.append(
            f"| {row['backbone']} | {row['hidden_size']} × {row['num_layers']} | {row['params']:,} | {row['loss']:.3f} "
            f"| {row['button_f1']:.3f} | {row['stick_accuracy']:.3f} | {row['accuracy']:.4f} "
            f"| {', '.join(row['collapsed']) or 'none'} |"
        )
    row = result["rows"][0]
    lines.append(
        f"| majority | | | {row['marginal_loss']:.3f} | 0 | {row['stick_baseline']:.3f} "
        f"| {row['majority_baseline']:.4f} | all |"
    )
    return "\n".join(lines)


def _measure(name: str, parameters: int, config: BCConfig, train_data: Any, held_out: Any) -> dict[str, Any]:
    import torch

    from agents.bc.lanes import count_windows
    from agents.bc.train import evaluate, train_epoch
    from agents.losses import ImitationLoss, resting_action
    from agents.networks.policy import Policy
    from agents.optimiser import Optimiser
    from melee_env.actions import make_codec
    from melee_env.controller import neutral

    shape = fit_width(name, parameters, train_data.observations.shape[1], _nvec(config))
    torch.manual_seed(config.seed)
    policy = Policy(shape)
    policy.normaliser.fit(train_data.observations)
    policy.heads.start_from_marginals(train_data.actions)
    rest = torch.from_numpy(np.asarray(make_codec(config.action).encode(neutral(1))[0], np.int64))
    press_rates = (train_data.actions == 1).float().mean(0)
    loss_of = ImitationLoss(config, press_rates, resting_action(rest, shape.nvec))
    updates = config.epochs * count_windows(len(train_data), config.batch_size, config.window)
    optimiser = Optimiser(policy, config, total_steps=updates)
    spans = [range(a, b) for a, b in zip(train_data.starts, train_data.ends, strict=True)]
    held_out_spans = [range(a, b) for a, b in zip(held_out.starts, held_out.ends, strict=True)]
    _, untrained = evaluate(policy, loss_of, held_out, held_out_spans)
    began = time.perf_counter()
    for epoch in range(1, config.epochs + 1):
        train_epoch(policy, optimiser, loss_of, train_data, spans, config, epoch, lambda event: None)
    seconds = time.perf_counter() - began
    _, metrics = evaluate(policy, loss_of, held_out, held_out_spans)
    summary = metrics.summary()
    used = [b for b in summary["buttons"].values() if b["human"] > 0.01]
    sticks = [summary["heads"][axis] for axis in ("main_x", "main_y")]
    return {
        "backbone": name,
        "hidden_size": policy.config.hidden_size,
        "num_layers": policy.config.num_layers,
        "params": count_parameters(policy),
        "updates": optimiser.step_count,
        "seconds": seconds,
        "loss": summary["negative_log_likelihood"],
        "marginal_loss": untrained.summary()["negative_log_likelihood"],
        "button_f1": float(np.mean([b["f1"] for b in used])),
        "stick_accuracy": float(np.mean([head["accuracy"] for head in sticks])),
        "stick_baseline": float(np.mean([head["majority_baseline"] for head in sticks])),
        "accuracy": summary["accuracy"],
        "majority_baseline": summary["majority_baseline"],
        "collapsed": summary["collapsed"],
        "heads": summary["heads"],
        "buttons": summary["buttons"],
    }


def fit_width(name: str, parameters: int, observation_size: int, nvec: tuple[int, ...]) -> NetworkConfig:
    """Return the shape of a policy whose width, in steps of 8, comes closest to so many parameters."""
    from agents.networks.policy import NetworkConfig, Policy

    def shape(width: int) -> NetworkConfig:
        return NetworkConfig(
            network=name, observation_size=observation_size, nvec=nvec, hidden_size=width
        ).with_defaults()

    def size(width: int) -> int:
        import torch

        with torch.device("meta"):
            return count_parameters(Policy(shape(width)))

    low, high = 8, 8
    while size(high) < parameters:
        low, high = high, 2 * high
    while high - low > 8:
        middle = (low + high) // 16 * 8
        low, high = (middle, high) if size(middle) < parameters else (low, middle)
    return shape(min((low, high), key=lambda width: abs(size(width) - parameters)))


def _nvec(config: BCConfig) -> tuple[int, ...]:
    from agents.networks.heads import choices_per_head
    from melee_env.actions import make_codec

    return choices_per_head(make_codec(config.action).space)


def _clean_games(path: Path, config: BCConfig) -> list[Any]:
    from demonstrations import load_trajectories
    from demonstrations.filters import GameFilter

    filters = GameFilter(
        stages=tuple(Stage),
        min_version=(2, 0, 0),
        min_frames=SHORTEST_GAME,
        humans_only=True,
        normal_ratios=True,
    )
    trajectories = load_trajectories(
        path, observation=config.observation, action=config.action, filters=filters
    )
    if not trajectories:
        raise OptionError(f"{path}: no game of two human players on a tournament stage")
    return trajectories


def _first_frames(trajectory: Any, frames: int) -> Any:
    from agents.testing import ToyTrajectory

    return ToyTrajectory(trajectory.obs[: frames + 1], trajectory.acts[:frames], trajectory.infos[:frames])
