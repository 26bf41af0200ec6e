"""Sticks as one choice among positions that people use: centres of a k-means fit on recorded games."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from melee_env.actions.controllers import controllers_from
from melee_env.actions.multidiscrete import BUTTONS, SHOULDER_CLASSES
from melee_env.controller import Controllers, make_controllers
from melee_env.errors import OptionError

_MASKS = np.array([int(button) for button in BUTTONS], np.int64)
CARDINALS = ((0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
"""positions that every set of centres has, whatever the data say"""


@cache
def stick_centres() -> NDArray[np.float64]:
    """Return the centres ``[K, 2]`` that come with the package, -1..1 (their source: ``data/SOURCES.md``)."""
    text = resources.files("melee_env.actions").joinpath("data/stick_centres.csv").read_text("utf-8")
    return np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)


def fit_centres(positions: ArrayLike, pairs: int, seed: int = 0, rounds: int = 50) -> NDArray[np.float64]:
    """Fit centres to stick positions; left and right get the same ones.

    Args:
        positions: ``[N, 2]``, stick values -1..1.
        pairs: mirrored pairs of centres to find besides the neutral and the four full positions.
        seed: of the first guess.
        rounds: rounds of Lloyd's algorithm.

    Returns:
        ``[5 + 2 · pairs, 2]``, on the controller's grid.

    Raises:
        OptionError: fewer distinct positions than pairs.
    """
    folded = np.asarray(positions, np.float64).reshape(-1, 2).copy()
    folded[:, 0] = np.abs(folded[:, 0])
    fixed = np.array([(x, y) for x, y in CARDINALS if x >= 0])
    away = np.linalg.norm(folded[:, None] - fixed, axis=-1).min(1) > 0.1
    points, weights = np.unique(folded[away & (folded[:, 0] > 0)], axis=0, return_counts=True)
    if len(points) < pairs:
        raise OptionError(f"{pairs} pairs of centres need as many distinct positions, got {len(points)}")
    rng = np.random.default_rng(seed)
    centres = points[rng.choice(len(points), pairs, replace=False, p=weights / weights.sum())]
    for _ in range(rounds):
        nearest = np.linalg.norm(points[:, None] - centres, axis=-1).argmin(1)
        for k in range(pairs):
            mine = nearest == k
            if mine.any():
                centres[k] = np.average(points[mine], axis=0, weights=weights[mine])
    made = make_controllers(centres[:, 0], centres[:, 1])
    right = np.stack([made["stick_x"], made["stick_y"]], axis=-1).astype(np.float64)
    return np.concatenate([np.array(CARDINALS), right, right * [-1, 1]])


class ClusterCodec:
    """``MultiDiscrete(8 × 2, K, K, 5)``: eight buttons, main stick, C-stick, shoulder; K positions a stick."""

    name = "clusters"

    def __init__(self, centres: NDArray[np.float64] | None = None) -> None:
        """Build the space; ``centres [K, 2]`` replace the package's own."""
        self.centres = stick_centres() if centres is None else np.asarray(centres, np.float64)
        count = len(self.centres)
        self.space = spaces.MultiDiscrete([2] * len(BUTTONS) + [count, count, SHOULDER_CLASSES])
        self._rest = int(np.linalg.norm(self.centres, axis=1).argmin())
        # Positions are looked up in the right half and reflected, so that mirroring never changes the choice.
        self._half = np.flatnonzero(self.centres[:, 0] >= 0)
        gaps = self.centres[:, None] * [-1, 1] - self.centres
        self._reflected = np.square(gaps).sum(-1).argmin(-1)

    def neutral(self) -> NDArray[np.int64]:
        """Return the action that presses nothing, ``[11] int64``."""
        action = np.zeros(len(BUTTONS) + 3, np.int64)
        action[len(BUTTONS) : len(BUTTONS) + 2] = self._rest
        return action

    def encode(self, controllers: Controllers) -> NDArray[np.int64]:
        """Return the nearest actions ``[..., 11] int64`` of controllers ``[...]``."""
        out = np.empty((*controllers.shape, len(BUTTONS) + 3), np.int64)
        out[..., : len(BUTTONS)] = (controllers["buttons"][..., None] & _MASKS) != 0
        for k, stick in enumerate(("stick", "cstick")):
            x, y = (controllers[f"{stick}_{axis}"].astype(np.float64)[..., None] for axis in "xy")
            right, up = self.centres[self._half].T
            distance = np.square(np.abs(x) - right) + np.square(y - up)
            distance = np.where((x == 0) & (right > 0), np.inf, distance)
            nearest = self._half[distance.argmin(-1)]
            out[..., len(BUTTONS) + k] = np.where(x[..., 0] < 0, self._reflected[nearest], nearest)
        pull = np.maximum(controllers["trigger_l"], controllers["trigger_r"])
        out[..., -1] = np.floor(pull * (SHOULDER_CLASSES - 1) + 0.5)
        return out

    def decode(self, actions: NDArray[np.integer]) -> Controllers:
        """Return the controllers ``[...]`` of actions ``[..., 11]``."""
        actions = np.asarray(actions, np.int64)
        main, c = (self.centres[actions[..., len(BUTTONS) + k]] for k in range(2))
        pull = actions[..., -1:] / (SHOULDER_CLASSES - 1)
        buttons = (actions[..., : len(BUTTONS)] * _MASKS).sum(-1)
        return controllers_from(np.concatenate([main, c, pull], axis=-1), buttons)
