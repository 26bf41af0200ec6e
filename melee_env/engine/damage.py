"""Step 14 and what follows a hit: hitlag, DI, hitstun, landing in it, lying down, techs.

Order: doldecomp/melee ft/fighter.c ProcessHit and ft/chara/ftCommon/ftCo_Damage.c, ftCo_Down*.c,
ftCo_Passive*.c, ftCo_FlyReflect.c.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.input import LR, A, B
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import hitlag_frames
from melee_env.engine.launch import clear_own_speed, launch
from melee_env.engine.motion import air_friction, fall, ground_friction, ground_move
from melee_env.engine.shield import break_shield, hurt_shield, shield_reaction
from melee_env.engine.state import LONG_AGO
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, LENGTH
from melee_env.engine.transitions import (
    FALL,
    WAIT,
    enter,
    enter_at,
    enter_attack,
    enter_wait_or_fall,
    touch_ground,
)
from melee_env.engine.trig import atan2f, cosf, sinf

ZERO = np.float32(0)
ONE = np.float32(1)
ELECTRIC = 2
MAX_PERCENT = np.float32(999)
CROUCH_SHARE = np.float32(0.6666667)  # x124
SQUAT, SQUAT_WAIT = 39, 40
RESET_DAMAGE = np.float32(7)  # x428
SHIFT_STICK_SQUARED = np.float32(np.float32(0.7) * np.float32(0.7))  # x4B0
SHIFT_STICK = np.float32(0.7)
SHIFT_WINDOW = 4  # x4B4
SHIFT_DISTANCE = np.float32(6)  # x4B8
AUTO_SHIFT_DISTANCE = np.float32(3)  # x4BC
MAX_INFLUENCE = np.float32(0.31415927410125732)  # x1A8, 18 degrees
TOO_SLOW = np.float32(0.00001)
PUSH_SLOPE = np.float32(0.07)  # x3E0
PUSH_BASE = np.float32(0.02)  # x3E4
REBOUND_SLOPE = np.float32(0.9)
REBOUND_BASE = np.float32(4.0)
REBOUND_PUSH_SLOPE = np.float32(0.05)
REBOUND_PUSH_BASE = np.float32(0.3)
TECH_WINDOW = 20  # x250
TECH_LOCKOUT = 40  # x01C
TECH_STICK = np.float32(0.25)  # x254
SOFT_LANDING = np.float32(0.5)  # x1E4
HARD_LANDING = np.float32(3.0)  # x1E0, never reached in recorded landings
BOUNCE_SPEED = np.float32(1.0)
BOUNCE_SHARE = np.float32(0.8)  # x1BC
WIGGLE_STICK = np.float32(0.8)  # x210
WIGGLE_WINDOW = 1  # x214
LIE_FRAMES = 220
ROLL_STICK = np.float32(0.7)
STAND_STICK = np.float32(0.6625)
FIRST_DAMAGE, LAST_DAMAGE, FIRST_FLY = 75, 91, 87
DAMAGE_FALL = 38
DOWN_BOUND_U, DOWN_BOUND_D = 183, 191
DOWN_WAIT, DOWN_DAMAGE, DOWN_STAND, DOWN_ATTACK, DOWN_FORWARD, DOWN_BACK = 1, 2, 3, 4, 5, 6
"""distances of the lying states from their DownBound"""
PASSIVE, PASSIVE_FORWARD, PASSIVE_BACK = 199, 200, 201
PASSIVE_WALL, PASSIVE_WALL_JUMP, PASSIVE_CEILING = 202, 203, 204
FLY_REFLECT_WALL, FLY_REFLECT_CEILING = 247, 248
CATCH_CUT, CAPTURE_CUT, CAPTURE_JUMP = 218, 229, 230
CAPTURE_WAIT_HIGH, CAPTURE_DAMAGE_HIGH = 224, 225
CAPTURE_WAIT_LOW, CAPTURE_DAMAGE_LOW = 227, 228
LANDING, REBOUND_STOP, REBOUND = 42, 237, 238
"""action states"""


@kernel
def can_act(f):
    """Tell whether hitstun is over."""
    return f.hitstun <= 0


@kernel
def captured(f):
    """Tell whether the opponent holds the fighter."""
    return (STATES[f.character, f.action].flags & states.CAPTURED) != 0


@kernel
def clear_pending(f):
    """Forget the frame's hits."""
    f.pending_damage = ZERO
    f.pending_kb = ZERO
    f.pending_hits = 0
    f.pending_hitlag = 0
    f.pending_dealt = 0
    f.pending_shield = 0
    f.pending_shield_sum = 0
    f.pending_shield_dealt = 0
    f.pending_clank = 0
    f.pending_rebound = 0
    f.pending_push_side = ZERO


