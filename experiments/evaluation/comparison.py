"""Two agents on the same games: paired differences, and how many games would tell them apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from experiments.evaluation.games import FRAMES_PER_MINUTE, GameResults
from experiments.evaluation.intervals import CONFIDENCE, mean_interval
from melee_env.errors import OptionError

POWER = 0.8
"""chance that as many games as are said to be needed show a difference of the observed size"""


def games_needed(differences: ArrayLike, confidence: float = CONFIDENCE, power: float = POWER) -> int | None:
    """Return how many paired games a mean difference of the observed size needs to be seen.

    Normal approximation of the paired test, n = ((z_{1−α/2} + z_{power}) · s / mean)².

    Args:
        differences: ``[n]``, one per pair of games.
        confidence: 1 − α of the two-sided test.
        power: chance of seeing it.

    Returns:
        At least 2; None where the observed mean is 0 or there are fewer than two pairs.
    """
    from scipy.special import ndtri

    data = np.asarray(differences, np.float64)
    if len(data) < 2 or data.mean() == 0:
        return None
    z = float(ndtri(0.5 + confidence / 2) + ndtri(power))
    return max(2, math.ceil((z * data.std(ddof=1) / data.mean()) ** 2))


def compare(ours: GameResults, baseline: GameResults) -> dict[str, Any]:
    """Compare two agents that played the same games: same seed, opponent, options and number.

    Returns:
        Per figure ``mean``, ``low``, ``high`` of ours − baseline with the 95 % interval of the paired bootstrap,
        and ``games_needed`` to see a difference of that size (two-sided 5 %, power 0.8).

    Raises:
        OptionError: the games are not the same.
    """
    same = (ours.seed, ours.options, len(ours), ours.opponent)
    if same != (baseline.seed, baseline.options, len(baseline), baseline.opponent):
        raise OptionError("only agents that played the same games can be compared pairwise")
    found = {}
    for name in ("win_rate", "net_stocks", "net_damage_per_min"):
        differences = _per_game(ours, name) - _per_game(baseline, name)
        found[name] = describe_differences(differences, ours.seed)
    return found


def describe_differences(differences: ArrayLike, seed: int) -> dict[str, Any]:
    """Return ``mean``, ``low``, ``high`` (paired bootstrap) and ``games_needed`` of differences ``[n]``."""
    interval = mean_interval(differences, seed)
    return {**interval.to_json(), "games_needed": games_needed(differences)}


def _per_game(results: GameResults, name: str) -> np.ndarray:
    if name == "win_rate":
        return results.outcomes
    if name == "net_stocks":
        return results.net_stocks.astype(np.float64)
    minutes = np.maximum(results.frames, 1) / FRAMES_PER_MINUTE
    return (results.damage_dealt - results.damage_taken) / minutes
