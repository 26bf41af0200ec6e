"""The trainer of GAIL and AIRL: ``imitation``'s discriminators around our PPO and our networks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from imitation.algorithms.adversarial.airl import AIRL
from imitation.algorithms.adversarial.gail import GAIL
from imitation.data.rollout import flatten_trajectories
from imitation.rewards.reward_nets import BasicRewardNet, BasicShapedRewardNet
from imitation.util.logger import HierarchicalLogger
from imitation.util.networks import RunningNorm
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from agents import checkpoint
from agents.adversarial.config import AdversarialConfig
from agents.base import Progress
from agents.network_agent import NetworkAgent
from agents.ppo.train import Recorder, build_network, describe, frames_per_action, has_memory, make_model
from melee_env.errors import OptionError
from melee_env.sb3 import make_vec

TRAINERS: dict[str, tuple[Any, Any]] = {"gail": (GAIL, BasicRewardNet), "airl": (AIRL, BasicShapedRewardNet)}
"""Algorithm and its reward network."""


def train(
    name: str,
    config: AdversarialConfig,
    *,
    out: Path,
    demonstrations: Sequence[Any] | None,
    progress: Progress | None = None,
    resume: bool = False,
) -> NetworkAgent:
    """Imitate ``demonstrations`` in ``config.env`` and return the agent.

    Args:
        name: ``gail`` or ``airl``.
        config: settings.
        out: folder of the checkpoint.
        demonstrations: trajectories in ``imitation``'s format, of the observation and action of ``config``.
        progress: called with ``{"event": "rollout", …}``; rewards are the discriminator's.
        resume: refused, as by PPO.
    """
    if resume:
        raise OptionError(f"{name} does not resume: train with init={str(out)!r} and another out to go on")
    if not demonstrations:
        raise OptionError(f"{name} needs demonstrations=: see demonstrations.load_trajectories")
    if (out / checkpoint.META).exists():
        raise OptionError(f"{out} already holds a checkpoint: choose another folder for out")
    options = {"observation": config.observation, "action": config.action, **config.env_options}
    envs = VecMonitor(make_vec(config.env, num_envs=config.num_envs, seed=config.seed, **options))
    try:
        return train_on(name, envs, config, demonstrations, out, progress)
    finally:
        envs.close()


def train_on(
    name: str,
    envs: VecEnv,
    config: AdversarialConfig,
    demonstrations: Sequence[Any],
    out: Path,
    progress: Progress | None = None,
) -> NetworkAgent:
    """Train on given environments, which have the observation and action of ``config``."""
    network, anchor, origin = build_network(config, envs)
    if has_memory(network):
        raise OptionError(f"{name} judges single steps: use a network without a memory, network='mlp'")
    transitions = flatten_trajectories(list(demonstrations))
    seen, wanted = np.shape(demonstrations[0].obs)[1:], envs.observation_space.shape
    if seen != wanted:
        raise OptionError(
            f"demonstrations have observations of shape {seen}, the environment has {wanted}; "
            f"load them with observation={config.observation!r}"
        )
    model = make_model(config, envs, network, anchor)
    algorithm, reward_network = TRAINERS[name]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        rewards = reward_network(envs.observation_space, envs.action_space, normalize_input_layer=RunningNorm)
        trainer = algorithm(
            demonstrations=transitions,
            demo_batch_size=min(config.demonstration_batch_size, len(transitions)),
            venv=envs,
            gen_algo=model,
            reward_net=rewards,
            n_disc_updates_per_round=config.discriminator_updates,
            disc_opt_kwargs={"lr": config.discriminator_learning_rate},
            custom_logger=HierarchicalLogger(Logger(str(out), []), []),
            log_dir=out,
            allow_variable_horizon=True,
        )
        meta = describe(name, config, network, origin, frames_per_action(envs))
        recorder = Recorder(network, meta, out, config, progress)
        trainer.gen_callback = [trainer.gen_callback, recorder]
        try:
            trainer.train(config.total_steps)
        finally:  # also after Ctrl-C
            recorder.save()
    return NetworkAgent.load(out)
