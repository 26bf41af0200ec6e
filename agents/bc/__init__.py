"""Behavioural cloning: a network imitates the players of recorded games."""

from __future__ import annotations

from typing import Any

from agents.base import Agent, AgentSpec
from agents.bc.config import BCConfig


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _train(config: BCConfig, **arguments: Any) -> Agent:
    from agents.bc.train import train

    return train(config, **arguments)


SPEC = AgentSpec(
    "bc",
    "behavioural cloning of recorded players (networks: gru, mlp, installed backbones)",
    load=_load,
    train=_train,
    config=BCConfig,
    requires=("torch", "safetensors"),
)
