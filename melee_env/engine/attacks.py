"""Interrupt checks that start attacks: smashes, tilts, jabs, dash attack, aerials, grabs.

Each ``try_…`` looks at this frame's input, enters the attack and returns True, or returns False.
Conditions: doldecomp/melee ft/chara/ftCommon/ftCo_Attack*.c, ft/ft_0DF1.c; thresholds: data/common.csv.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.input import LR, A
from melee_env.engine.kernel import kernel
from melee_env.engine.states import OWN_VERSION
from melee_env.engine.tables import HITBOX_SPAN, INTERRUPTIBLE, LENGTH, NEXT_JAB
from melee_env.engine.transitions import enter_attack

ZERO = np.float32(0)
ONE = np.float32(1)
SMASH_STICK = np.float32(0.8)  # x03C
SMASH_WINDOW = 2  # x040
VERTICAL_SMASH_STICK = np.float32(0.6625)  # x0CC, x0D4
VERTICAL_SMASH_WINDOW = 4  # x0D0, x0D8
TILT_STICK = np.float32(0.25)  # x098
ANY_STICK = np.float32(0.25)  # x0DC, x0E0
STEEP = np.float32(1.1917536)  # tan 50 degrees (x020): |y| above this share of |x| is up or down
SLANT = np.float32(0.315)  # tan 17.5 degrees: an angled tilt or smash from here on

JAB_1, JAB_2, JAB_3, RAPID_JAB = 44, 45, 46, 47
PIKACHU, MARTH, PICHU = 12, 18, 23
JABS_AGAIN = (PIKACHU, PICHU)
DASH_ATTACK = 50
SIDE_TILT_UP, SIDE_TILT, SIDE_TILT_DOWN = 51, 53, 55
UP_TILT, DOWN_TILT = 56, 57
SIDE_SMASH_UP, SIDE_SMASH, SIDE_SMASH_DOWN = 58, 60, 62
UP_SMASH, DOWN_SMASH = 63, 64
NEUTRAL_AIR = 65
CATCH, DASH_CATCH = 212, 214


@kernel
def steep_up(x, y):
    """Tell whether a stick points more than 50 degrees above the horizontal."""
    return y > np.float32(STEEP * abs(x))


@kernel
def steep_down(x, y):
    """Tell whether a stick points more than 50 degrees below the horizontal."""
    return y < -np.float32(STEEP * abs(x))


@kernel
def crossed(now, before, limit):
    """Tell whether a C-stick axis crossed ``limit`` outward on this frame."""
    return abs(now) >= limit and abs(before) < limit


@kernel
def angled(f, up, middle, down, x, y):
    """Choose among the angled versions of a side attack that the fighter has."""
    action = middle
    if y > SLANT * abs(x) and HITBOX_SPAN[f.character, up, 1] > 0:
        action = up
    elif y < -SLANT * abs(x) and HITBOX_SPAN[f.character, down, 1] > 0:
        action = down
    return action


@kernel
def begin(g, f, action):
    """Enter an attack, or what the fighter has in its place."""
    enter_attack(g, f, OWN_VERSION[f.character, action])


@kernel
def try_side_smash(g, f):
    """A with a fresh full stick, or the C-stick; turns to that side."""
    x = f.stick_x
    y = f.stick_y
    if not ((f.pressed & A) != 0 and abs(x) >= SMASH_STICK and f.tilt_x < SMASH_WINDOW):
        if not crossed(f.cstick_x, f.prev_cstick_x, SMASH_STICK):
            return False
        x = f.cstick_x
        y = f.cstick_y
    f.facing = ONE if x >= ZERO else -ONE
    begin(g, f, angled(f, SIDE_SMASH_UP, SIDE_SMASH, SIDE_SMASH_DOWN, x, y))
    return True


@kernel
def try_up_smash(g, f):
    """A with a fresh stick up, or the C-stick up."""
    stick = (f.pressed & A) != 0 and f.stick_y >= VERTICAL_SMASH_STICK and f.tilt_y < VERTICAL_SMASH_WINDOW
    if stick or (f.cstick_y >= VERTICAL_SMASH_STICK and f.prev_cstick_y < VERTICAL_SMASH_STICK):
        enter_attack(g, f, UP_SMASH)
        return True
    return False


@kernel
def try_down_smash(g, f):
    """A with a fresh stick down, or the C-stick down."""
    stick = (f.pressed & A) != 0 and f.stick_y <= -VERTICAL_SMASH_STICK and f.tilt_y < VERTICAL_SMASH_WINDOW
    if stick or (f.cstick_y <= -VERTICAL_SMASH_STICK and f.prev_cstick_y > -VERTICAL_SMASH_STICK):
        enter_attack(g, f, DOWN_SMASH)
        return True
    return False


@kernel
def try_smash(g, f):
    """Side, up, down smash in the game's order."""
    return try_side_smash(g, f) or try_up_smash(g, f) or try_down_smash(g, f)


