"""Getting back and staying alive: recovery, ledge, shield, techs, getting up, directional influence."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.opponents.script import MAIN_X, MAIN_Y, NEUTRAL, A, B, L, X, Z, draw, press, side

FALL_SPECIAL_FIRST, FALL_SPECIAL_LAST = 35, 37
SHIELD_STUN = 181
LONGEST_SHIELD = 24
"""frames that a shield is held without being hit"""
UP_B_FIRST, UP_B_LAST = 353, 359


@kernel
def recover(m, action, me, edge):
    """Come back: drift in, double jump, then up-B toward the edge."""
    inward = np.float32(-1) if me.x > 0 else np.float32(1)
    action[MAIN_X] = side(inward)
    if me.action >= UP_B_FIRST and me.action <= UP_B_LAST:
        # Fire moves let one aim while they charge: at the ledge, or along the floor from above.
        action[MAIN_Y] = 16 if me.y < 0 else 12
        return
    if me.action >= FALL_SPECIAL_FIRST and me.action <= FALL_SPECIAL_LAST:
        return
    far = abs(me.x) - edge
    if me.vel_y > 0 or (me.y > 15 and far < 25):
        return
    if me.jumps > 0:
        if me.y < -5 or far > 30:
            press(m, action, X)
    elif me.y < -15 or far > 45:
        action[MAIN_X] = NEUTRAL
        action[MAIN_Y] = 16
        press(m, action, B)


@kernel
def hang(m, action, level):
    """Choose a way up from the ledge."""
    if m.wait > 0:
        return
    choice = draw(m)
    if choice < 0.35:
        action[MAIN_Y] = 16
    elif choice < 0.6:
        press(m, action, X)
    elif choice < 0.8:
        press(m, action, L)
    else:
        press(m, action, A)
    m.wait = int(4 + level.pause * draw(m))


@kernel
def get_up(m, action):
    """Get up from the floor in one of four ways."""
    choice = draw(m)
    if choice < 0.3:
        action[MAIN_Y] = 16
    elif choice < 0.5:
        action[MAIN_X] = 16
    elif choice < 0.7:
        action[MAIN_X] = 0
    else:
        press(m, action, A)


@kernel
def break_free(m, action):
    """Mash out of a grab."""
    press(m, action, A if m.age % 2 == 0 else X)
    action[MAIN_X] = 16 if m.age % 4 < 2 else 0


@kernel
def survive(m, action, me, level):
    """Steer the knockback toward the middle and up, tech the landing."""
    if draw(m) < level.skill:
        action[MAIN_X] = side(-me.x)
        action[MAIN_Y] = 14
    if m.wait == 0 and me.y < 12 and me.vel_y + me.knockback_y < 0:
        if draw(m) < level.skill:
            press(m, action, L)
        # One try for a landing, as pressing early forbids another for forty frames.
        m.wait = 40


@kernel
def guard(m, action, me, dx, distance, level):
    """Hold the shield; leave it by a grab, a jump, a roll or a spot dodge once the blow has passed."""
    m.guard += 1
    if me.action == SHIELD_STUN or me.hitlag > 0:
        m.guard = max(m.guard, 8)
        action[L] = 1
        return
    if m.guard < 14:
        action[L] = 1
        return
    choice = draw(m)
    if distance < 14 and choice < 0.35 + 0.4 * level.skill:
        action[L] = 1
        press(m, action, Z)
    elif choice < 0.8:
        press(m, action, X)
    elif choice < 0.9:
        action[L] = 1
        action[MAIN_X] = side(-dx)
    elif m.guard < LONGEST_SHIELD:
        action[L] = 1
        action[MAIN_Y] = 0
    m.guard = 0
