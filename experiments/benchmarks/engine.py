"""Frames per second of the embedded engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from experiments.benchmarks.timing import measure_rate
from melee_env.backends.base import MatchOptions
from melee_env.controller import Button, Controllers, make_controllers
from melee_env.engine.engine import Engine
from melee_env.ids import Character, Stage

FOX_FALCO = ((Character.FOX, Character.FALCO),)
FOXES = ((Character.FOX, Character.FOX),)
ALL_PAIRS = tuple(itertools.combinations_with_replacement(Character, 2))
MATCHUPS = {"FOX-FALCO": FOX_FALCO, "FOX-FOX": FOXES, "all pairs": ALL_PAIRS}
"""matchups that are measured, spread over the games; the first one is the figure"""
STOCKS = 99
"""so that no game ends while it is measured"""
BUTTONS = (Button.A, Button.B, Button.X, Button.Y, Button.Z, Button.L, Button.R)
INPUT_SETS = 64
SAVES = 100
"""times that all games are saved and loaded in a run"""


def bench_engine(*, games: int = 256, frames: int = 600, repeats: int = 5, seed: int = 0) -> dict[str, Any]:
    """Advance ``games`` games by ``frames`` frames with random legal inputs.

    Returns:
        ``frames_per_s_per_core``, ``two_core_speedup`` (two threads with a half of the games each, against one),
        ``save_load_us_per_game`` (a state out of the engine and in again, in batches of all games) and ``rows``;
        two fighters advanced by one frame are one frame.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for name, pairs in MATCHUPS.items():
        for threads in (1, 2) if pairs is FOX_FALCO else (1,):
            parts = [_start(rng, games // threads, pairs) for _ in range(threads)]
            rate = measure_rate(lambda parts=parts: _run(parts, frames), repeats)  # type: ignore[misc]
            row: dict[str, Any] = {"characters": name, "games": games, "threads": threads}
            rows.append({**row, **rate.row("frames_per_s")})
    return {
        "frames_per_s_per_core": rows[0]["frames_per_s"],
        "two_core_speedup": rows[1]["frames_per_s"] / rows[0]["frames_per_s"],
        "save_load_us_per_game": 1e6 / measure_rate(_save_and_load(games), repeats).median,
        "rows": rows,
        "frames_per_run": frames,
        "repeats": repeats,
        "seed": seed,
    }


Part = tuple[Engine, list[Controllers]]
"""running games and the inputs that they get in turn"""


def _start(rng: np.random.Generator, games: int, pairs: Sequence[tuple[Character, Character]]) -> Part:
    """Start games, each with a pair of fighters drawn from ``pairs``."""
    engine = Engine(games)
    for n, which in enumerate(rng.integers(len(pairs), size=games)):
        options = MatchOptions(
            characters=pairs[which], stage=Stage.FINAL_DESTINATION, stocks=(STOCKS, STOCKS), time_limit=2**30
        )
        engine.start(n, int(rng.integers(2**32)), options)
    return engine, [random_controllers(rng, games) for _ in range(INPUT_SETS)]


def _run(parts: list[Part], frames: int) -> int:
    """Advance all parts, each in its own thread; return the frames done."""

    def advance(part: Part) -> int:
        engine, inputs = part
        for number in range(frames):
            # An input is held for four frames, which lets moves and movement come out.
            engine.step(inputs[number // 4 % INPUT_SETS])
        return len(engine.games) * frames

    if len(parts) == 1:
        return advance(parts[0])
    with ThreadPoolExecutor(len(parts)) as pool:
        return sum(pool.map(advance, parts))


def _save_and_load(games: int) -> Callable[[], int]:
    """Return a run that saves all games and loads them again."""
    engine = Engine(games)
    everything = np.arange(games)

    def run() -> int:
        for _ in range(SAVES):
            engine.load_many(everything, engine.save_many(everything))
        return games * SAVES

    return run


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
