"""The five jumps of Kirby and Jigglypuff.

Logic: doldecomp/melee ft/chara/ftCommon/ftCo_JumpAerialF1.c; figures: data/specials_multi_jump.csv.
``var_i[0]`` counts the frames of a turn.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.figures import load_figures
from melee_env.engine.input import XY
from melee_env.engine.kernel import kernel
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter, enter_fall

PARAMETERS = load_figures("multi_jump")
"""Figures of Jigglypuff (0) and Kirby (1)."""

ZERO = np.float32(0)
JIGGLYPUFF, KIRBY = 15, 4
FIRST, JUMPS = 341, 5
TAP_JUMP_STICK = np.float32(0.6625)
ECB_LOCK = 10


@kernel
def parameters(f):
    """Return the fighter's row of figures."""
    return PARAMETERS[1 if f.character == KIRBY else 0]


@kernel
def jumps_so(f):
    """Tell whether the fighter's jumps in the air are these."""
    return f.character == JIGGLYPUFF or f.character == KIRBY


@kernel
def try_multi_jump(f, asked):
    """The first jump is ``asked`` for with a new press; a held one repeats late in the jump."""
    p = parameters(f)
    if f.jumps_used >= ATTRIBUTES[f.character].max_jumps:
        return False
    number = max(f.jumps_used, 1) - 1
    if number == 0:
        if not asked:
            return False
        f.ecb_lock = ECB_LOCK
    else:
        running = f.action >= FIRST and f.action < FIRST + JUMPS
        if running and f.age < p.repeat_age:
            return False
        if (f.held & XY) == 0 and f.stick_y < TAP_JUMP_STICK:
            return False
    turns = f.stick_x * f.facing < -p.turn_stick
    enter(f, FIRST + number)
    f.var_i[0] = int(p.turn_frames) if turns else 0
    f.vx = np.float32(f.stick_x * p.forward)
    if number == 0:
        f.vy = p.up1
    elif number == 1:
        f.vy = p.up2
    elif number == 2:
        f.vy = p.up3
    elif number == 3:
        f.vy = p.up4
    else:
        f.vy = p.up5
    f.jumps_used = max(2, f.jumps_used + 1)
    turn(f)
    return True


@kernel
def turn(f):
    """Half way through a turn the fighter faces the other way."""
    if f.var_i[0] > 0:
        f.var_i[0] -= 1
        if f.var_i[0] == int(parameters(f).turn_frames) // 2:
            f.facing = np.float32(-f.facing)


@kernel
def special_anim(f, over):
    """Animation callback."""
    if over:
        enter_fall(f)
    else:
        turn(f)
