"""An agent beside recorded players: the tables of ``melee-env eval --data``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Table = tuple[list[list[Any]], list[str]]
"""rows and headers"""


def bounds(interval: Sequence[float] | Mapping[str, float | None] | None) -> str:
    """Return a 95 % interval in brackets; without one, say so.

    >>> bounds([0.25, 0.5]), bounds(None)
    ('[0.250, 0.500]', '(no interval)')
    """
    low, high = (
        (interval["low"], interval["high"]) if isinstance(interval, Mapping) else interval or (None, None)
    )
    return "(no interval)" if low is None else f"[{low:.3f}, {high:.3f}]"


def head_rows(found: Mapping[str, Any]) -> Table:
    """Return one row per head, from :meth:`experiments.evaluation.recordings.RecordingResults.summary`."""
    headers = ["head", "accuracy", "95 %", "majority", "in top 3", "calibration error"]
    return [
        [
            name,
            head["accuracy"],
            bounds(head["interval"]),
            head["majority_baseline"],
            None if name in found["buttons"] else head["top_3"],  # of two choices, both are
            head["calibration_error"],
        ]
        for name, head in found["heads"].items()
    ], headers


def button_rows(found: Mapping[str, Any]) -> Table:
    """Return one row per button that anybody presses."""
    headers = ["button", "F1", "95 %", "players press", "agent presses", "agent/players", "95 %", ""]
    return [
        [
            name,
            button["f1"],
            bounds(button["f1_interval"]),
            button["human"],
            button["predicted"],
            button["press_ratio"]["mean"],
            bounds(button["press_ratio"]),
            "COLLAPSED" if button["collapsed"] else "",
        ]
        for name, button in found["buttons"].items()
        if button["human"] or button["predicted"]
    ], headers


def family_rows(found: Mapping[str, Any]) -> Table:
    """Return one row per family of action states, the commonest first."""
    headers = ["doing", "frames", "all heads", "95 %", "majority", "whole action", "95 %", "majority"]
    return [
        [
            name,
            row["frames"],
            row["accuracy"],
            bounds(row["interval"]),
            row["majority_baseline"],
            row["exact_accuracy"],
            bounds(row["exact_interval"]),
            row["exact_majority_baseline"],
        ]
        for name, row in found["families"].items()
    ], headers
