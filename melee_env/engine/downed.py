"""Hitting floors, walls and ceilings while launched: landing, techs, bouncing, lying and getting up.

Rules: doldecomp/melee ft/chara/ftCommon/ftCo_Down*.c, ftCo_Passive*.c, ftCo_FlyReflect.c; windows and
lengths measured on recorded games.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.input import LR, XY, A, B
from melee_env.engine.kernel import kernel
from melee_env.engine.launch import clear_own_speed, count_hitstun
from melee_env.engine.state import LONG_AGO
from melee_env.engine.states import NUM_CHARACTERS, STATES, Anim
from melee_env.engine.tables import LENGTH
from melee_env.engine.transitions import enter, enter_attack, enter_fall, touch_ground

ZERO = np.float32(0)
ONE = np.float32(1)
TECH_WINDOW = 20  # x250
TECH_LOCKOUT = 40  # x01C
TECH_STICK = np.float32(0.25)  # x254
SOFT_LANDING = np.float32(0.5)  # x1E4
HARD_LANDING = np.float32(3.0)  # x1E0, never reached in recorded landings
BOUNCE_SPEED = np.float32(1.0)  # x1B0, a guess
BOUNCE_SHARE = np.float32(0.8)  # x1BC
WALL_TECH_INTANGIBLE = 14
BOUNCE_INTANGIBLE = 15  # x1B8
SLIDE_CAP = np.float32(8.3)  # x164
LIE_FRAMES = 220
ROLL_STICK = np.float32(0.7)  # x248
STEEP = np.float32(1.1917536)  # tan 50 degrees, x020
STAND_STICK = np.float32(0.6625)  # x244
BOUND_IN_AIR = np.tile(np.array([[4, 21], [2, 21]], np.int32), (NUM_CHARACTERS, 1, 1))
BOUND_IN_AIR[[13, 18, 22, 24], 0] = [[3, 21], [2, 21], [3, 21], [7, 24]]
BOUND_IN_AIR[[2, 9, 16], 1] = [[4, 21], [5, 17], [4, 21]]
"""``[character, on the back or face down]``: first and last age of a bound that counts as airborne, although the
fighter stays on the floor; measured for ten fighters. Between its ends a bound stays as it is, so that a recording of
another fighter shows where its own are."""
DOWN_BOUND_U, DOWN_BOUND_D = 183, 191
DOWN_WAIT, DOWN_DAMAGE, DOWN_STAND, DOWN_ATTACK, DOWN_FORWARD, DOWN_BACK = 1, 2, 3, 4, 5, 6
"""distances of the lying states from their DownBound"""
DAMAGE_FALL, DAMAGE_FLY_HIGH, DAMAGE_FLY_LOW, DAMAGE_FLY_TOP, DAMAGE_FLY_ROLL = 38, 87, 89, 90, 91
CAPTAIN_FALCON, MARTH = 2, 18
FLY_TURNED = np.full(NUM_CHARACTERS, 21, np.float32)
FLY_TURNED[CAPTAIN_FALCON], FLY_TURNED[MARTH] = 28, 60
"""age from which a launched fighter lands face down: Captain Falcon turns later (of four recorded falls that the common
age has wrong none is left), Marth not at all (three falls from age 21 on)"""
TOP_TURNED = np.float32(36)
"""the same of Captain Falcon after he was launched straight up"""
FALL_ON_BACK = (np.float32(13), np.float32(26))
"""ages of the tumbling fall between which it lands on its back"""
PASSIVE, PASSIVE_FORWARD, PASSIVE_BACK = 199, 200, 201
PASSIVE_WALL, PASSIVE_WALL_JUMP, PASSIVE_CEILING = 202, 203, 204
FLY_REFLECT_WALL, FLY_REFLECT_CEILING = 247, 248
LANDING = 42


@kernel
def settle(f):
    """Become grounded in knockback; it turns into a slide along the floor on the next frame."""
    touch_ground(f)
    f.hitstun = 0
    f.tumble = 0


@kernel
def land_in_damage(g, f):
    """Touch the floor in a flinch."""
    speed = np.sqrt(f.kx * f.kx + f.ky * f.ky)
    stunned = f.hitstun
    if STATES[f.character, f.action].anim == Anim.DOWN_DAMAGE:
        speed = ZERO  # whoever lay already goes on lying
    if speed >= HARD_LANDING:
        enter_down(f)
    elif speed >= SOFT_LANDING:
        settle(f)
        enter(f, LANDING)
    else:
        settle(f)
        f.hitstun = stunned


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
    if abs(f.stick_x) < TECH_STICK:
        f.ground_k = f.kx
        f.ky = -f.normal_x * f.ground_k
        enter(f, PASSIVE)
    else:
        enter(f, PASSIVE_FORWARD if f.stick_x * f.facing >= ZERO else PASSIVE_BACK)


@kernel
def faces_down(f):
    """Tell whether the tumble's picture has the belly below: 99 of 109 recorded falls agree."""
    if f.action == DAMAGE_FALL:
        return f.age < FALL_ON_BACK[0] or f.age >= FALL_ON_BACK[1]
    if f.action == DAMAGE_FLY_ROLL:
        return True
    if f.action == DAMAGE_FLY_TOP:
        return f.character == CAPTAIN_FALCON and f.age >= TOP_TURNED
    return f.action >= DAMAGE_FLY_HIGH and f.action <= DAMAGE_FLY_LOW and f.age >= FLY_TURNED[f.character]


