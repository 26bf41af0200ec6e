"""95 % intervals: Wilson's for a share, the bootstrap's for a mean, the ratio estimator's for a share of frames."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A figure and its 95 % interval; without at least two games there is no interval."""

    mean: float
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, Any]:
        """Return ``mean``, ``low``, ``high``."""
        return asdict(self)

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.2f} (no interval)"
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


def wilson_interval(successes: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the share of ``successes`` among ``n`` with Wilson's score interval.

    Args:
        successes: how many succeeded; a draw may count one half.
        n: how many were tried.
        confidence: nominal coverage, 0..1.

    >>> str(wilson_interval(8, 10))
    '0.80 [0.49, 0.94]'
    """
    if n == 0:
        return Interval(math.nan, None, None)
    from scipy.special import ndtri

    z = float(ndtri(0.5 + confidence / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def mean_interval(values: ArrayLike, seed: int = 0, confidence: float = CONFIDENCE) -> Interval:
    """Return the mean of ``values`` ``[n]`` with its bias-corrected bootstrap interval.

    Args:
        values: one figure per game (or run).
        seed: fixes the resampling.
        confidence: nominal coverage, 0..1.
    """
    data = np.asarray(values, np.float64)
    mean = float(data.mean()) if len(data) else math.nan
    if len(data) < 2:
        return Interval(mean, None, None)
    if np.ptp(data) == 0.0:
        return Interval(mean, mean, mean)
    from scipy.stats import bootstrap

    result = bootstrap(
        (data,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=confidence,
        method="BCa",
        rng=np.random.default_rng(seed),
    )
    low, high = (float(bound) for bound in result.confidence_interval)
    return Interval(mean, low, high)


def ratio_interval(
    numerators: ArrayLike, denominators: ArrayLike, confidence: float = CONFIDENCE
) -> Interval:
    """Return Σ numerators / Σ denominators with the interval that whole games as the sampled units give.

    Frames of one game resemble each other, so that a share of frames is only as sure as its number of games allows.
    Ratio estimator with Student's t (Cochran 1977, Sampling Techniques, 6.4 and 2.33).

    Args:
        numerators: ``[n]``, one per game, such as frames that were right.
        denominators: ``[n]``, such as its frames; a game with 0 counts, but adds nothing.
        confidence: nominal coverage, 0..1.

    >>> str(ratio_interval([9, 16, 23], [10, 20, 30]))
    '0.80 [0.68, 0.92]'
    """
    a, b = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    if b.sum() == 0:
        return Interval(math.nan, None, None)
    ratio, n = float(a.sum() / b.sum()), len(a)
    if n < 2:
        return Interval(ratio, None, None)
    from scipy.special import stdtrit

    error = math.sqrt(n / (n - 1) * float(np.square(a - ratio * b).sum())) / float(b.sum())
    half = float(stdtrit(n - 1, 0.5 + confidence / 2)) * error
    return Interval(ratio, ratio - half, ratio + half)


def describe(values: ArrayLike, seed: int = 0) -> dict[str, Any]:
    """Return ``mean``, ``median``, ``low``, ``high`` of one figure per game."""
    interval = mean_interval(values, seed)
    return {
        "mean": interval.mean,
        "median": float(np.median(np.asarray(values))),
        "low": interval.low,
        "high": interval.high,
    }