@kernel
def apply_hits(g, f, o):
    """Apply what this frame's hit detection logged for one fighter."""
    f.since_hit = min(f.since_hit + 1, 1000)
    anything = f.pending_hits + f.pending_dealt + f.pending_shield + f.pending_shield_dealt + f.pending_clank
    if anything == 0:
        return
    crouched = f.action == SQUAT or f.action == SQUAT_WAIT
    electric = False
    lag = 0
    if f.pending_hits > 0:
        f.percent = min(f.percent + f.pending_damage, MAX_PERCENT)
    if f.pending_hits > 0 and (f.pending_kb > ZERO or captured(f)):
        take_hit(g, f, o, crouched)
        lag = f.pending_hitlag
        electric = f.pending_element == ELECTRIC
    elif f.pending_shield > 0:
        if hurt_shield(f, f.pending_shield_sum):
            break_shield(f)
        else:
            shield_reaction(f, f.pending_shield, f.pending_shield_facing)
        lag = f.pending_shield
    elif f.pending_clank > 0:
        if f.pending_rebound > 0 and f.airborne == 0 and not captured(o):
            enter(f, REBOUND_STOP)
            f.var_f[0] = np.float32(f.pending_rebound) * REBOUND_SLOPE + REBOUND_BASE
            f.var_f[1] = f.pending_rebound_facing
        lag = f.pending_clank
    elif f.pending_dealt > 0:
        lag = f.pending_dealt
    else:
        lag = f.pending_shield_dealt
    if f.pending_push_side != ZERO:
        push_attacker(f)
    if lag > 0:
        f.hitlag = hitlag_frames(lag, electric, crouched)
    if f.pending_hits > 0:
        count_combo(f, o)
    clear_pending(f)


@kernel
def count_combo(f, o):
    """Count the hits of a string on the attacker's side."""
    o.combo = o.combo + f.pending_hits if f.combo_victim > 0 else f.pending_hits
    f.combo_victim = 1


@kernel
def push_attacker(f):
    """Push an attacker back from the shield that it hit."""
    speed = f.pending_push * PUSH_SLOPE + PUSH_BASE
    speed = -speed * f.pending_push_side
    if f.airborne == 0:
        f.ground_push = speed
        f.push_x = f.normal_y * speed
        f.push_y = -f.normal_x * speed
    else:
        f.ground_push = ZERO
        f.push_x = speed
        f.push_y = ZERO


@kernel
def take_hit(g, f, o, crouched):
    """React to a hit with knockback: be launched, let go, stay down or stay held."""
    if captured(f):
        enter(f, CAPTURE_DAMAGE_HIGH if f.action <= CAPTURE_DAMAGE_HIGH else CAPTURE_DAMAGE_LOW)
        return
    if captured(o):
        let_go(o)
    if (STATES[f.character, f.action].flags & states.DOWN) != 0 and f.pending_damage < RESET_DAMAGE:
        enter(f, DOWN_BOUND_U + DOWN_DAMAGE if f.action < DOWN_BOUND_D else DOWN_BOUND_D + DOWN_DAMAGE)
        return
    kb = f.pending_kb
    if crouched:
        kb = kb * CROUCH_SHARE
    if f.on_ledge != 0:
        f.ledge_cooldown = 30
    launch(g, f, kb, f.pending_angle, f.pending_facing, f.pending_height)


