"""Whether a recorded game was played with UCF's straightened sticks (1.0 cardinals), read off its speeds.

Slippi records the stick before UCF 0.84 straightens it: a recorded 0.9875 may have acted as 1.0. The top speeds of
runs and of drifts in the air tell which.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.tables import ATTRIBUTES
from melee_env.game import Game

NEARLY_FULL = np.float32(0.9875)
RUN = 21
FREE_FALLS = (25, 26, 27, 28, 29, 32)
SLACK = 2e-4
"""game units a frame; the two top speeds differ by at least 0.008"""


def straightens(game: Game) -> bool:
    """Tell whether more top speeds are those of a full stick than those of the recorded one."""
    if "vel_ground_x" in game.info.absent:
        return False
    votes = 0
    for seat in range(2):
        fighters = game.frames["seats"]["leader"][:, seat]
        stick = fighters["controller"]["stick_x"]
        nearly = (np.abs(stick) == NEARLY_FULL) & (fighters["controller"]["stick_y"] == 0)
        for names, speeds, states in (
            ("run_max", "vel_ground_x", (RUN,)),
            ("air_max_drift", "vel_air_x", FREE_FALLS),
        ):
            top = ATTRIBUTES[names][fighters["character"]].astype(np.float64)
            speed = fighters[speeds].astype(np.float64) * np.sign(stick)
            chosen = nearly & np.isin(fighters["action"], states)
            votes += int((np.abs(speed - top)[chosen] < SLACK).sum())
            votes -= int((np.abs(speed - top * float(NEARLY_FULL))[chosen] < SLACK).sum())
    return votes > 0
