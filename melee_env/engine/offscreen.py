"""Damage of staying out of the camera's reach: a percent a second.

Rule: doldecomp/melee ft/fighter.c Fighter_8006A360, if/ifmagnify.c; the camera's limits (data/stages.csv) solved from
recorded games, whose 22 cases in the fitting set all fall on the very frame.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.kernel import kernel
from melee_env.engine.stages import STAGES
from melee_env.engine.states import STATES

ONE = np.float32(1)
"""damage (x7B4)"""
PERIOD = 60  # x7AC, frames
SPARED = np.float32(150)  # x7B0, percent from which on nothing is added


@kernel
def hurt_offscreen(g, f):
    """Count the frames after which the fighter was seen only in the magnifier; each sixtieth hurts."""
    stage = STAGES[g.slot]
    if abs(f.x) <= stage.camera_side and f.y <= stage.camera_top and f.y >= stage.camera_bottom:
        f.offscreen = 0
        return
    if f.percent >= SPARED or (STATES[f.character, f.action].flags & (states.DEAD | states.SAFE)) != 0:
        return
    f.offscreen += 1
    if f.offscreen >= PERIOD:
        f.percent = np.float32(f.percent + ONE)
        f.offscreen = 0


@kernel
def heal(f):
    """Food heals a percent a frame; only recordings with items know it (doldecomp/melee ft/fighter.c)."""
    if f.healing != 0:
        f.percent = max(np.float32(f.percent - ONE), np.float32(0))