@kernel
def enter_down(f):
    """Hit the floor and stay there; knockback becomes a capped slide at once."""
    action = DOWN_BOUND_D if faces_down(f) else DOWN_BOUND_U
    settle(f)
    if f.ground_k == ZERO:
        f.ground_k = min(max(f.kx, -SLIDE_CAP), SLIDE_CAP)
        f.kx = f.normal_y * f.ground_k
        f.ky = -f.normal_x * f.ground_k
    enter(f, action)


@kernel
def hit_wall_in_tumble(g, f, normal_x):
    """Touch a wall in a tumble: tech, bounce or slide; tell whether the state changed."""
    if f.hitlag > 0:
        return False
    if tech_input(f):
        stop_flight(f)
        f.facing = normal_x
        jump = f.stick_y >= STAND_STICK or (f.held & XY) != 0
        enter(f, PASSIVE_WALL_JUMP if jump else PASSIVE_WALL)
        f.var_i[0] = 0
        f.tilt_x = LONG_AGO
        f.tilt_y = LONG_AGO
        f.intangible = max(f.intangible, WALL_TECH_INTANGIBLE)
        return True
    if f.action == FLY_REFLECT_WALL or -f.kx * normal_x <= BOUNCE_SPEED:
        return False
    bounce(f, FLY_REFLECT_WALL, -(f.vx + f.kx), f.vy + f.ky)
    return True


@kernel
def hit_ceiling_in_tumble(g, f):
    """Touch a ceiling in a tumble: tech or bounce; tell whether the state changed."""
    if f.hitlag > 0:
        return False
    if tech_input(f):
        stop_flight(f)
        enter(f, PASSIVE_CEILING)
        return True
    if f.action == FLY_REFLECT_CEILING or f.ky <= BOUNCE_SPEED:
        return False
    bounce(f, FLY_REFLECT_CEILING, f.vx + f.kx, -(f.vy + f.ky))
    return True


@kernel
def bounce(f, action, x, y):
    """Fly on with the mirrored velocity, weakened; hitstun goes on."""
    stunned = f.hitstun
    stop_flight(f)
    f.kx = x * BOUNCE_SHARE
    f.ky = y * BOUNCE_SHARE
    f.facing = -ONE if f.kx < ZERO else ONE
    enter(f, action)
    f.hitstun = stunned
    f.intangible = max(f.intangible, BOUNCE_INTANGIBLE)


@kernel
def stop_flight(f):
    """Lose own and knockback speed."""
    clear_own_speed(f)
    f.kx = ZERO
    f.ky = ZERO
    f.ground_k = ZERO
    f.hitstun = 0
    f.tumble = 0


@kernel
def down_anim(g, f, kind):
    """Lying: the bound, the wait, a weak hit."""
    base = DOWN_BOUND_U if f.action < DOWN_BOUND_D else DOWN_BOUND_D
    over = f.age >= LENGTH[f.character, f.action]
    if kind == Anim.DOWN_BOUND:
        window = BOUND_IN_AIR[f.character, 0 if base == DOWN_BOUND_U else 1]
        if f.age > window[1]:
            f.airborne = 0
        elif f.airborne == 0 and f.age >= window[0] and f.age <= window[0] + 1:
            clear_own_speed(f)
            f.airborne = 1
        f.jumps_used = f.airborne
        if over and not leave_bound(g, f, base):
            enter(f, base + DOWN_WAIT)
            f.var_i[0] = LIE_FRAMES
    elif kind == Anim.DOWN_DAMAGE:
        count_hitstun(f)
        if over:
            if f.airborne != 0:
                enter_fall(f)
            else:
                enter(f, base + (DOWN_STAND if f.hitstun <= 0 else DOWN_WAIT))
                f.hitstun = 0
                f.var_i[0] = LIE_FRAMES
    else:
        if over:
            f.age = ZERO
        f.var_i[0] -= 1
        if f.var_i[0] <= 0:
            enter(f, base + DOWN_STAND)


@kernel
def leave_bound(g, f, base):
    """Go on straight from the bound: attack, or roll (always in the face-down version)."""
    if (f.pressed & (A | B)) != 0:
        enter_attack(g, f, base + DOWN_ATTACK)
        return True
    return try_floor_roll(f, DOWN_BOUND_D)


@kernel
def try_floor_roll(f, base):
    """Roll along the floor to the stick's or C-stick's side."""
    x = f.cstick_x
    if abs(x) < ROLL_STICK:
        x = f.stick_x
        if abs(x) < ROLL_STICK or abs(f.stick_y) > STEEP * abs(x):
            return False
    enter(f, base + (DOWN_FORWARD if x * f.facing >= ZERO else DOWN_BACK))
    return True


@kernel
def down_wait_interrupts(g, f):
    """Get up from lying: attack, roll or stand."""
    base = DOWN_BOUND_U if f.action < DOWN_BOUND_D else DOWN_BOUND_D
    if (f.pressed & (A | B)) != 0:
        enter_attack(g, f, base + DOWN_ATTACK)
    elif (f.stick_y >= STAND_STICK and f.stick_y > STEEP * abs(f.stick_x)) or (f.pressed & LR) != 0:
        enter(f, base + DOWN_STAND)
    else:
        return try_floor_roll(f, base)
    return True
