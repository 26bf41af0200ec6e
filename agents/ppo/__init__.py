"""Proximal policy optimisation (Stable-Baselines3) as an agent, from scratch or from a cloned network."""

from __future__ import annotations

from typing import Any

from agents.base import Agent, AgentSpec
from agents.ppo.config import PPOConfig


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _train(config: PPOConfig, **arguments: Any) -> Agent:
    from agents.ppo.train import train

    return train(config, **arguments)


SPEC = AgentSpec(
    "ppo",
    "proximal policy optimisation of any backbone, optionally from a checkpoint and with a KL pull towards it",
    load=_load,
    train=_train,
    config=PPOConfig,
    requires=("torch", "safetensors", "stable_baselines3"),
)
