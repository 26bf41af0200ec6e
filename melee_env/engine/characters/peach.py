"""Peach's float: hovering with the jump button held, the attacks out of it and the fall after it.

Logic: doldecomp/melee ft/chara/ftPeach. ``stored`` is the time to float that is left, ``spent`` that she floated.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import attacks
from melee_env.engine.input import XY
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import air_drift, air_step, root_step
from melee_env.engine.states import Anim, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import FALL, enter, enter_at

ZERO = np.float32(0)
ONE = np.float32(1)
PEACH = 9
FLOAT, FLOAT_FALL_F, FLOAT_FALL_B, FIRST_FLOAT_ATTACK = 341, 342, 343, 344
FLOAT_FRAMES = 150
FLOAT_FALL_AGE = np.float32(55)
TAP_JUMP_STICK = np.float32(0.6625)
BACK_STICK = np.float32(-0.1)  # x78
JUMP_F, JUMP_AERIAL_F = 25, 27
DIP_END = np.float32(20)
"""the second jump starts with a dip, in which a held jump does not float; between its end and age 51 she rises"""


@kernel
def holds_jump(f):
    """Tell whether a jump button or the stick's up is held."""
    return (f.held & XY) != 0 or f.stick_y >= TAP_JUMP_STICK


@kernel
def try_float_down(f):
    """A held jump button with the stick down floats at once."""
    if f.character != PEACH or f.spent != 0 or (f.held & XY) == 0 or f.stick_y > -TAP_JUMP_STICK:
        return False
    if (f.action == JUMP_F or f.action == JUMP_F + 1) and f.age < ONE:
        return False  # not on the frame that leaves the floor
    start_float(f)
    return True


@kernel
def try_float(f):
    """A held jump floats as soon as she falls."""
    if f.character != PEACH or f.spent != 0 or f.vy > ZERO or not holds_jump(f):
        return False
    if f.action == JUMP_F or f.action == JUMP_F + 1:
        if f.age < ONE:
            return False
    elif (f.action == JUMP_AERIAL_F or f.action == JUMP_AERIAL_F + 1) and f.age < DIP_END:
        return False
    start_float(f)
    return True


@kernel
def start_float(f):
    """Float with the whole time."""
    f.stored = FLOAT_FRAMES
    hover(f)


@kernel
def hover(f):
    """Stay at this height."""
    enter(f, FLOAT)
    f.spent = 1
    f.vy = ZERO


@kernel
def end_float(f):
    """Sink, with the end of the jump's animation."""
    back = f.stick_x * f.facing <= BACK_STICK
    enter_at(f, FLOAT_FALL_B if back else FLOAT_FALL_F, FLOAT_FALL_AGE, ONE)


@kernel
def special_anim(f, kind, over):
    """The time runs in the float and in its attacks."""
    if f.stored > 0:
        f.stored -= 1
    if kind == Anim.PEACH_FLOAT:
        if over:
            f.age = ZERO
        if f.stored <= 0:
            end_float(f)
    elif over:
        if f.var_i[0] != 0:
            enter(f, FALL)
        else:
            hover(f)


@kernel
def special_interrupts(g, f, kind):
    """An attack keeps the height while the jump is held; without it the float is over."""
    if kind == Interrupts.PEACH_FLOAT:
        if attacks.try_aerial(g, f):
            enter(f, f.action - attacks.NEUTRAL_AIR + FIRST_FLOAT_ATTACK)
            f.var_i[0] = 0
        elif not holds_jump(f):
            end_float(f)
    elif not holds_jump(f):
        f.var_i[0] = 1


@kernel
def special_physics(f, kind):
    """Only drift while floating; after it, and in the second jump, the animation gives the height."""
    if kind == Physics.PEACH_FLOAT_ATTACK and f.var_i[0] != 0:
        air_step(f)
        return
    air_drift(f, ATTRIBUTES[f.character].air_max_drift)
    if kind == Physics.JUMP_PATH:
        _, f.vy = root_step(f)
