"""Advantage-weighted behavioural cloning (Peng et al. 2019): copy most what turned out better than expected."""

from __future__ import annotations

from typing import Any

from agents.awbc.config import AWBCConfig
from agents.base import Agent, AgentSpec


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _train(config: AWBCConfig, **arguments: Any) -> Agent:
    from agents.awbc.advantages import Advantages
    from agents.bc.train import train

    weigh = Advantages(config, arguments["demonstrations"] or ())
    return train(config, name="awbc", weigh=weigh, **arguments)


SPEC = AgentSpec(
    "awbc",
    "behavioural cloning weighted by how much better than expected a game went on (networks: any backbone)",
    load=_load,
    train=_train,
    config=AWBCConfig,
    requires=("torch", "safetensors"),
)
