"""Ledges: catching, hanging, and the ways back onto the stage.

Rules: doldecomp/melee ft/chara/ftCommon/ftCo_Cliff*.c; catch boxes: data/attributes.csv.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import moves
from melee_env.engine.attacks import steep_down, steep_up
from melee_env.engine.input import LR, A, B
from melee_env.engine.kernel import kernel
from melee_env.engine.stages import STAGE_LINES, STAGES
from melee_env.engine.state import ECB_LOCK
from melee_env.engine.states import LEDGE_BACK, STATES, Anim
from melee_env.engine.tables import (
    ATTRIBUTES,
    FIRST_LEDGE_STATE,
    LEDGE_AGES,
    LEDGE_POSE,
    LEDGE_STATES,
    LENGTH,
)
from melee_env.engine.transitions import (
    clamp_drift,
    enter,
    enter_attack,
    enter_fall,
    enter_wait_or_fall,
    touch_ground,
)

ZERO = np.float32(0)
ONE = np.float32(1)
HALF = np.float32(0.5)
CATCH_STICK = np.float32(-0.66)  # x480
NEUTRAL = np.float32(0.25)  # x494
SLOW_PERCENT = np.float32(100)  # x488
C_STICK_ATTACK = np.float32(0.6625)  # x7F8
COOLDOWN = 30
HANG_INTANGIBLE = 30
HANG_TIME = 360
DAMAGE_FALL = 38
CLIFF_CATCH = 252
CLIFF_WAIT = 253
CLIMB, ATTACK, ESCAPE, JUMP = 255, 257, 259, 262
INSIDE = np.float32(12)
"""how far inside the edge an option ends when the tables hold no movement"""


@kernel
def try_ledge_catch(g, f):
    """Catch a ledge that the box before the fighter overlaps while it moves down."""
    if f.ledge_cooldown > 0 or f.y >= f.prev_y or f.stick_y <= CATCH_STICK:
        return False
    stage = STAGES[g.slot]
    if f.y > stage.ledge_y + np.float32(10):
        return False
    attributes = ATTRIBUTES[f.character]
    both_sides = (STATES[f.character, f.action].flags & LEDGE_BACK) != 0
    half_height = np.float32(attributes.ledge_snap_height * HALF)
    low = np.float32(np.float32(f.y + attributes.ledge_snap_y) - half_height)
    high = np.float32(np.float32(f.prev_y + attributes.ledge_snap_y) + half_height)
    for side in range(2):
        facing = ONE if side == 0 else -ONE
        corner = stage.ledge_left_x if side == 0 else stage.ledge_right_x
        line = STAGE_LINES[g.slot, stage.ledge_left_line if side == 0 else stage.ledge_right_line]
        if (f.facing != facing and not both_sides) or ledge_taken(g, f, side):
            continue
        if max(line.y0, line.y1) < low or min(line.y0, line.y1) > high:
            continue
        distance = np.float32(np.float32(corner - f.x) * facing)
        if distance < ZERO or distance > attributes.ledge_snap_x:
            continue
        catch(g, f, side)
        return True
    return False


@kernel
def ledge_taken(g, f, side):
    """Tell whether the other fighter holds this ledge."""
    return g.fighters[1 - f.seat].on_ledge == side + 1


@kernel
def catch(g, f, side):
    """Hang on a ledge, facing the stage."""
    enter(f, CLIFF_CATCH)
    f.on_ledge = side + 1
    f.facing = ONE if side == 0 else -ONE
    f.airborne = 1
    f.jumps_used = 1
    f.fast_fall = 0
    f.gv = ZERO
    f.vx = ZERO
    f.vy = ZERO
    f.kx = ZERO
    f.ky = ZERO
    f.hitstun = 0
    f.tumble = 0
    f.ecb_lock = ECB_LOCK
    hang(g, f)


@kernel
def hang(g, f):
    """Stay at the ledge's corner."""
    if hold_pose(g, f):
        return
    stage = STAGES[g.slot]
    attributes = ATTRIBUTES[f.character]
    corner = stage.ledge_left_x if f.on_ledge == 1 else stage.ledge_right_x
    f.x = np.float32(corner - np.float32(f.facing * attributes.hang_out))
    f.y = np.float32(stage.ledge_y + attributes.hang_dy)


@kernel
def hold_pose(g, f):
    """Take the place beside the ledge that the animation gives; tell whether it is known."""
    age = int(f.age)
    if f.action == CLIFF_WAIT:
        age = min(age, LEDGE_AGES - 1)
    state = f.action - FIRST_LEDGE_STATE
    if state < 0 or state >= LEDGE_STATES or age < 0 or age >= LEDGE_AGES:
        return False
    out = LEDGE_POSE[f.character, state, age, 0]
    if np.isnan(out):
        return f.action == CLIFF_WAIT and age > 0  # hangs on where the catch left it
    stage = STAGES[g.slot]
    corner = stage.ledge_left_x if f.facing > ZERO else stage.ledge_right_x
    f.x = np.float32(corner - np.float32(f.facing * out))
    f.y = np.float32(stage.ledge_y + LEDGE_POSE[f.character, state, age, 1])
    f.vx = ZERO
    f.vy = ZERO
    return True


