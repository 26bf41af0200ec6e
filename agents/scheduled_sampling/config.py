"""Settings of scheduled sampling."""

from __future__ import annotations

from dataclasses import dataclass

from agents.bc.config import BCConfig


@dataclass(frozen=True, kw_only=True)
class ScheduledSamplingConfig(BCConfig):
    """Behavioural cloning whose previous-action input is, more and more often, the network's own output."""

    previous_action: bool = True
    """the action of the previous frame is an input too; it must be"""
    sampling_probability: float = 0.5
    """share of the frames, in the end, whose previous action is the network's own, 0..1"""
    ramp_epochs: int = 4
    """epochs over which that share grows in equal steps from 0"""
    max_passes: int = 4
    """passes that the network's own outputs may take to agree with themselves; as many as the window is exact"""
