"""The trainer of PPO: Stable-Baselines3 over the native vector environment, our network, our checkpoint.

A feed-forward network is trained by Stable-Baselines3's PPO as it is; one with a memory, or with the previous
action as an input, by :class:`~agents.ppo.sequence.SequencePPO`.
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from torch import nn

import agents
from agents import checkpoint
from agents.base import Progress
from agents.network_agent import NetworkAgent
from agents.networks.heads import choices_per_head
from agents.networks.policy import NetworkConfig, Policy
from agents.ppo.actor_critic import NetworkActorCritic
from agents.ppo.config import PPOConfig
from agents.ppo.pool import OpponentPool
from agents.ppo.sequence import SequencePPO
from melee_env.errors import OptionError
from melee_env.observations import make_encoder


def train(
    config: PPOConfig,
    *,
    out: Path,
    demonstrations: Sequence[Any] | None = None,
    progress: Progress | None = None,
    resume: bool = False,
) -> NetworkAgent:
    """Train in ``config.env`` and return the agent.

    Args:
        config: settings.
        out: folder of the checkpoint.
        demonstrations: not used; clone them first and pass the clone as ``init``.
        progress: called with ``{"event": "rollout", …}``.
        resume: refused, because games and optimiser are not stored; continue with ``init=out``.
    """
    if resume:
        raise OptionError(
            f"ppo does not resume exactly: train with init={str(out)!r} and another out to go on"
        )
    if demonstrations is not None:
        raise OptionError("ppo takes no demonstrations: train bc on them, then pass its folder as init")
    if (out / checkpoint.META).exists():
        raise OptionError(f"{out} already holds a checkpoint: choose another folder for out")
    from melee_env.sb3 import make_vec

    options = {"observation": config.observation, "action": config.action, **config.env_options}
    pool = make_pool(config)
    if pool is not None:
        options["opponent"] = pool
    envs = VecMonitor(make_vec(config.env, num_envs=config.num_envs, seed=config.seed, **options))
    if pool is not None:
        pool.reset(config.num_envs, config.seed)
    try:
        return train_on(envs, config, out, progress, pool)
    finally:
        envs.close()


def train_on(
    envs: VecEnv,
    config: PPOConfig,
    out: Path,
    progress: Progress | None = None,
    pool: OpponentPool | None = None,
) -> NetworkAgent:
    """Train on given environments, which have the observation and action of ``config`` and play against ``pool``."""
    network, anchor, origin = build_network(config, envs)
    model = make_model(config, envs, network, anchor)
    meta = describe("ppo", config, network, origin, frames_per_action(envs))
    recorder = Recorder(network, meta, out, config, progress, pool)
    try:
        model.learn(config.total_steps, callback=recorder)
    finally:  # also after Ctrl-C
        recorder.save()
    return NetworkAgent.load(out)


def make_pool(config: PPOConfig) -> OpponentPool | None:
    """Return the opponents of self-play, None where the environment's own is played."""
    if not config.opponents:
        if config.copy_every:
            raise OptionError("copy_every needs opponents: name the first of them, e.g. scripted:fighter-1")
        return None
    members = [
        (name, agents.load(name) if Path(name).is_dir() else agents.make(name)) for name in config.opponents
    ]
    return OpponentPool(members)


def make_model(config: PPOConfig, envs: VecEnv, network: Policy, anchor: Policy | None) -> PPO:
    """Return the algorithm that fits the network.

    Raises:
        OptionError: the network has a memory and ``window`` does not divide ``rollout_steps``.
    """
    kind: type[PPO] = PPO
    options: dict[str, Any] = {}
    if has_memory(network):
        if config.window < 1 or config.rollout_steps % config.window:
            raise OptionError(
                f"window {config.window} must divide rollout_steps {config.rollout_steps}: rollouts are cut into it"
            )
        kind, options = SequencePPO, {"chunk": config.window}
    return kind(
        NetworkActorCritic,
        envs,
        **options,
        learning_rate=config.learning_rate,
        n_steps=config.rollout_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        clip_range_vf=config.clip_range_value or None,
        ent_coef=1.0,  # the policy weighs its own bonus
        vf_coef=config.value_coef,
        max_grad_norm=config.clip_norm,
        seed=config.seed,
        device="cpu",
        policy_kwargs={
            "network": network,
            "anchor": anchor,
            "entropy_coef": config.entropy_coef,
            "kl_coef": config.kl_coef,
        },
    )


def frames_per_action(envs: VecEnv) -> int:
    """Return for how many frames environments hold an action; 1 for those that are not this package's."""
    try:
        return int(envs.get_attr("games")[0].frame_skip)
    except AttributeError:
        return 1


