"""Special-move input: which special the stick asks for, and how it starts.

Conditions: doldecomp/melee ft/chara/ftCommon/ftCo_Special*.c. A special without a row in
``data/special_starts.csv`` does nothing (listed as a gap in docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters import own_states
from melee_env.engine.characters.figures import DOWN, NEUTRAL, SIDE, STARTS, UP
from melee_env.engine.input import B
from melee_env.engine.kernel import kernel
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter_attack

ZERO = np.float32(0)
SIDE_STICK = np.float32(0.6)  # x218
VERTICAL_STICK = np.float32(0.55)  # x21C
TURN_STICK = np.float32(-0.2)  # x220
NEUTRAL_TURN_WINDOW = 20  # x224
SIDE_LOSS = np.float32(0.8)
"""ground speed that a side special costs, 1 - x0B8 of the fighters' attributes (0.2 for the measured ones)"""


@kernel
def start(g, f, which):
    """Begin a special on the ground or in the air; tell whether the fighter has it."""
    row = STARTS[f.character, which, f.airborne]
    if row.state == 0:
        return False
    if f.airborne == 0:
        if which == SIDE:
            f.gv = np.float32(f.gv - np.float32(f.gv * SIDE_LOSS))
        f.gv = np.float32(f.gv / row.divisor)
    else:
        f.vx = np.float32(f.vx / row.divisor)
    if row.limit > ZERO:
        f.gv = min(max(f.gv, -row.limit), row.limit)
        f.vx = min(max(f.vx, -row.limit), row.limit)
    if row.sets_vy == 3:
        f.vy = np.float32(f.vy / row.divisor)
    elif row.sets_vy == 2:
        f.vy = max(f.vy, ZERO)
    elif row.sets_vy != 0:
        f.vy = row.vy
    if row.lift > ZERO and f.spent == 0:
        f.vy = row.lift
        f.spent = 1
    enter_attack(g, f, int(row.state))
    for i in range(8):
        f.var_i[i] = 0
    for i in range(6):
        f.var_f[i] = ZERO
    f.var_i[0] = row.timer
    if row.all_jumps != 0:
        f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
    own_states.begin(f)
    return True


@kernel
def face_stick(f):
    """Turn to the stick's side."""
    if f.stick_x * f.facing < TURN_STICK:
        f.facing = np.float32(-f.facing)


@kernel
def try_side(g, f):
    """B with the stick to a side, on the ground."""
    if (f.pressed & B) == 0 or abs(f.stick_x) < SIDE_STICK or STARTS[f.character, SIDE, 0].state == 0:
        return False
    face_stick(f)
    return start(g, f, SIDE)


@kernel
def try_up(g, f):
    """B with the stick up."""
    return (f.pressed & B) != 0 and f.stick_y >= VERTICAL_STICK and start(g, f, UP)


@kernel
def try_ground(g, f):
    """Side, up, neutral or down special on the ground."""
    if (f.pressed & B) == 0:
        return False
    if abs(f.stick_x) >= SIDE_STICK and try_side(g, f):
        return True
    if f.stick_y >= VERTICAL_STICK:
        return start(g, f, UP)
    if f.stick_y <= -VERTICAL_STICK:
        return start(g, f, DOWN)
    return abs(f.stick_x) < SIDE_STICK and start(g, f, NEUTRAL)


@kernel
def try_air(g, f):
    """Up, down, side or neutral special in the air; vertical ones come first."""
    if (f.pressed & B) == 0:
        return False
    if f.stick_y >= VERTICAL_STICK:
        return start(g, f, UP)
    if f.stick_y <= -VERTICAL_STICK:
        return start(g, f, DOWN)
    if abs(f.stick_x) >= SIDE_STICK:
        face_stick(f)
        return start(g, f, SIDE)
    if f.flick_x < NEUTRAL_TURN_WINDOW and f.flick_side * f.facing < ZERO:
        f.facing = np.float32(-f.facing)
    return start(g, f, NEUTRAL)
