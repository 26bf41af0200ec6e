"""Figures of the special moves: how each starts, and what a fighter's module needs beyond that.

``special_starts.csv`` has a row per special and medium, ``specials_<module>.csv`` named figures with a
column per fighter of the module. The state machines between are in ``states_<module>.csv``.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from melee_env.engine.states import MODULES, NUM_CHARACTERS

DATA = Path(__file__).parent.parent / "data"
NEUTRAL, SIDE, UP, DOWN = range(4)
SPECIALS = ("neutral", "side", "up", "down")
WHERE = ("ground", "air")

START = np.dtype(
    [
        ("state", "i2"),  # 0: the fighter has no such special
        ("all_jumps", "i2"),  # it uses up all jumps
        ("timer", "i2"),  # start of the state's first counter
        (
            "sets_vy",
            "i2",
        ),  # 1: to ``vy``; 2: a fall stops, a rise goes on; 3: divided like the horizontal speed
        ("divisor", "f4"),  # of the horizontal speed; infinite: the speed is lost
        ("vy", "f4"),
        ("limit", "f4"),  # of the horizontal speed; 0: none
        ("lift", "f4"),  # vertical speed of the first use since the floor was left
    ]
)
"""What entering a special does."""


def _choose(text: str, seat: int) -> str:
    """Return the figure of the module's ``seat``-th fighter; the last one stands for all that follow."""
    figures = text.split()
    return figures[min(seat, len(figures) - 1)] if figures else ""


def _load_starts() -> np.ndarray:
    table = np.zeros((NUM_CHARACTERS, len(SPECIALS), len(WHERE)), START)
    with (DATA / "special_starts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            for seat, character in enumerate(MODULES[row["module"]]):
                start = table[character, SPECIALS.index(row["special"]), WHERE.index(row["where"])]
                divide, vy = _choose(row["divide"], seat), _choose(row["vy"], seat)
                start["state"] = int(row["state"])
                start["all_jumps"] = row["jumps"] == "all"
                start["timer"] = int(_choose(row["timer"], seat) or 0)
                start["divisor"] = np.inf if divide == "stop" else float(divide or 1)
                start["sets_vy"] = {"": 0, "rise": 2, "divide": 3}.get(vy, 1)
                start["vy"] = float(vy) if start["sets_vy"] == 1 else 0
                start["limit"] = float(row["limit"] or 0)
                start["lift"] = float(_choose(row["lift"], seat) or 0)
    return table


def load_figures(module: str) -> np.ndarray:
    """Read ``specials_<module>.csv``: a structured array with a row per fighter of the module."""
    with (DATA / f"specials_{module}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    fighters = [name for name in rows[0] if name not in ("name", "unit", "source")]
    table = np.zeros(len(fighters), np.dtype([(row["name"], "f4") for row in rows]))
    for row in rows:
        table[row["name"]] = tuple(float(row[fighter]) for fighter in fighters)
    return table


STARTS = _load_starts()
"""``[27 characters, 4 specials, ground or air]``"""
