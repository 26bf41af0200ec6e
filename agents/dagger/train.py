"""The trainer of DAgger and DART, top to bottom: games, expert, network, then round after round."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from imitation.algorithms.dagger import ExponentialBetaSchedule, LinearBetaSchedule
from imitation.util.logger import HierarchicalLogger
from stable_baselines3.common.logger import Logger

import agents
from agents import checkpoint
from agents.base import Agent, Progress
from agents.dagger.config import DAggerConfig, ExpertRoundsConfig
from agents.dagger.learner import SequenceCloning, SequenceDAgger
from agents.dagger.rollouts import ExpertPolicy
from agents.losses import ImitationLoss
from agents.network_agent import NetworkAgent
from agents.networks.heads import choices_per_head
from agents.networks.policy import NetworkConfig, Policy
from agents.optimiser import Optimiser
from melee_env.envs.sb3 import NativeVecEnv, make_vec
from melee_env.errors import CheckpointError, OptionError

TRAINING_STATE = "training.safetensors"
LABELS = "labels"


def train(
    config: DAggerConfig,
    *,
    out: Path,
    demonstrations: Sequence[Any] | None = None,
    progress: Progress | None = None,
    resume: bool = False,
) -> NetworkAgent:
    """Train in ``config.env`` under ``config.expert`` and return the agent.

    Args:
        config: settings.
        out: folder of the checkpoint; the labelled games are in its folder ``labels``.
        demonstrations: refused, the expert makes them.
        progress: called with ``{"event": "round", …}``.
        resume: continue an interrupted run in ``out``; the result is the uninterrupted run's.
    """
    if demonstrations is not None:
        raise OptionError("dagger takes no demonstrations: its expert labels the games that it plays")
    schedule = beta_schedule(config)
    stop_at = config.stop_at_agreement
    return train_rounds(config, "dagger", SequenceDAgger, schedule, out, progress, resume, stop_at)


def train_rounds(
    config: ExpertRoundsConfig,
    name: str,
    kind: type[SequenceDAgger],
    schedule: Callable[[int], float],
    out: Path,
    progress: Progress | None,
    resume: bool,
    stop_at_agreement: float = math.inf,
) -> NetworkAgent:
    """Run the rounds of a trainer of this family.

    Args:
        config: settings.
        name: algorithm that the checkpoint names.
        kind: what a round does.
        schedule: β of a round.
        out: folder of the checkpoint.
        progress: called after every round.
        resume: continue an interrupted run in ``out``.
        stop_at_agreement: end after a round that the policy played alone and as the expert would have, on this
            share of the frames.
    """
    if config.env_options.get("action_delay"):
        raise OptionError(
            f"{name} needs action_delay=0: an expert labels the frame that it sees, not one that is still to come"
        )
    if not resume and (out / checkpoint.META).exists():
        raise OptionError(f"{out} already holds a checkpoint: resume it, or choose another folder for out")
    expert = make_expert(config.expert)
    options = {"observation": config.observation, "action": config.action, **config.env_options}
    venv = make_vec(config.env, num_envs=config.num_envs, **options)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # windows are too small to share
    try:
        report = progress or (lambda event: None)
        return _train(config, name, kind, venv, expert, schedule, out, report, resume, stop_at_agreement)
    finally:
        torch.set_num_threads(threads)
        venv.close()


def _train(
    config: ExpertRoundsConfig,
    name: str,
    kind: type[SequenceDAgger],
    venv: NativeVecEnv,
    expert: Agent,
    schedule: Callable[[int], float],
    out: Path,
    report: Progress,
    resume: bool,
    stop_at_agreement: float,
) -> NetworkAgent:
    encoder, codec = venv.env.games.encoder, venv.env.games.codec
    nvec = choices_per_head(codec.space)
    network = NetworkConfig(
        network=config.network,
        observation_size=encoder.size,
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
    meta: dict[str, Any] = {
        "agent": name,
        "network": network.to_json(),
        "observation": {"name": config.observation, "schema_hash": encoder.schema_hash},
        "action": {"name": config.action, "nvec": nvec},
        "characters": [character.name for character in expert.characters or ()],
        "config": dataclasses.asdict(config),
        "play": {
            "deterministic": config.deterministic,
            "temperature": 1.0,
            "thresholds": None,
            "frame_skip": venv.env.games.frame_skip,
        },
    }
    optimiser = Optimiser(policy, config, total_steps=config.rounds * config.updates_per_round)
    silent = HierarchicalLogger(Logger(None, []))
    # Rollouts sample: lanes that all play the most likely action of one start would all be the same game.
    learner = SequenceCloning(
        venv,
        NetworkAgent(policy, meta, deterministic=False),
        optimiser,
        lambda press_rates: ImitationLoss(config, press_rates, codec),
        config,
        silent,
    )
    trainer = kind(
        config=config,
        venv=venv,
        scratch_dir=out / LABELS,
        expert_policy=ExpertPolicy(expert, venv),
        beta_schedule=schedule,
        bc_trainer=learner,
        custom_logger=silent,
    )
    history: list[dict[str, Any]] = _resume(out, policy, optimiser, trainer, config) if resume else []
    began = time.perf_counter() - (history[-1]["seconds"] if history else 0.0)
    while trainer.round_num < config.rounds and not agrees(history, stop_at_agreement):
        figures = trainer.play_round()
        history.append(checkpoint.plain({**figures, "seconds": time.perf_counter() - began}))
        _save(out, policy, optimiser, history, meta)
        report({"event": "round", "rounds": config.rounds, **history[-1]})
    return NetworkAgent.load(out)


def agrees(history: Sequence[dict[str, Any]], share: float) -> bool:
    """Whether the policy, when it last played, did so alone and as the expert on at least ``share`` of the frames."""
    return bool(history) and history[-1]["beta"] == 0 and history[-1]["agreement"] >= share


def beta_schedule(config: DAggerConfig) -> Callable[[int], float]:
    """Return β of a round, 0..1: the share of frames on which the expert plays.

    Raises:
        OptionError: an unknown name or an impossible figure.
    """
    if config.beta == "linear":
        if config.beta_rounds < 1:
            raise OptionError(f"beta_rounds must be at least 1, got {config.beta_rounds}")
        linear: Callable[[int], float] = LinearBetaSchedule(config.beta_rounds)
        return linear
    if config.beta == "exponential":
        if not 0 < config.beta_decay <= 1:
            raise OptionError(f"beta_decay must be above 0 and at most 1, got {config.beta_decay}")
        exponential: Callable[[int], float] = ExponentialBetaSchedule(config.beta_decay)
        return exponential
    raise OptionError(f"unknown beta {config.beta!r}; known: linear, exponential")


def make_expert(name: str) -> Agent:
    """Load the checkpoint folder ``name``, or make the agent of that name."""
    return agents.load(name) if Path(name).is_dir() else agents.make(name)


def _save(
    out: Path, policy: Policy, optimiser: Optimiser, history: list[dict[str, Any]], meta: dict[str, Any]
) -> None:
    checkpoint.save(out, policy.state_dict(), {**meta, "history": history})
    tensors = {f"policy.{k}": v for k, v in policy.state_dict().items()}
    tensors |= {f"optimiser.{k}": v for k, v in optimiser.tensors().items()}
    state = {"config": meta["config"], "history": history, "step": optimiser.step_count}
    checkpoint.save_tensors(out / TRAINING_STATE, tensors, {"state": json.dumps(checkpoint.plain(state))})


def _resume(
    out: Path, policy: Policy, optimiser: Optimiser, trainer: SequenceDAgger, config: ExpertRoundsConfig
) -> list[dict[str, Any]]:
    """Put the last round's weights, optimiser and games back; refuse another run's."""
    tensors, metadata = checkpoint.load_tensors(out / TRAINING_STATE)
    state = json.loads(metadata.get("state", "null"))
    if state is None:
        raise CheckpointError(f"{out / TRAINING_STATE}: holds no training state")
    wanted = checkpoint.plain(dataclasses.asdict(config))
    changed = [key for key in wanted if state["config"].get(key) != wanted[key]]
    if changed:
        pairs = ", ".join(f"{key}: {state['config'].get(key)!r} then, {wanted[key]!r} now" for key in changed)
        raise OptionError(f"cannot resume {out} with other settings ({pairs})")
    parts: dict[str, dict[str, Any]] = {"policy": {}, "optimiser": {}}
    for name, tensor in tensors.items():
        owner, _, key = name.partition(".")
        parts[owner][key] = tensor
    policy.load_state_dict(parts["policy"])
    optimiser.load(parts["optimiser"], state["step"])
    history: list[dict[str, Any]] = state["history"]
    trainer.resume(history)
    return history
