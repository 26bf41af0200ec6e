"""Mr. Game & Watch: the Fire, which follows its animation tilted by the stick, and the landings of his aerials.

Logic: doldecomp/melee ft/chara/ftGameWatch; figures measured on recorded games. ``var_f[0]`` is the tilt.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.endings import figures, land_with_lag
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import tilted_root
from melee_env.engine.states import Collision
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter_squeezed, leave_ground, touch_ground

ONE = np.float32(1)
ZERO = np.float32(0)
TILT_STICK = np.float32(0.25)
TILT = np.float32(0.5235987901687622)
"""30 degrees a unit of stick beyond the first quarter"""
TILT_AGE = 2
LANDING_AGE = 4
LANDING_BACK = 351


@kernel
def special_interrupts(f):
    """The stick of the second frame tilts the way."""
    if f.age != TILT_AGE:
        return
    reach = np.float32(abs(f.stick_x) - TILT_STICK)
    if reach > ZERO:
        side = ONE if f.stick_x > ZERO else -ONE
        f.facing = side
        f.var_f[0] = np.float32(np.float32(-side * reach) * TILT)


@kernel
def special_physics(f):
    """Follow the animation from the first frame on, in the air."""
    if f.airborne == 0:
        leave_ground(f)
    f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
    tilted_root(f, f.var_f[0])


@kernel
def special_landing(f, kind):
    """The Fire lands once the launch is over; the aerials of his own have no L-cancel."""
    row = figures(f)
    if kind == Collision.GNW_AERIAL:
        attributes = ATTRIBUTES[f.character]
        lag = attributes.landing_lag_nair
        if row.partner == LANDING_BACK:
            lag = attributes.landing_lag_bair
        elif row.partner == LANDING_BACK + 1:
            lag = attributes.landing_lag_uair
        touch_ground(f)
        enter_squeezed(f, row.partner, lag)
    elif f.age > LANDING_AGE and row.lag > ZERO:
        land_with_lag(f)
