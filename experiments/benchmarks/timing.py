"""Repeated timing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Rate:
    """Units per second over repeated runs."""

    median: float
    low: float
    """slowest run"""
    high: float
    """fastest run"""

    def row(self, name: str) -> dict[str, float]:
        """Return ``name``, ``name_min`` and ``name_max``."""
        return {name: self.median, f"{name}_min": self.low, f"{name}_max": self.high}


def measure_rate(
    run: Callable[[], int], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> Rate:
    """Time ``run`` ``repeats`` times after one run that does not count; it returns how many units it did.

    Args:
        run: what to time.
        repeats: timed runs.
        clock: wall time, or ``time.process_time`` for the time of the core itself.
    """
    run()
    rates = []
    for _ in range(repeats):
        began = clock()
        units = run()
        rates.append(units / (clock() - began))
    return Rate(float(np.median(rates)), min(rates), max(rates))
