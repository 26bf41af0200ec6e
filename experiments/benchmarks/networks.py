"""Behavioural cloning with several backbones: the same games, parameters and updates for each."""

from __future__ import annotations

import dataclasses
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
    epochs: int = 10,
    validation_frames: int = 1800,
    seeds: Sequence[int] = (0,),
    done: Mapping[str, Any] | None = None,
    report: Callable[[dict[str, Any]], None] = lambda result: None,
) -> dict[str, Any]:
    """Clone the players of ``training`` with every backbone, and measure on the games of ``validation``.

    Buttons are weighted by sqrt((1-r)/r) of their press rate r; that lets a rare press be the likelier choice. The
    last epoch is what counts, so that all have the same updates and nothing is chosen by the games measured on.

    Args:
        training: replays to learn from: two human players, the six tournament stages, half a minute or more.
        validation: replays to measure on, chosen likewise.
        backbones: names.
        parameters: trained numbers of every policy, met as closely as widths in steps of 8 allow.
        epochs: passes over the training frames; the updates are equally many for all.
        validation_frames: first frames of every player's games that are measured.
        seeds: each fixes initial weights and the order of the data; one row per backbone and seed.
        done: an earlier result whose rows are kept.
        report: called with the result so far after every new row.

    Returns:
        ``settings``; ``majority``: what the most frequent choices of the measured frames reach; ``rows`` with
        ``backbone``, ``seed``, ``hidden_size``, ``num_layers``, ``params``, ``updates``, ``loss`` (nats per
        frame), ``button_f1`` (mean over buttons pressed on more than 1 % of frames), ``stick_accuracy`` (main stick,
        both axes), ``accuracy``, ``collapsed``, ``seconds`` and the same per epoch in ``epochs``.

    Raises:
        OptionError: ``done`` was measured with other settings.
    """
    from agents.bc.config import BCConfig
    from agents.bc.lanes import Demonstrations

    config = BCConfig(epochs=epochs, batch_size=16, button_pos_weight="auto", stick_edge_weight=2.0)
    train_data = Demonstrations(_clean_games(training, config))
    held_out = Demonstrations([_first_frames(t, validation_frames) for t in _clean_games(validation, config)])
    settings = {
        "parameters": parameters,
        "epochs": epochs,
        "training_digest": train_data.digest(),
        "training_frames": len(train_data),
        "validation_digest": held_out.digest(),
        "validation_frames": len(held_out),
    }
    rows = list(done["rows"]) if done else []
    if done is not None:
        _check_settings(done["settings"], settings)
    result: dict[str, Any] = {
        "settings": settings,
        "config": dataclasses.asdict(config),
        "majority": _majority(train_data, held_out, _nvec(config)),
        "rows": rows,
    }
    measured = {(row["backbone"], row["seed"]) for row in rows}
    with one_thread():
        for seed in seeds:
            for name in backbones:
                if (name, seed) not in measured:
                    seeded = dataclasses.replace(config, seed=seed)
                    rows.append(_measure(name, parameters, seeded, train_data, held_out))
                    report(result)
    return result


