"""Changing the action state: the one place that writes ``action``.

The order follows doldecomp/melee ft/fighter.c Fighter_ChangeMotionState: what a state set up (fast fall,
platform skip, hitboxes, smash charge) is dropped unless the new state keeps it.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.kernel import kernel
from melee_env.engine.state import ECB_LOCK, NO_LINE
from melee_env.engine.states import STATES
from melee_env.engine.tables import ATTRIBUTES, LENGTH

WAIT = 14
FALL = 29

ZERO = np.float32(0)
ONE = np.float32(1)
TENTH = np.float32(0.1)


@kernel
def enter_at(f, action, age, rate):
    """Put a fighter into ``action`` at animation frame ``age`` with animation ``rate``."""
    old = STATES[f.character, f.action]
    new = STATES[f.character, action]
    if (old.flags & states.ROOT) != 0 and (new.flags & states.ROOT) == 0 and f.airborne == 0:
        limit = ATTRIBUTES[f.character].run_max
        f.gv = min(max(f.gv, np.float32(-limit)), limit)
    f.action = action
    f.age = age
    f.rate = rate
    f.floor_skip = NO_LINE
    f.l_cancel = 0
    f.hitstun = 0
    f.smash_charge = 0
    if (new.flags & states.KEEP_FAST_FALL) == 0:
        f.fast_fall = 0
    if (new.flags & states.LEDGE_HELD) == 0:
        f.on_ledge = 0
    f.hit_window = -1
    for i in range(8):
        f.victims[i] = 0
    f.attack_id = new.attack
    if (new.flags & states.ADVANCE) != 0:
        f.age = np.float32(f.age + f.rate)


@kernel
def enter(f, action):
    """Put a fighter into ``action`` from its first frame at normal speed."""
    enter_at(f, action, ZERO, ONE)


@kernel
def squeeze(f, action, frames):
    """Return the rate that squeezes or stretches a state's animation into ``frames``."""
    return np.float32(np.float32(LENGTH[f.character, action] + TENTH) / frames)


@kernel
def enter_squeezed(f, action, frames):
    """Enter a state whose animation is squeezed or stretched into ``frames``: landing lag, shield stun."""
    enter_at(f, action, ZERO, squeeze(f, action, frames))


@kernel
def enter_attack(g, f, action):
    """Enter an attack: like :func:`enter`, with a new attack instance."""
    enter(f, action)
    g.instances += 1
    f.instance = g.instances


@kernel
def clamp_drift(f):
    """Leave no more horizontal speed than drifting gives."""
    limit = ATTRIBUTES[f.character].air_max_drift
    f.vx = min(max(f.vx, np.float32(-limit)), limit)


@kernel
def enter_fall(f):
    """Fall, no faster sideways than drifting is (doldecomp/melee ftCo_Fall.c ftCo_Fall_Enter)."""
    enter(f, FALL)
    clamp_drift(f)


@kernel
def enter_wait_or_fall(f):
    """Go back to standing or falling."""
    if f.airborne == 0:
        enter(f, WAIT)
    else:
        enter_fall(f)


@kernel
def leave_ground(f):
    """Become airborne: the first jump counts as used and the ECB's bottom stays put for a while."""
    f.airborne = 1
    f.gv = ZERO
    f.jumps_used = 1
    f.ecb_lock = ECB_LOCK


@kernel
def touch_ground(f):
    """Become grounded on ``f.ground``: jumps are restored and the ECB is free again."""
    if f.airborne != 0:
        attributes = ATTRIBUTES[f.character]
        limit = attributes.ground_max_h
        f.gv = min(max(f.vx, np.float32(-limit)), limit)
    f.airborne = 0
    f.jumps_used = 0
    f.wall_jumps = 0
    f.spent = 0
    f.ecb_lock = 0
    f.fast_fall = 0


@kernel
def change_ground_to_air(f, action):
    """Carry a special from the ground into its air version: age and variables go on."""
    age = f.age
    window = f.hit_window
    victims = f.victims[0]
    instance = f.instance
    leave_ground(f)
    enter_at(f, action, age, ZERO)
    f.rate = ONE
    f.hit_window = window
    f.victims[0] = victims
    f.instance = instance


@kernel
def change_air_to_ground(f, action):
    """Carry a special from the air onto the ground: age and variables go on."""
    age = f.age
    window = f.hit_window
    victims = f.victims[0]
    touch_ground(f)
    enter_at(f, action, age, ZERO)
    f.rate = ONE
    f.hit_window = window
    f.victims[0] = victims
