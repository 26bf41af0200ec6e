"""Knockback, hitlag and hitstun of a hit, and how launched fighters slow down.

Formulas in the game's nesting, every operation rounded to float32. Source: doldecomp/melee ft/ftcoll.c
and ft/fighter.c; checked on recorded hits (docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.trig import atan2f, cosf, sinf

ZERO = np.float32(0)
ONE = np.float32(1)
WEIGHT_SCALE = np.float32(0.01)  # x0F4
WEIGHT_CURVE = np.float32(2)  # x0F8
PERCENT_SHARE = np.float32(0.1)  # x110
PRODUCT_SHARE = np.float32(0.05)  # x114
SET_PERCENT = np.float32(10)  # x118
GROWTH_SCALE = np.float32(0.01)
OUTER = np.float32(1.4)  # x11C
OFFSET = np.float32(18)  # x120
LARGEST = np.float32(2500)  # x108
THROW_WEIGHT = np.float32(100)  # x10C, every thrown fighter's weight
HITSTUN_SCALE = np.float32(0.4)  # x154
HITLAG_SLOPE = np.float32(0.33333334)  # x198
HITLAG_BASE = np.float32(3)  # x19C
HITLAG_ELECTRIC = np.float32(1.5)  # x1A4
HITLAG_CROUCH = np.float32(0.6666667)  # x1A0
LONGEST_HITLAG = 20  # x194
AIR_DECAY = np.float32(0.051)  # x204
PUSH_AIR_DECAY = np.float32(0.05)  # x3E8
PUSH_FRICTION = np.float32(1.1)  # x3EC


@kernel
def knockback(percent_before, damage, int_damage, kbg, bkb, set_kb, weight):
    """Return the knockback of a hit.

    Args:
        percent_before: percent before the frame's hits.
        damage: staled damage of all hits of the frame.
        int_damage: unstaled damage of this hit, truncated.
        kbg: knockback growth.
        bkb: base knockback.
        set_kb: set knockback; 0 for none.
        weight: the victim's weight, 100 for throws.
    """
    w = np.float32(weight) * WEIGHT_SCALE
    curve = WEIGHT_CURVE - (w * WEIGHT_CURVE) / (ONE + w)
    if set_kb != 0:
        inner = SET_PERCENT * PERCENT_SHARE + PRODUCT_SHARE * (SET_PERCENT * np.float32(set_kb))
    else:
        percent = np.float32(int(percent_before)) + damage
        inner = PERCENT_SHARE * percent + PRODUCT_SHARE * (np.float32(int_damage) * percent)
    growth = (GROWTH_SCALE * np.float32(kbg)) * (OUTER * (curve * inner) + OFFSET)
    return min(growth + np.float32(bkb), LARGEST)


@kernel
def hitlag_frames(damage, electric, crouched):
    """Return the frames that a hit of ``damage`` (whole percent) freezes a fighter for."""
    frames = int(np.float32(damage) * HITLAG_SLOPE + HITLAG_BASE)
    if electric:
        frames = int(np.float32(frames) * HITLAG_ELECTRIC)
    if crouched:
        frames = int(np.float32(frames) * HITLAG_CROUCH)
    return min(frames, LONGEST_HITLAG)


@kernel
def hitstun_frames(kb):
    """Return the frames without control after hitlag."""
    return max(int(kb * HITSTUN_SCALE), 1)


@kernel
def shrink(speed, amount):
    """Return ``speed`` brought nearer to zero by ``amount``."""
    if abs(speed) <= amount:
        return ZERO
    return speed - amount if speed > ZERO else speed + amount


@kernel
def shorten(x, y, amount):
    """Return the vector shortened by ``amount`` along its own direction, zero when it is shorter."""
    if np.sqrt(x * x + y * y) < amount:
        return ZERO, ZERO
    angle = atan2f(y, x)
    return x - amount * cosf(angle), y - amount * sinf(angle)


@kernel
def decay_knockback(f):
    """Slow knockback and attacker's push by one frame, before they move the fighter."""
    if f.kx != ZERO or f.ky != ZERO:
        if f.airborne != 0:
            f.kx, f.ky = shorten(f.kx, f.ky, AIR_DECAY)
            f.ground_k = ZERO
        else:
            if f.ground_k == ZERO:
                f.ground_k = f.kx
            f.ground_k = shrink(f.ground_k, f.slide_friction * ATTRIBUTES[f.character].ground_friction)
            f.kx = f.normal_y * f.ground_k
            f.ky = -f.normal_x * f.ground_k
    if f.push_x != ZERO or f.push_y != ZERO:
        if f.airborne != 0:
            f.push_x, f.push_y = shorten(f.push_x, f.push_y, PUSH_AIR_DECAY)
            f.ground_push = ZERO
        else:
            if f.ground_push == ZERO:
                f.ground_push = f.push_x
            friction = f.slide_friction * ATTRIBUTES[f.character].ground_friction
            f.ground_push = shrink(f.ground_push, friction * PUSH_FRICTION)
            f.push_x = f.normal_y * f.ground_push
            f.push_y = -f.normal_x * f.ground_push
