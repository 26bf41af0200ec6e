"""Settings of adversarial imitation."""

from __future__ import annotations

from dataclasses import dataclass

from agents.ppo.config import PPOConfig


@dataclass(frozen=True, kw_only=True)
class AdversarialConfig(PPOConfig):
    """PPO whose reward is a discriminator's: how much a step looks like the demonstrations."""

    demonstration_batch_size: int = 512
    """demonstrated steps of a discriminator update, with as many of the policy's"""
    discriminator_updates: int = 4
    """updates of the discriminator after every rollout"""
    discriminator_learning_rate: float = 3e-4
    """learning rate of the discriminator"""
