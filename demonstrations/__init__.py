"""Recorded games: readers, the columnar store, trajectories, windows and statistics.

Nothing here knows about agents or torch; optional libraries are imported by the function that needs them.
"""

from __future__ import annotations

from typing import Any

__all__ = ["load_trajectories"]


def __getattr__(name: str) -> Any:
    """Import :func:`load_trajectories` when it is first asked for."""
    if name == "load_trajectories":
        from demonstrations.trajectories import load_trajectories

        return load_trajectories
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
