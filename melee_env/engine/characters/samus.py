"""Samus: charging and throwing the charge shot (Mewtwo's grows alike), and the Screw Attack off the floor.

Logic: doldecomp/melee ft/chara/ftSamus; figures measured on recorded games. Variables: ``stored`` charge;
``var_i[1]`` frames until the next step of it.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.endings import figures
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import air_drift, friction, root_step
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter, leave_ground

ZERO = np.float32(0)
SAMUS = 13
HOLD, SHOOT = 344, 346
MISSILE, AIR_MISSILE = 349, 351
FLICK_WINDOW = 4
FULL_CHARGE = 7
STEP_FRAMES = 20
SCREW_ECB_LOCK = 5


@kernel
def smash_missile(f):
    """A missile shot with a flick of the stick is a super missile."""
    if f.character == SAMUS and (f.action == MISSILE or f.action == AIR_MISSILE) and f.tilt_x < FLICK_WINDOW:
        enter(f, f.action + 1)


@kernel
def special_anim(f, kind, over):
    """A full charge is thrown at once, any other grows while it is held."""
    if kind == Anim.SAMUS_START:
        if over:
            f.var_i[1] = 0
            enter(f, SHOOT if f.stored >= FULL_CHARGE else HOLD)
        return
    if over:
        f.age = ZERO
    f.var_i[1] += 1
    if f.var_i[1] >= STEP_FRAMES:
        f.var_i[1] = 0
        f.stored += 1
        if f.stored >= FULL_CHARGE:
            enter(f, STATES[f.character, f.action].next)


@kernel
def special_physics(f):
    """The Screw Attack off the floor: the animation gives the height, the stick the drift."""
    row = figures(f)
    attributes = ATTRIBUTES[f.character]
    if f.airborne == 0:
        if f.age < row.from_age:
            friction(f)
            return
        leave_ground(f)
        f.jumps_used = int(attributes.max_jumps)
        f.ecb_lock = SCREW_ECB_LOCK
        f.vx = np.float32(row.drift * f.facing)
    air_drift(f, attributes.air_max_drift)
    _, f.vy = root_step(f)
