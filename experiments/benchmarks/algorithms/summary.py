"""From runs to a table: interquartile means of normalised scores, with bootstrap intervals (Agarwal et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.evaluation.intervals import CONFIDENCE, RESAMPLES, Interval


def interquartile_mean(groups: Sequence[ArrayLike], seed: int = 0) -> Interval:
    """Return the mean of the middle half of all scores, with its stratified bootstrap interval.

    Args:
        groups: scores of the seeds of every environment; resampled within each.
        seed: fixes the resampling.
    """
    from scipy.stats import trim_mean

    data: list[NDArray[np.float64]] = [np.asarray(group, np.float64) for group in groups if np.size(group)]
    if not data:
        return Interval(float("nan"), None, None)
    mean = float(trim_mean(np.concatenate(data), 0.25))
    if min(len(group) for group in data) < 2:
        return Interval(mean, None, None)
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [group[rng.integers(len(group), size=(RESAMPLES, len(group)))] for group in data], 1
    )
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(trim_mean(drawn, 0.25, axis=1), [tail, 100 - tail])
    return Interval(mean, float(low), float(high))


def summarise(
    results: Sequence[Mapping[str, Any]], ends: Mapping[str, Mapping[str, float]], seed: int = 0
) -> dict[str, Any]:
    """Return ``rows``, one per algorithm and environment, and ``overall``, one per algorithm.

    Args:
        results: of :func:`~experiments.benchmarks.algorithms.runs.run_tasks`.
        ends: per environment what ``expert`` (score 1) and ``floor`` (score 0) reach.
        seed: fixes the resampling.
    """
    done = [result for result in results if "error" not in result]
    rows, overall = [], []
    for name in dict.fromkeys(result["row"] for result in results):
        groups = []
        for place in dict.fromkeys(result["environment"] for result in results if result["row"] == name):
            runs = [run for run in done if (run["row"], run["environment"]) == (name, place)]
            values = [run["figures"]["value"] for run in runs]
            low, high = ends[place]["floor"], ends[place]["expert"]
            scores = [(value - low) / (high - low) if high != low else float("nan") for value in values]
            groups.append(scores)
            rows.append(
                {
                    "algorithm": name,
                    "environment": place,
                    "seeds": len(runs),
                    "failed": sum(
                        "error" in run for run in results if (run["row"], run["environment"]) == (name, place)
                    ),
                    "iqm": interquartile_mean([scores], seed).to_json(),
                    "median": float(np.median(values)) if values else None,
                    "smallest": min(values, default=None),
                    "largest": max(values, default=None),
                    "cpu_seconds": float(np.median([run["cpu_seconds"] for run in runs])) if runs else None,
                    "wall_seconds": float(np.median([run["wall_seconds"] for run in runs])) if runs else None,
                    "largest_cpu_seconds": max((run["cpu_seconds"] for run in runs), default=None),
                }
            )
        overall.append(
            {
                "algorithm": name,
                "environments": len(groups),
                "iqm": interquartile_mean(groups, seed).to_json(),
            }
        )
    return {"rows": rows, "overall": overall, "ends": {name: dict(end) for name, end in ends.items()}}


def markdown(summary: Mapping[str, Any]) -> str:
    """Return the table of :func:`summarise` in Markdown."""
    lines = [
        "| algorithm | environment | seeds | IQM of the score (95 %) | median | range | CPU per training |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in summary["rows"]:
        failed = f" ({row['failed']} failed)" if row["failed"] else ""
        if row["median"] is None:
            lines.append(f"| {row['algorithm']} | {row['environment']} | 0{failed} | – | – | – | – |")
            continue
        lines.append(
            f"| {row['algorithm']} | {row['environment']} | {row['seeds']}{failed} | {Interval(**row['iqm'])} "
            f"| {row['median']:.3g} | {row['smallest']:.3g} … {row['largest']:.3g} | {row['cpu_seconds']:.0f} s |"
        )
    for place, end in summary["ends"].items():
        lines.append(f"| expert | {place} | | 1 | {end['expert']:.3g} | | |")
        lines.append(f"| floor | {place} | | 0 | {end['floor']:.3g} | | |")
    return "\n".join(lines)
