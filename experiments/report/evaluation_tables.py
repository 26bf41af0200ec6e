"""The tables of ``melee-env eval``, for the terminal and for the page."""

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
    headers = ["head", "accuracy", "95 %", "majority", "in top 3", "3 commonest", "calibration error"]
    return [
        [
            name,
            head["accuracy"],
            bounds(head["interval"]),
            head["majority_baseline"],
            *(None if name in found["buttons"] else head[key] for key in ("top_3", "top_3_baseline")),
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
            button["press_ratio"]["mean"] if button["human"] else None,
            bounds(button["press_ratio"]),
            "COLLAPSED" if button["collapsed"] else "",
        ]
        for name, button in found["buttons"].items()
        if button["human"] or button["predicted"]
    ], headers


def family_rows(found: Mapping[str, Any]) -> Table:
    """Return one row per family of action states, the commonest first."""
    headers = ["doing", "frames", "games", *_ACCURACIES]
    return [
        [name, row["frames"], row["games"], *_accuracies(row)] for name, row in found["families"].items()
    ], headers


def fixture_rows(found: Mapping[str, Any]) -> Table:
    """Return one row per button, from :func:`experiments.evaluation.fixture.fixture_agreement`."""
    headers = ["button", "agreement", "majority", "recorded", "agent presses", "agent/recorded"]
    keys = ("agreement", "majority_baseline", "recorded", "predicted")
    return [
        [
            name,
            *(button[key] for key in keys),
            button["predicted"] / button["recorded"] if button["recorded"] else None,
        ]
        for name, button in found["buttons"].items()
    ], headers


def unseen_rows(manifold: Mapping[str, Any]) -> Table:
    """Return one row per action state in which the most frames off the manifold were spent."""
    headers = ["state", "animation frames", "frames", "share", "games"]
    return [
        [
            row["state"],
            "–".join(map(str, dict.fromkeys(row["action_frames"]))),
            row["frames"],
            row["share"],
            row["games"],
        ]
        for row in manifold["unseen"]
    ], headers


def agreement_rows(manifold: Mapping[str, Any]) -> Table:
    """Return one row per agent and place, on and off the manifold."""
    headers = ["agent", "manifold", "frames", "games", *_ACCURACIES]
    return [
        [name, place, row["frames"], row["games"], *_accuracies(row)]
        for name, places in manifold["agreement"].items()
        for place, row in places.items()
    ], headers


def difference_rows(difference: Mapping[str, Any]) -> Table:
    """Return one row per figure in which two agents are compared on the same games."""
    headers = ["difference", "mean", "95 %", "games needed to see it"]
    return [
        [name, row["mean"], bounds(row), row["games_needed"]] for name, row in difference.items()
    ], headers


_ACCURACIES = ["all heads", "95 %", "majority", "whole action", "95 %", "majority"]


def _accuracies(row: Mapping[str, Any]) -> list[Any]:
    return [
        row["accuracy"],
        bounds(row["interval"]),
        row["majority_baseline"],
        row["exact_accuracy"],
        bounds(row["exact_interval"]),
        row["exact_majority_baseline"],
    ]
