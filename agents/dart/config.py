"""Settings of DART."""

from __future__ import annotations

from dataclasses import dataclass

from agents.dagger.config import ExpertRoundsConfig


@dataclass(frozen=True, kw_only=True)
class DARTConfig(ExpertRoundsConfig):
    """Disturbances for augmenting robot trajectories: the expert plays through noise like the learner's errors."""

    first_noise: float = 0.02
    """share of the frames on which each head is disturbed in the first round, 0..1"""
    noise_scale: float = 1.0
    """later noise of a head as a multiple of how often the learner differs from the expert there"""
    max_noise: float = 0.2
    """no head is disturbed more often, 0..1"""
