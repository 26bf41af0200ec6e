"""What a hit with knockback does to its victim: direction, speed, action state, hitstun.

Order and branches: doldecomp/melee ft/chara/ftCommon/ftCo_Damage.c; launch velocities of recorded hits
agree (docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import HITSTUN_SCALE, hitstun_frames
from melee_env.engine.rng import randf
from melee_env.engine.state import LONG_AGO
from melee_env.engine.transitions import enter, leave_ground
from melee_env.engine.trig import cosf, sinf

ZERO = np.float32(0)
ONE = np.float32(1)
SPEED = np.float32(0.03)  # x100, launch speed per knockback
DEGREE = np.float32(0.01745329238474369)
SAKURAI = 361
"""angle that depends on the victim: 45 degrees in the air, flat or 44 degrees on the ground"""
SAKURAI_AIR = np.float32(0.7853981852531433)  # x144
SAKURAI_GROUND = np.float32(44)  # x148
SAKURAI_LOW = np.float32(32.0)  # x14C
SAKURAI_HIGH = np.float32(32.1)  # x150
LEVELS = (np.float32(10), np.float32(21), np.float32(32))  # x158, x15C, x160, of knockback times x154
TUMBLE = 3
ANY_STATE = -1
GROUND_STATES = np.array([[81, 78, 75], [82, 79, 76], [83, 80, 77], [89, 88, 87]], np.int32)
AIR_STATES = np.array([84, 85, 86], np.int32)
FLY_FIRST, FLY_TOP, FLY_ROLL = 87, 90, 91
TOP_FROM = np.float32(1.2217305)  # x234, 70 degrees
TOP_TO = np.float32(1.9198622)  # x238, 110 degrees
ROLL_PERCENT = np.float32(100)  # x23C
ROLL_CHANCE = np.float32(0.3)  # x240
BOUNCE_ANGLE = np.float32(1.7453292)  # 90 degrees and x1E8
BOUNCE = np.float32(0.8)  # x1EC
REPLACE_WINDOW = 10  # x0FC
SHIELD_PRESS_SCALE = np.float32(0.95)  # x190
SHIELD_PRESS_WINDOW = 2  # x18C
LOCKOUT = 40  # x01C
"""friction of Fountain of Dreams for fighters that slide"""
NO_PRESS = 255
METEOR_FROM, METEOR_TO = 260, 280
METEOR_LOCK = 8  # x7F0, frames out of hitlag
COMBO_GRACE = 2  # x4CC


@kernel
def launch_angle(f, angle, kb):
    """Return the launch angle in radians; 361 depends on where the victim is."""
    if int(angle) != SAKURAI:
        return angle * DEGREE
    if f.airborne != 0:
        return SAKURAI_AIR
    if kb < SAKURAI_LOW:
        return ZERO
    ramp = SAKURAI_GROUND * ((kb - SAKURAI_LOW) / (SAKURAI_HIGH - SAKURAI_LOW)) + ONE
    return min(ramp * DEGREE, SAKURAI_GROUND * DEGREE)


@kernel
def launch_level(kb):
    """Return 0 to 2 for a flinch, 3 for a tumble."""
    strength = kb * HITSTUN_SCALE
    level = 0
    while level < TUMBLE and strength >= LEVELS[level]:
        level += 1
    return level


@kernel
def merge_axis(old, new):
    """Return one axis of old and new knockback together: opposed ones add, else the larger stays."""
    if old * new < ZERO:
        return old + new
    return new if abs(new) > abs(old) else old


@kernel
def add_knockback(f, x, y):
    """Give a launch velocity; within ten frames of the last launch it replaces that one."""
    if f.since_hit < REPLACE_WINDOW:
        f.kx = x
        f.ky = y
    else:
        f.kx = merge_axis(f.kx, x)
        f.ky = merge_axis(f.ky, y)


@kernel
def pressed_shield_in_air(f):
    """Tell whether a fresh L or R weakens the launch of a freely falling fighter."""
    free = (f.action >= 25 and f.action <= 38) or f.action == 236
    return free and f.lr_press <= SHIELD_PRESS_WINDOW and f.lr_before >= LOCKOUT


@kernel
def launch_ground(f, x, y, level):
    """Launch a standing fighter: lift off, bounce off the floor or slide along it."""
    length = np.sqrt(x * x + y * y)
    into = f.normal_x * x + f.normal_y * y
    if length > ZERO and into > ZERO:
        leave_ground(f)
        add_knockback(f, x, y)
        f.ground_k = ZERO
    elif level == TUMBLE:
        leave_ground(f)
        # cosine of the angle from the floor's normal, steeper than 100 degrees bounces
        if into < length * cosf(BOUNCE_ANGLE):
            y = -y * BOUNCE
        add_knockback(f, x, y)
        f.ground_k = ZERO
    else:
        f.ground_k = x
        add_knockback(f, f.normal_y * x, -f.normal_x * x)


@kernel
def clear_own_speed(f):
    """Stop a fighter's own movement."""
    f.vx = ZERO
    f.vy = ZERO
    f.gv = ZERO
    f.ground_accel = ZERO
    f.ground_impulse = ZERO


@kernel
def launch(g, f, kb, angle, facing, height, forced):
    """Launch a fighter.

    Args:
        g: the game.
        f: the victim.
        kb: knockback after crouch cancel.
        angle: degrees, 361 for the angle that depends on the victim.
        facing: facing that the victim takes, toward what hit it.
        height: hurtbox height class, 0 low, 1 middle, 2 high.
        forced: action state that the hit leads to in any case, or ``ANY_STATE``.
    """
    level = launch_level(kb) if forced == ANY_STATE else TUMBLE
    radians = launch_angle(f, angle, kb)
    speed = kb * SPEED
    was_airborne = f.airborne != 0
    if was_airborne and pressed_shield_in_air(f):
        speed = speed * SHIELD_PRESS_SCALE
    x = -(speed * cosf(radians)) * facing
    y = speed * sinf(radians)
    f.facing = facing
    if was_airborne:
        add_knockback(f, x, y)
        f.ground_k = ZERO
    else:
        launch_ground(f, x, y, level)
    clear_own_speed(f)
    action = AIR_STATES[level] if was_airborne and level < TUMBLE else GROUND_STATES[level, height]
    if level == TUMBLE and f.airborne != 0:
        if radians > TOP_FROM and radians < TOP_TO:
            action = FLY_TOP
        elif f.percent >= ROLL_PERCENT and randf(g) < ROLL_CHANCE:
            action = FLY_ROLL
    if forced != ANY_STATE:
        action = forced
    enter(f, action)
    f.hitstun = hitstun_frames(kb)
    f.tumble = 1 if action >= FLY_FIRST and action <= FLY_ROLL else 0
    f.launch_angle = angle
    f.since_hit = 0
    f.tilt_x = LONG_AGO
    f.tilt_y = LONG_AGO
    f.shield_press = NO_PRESS
    f.nudge = ZERO
    f.var_i[0] = 1 if angle >= METEOR_FROM and angle <= METEOR_TO else 0
    f.var_i[1] = METEOR_LOCK
    f.var_i[2] = 0  # hitstun that was left when a jump was asked for


@kernel
def count_hitstun(f):
    """Let hitstun run; the opponent's combo lasts a moment longer."""
    if f.hitstun > 0:
        f.hitstun -= 1
        if f.hitstun == 0:
            f.combo_grace = COMBO_GRACE