@kernel
def begin_hang(f):
    """The catch is over: hang, intangible for a while."""
    ledge = f.on_ledge
    enter(f, CLIFF_WAIT)
    f.on_ledge = ledge
    f.intangible = HANG_INTANGIBLE
    f.var_i[0] = 0  # the stick was neutral
    f.var_i[1] = HANG_TIME


@kernel
def option(f, quick):
    """Return the slow version of an option at 100 percent and more."""
    return quick if f.percent < SLOW_PERCENT else quick - 1


@kernel
def start_option(g, f, action, attacking):
    """Begin an option while still holding the ledge."""
    ledge = f.on_ledge
    if attacking:
        enter_attack(g, f, action)
    else:
        enter(f, action)
    f.on_ledge = ledge


@kernel
def drop(f):
    """Let go."""
    f.ledge_cooldown = COOLDOWN
    enter_fall(f)


@kernel
def cliff_interrupts(g, f):
    """Attack, roll, jump, climb, drop, in this order."""
    c_up = f.cstick_y >= C_STICK_ATTACK and f.prev_cstick_y < C_STICK_ATTACK
    if (f.pressed & (A | B)) != 0 or c_up:
        start_option(g, f, option(f, ATTACK), True)
        return
    c_in = f.cstick_x * f.facing >= C_STICK_ATTACK and f.prev_cstick_x * f.facing < C_STICK_ATTACK
    if (f.pressed & LR) != 0 or c_in:
        start_option(g, f, option(f, ESCAPE), False)
        return
    if moves.jump_input(f, moves.JUMP_STICK) != 0:
        jump = JUMP if f.percent < SLOW_PERCENT else JUMP - 2
        start_option(g, f, jump, False)
        return
    if abs(f.stick_x) >= NEUTRAL or abs(f.stick_y) >= NEUTRAL:
        stick_option(g, f, f.stick_x, f.stick_y, True)
    elif abs(f.cstick_x) >= NEUTRAL or abs(f.cstick_y) >= NEUTRAL:
        stick_option(g, f, f.cstick_x, f.cstick_y, False)
    else:
        f.var_i[0] = 1
    if f.action == CLIFF_WAIT and f.var_i[1] <= 0:
        f.ledge_cooldown = COOLDOWN
        enter(f, DAMAGE_FALL)
        clamp_drift(f)


@kernel
def stick_option(g, f, x, y, may_climb):
    """Climb toward the stage or up, drop away or down; the stick must have been neutral before."""
    if f.var_i[0] == 0:
        return
    toward = x * f.facing >= ZERO
    if steep_up(x, y) or (toward and not steep_down(x, y)):
        if may_climb:
            start_option(g, f, option(f, CLIMB), False)
    else:
        drop(f)


@kernel
def cliff_anim(g, f, kind, over):
    """Hanging counts down, options end on the stage, the jump leaves the ledge."""
    if f.action == CLIFF_CATCH:
        if over:
            begin_hang(f)
    elif kind == Anim.CLIFF_WAIT:
        if f.var_i[1] > 0:
            f.var_i[1] -= 1
    elif kind == Anim.CLIFF_JUMP:
        if over:
            attributes = ATTRIBUTES[f.character]
            enter(f, f.action + 1)
            f.vx = np.float32(f.vx + np.float32(f.facing * attributes.ledge_jump_h))
            f.vy = attributes.ledge_jump_v
            f.var_i[0] = 0
    elif over:
        if f.airborne != 0:
            stand_inside(g, f)
        enter_wait_or_fall(f)
    elif f.airborne != 0 and stands(f):
        stand_inside(g, f)


@kernel
def stands(f):
    """Tell whether an option's feet are on the floor: at its first place above and inside the edge, else halfway.

    Source: doldecomp/melee ftCo_CliffClimb.c ftCo_CliffClimb_Phys.
    """
    state = f.action - FIRST_LEDGE_STATE
    age = int(f.age)
    if np.isnan(LEDGE_POSE[f.character, state, 1, 0]):
        return f.age >= np.float32(LENGTH[f.character, f.action] * HALF)
    if age >= LEDGE_AGES:
        return True
    pose = LEDGE_POSE[f.character, state, age]
    return not (pose[0] > ZERO or pose[1] < ZERO)


@kernel
def stand_inside(g, f):
    """Put a fighter that climbed onto the floor inside the edge."""
    stage = STAGES[g.slot]
    corner = stage.ledge_left_x if f.facing > ZERO else stage.ledge_right_x
    if np.float32(np.float32(f.x - corner) * f.facing) < ZERO:
        f.x = np.float32(corner + np.float32(f.facing * INSIDE))
    hold_pose(g, f)
    f.y = stage.ledge_y
    f.ground = stage.ledge_left_line if f.facing > ZERO else stage.ledge_right_line
    f.vx = ZERO
    touch_ground(f)
    f.gv = ZERO
