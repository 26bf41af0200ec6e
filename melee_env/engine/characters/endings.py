"""How specials end and land, for all fighters."""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.states import FIRST_OWN_STATE, NUM_STATES, OWN
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter, enter_squeezed, touch_ground

ZERO = np.float32(0)
ONE = np.float32(1)
FALL_SPECIAL, LANDING_SPECIAL = 35, 43
HELPLESS_ECB_LOCK = 5


@kernel
def figures(f):
    """Return the figures of the running own state."""
    return OWN[f.character, f.action - FIRST_OWN_STATE]


@kernel
def partner(f):
    """Return the same state in the other medium, on the ground or in the air."""
    return int(OWN[f.character, f.action - FIRST_OWN_STATE].partner)


@kernel
def set_helpless(f, row):
    """Set the lag and the drift of a helpless fall after the own state that ``row`` tells of.

    Without a ``mobility`` the fall is as free as after an air dodge; with one it is as fast as a fast fall.
    """
    f.var_f[0] = row.mobility if row.mobility > ZERO else ONE
    f.var_i[0] = 0
    f.var_i[1] = 1 if row.mobility > ZERO else 0
    f.var_i[2] = int(row.lag)
    f.var_i[3] = 0


@kernel
def become_helpless(f):
    """Fall until the landing, with the lag and the drift that the special leaves."""
    row = OWN[f.character, f.action - FIRST_OWN_STATE]
    enter(f, FALL_SPECIAL)
    set_helpless(f, row)
    f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
    if f.airborne == 0:
        f.airborne = 1
        f.gv = ZERO
        f.ecb_lock = HELPLESS_ECB_LOCK


@kernel
def resume_ending(f, before):
    """Set what a helpless fall or its landing, seen in a recording, has from the own state ``before`` it."""
    if before < FIRST_OWN_STATE or before >= NUM_STATES:
        return
    row = OWN[f.character, before - FIRST_OWN_STATE]
    if f.action == FALL_SPECIAL:
        set_helpless(f, row)
    elif f.action == LANDING_SPECIAL and row.lag > ZERO:
        enter_squeezed(f, LANDING_SPECIAL, row.lag)


@kernel
def land_with_lag(f):
    """Land in the helpless landing, with the special's own lag."""
    lag = OWN[f.character, f.action - FIRST_OWN_STATE].lag
    touch_ground(f)
    enter_squeezed(f, LANDING_SPECIAL, lag)


@kernel
def land_falling(f):
    """Moves that land only on their way down."""
    if f.age >= figures(f).from_age and f.vy < ZERO:
        land_with_lag(f)
