"""DART (Laskey et al. 2017): the expert is disturbed while it plays, and shows how to get back."""

from __future__ import annotations

from typing import Any

from agents.base import Agent, AgentSpec
from agents.dart.config import DARTConfig


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _train(config: DARTConfig, **arguments: Any) -> Agent:
    from agents.dart.train import train

    return train(config, **arguments)


SPEC = AgentSpec(
    "dart",
    "cloning of an expert that plays through noise as large as the learner's errors (networks: any backbone)",
    load=_load,
    train=_train,
    config=DARTConfig,
    requires=("torch", "safetensors", "stable_baselines3", "imitation"),
)