@kernel
def let_go(o):
    """Free a held fighter whose holder was hit."""
    o.kx = ZERO
    o.ky = ZERO
    clear_own_speed(o)
    if o.airborne == 0:
        enter(o, CAPTURE_CUT)
    else:
        enter(o, CAPTURE_JUMP)


@kernel
def exit_hitlag(g, f):
    """The frame hitlag ends: ASDI, DI and the start of a rebound."""
    if f.action >= FIRST_DAMAGE and f.action <= LAST_DAMAGE:
        auto_shift(f)
        if f.airborne != 0:
            influence(f)
    elif f.action == REBOUND_STOP:
        start_rebound(f)


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
    f.x = f.x + x * AUTO_SHIFT_DISTANCE
    f.y = f.y + y * AUTO_SHIFT_DISTANCE


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
    """SDI: a fresh flick in hitlag moves the victim."""
    if f.action < FIRST_DAMAGE or f.action > LAST_DAMAGE:
        return
    x = f.stick_x
    y = f.stick_y
    if x * x + y * y < SHIFT_STICK_SQUARED or (f.tilt_x >= SHIFT_WINDOW and f.tilt_y >= SHIFT_WINDOW):
        return
    f.x = f.x + x * SHIFT_DISTANCE
    f.y = f.y + y * SHIFT_DISTANCE
    f.tilt_x = LONG_AGO
    f.tilt_y = LONG_AGO


@kernel
def start_rebound(f):
    """Be pushed back by a clank."""
    r = f.var_f[0]
    facing = f.var_f[1]
    length = LENGTH[f.character, REBOUND]
    enter_at(f, REBOUND, ZERO, (length + np.float32(0.1)) / r)
    f.ground_impulse = -facing * (r * REBOUND_PUSH_SLOPE + REBOUND_PUSH_BASE) - f.gv


@kernel
def damage_anim(g, f, kind):
    """Count hitstun; after it the end of the animation leads on."""
    if f.hitstun > 0:
        f.hitstun -= 1
    over = f.age >= LENGTH[f.character, f.action] or f.action == LAST_DAMAGE
    if not over or f.hitstun > 0:
        return
    if kind == Anim.DAMAGE_FLY:
        enter(f, DAMAGE_FALL)
    else:
        enter_wait_or_fall(f)


@kernel
def damage_physics(f):
    """Physics in hitstun: gravity and friction only; False leaves the frame to the normal air step."""
    if f.airborne == 0:
        ground_friction(f, ATTRIBUTES[f.character].ground_friction)
        ground_move(f)
        return True
    if f.hitstun <= 0:
        return False
    attributes = ATTRIBUTES[f.character]
    fall(f, attributes.gravity, attributes.terminal_vel)
    air_friction(f, attributes.air_friction)
    return True


@kernel
def settle(f):
    """Become grounded in knockback."""
    touch_ground(f)
    f.ground_k = f.kx


@kernel
def land_in_damage(g, f):
    """Touch the floor in a flinch."""
    speed = np.sqrt(f.kx * f.kx + f.ky * f.ky)
    if speed >= HARD_LANDING:
        enter_down(f)
    elif speed >= SOFT_LANDING:
        settle(f)
        enter(f, LANDING)
    else:
        settle(f)


@kernel
def tech_input(f):
    """Tell whether L or R was pressed in time and not mashed."""
    return f.lr_press < TECH_WINDOW and f.lr_before >= TECH_LOCKOUT


@kernel
def land_in_tumble(g, f):
    """Touch the floor in a tumble: tech or lie down."""
    if not tech_input(f):
        enter_down(f)
        return
    settle(f)
    f.hitstun = 0
    f.tumble = 0
    if abs(f.stick_x) < TECH_STICK:
        enter(f, PASSIVE)
    else:
        enter(f, PASSIVE_FORWARD if f.stick_x * f.facing > ZERO else PASSIVE_BACK)