def markdown(result: Mapping[str, Any]) -> str:
    """Return one line per backbone; over several seeds the mean ± half of Student's 95 % interval."""
    lines = [
        "| backbone | width × layers | parameters | seeds | loss | button F1 | main stick | all heads | collapsed |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["backbone"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["backbone"] == name]
        figures = [
            _mean([row[key] for row in rows]) for key in ("loss", "button_f1", "stick_accuracy", "accuracy")
        ]
        collapsed = sorted({button for row in rows for button in row["collapsed"]})
        lines.append(
            f"| {name} | {rows[0]['hidden_size']} × {rows[0]['num_layers']} | {rows[0]['params']:,} | {len(rows)} "
            f"| {' | '.join(figures)} | {', '.join(collapsed) or 'none'} |"
        )
    majority = result["majority"]
    lines.append(
        f"| majority | | | | {majority['loss']:.3f} | {majority['button_f1']:.3f} "
        f"| {majority['stick_accuracy']:.3f} | {majority['accuracy']:.3f} | {', '.join(majority['collapsed'])} |"
    )
    return "\n".join(lines)


def _check_settings(then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    changed = [f"{key}: {then.get(key)} then, {now[key]} now" for key in now if then.get(key) != now[key]]
    if changed:
        raise OptionError(
            f"the earlier rows have other settings ({', '.join(changed)}): choose another --json"
        )


def _mean(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.3f}"
    from scipy.stats import sem, t

    return f"{np.mean(values):.3f} ± {t.ppf(0.975, len(values) - 1) * sem(values):.3f}"


def _majority(train_data: Any, held_out: Any, nvec: tuple[int, ...]) -> dict[str, Any]:
    """Return what constants reach: the measured frames' most frequent choices; for the loss, training shares."""
    import torch

    from agents.metrics import ImitationMetrics
    from agents.networks.heads import ActionDistribution, marginal_logits

    def always(shares_of: Any) -> dict[str, Any]:
        metrics = ImitationMetrics(nvec)
        with torch.inference_mode():
            logits = marginal_logits(shares_of.actions, nvec).expand(len(held_out), -1)
            metrics.add(ActionDistribution(logits, nvec), held_out.actions)
        return _figures(metrics.summary())

    return {**always(held_out), "loss": always(train_data)["loss"]}


def _figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    from agents.metrics import COLLAPSE_HUMAN

    used = [button for button in summary["buttons"].values() if button["human"] > COLLAPSE_HUMAN]
    return {
        "loss": summary["negative_log_likelihood"],
        "button_f1": float(np.mean([button["f1"] for button in used])),
        "stick_accuracy": float(
            np.mean([summary["heads"][axis]["accuracy"] for axis in ("main_x", "main_y")])
        ),
        "accuracy": summary["accuracy"],
        "collapsed": summary["collapsed"],
    }


def _measure(name: str, parameters: int, config: BCConfig, train_data: Any, held_out: Any) -> dict[str, Any]:
    import torch

    from agents.bc.epoch import evaluate, train_epoch
    from agents.bc.lanes import count_windows
    from agents.losses import ImitationLoss
    from agents.networks.policy import Policy
    from agents.optimiser import Optimiser
    from melee_env.actions import make_codec

    shape = fit_width(name, parameters, train_data.observations.shape[1], _nvec(config))
    torch.manual_seed(config.seed)
    policy = Policy(dataclasses.replace(shape, dropout=config.dropout))
    policy.normaliser.fit(train_data.observations)
    policy.heads.start_from_marginals(train_data.actions)
    press_rates = (train_data.actions == 1).float().mean(0)
    loss_of = ImitationLoss(config, press_rates, make_codec(config.action))
    updates = config.epochs * count_windows(len(train_data), config.batch_size, config.window)
    optimiser = Optimiser(policy, config, total_steps=updates)
    spans = [range(a, b) for a, b in zip(train_data.starts, train_data.ends, strict=True)]
    held_out_spans = [range(a, b) for a, b in zip(held_out.starts, held_out.ends, strict=True)]
    history, seconds, summary = [], 0.0, {}
    for epoch in range(1, config.epochs + 1):
        began = time.perf_counter()
        train_loss = train_epoch(
            policy, optimiser, loss_of, train_data, spans, config, epoch, lambda event: None
        )
        seconds += time.perf_counter() - began
        _, metrics = evaluate(policy, loss_of, held_out, held_out_spans)
        summary = metrics.summary()
        history.append({"epoch": epoch, "train_loss": train_loss, **_figures(summary)})
    return {
        "backbone": name,
        "seed": config.seed,
        "hidden_size": policy.config.hidden_size,
        "num_layers": policy.config.num_layers,
        "params": count_parameters(policy),
        "updates": optimiser.step_count,
        "seconds": seconds,
        **_figures(summary),
        "heads": summary["heads"],
        "buttons": summary["buttons"],
        "epochs": history,
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
