"""DAgger (Ross et al. 2011): the expert labels the states that the learner visits. Rounds are ``imitation``'s."""

from __future__ import annotations

from typing import Any

from agents.base import Agent, AgentSpec
from agents.dagger.config import DAggerConfig


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _train(config: DAggerConfig, **arguments: Any) -> Agent:
    from agents.dagger.train import train

    return train(config, **arguments)


SPEC = AgentSpec(
    "dagger",
    "dataset aggregation with an expert that labels the visited states (networks: any backbone)",
    load=_load,
    train=_train,
    config=DAggerConfig,
    requires=("torch", "safetensors", "stable_baselines3", "imitation"),
)
