"""Scheduled sampling (Bengio et al. 2015): cloning on the network's own previous actions."""

from __future__ import annotations

from typing import Any

from agents.base import Agent, AgentSpec
from agents.scheduled_sampling.config import ScheduledSamplingConfig


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _train(config: ScheduledSamplingConfig, **arguments: Any) -> Agent:
    from agents.bc.train import train
    from agents.scheduled_sampling.feedback import ScheduledSampling

    return train(config, name="scheduled_sampling", feed_back=ScheduledSampling(config), **arguments)


SPEC = AgentSpec(
    "scheduled_sampling",
    "behavioural cloning on the network's own previous actions, more and more often (networks: any backbone)",
    load=_load,
    train=_train,
    config=ScheduledSamplingConfig,
    requires=("torch", "safetensors"),
)
