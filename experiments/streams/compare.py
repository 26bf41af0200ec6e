"""Field by field over the frames that two streams share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.streams.sources import Stream
from melee_env.frame import NUM_SEATS, Frames, frame_field_table

INPUTS = ("stick_x", "stick_y", "cstick_x", "cstick_y", "trigger_l", "trigger_r", "buttons")
FIGHTERS = ("leader", "nana")


def compare_streams(first: Stream, second: Stream) -> dict[str, Any]:
    """Compare two streams on the frames that both have.

    Returns:
        ``equal``; ``frames`` (shared), ``only_first`` and ``only_second``; ``first_input_difference`` (frame number
        or None: after it the states must differ); ``fields[]`` that differ, with ``field``, ``seat``, ``frames`` (how
        many), ``first_frame``, ``first`` and ``second`` (values there) and ``largest`` difference; ``actions[]`` with
        ``seat``, ``fighter``, ``action``, ``name``, ``frames`` and ``action_frame`` difference (second less first), a
        number if it is the same on all frames of the action, ``"not constant"`` otherwise.
    """
    numbers, at_first, at_second = np.intersect1d(
        first.frames["frame"], second.frames["frame"], assume_unique=True, return_indices=True
    )
    a, b = first.frames[at_first], second.frames[at_second]
    shared = first.fields & second.fields
    fields = [
        row for path, _ in frame_field_table() if path in shared for row in _compare(path, a, b, numbers)
    ]
    only = (len(first.frames) - len(numbers), len(second.frames) - len(numbers))
    return {
        "equal": not fields and only == (0, 0),
        "frames": len(numbers),
        "only_first": only[0],
        "only_second": only[1],
        "compared_fields": len(shared),
        "first_input_difference": _first_input(a, b, numbers),
        "fields": fields,
        "actions": _action_frames(a, b) if "seats.leader.action_frame" in shared else [],
    }


def _compare(path: str, a: Frames, b: Frames, numbers: NDArray[np.int32]) -> list[dict[str, Any]]:
    left, right = a, b
    for name in path.split("."):
        left, right = left[name], right[name]
    if left.dtype.names:
        return [
            row
            for name in left.dtype.names
            for row in _rows(f"{path}.{name}", left[name], right[name], numbers)
        ]
    return _rows(path, left, right, numbers)


def _rows(
    path: str, left: NDArray[Any], right: NDArray[Any], numbers: NDArray[np.int32]
) -> list[dict[str, Any]]:
    """Return one row per seat (or one for the game) whose values differ; NaN equals NaN."""
    seats: list[int | None] = list(range(NUM_SEATS)) if path.startswith("seats.") else [None]
    rows = []
    for seat in seats:
        x, y = (left, right) if seat is None else (left[:, seat], right[:, seat])
        different = (x != y) & ~((x != x) & (y != y))
        places = np.argwhere(different)
        if not len(places):
            continue
        at = tuple(places[0])
        gaps = np.abs(x[different].astype(np.float64) - y[different].astype(np.float64))
        rows.append(
            {
                "field": path,
                "seat": None if seat is None else seat + 1,
                "frames": len(np.unique(places[:, 0])),
                "first_frame": int(numbers[at[0]]),
                "first": x[at].item(),
                "second": y[at].item(),
                "largest": float(np.nanmax(gaps)) if np.isfinite(gaps).any() else None,
            }
        )
    return rows


def _first_input(a: Frames, b: Frames, numbers: NDArray[np.int32]) -> int | None:
    different = np.zeros(len(numbers), bool)
    for name in INPUTS:
        x, y = (frames["seats"]["leader"]["controller"][name] for frames in (a, b))
        different |= (x != y).any(1)
    return int(numbers[np.argmax(different)]) if different.any() else None


def _action_frames(a: Frames, b: Frames) -> list[dict[str, Any]]:
    from melee_env.rendering.hud import state_name

    rows = []
    for seat in range(NUM_SEATS):
        for fighter in FIGHTERS:
            x, y = (frames["seats"][fighter][:, seat] for frames in (a, b))
            same = (x["action"] == y["action"]) & (x["present"] != 0) & (y["present"] != 0)
            gaps = y["action_frame"] - x["action_frame"]
            for action in np.unique(x["action"][same]):
                on = same & (x["action"] == action)
                found = np.unique(gaps[on])
                rows.append(
                    {
                        "seat": seat + 1,
                        "fighter": fighter,
                        "action": int(action),
                        "name": state_name(int(x["character"][on][0]), int(action)),
                        "frames": int(on.sum()),
                        "action_frame": float(found[0]) if len(found) == 1 else "not constant",
                    }
                )
    return rows
