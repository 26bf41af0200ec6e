"""Frames per second of the embedded engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.benchmarks.timing import measure_rate
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Button, Controllers, make_controllers
from melee_env.ids import Character, Stage

PAIRS = ((Character.FOX, Character.FOX),)
"""matchups that are measured; the first one is the figure"""
STOCKS = 99
"""so that no game ends while it is measured"""
BUTTONS = (Button.A, Button.B, Button.X, Button.Y, Button.Z, Button.L, Button.R)
INPUT_SETS = 64


def bench_engine(*, games: int = 256, frames: int = 600, repeats: int = 5, seed: int = 0) -> dict[str, Any]:
    """Advance ``games`` games by ``frames`` frames on one thread with random legal inputs.

    Returns:
        ``frames_per_s_per_core`` and ``rows``; two fighters advanced by one frame are one frame.
    """
    rng = np.random.default_rng(seed)
    inputs = [random_controllers(rng, games) for _ in range(INPUT_SETS)]
    rows = []
    for characters in PAIRS:
        options = MatchOptions(
            characters=characters, stage=Stage.FINAL_DESTINATION, stocks=(STOCKS, STOCKS), time_limit=2**30
        )
        backend = make_backend("embedded", games)
        backend.reset(rng.integers(2**32, size=games, dtype=np.uint32), [options] * games)

        def run(backend: Any = backend) -> int:
            for number in range(frames):
                # An input is held for four frames, which lets moves and movement come out.
                backend.step(inputs[number // 4 % INPUT_SETS])
            return games * frames

        rate = measure_rate(run, repeats)
        backend.close()
        row: dict[str, Any] = {
            "characters": "-".join(c.name for c in characters),
            "games": games,
            "threads": 1,
        }
        rows.append({**row, **rate.row("frames_per_s")})
    return {
        "frames_per_s_per_core": rows[0]["frames_per_s"],
        "rows": rows,
        "frames_per_run": frames,
        "repeats": repeats,
        "seed": seed,
    }


def random_controllers(rng: np.random.Generator, games: int) -> Controllers:
    """Return legal controllers ``[games, 2]``: any stick position, buttons pressed one time in six."""
    shape = (games, 2)
    angle, reach = rng.uniform(-np.pi, np.pi, shape), np.sqrt(rng.uniform(0.0, 1.0, shape))
    pressed = np.zeros(shape, np.int64)
    for button in BUTTONS:
        pressed |= np.where(rng.random(shape) < 1 / 6, int(button), 0)
    tilted = rng.random(shape) < 0.2
    return make_controllers(
        stick_x=reach * np.cos(angle),
        stick_y=reach * np.sin(angle),
        cstick_x=np.where(tilted, np.cos(angle), 0.0),
        cstick_y=np.where(tilted, np.sin(angle), 0.0),
        trigger=np.where(rng.random(shape) < 0.1, rng.random(shape), 0.0),
        buttons=pressed,
    )