@kernel
def try_tilt(g, f):
    """Side, up, down tilt in the game's order."""
    if (f.pressed & A) == 0:
        return False
    x = f.stick_x
    y = f.stick_y
    up = steep_up(x, y)
    down = steep_down(x, y)
    if x * f.facing >= TILT_STICK and not up and not down:
        begin(g, f, angled(f, SIDE_TILT_UP, SIDE_TILT, SIDE_TILT_DOWN, x, y))
        return True
    if y >= TILT_STICK and up:
        begin(g, f, UP_TILT)
        return True
    if y <= -TILT_STICK and down:
        begin(g, f, DOWN_TILT)
        return True
    return False


@kernel
def try_jab(g, f):
    """A without direction."""
    if (f.pressed & A) != 0:
        begin(g, f, JAB_1)
        f.var_i[0] = 0
        return True
    return False


@kernel
def try_next_jab(g, f):
    """A during a jab, from the age on from which it leads on: the next jab, or the rapid jab."""
    if (f.pressed & A) != 0:
        f.var_i[0] = 1
    if f.var_i[0] == 0 or f.action > JAB_2 or f.age < NEXT_JAB[f.character, f.action - JAB_1]:
        return False
    following = next_jab(f)
    if LENGTH[f.character, following] <= ZERO:
        return False
    enter_attack(g, f, following)
    f.var_i[0] = 0
    return True


@kernel
def next_jab(f):
    """Return what follows a jab: the next one, the first again (Pikachu's, Marth's), the rapid jab."""
    if f.action == JAB_1:
        if f.character in JABS_AGAIN:
            return JAB_1
        return JAB_2 if LENGTH[f.character, JAB_2] > ZERO else RAPID_JAB
    if f.character == MARTH:
        return JAB_1
    return JAB_3 if HITBOX_SPAN[f.character, JAB_3, 1] > 0 else RAPID_JAB


@kernel
def try_ground_attack(g, f):
    """Smashes, tilts and jab in the game's order."""
    return try_smash(g, f) or try_tilt(g, f) or try_jab(g, f)


@kernel
def try_dash_attack(g, f):
    """A in a dash or run."""
    if (f.pressed & A) != 0:
        begin(g, f, DASH_ATTACK)
        return True
    return False


@kernel
def try_catch(g, f, action):
    """Grab: A with the shield held (Z is both)."""
    if (f.pressed & A) != 0 and (f.held & LR) != 0:
        enter_attack(g, f, action)
        return True
    return False


@kernel
def try_aerial(g, f):
    """A or the C-stick in the air; the direction is relative to the facing."""
    x = f.stick_x
    y = f.stick_y
    if crossed(f.cstick_x, f.prev_cstick_x, ANY_STICK) or crossed(f.cstick_y, f.prev_cstick_y, ANY_STICK):
        x = f.cstick_x
        y = f.cstick_y
    elif (f.pressed & A) == 0:
        return False
    if abs(x) < ANY_STICK and abs(y) < ANY_STICK:
        action = NEUTRAL_AIR
    elif steep_up(x, y):
        action = NEUTRAL_AIR + 3
    elif steep_down(x, y):
        action = NEUTRAL_AIR + 4
    elif x * f.facing >= ZERO:
        action = NEUTRAL_AIR + 1
    else:
        action = NEUTRAL_AIR + 2
    begin(g, f, action)
    return True


@kernel
def interruptible(f):
    """Tell whether the move's interruptible flag is on."""
    return f.age >= INTERRUPTIBLE[f.character, f.action]