def describe(
    name: str, config: PPOConfig, network: Policy, origin: dict[str, Any], frame_skip: int
) -> dict[str, Any]:
    """Return what the checkpoint of algorithm ``name`` says about its network; ``origin`` is that of ``init``."""
    return {
        "agent": name,
        "network": network.config.to_json(),
        "observation": {
            "name": config.observation,
            "schema_hash": make_encoder(config.observation).schema_hash,
        },
        "action": {"name": config.action, "nvec": network.config.nvec},
        "characters": origin.get("characters", ()),
        "action_delay": config.env_options.get("action_delay", 0),
        "config": dataclasses.asdict(config),
        "play": {
            "deterministic": config.deterministic,
            "temperature": 1.0,
            "thresholds": None,
            "frame_skip": frame_skip,
        },
    }


def build_network(config: PPOConfig, envs: VecEnv) -> tuple[Policy, Policy | None, dict[str, Any]]:
    """Return the network to train, the anchor, and the meta data of ``init`` (empty without one)."""
    nvec = choices_per_head(envs.action_space)
    assert envs.observation_space.shape is not None
    if not config.init:
        if config.kl_coef:
            raise OptionError(
                "kl_coef pulls towards the policy of init: pass init, the folder of a checkpoint"
            )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = Policy(
                NetworkConfig(
                    network=config.network,
                    observation_size=envs.observation_space.shape[-1],
                    nvec=nvec,
                    hidden_size=config.hidden_size,
                    num_layers=config.num_layers,
                    previous_action=config.previous_action,
                    heads=config.heads,
                    value=True,
                )
            )
        # Almost uniform at first, as is usual for PPO: actions are explored before any is preferred.
        for layer in network.heads.output_layers():
            nn.init.orthogonal_(layer.weight, gain=0.01)
            nn.init.zeros_(layer.bias)
        return network, None, {}

    clone = NetworkAgent.load(config.init)
    shape = clone.policy.config
    if (clone.meta["observation"]["name"], clone.meta["action"]["name"]) != (
        config.observation,
        config.action,
    ):
        raise OptionError(
            f"{config.init} was trained with observation={clone.meta['observation']['name']!r}, "
            f"action={clone.meta['action']['name']!r}; pass the same"
        )
    network = Policy(dataclasses.replace(shape, value=True, dropout=0.0))
    assert network.value is not None
    nn.init.zeros_(network.value.weight)
    nn.init.zeros_(network.value.bias)
    network.load_state_dict({**network.state_dict(), **clone.policy.state_dict()})
    return network, clone.policy, clone.meta


def has_memory(network: Policy) -> bool:
    """Whether a frame's action depends on more than its observation."""
    return bool(network.initial_state(1)) or network.config.previous_action


class Recorder(BaseCallback):
    """Writes history and checkpoints while Stable-Baselines3 runs."""

    def __init__(
        self,
        network: Policy,
        meta: dict[str, Any],
        out: Path,
        config: PPOConfig,
        report: Progress | None,
        pool: OpponentPool | None = None,
    ) -> None:
        super().__init__()
        self.pool = pool
        self.network, self.meta, self.out, self.config = network, meta, out, config
        self.report: Progress = report or (lambda event: None)
        self.history: list[dict[str, Any]] = []
        self.began = time.perf_counter()
        self.outcomes: deque[float] = deque(maxlen=100)
        """1 for a game that was won, 0.5 for a draw; where the reward has a term ``win``"""

    def _on_step(self) -> bool:
        for lane in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][lane]
            if "reward.win" in info:
                self.outcomes.append(0.5 + 0.5 * float(np.sign(info["reward.win"])))
        if self.pool is not None:
            for lane in np.flatnonzero(self.locals["dones"]):
                # The return of damage and stocks says who was ahead.
                self.pool.finish(
                    int(lane), 0.5 + 0.5 * float(np.sign(self.locals["infos"][lane]["episode"]["r"]))
                )
        return True

    def _on_rollout_end(self) -> None:
        buffer: Any = self.locals["rollout_buffer"]
        episodes = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        self.history.append(
            {
                "steps": self.num_timesteps,
                "reward_per_step": float(buffer.rewards.mean()),
                "episode_return": float(np.mean(episodes)) if episodes else None,
                "win_rate": float(np.mean(self.outcomes)) if self.outcomes else None,
                "seconds": time.perf_counter() - self.began,
            }
        )
        if self.pool is not None:
            self.history[-1]["opponents"] = {
                member.name: {"games": member.games, "win_rate": member.win_rate}
                for member in self.pool.members
            }
            if self.config.copy_every and len(self.history) % self.config.copy_every == 0:
                self.pool.add(f"copy {len(self.history)}", NetworkAgent(self.network, self.meta))
                self.network.train()
        self.report({"event": "rollout", "total_steps": self.config.total_steps, **self.history[-1]})
        if len(self.history) % self.config.save_every == 0:
            self.save()

    def save(self) -> None:
        """Write the checkpoint."""
        checkpoint.save(self.out, self.network.state_dict(), {**self.meta, "history": self.history})
