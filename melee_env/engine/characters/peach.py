"""Peach's float with its attacks and the fall after it, her bomber, Toad and parasol; turnips are not modelled.

Logic: doldecomp/melee ft/chara/ftPeach. ``stored`` is the time to float that is left, ``spent`` that she floated.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import attacks
from melee_env.engine.characters.endings import become_helpless, figures
from melee_env.engine.characters.figures import load_figures
from melee_env.engine.input import XY
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import (
    air_drift,
    air_step,
    coast,
    coast_down,
    fall,
    friction,
    root_step,
    tilted_root,
)
from melee_env.engine.states import Anim, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter, enter_at, enter_fall, leave_ground

PARAMETERS = load_figures("peach")[0]
"""Figures of the bomber and the Toad."""

ZERO = np.float32(0)
ONE = np.float32(1)
PEACH = 9
FLOAT, FLOAT_FALL_F, FLOAT_FALL_B, FIRST_FLOAT_ATTACK = 341, 342, 343, 344
FLOAT_FRAMES = 150
FLOAT_FALL_AGE = np.float32(55)
TAP_JUMP_STICK = np.float32(0.6625)
BACK_STICK = np.float32(-0.1)  # x78
FLOATED, TOAD_USED = 1, 2
"""bits of ``spent``"""
BOMBER_JUMP = 360
PARASOL_OPEN = 369
PARASOL_STICK = np.float32(0.5)
TILT_STICK = np.float32(0.625)
TILT = np.float32(0.3141592741012573)
"""18 degrees at the full stick"""
TURN_STICK = np.float32(0.25)
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
    if f.character != PEACH or (f.spent & FLOATED) != 0 or (f.held & XY) == 0 or f.stick_y > -TAP_JUMP_STICK:
        return False
    if (f.action == JUMP_F or f.action == JUMP_F + 1) and f.age < ONE:
        return False  # not on the frame that leaves the floor
    start_float(f)
    return True


@kernel
def try_float(f):
    """A held jump floats as soon as she falls."""
    if f.character != PEACH or (f.spent & FLOATED) != 0 or f.vy > ZERO or not holds_jump(f):
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
    f.spent |= FLOATED
    f.vy = ZERO


@kernel
def end_float(f):
    """Sink, with the end of the jump's animation."""
    back = f.stick_x * f.facing <= BACK_STICK
    enter_at(f, FLOAT_FALL_B if back else FLOAT_FALL_F, FLOAT_FALL_AGE, ONE)


@kernel
def special_anim(f, kind, over):
    """The time runs in the float and in its attacks; the run-up of a bomber ends in its jump."""
    if kind == Anim.PEACH_BOMBER:
        if over:
            bomber_jump(f)
        return
    if f.stored > 0:
        f.stored -= 1
    if kind == Anim.PEACH_FLOAT:
        if over:
            f.age = ZERO
        if f.stored <= 0:
            end_float(f)
    elif over:
        if f.var_i[0] != 0:
            enter_fall(f)
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
    elif kind == Interrupts.PEACH_FLOAT_ATTACK:
        if not holds_jump(f):
            f.var_i[0] = 1
    elif kind == Interrupts.PEACH_PARASOL:
        tilt_parasol(f)
    elif kind == Interrupts.PEACH_PARASOL_FALL:
        if f.stick_y <= -PARASOL_STICK:
            become_helpless(f)
            f.var_i[3] = 1
    elif f.var_i[3] != 0 and f.stick_y >= PARASOL_STICK and f.vy <= ZERO:
        enter(f, PARASOL_OPEN)


@kernel
def bomber_jump(f):
    """Throw herself forward, off the floor from a step behind and above."""
    if f.airborne == 0:
        leave_ground(f)
        f.x = np.float32(f.x - np.float32(PARAMETERS.bomber_back * f.facing))
        f.y = np.float32(f.y + PARAMETERS.bomber_rise)
    enter(f, BOMBER_JUMP)
    f.vx = np.float32(PARAMETERS.bomber_speed * f.facing)
    f.vy = PARAMETERS.bomber_vy


@kernel
def toad_physics(f):
    """The first Toad since the floor was left lifts her a little."""
    p = PARAMETERS
    if f.age < p.toad_age:
        coast_down(f)
        return
    if f.age == p.toad_age:
        f.vy = p.toad_lift if (f.spent & TOAD_USED) == 0 else ZERO
        f.spent |= TOAD_USED
    fall(f, p.toad_gravity, p.toad_terminal)
    coast(f)


@kernel
def tilt_parasol(f):
    """The largest stick before the launch tilts it (``var_f[0]``); at the launch the stick turns her."""
    if f.age < figures(f).from_age:
        reach = np.float32(np.float32(abs(f.stick_x) - TILT_STICK) / np.float32(ONE - TILT_STICK))
        angle = np.float32(TILT * reach)
        if reach > ZERO and angle > abs(f.var_f[0]):
            f.var_f[0] = -angle if f.stick_x > ZERO else angle
    elif f.age < figures(f).from_age + ONE and abs(f.stick_x) > TURN_STICK:
        f.facing = ONE if f.stick_x > ZERO else -ONE


@kernel
def parasol_physics(f):
    """A fall before the launch, then the animation, tilted."""
    row = figures(f)
    if f.age >= row.from_age:
        if f.airborne == 0:
            leave_ground(f)
            f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
        tilted_root(f, f.var_f[0])
    elif f.airborne == 0:
        friction(f)
    else:
        fall(f, row.gravity, ATTRIBUTES[f.character].terminal_vel)
        coast(f)


@kernel
def special_physics(f, kind):
    """Only drift while floating; after it, and in the second jump, the animation gives the height."""
    if kind == Physics.PEACH_PARASOL:
        parasol_physics(f)
        return
    if kind == Physics.PEACH_TOAD:
        toad_physics(f)
        return
    if kind == Physics.PEACH_FLOAT_ATTACK and f.var_i[0] != 0:
        air_step(f)
        return
    air_drift(f, ATTRIBUTES[f.character].air_max_drift)
    if kind == Physics.JUMP_PATH:
        _, f.vy = root_step(f)