@kernel
def enter_down(f):
    """Hit the floor and stay there."""
    settle(f)
    f.hitstun = 0
    f.tumble = 0
    f.gv = ZERO
    enter(f, DOWN_BOUND_U)
    f.var_i[0] = LIE_FRAMES


@kernel
def hit_wall_in_tumble(g, f, normal_x):
    """Touch a wall in a tumble: tech, bounce or slide; tell whether the state changed."""
    if f.hitlag > 0 or f.action == FLY_REFLECT_WALL:
        return False
    if tech_input(f):
        f.facing = normal_x
        stop_flight(f)
        jump = f.stick_y >= STAND_STICK
        enter(f, PASSIVE_WALL_JUMP if jump else PASSIVE_WALL)
        f.var_i[0] = 0
        return True
    vx = f.vx + f.kx
    if -vx * normal_x < BOUNCE_SPEED:
        return False
    vy = f.vy + f.ky
    stop_flight(f)
    f.kx = -vx * BOUNCE_SHARE
    f.ky = vy * BOUNCE_SHARE
    f.facing = normal_x
    enter(f, FLY_REFLECT_WALL)
    return True


@kernel
def hit_ceiling_in_tumble(g, f):
    """Touch a ceiling in a tumble: tech or bounce; tell whether the state changed."""
    if f.hitlag > 0 or f.action == FLY_REFLECT_CEILING:
        return False
    if tech_input(f):
        stop_flight(f)
        enter(f, PASSIVE_CEILING)
        return True
    vy = f.vy + f.ky
    if vy < BOUNCE_SPEED:
        return False
    vx = f.vx + f.kx
    stop_flight(f)
    f.kx = vx * BOUNCE_SHARE
    f.ky = -vy * BOUNCE_SHARE
    enter(f, FLY_REFLECT_CEILING)
    return True


@kernel
def stop_flight(f):
    """Lose own and knockback speed."""
    clear_own_speed(f)
    f.kx = ZERO
    f.ky = ZERO
    f.hitstun = 0


@kernel
def down_anim(g, f, kind):
    """Lying: the bound, the wait, a weak hit."""
    base = DOWN_BOUND_U if f.action < DOWN_BOUND_D else DOWN_BOUND_D
    over = f.age >= LENGTH[f.character, f.action]
    if kind == Anim.DOWN_BOUND:
        if over and not get_up(g, f, base):
            enter(f, base + DOWN_WAIT)
    elif kind == Anim.DOWN_DAMAGE:
        if over:
            enter(f, base + DOWN_STAND)
    else:
        if over:
            f.age = ZERO
        f.var_i[0] -= 1
        if f.var_i[0] <= 0:
            enter(f, base + DOWN_STAND)


@kernel
def get_up(g, f, base):
    """Leave the floor by attack, roll or standing up."""
    if (f.pressed & (A | B)) != 0:
        enter_attack(g, f, base + DOWN_ATTACK)
    elif abs(f.stick_x) >= ROLL_STICK:
        enter(f, base + (DOWN_FORWARD if f.stick_x * f.facing > ZERO else DOWN_BACK))
    elif f.stick_y >= STAND_STICK or (f.pressed & LR) != 0:
        enter(f, base + DOWN_STAND)
    else:
        return False
    return True


@kernel
def down_wait_interrupts(g, f):
    """Get up from lying."""
    return get_up(g, f, DOWN_BOUND_U if f.action < DOWN_BOUND_D else DOWN_BOUND_D)


@kernel
def wiggle_out(g, f):
    """Leave a tumble by a flick of the stick."""
    if abs(f.stick_x) >= WIGGLE_STICK and f.tilt_x < WIGGLE_WINDOW:
        enter(f, FALL)
        return True
    return False
