"""What the stick does in and at the end of hitlag: SDI, ASDI, DI, and the start of a rebound.

Source: doldecomp/melee ft/chara/ftCommon/ftCo_Damage.c, ftCo_Guard.c; exact shares on recorded games in
docs/fidelity.md.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.shield import GUARD_SET_OFF, shift_shield
from melee_env.engine.state import LONG_AGO
from melee_env.engine.transitions import enter_at
from melee_env.engine.trig import atan2f, cosf, sinf

ZERO = np.float32(0)
SHIFT_STICK = np.float32(0.7)  # x4B0
SHIFT_STICK_SQUARED = np.float32(SHIFT_STICK * SHIFT_STICK)
SHIFT_WINDOW = 4  # x4B4
SHIFT_DISTANCE = np.float32(6)  # x4B8
AUTO_SHIFT_DISTANCE = np.float32(3)  # x4BC
MAX_INFLUENCE = np.float32(0.31415927410125732)  # x1A8, 18 degrees
TOO_SLOW = np.float32(0.00001)
FIRST_DAMAGE, LAST_DAMAGE = 75, 91
DOWN_DAMAGE_U, DOWN_DAMAGE_D = 185, 193
REBOUND_STOP, REBOUND = 237, 238


@kernel
def hurt_state(f):
    """Tell whether the fighter is in a state of being launched."""
    action = f.action
    launched = action >= FIRST_DAMAGE and action <= LAST_DAMAGE
    return launched or action == DOWN_DAMAGE_U or action == DOWN_DAMAGE_D


@kernel
def exit_hitlag(g, f):
    """The frame hitlag ends: ASDI, DI, the start of a rebound. The stick is the last frame's."""
    if hurt_state(f):
        auto_shift(f)
        influence(f)
    elif f.action == GUARD_SET_OFF:
        if f.airborne == 0 and abs(f.stick_x) >= SHIFT_STICK:
            shift_shield(f, AUTO_SHIFT_DISTANCE)
    elif f.action == REBOUND_STOP:
        # One step back, because this frame's animation step follows.
        enter_at(f, REBOUND, -f.var_f[0], f.var_f[0])


@kernel
def auto_shift(f):
    """ASDI: the held C-stick, else the stick, moves the victim a little."""
    x = f.cstick_x
    y = f.cstick_y
    if x * x + y * y < SHIFT_STICK_SQUARED:
        x = f.stick_x
        y = f.stick_y
        if x * x + y * y < SHIFT_STICK_SQUARED:
            return
    f.shift_x = x * AUTO_SHIFT_DISTANCE
    f.shift_y = y * AUTO_SHIFT_DISTANCE
    f.x = f.x + f.shift_x
    f.y = f.y + f.shift_y


@kernel
def influence(f):
    """DI: the stick's part across the launch direction turns it by up to 18 degrees."""
    sx = f.stick_x
    sy = f.stick_y
    if sx == ZERO and sy == ZERO:
        return
    kx = f.kx
    ky = f.ky
    square = kx * kx + ky * ky
    if square < TOO_SLOW:
        return
    across = ky * sx - kx * sy
    amount = across * across / square
    if kx * sy - ky * sx < ZERO:
        amount = -amount
    angle = atan2f(ky, kx) + MAX_INFLUENCE * amount
    speed = np.sqrt(kx * kx + ky * ky)
    f.kx = speed * cosf(angle)
    f.ky = speed * sinf(angle)


@kernel
def shift_in_hitlag(f):
    """SDI: a fresh flick in hitlag moves the victim; on a shield sideways only."""
    fresh_x = f.tilt_x < SHIFT_WINDOW
    if f.action == GUARD_SET_OFF:
        if f.airborne == 0 and fresh_x and abs(f.stick_x) >= SHIFT_STICK:
            shift_shield(f, SHIFT_DISTANCE)
            f.tilt_x = LONG_AGO
        return
    x = f.stick_x
    y = f.stick_y
    if x * x + y * y < SHIFT_STICK_SQUARED or not (fresh_x or f.tilt_y < SHIFT_WINDOW) or not hurt_state(f):
        return
    f.x = f.x + x * SHIFT_DISTANCE
    f.y = f.y + y * SHIFT_DISTANCE
    f.tilt_x = LONG_AGO
    f.tilt_y = LONG_AGO
