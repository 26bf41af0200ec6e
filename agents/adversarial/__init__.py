"""Adversarial imitation through ``imitation``: GAIL (Ho and Ermon 2016) and AIRL (Fu et al. 2018)."""

from __future__ import annotations

from typing import Any

from agents.adversarial.config import AdversarialConfig
from agents.base import Agent, AgentSpec


def _load(path: Any, **options: Any) -> Agent:
    from agents.network_agent import NetworkAgent

    return NetworkAgent.load(path, **options)


def _spec(name: str, summary: str) -> AgentSpec:
    def train(config: AdversarialConfig, **arguments: Any) -> Agent:
        from agents.adversarial.train import train

        return train(name, config, **arguments)

    return AgentSpec(
        name,
        summary,
        load=_load,
        train=train,
        config=AdversarialConfig,
        requires=("torch", "safetensors", "stable_baselines3", "imitation"),
    )


GAIL_SPEC = _spec("gail", "PPO rewarded by a discriminator between its steps and the demonstrations'")
AIRL_SPEC = _spec("airl", "PPO rewarded by a learnt reward function that explains the demonstrations")
