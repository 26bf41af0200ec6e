"""Settings of advantage-weighted cloning."""

from __future__ import annotations

from dataclasses import dataclass

from agents.bc.config import BCConfig


@dataclass(frozen=True, kw_only=True)
class AWBCConfig(BCConfig):
    """Behavioural cloning whose frames weigh exp(advantage / advantage_temperature)."""

    discount: float = 0.99
    """of later rewards, per frame, 0..1"""
    advantage_temperature: float = 1.0
    """in standard deviations of the advantage; small ones copy only the best, large ones everything alike"""
    max_weight: float = 20.0
    """most that a frame weighs"""
