"""Jigglypuff's Rollout, and her Pound in the air: a dash along the stick that fades. Her jumps are in ``multi_jump``.

Logic: doldecomp/melee ft/chara/ftPurin; figures: data/specials_jigglypuff.csv. Variables of the Rollout:
``var_i[0]`` frames rolled, ``var_f[0]`` charge, ``var_f[1]`` direction, ``var_f[2]`` acceleration of a turn,
``var_f[3]`` the speed before it.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.endings import become_helpless, figures, land_with_lag
from melee_env.engine.characters.figures import load_figures
from melee_env.engine.input import B
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import air_drift, air_step, coast_down, fall, ground_friction, ground_move
from melee_env.engine.states import Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import WAIT, change_air_to_ground, change_ground_to_air, enter, enter_at
from melee_env.engine.trig import cosf, sinf

PARAMETERS = load_figures("jigglypuff")[0]
"""Figures of Jigglypuff."""

ZERO = np.float32(0)
ONE = np.float32(1)
DEGREE = np.float32(0.01745329238474369)
JIGGLYPUFF = 15
START, CHARGE, FULL, ROLL, TURN, END = 346, 348, 349, 350, 351, 352
AIR = 8
"""distance between a state of the Rollout and its air version"""
BOUNCE = 362
FIRST_SONG, TO_THE_RIGHT = 365, 2
"""the Sing and the Rest have states to the left and, two further on, to the right"""


@kernel
def on_ground(f):
    """Return the running state's number on the ground."""
    return f.action - AIR if f.action >= START + AIR and f.action < BOUNCE else f.action


@kernel
def here(f, action):
    """Return a state of the Rollout in the version for ground or air."""
    return action + AIR if f.airborne != 0 else action


@kernel
def begin(f):
    """Choose between the states to the left and to the right, and set up a Rollout."""
    if f.character != JIGGLYPUFF:
        return
    if on_ground(f) == START:
        f.var_f[1] = f.facing
        if f.facing < ZERO:
            enter(f, f.action + 1)
    elif f.action >= FIRST_SONG and f.facing > ZERO:
        enter(f, f.action + TO_THE_RIGHT)


@kernel
def special_anim(f, over):
    """Start, charge, roll for a time, end; a hit bounces back."""
    state = on_ground(f)
    if state <= START + 1:
        if over:
            enter_at(f, here(f, CHARGE), ZERO, ZERO)
            f.vx = ZERO
    elif state <= FULL:
        f.var_f[0] = min(np.float32(f.var_f[0] + ONE), PARAMETERS.full_charge)
        if state == CHARGE and f.var_f[0] >= PARAMETERS.full_charge:
            enter_at(f, here(f, FULL), f.age, ZERO)
    elif state <= TURN:
        f.var_i[0] += 1
        if f.victims[0] != 0:
            bounce(f)
        elif f.var_i[0] >= PARAMETERS.roll_frames:
            if state == TURN:
                f.var_f[1] = np.float32(-f.var_f[1])
            end_roll(f)
    elif over and f.action != BOUNCE:
        if f.airborne != 0:
            become_helpless(f)
        else:
            enter(f, WAIT)


@kernel
def end_roll(f):
    """Slow down, facing the way of the roll."""
    f.facing = f.var_f[1]
    gv = np.float32(f.gv * PARAMETERS.end_share)
    vx = np.float32(f.vx * PARAMETERS.end_share)
    enter(f, here(f, END) + (1 if f.facing < ZERO else 0))
    f.gv = gv
    f.vx = vx


@kernel
def bounce(f):
    """Fly back and up from what was hit."""
    vx = np.float32(f.vx * PARAMETERS.bounce_share)
    if f.airborne == 0:
        change_ground_to_air(f, BOUNCE)
    enter_at(f, BOUNCE, f.age, ZERO)
    f.facing = f.var_f[1]
    f.vx = vx
    f.vy = PARAMETERS.bounce_speed


@kernel
def special_interrupts(f):
    """Letting B go starts the roll; a stick against it turns it round, on the floor."""
    state = on_ground(f)
    if state == CHARGE or state == FULL:
        if (f.held & B) == 0:
            enter_at(f, here(f, ROLL), f.age, ZERO)
    elif f.action == ROLL and f.stick_x * f.var_f[1] < -PARAMETERS.turn_stick:
        enter_at(f, TURN, f.age, ZERO)
        f.var_f[2] = np.float32(-PARAMETERS.turn_share * f.gv)
        f.var_f[3] = f.gv


@kernel
def special_physics(f, kind):
    """Physics callbacks."""
    if kind == Physics.POUND:
        pound_physics(f)
    elif f.airborne != 0:
        air_physics(f)
    else:
        ground_physics(f)


@kernel
def roll_speed(f, base, lowest, highest):
    """Return the speed that the charge gives."""
    return min(max(np.float32(base + np.float32(PARAMETERS.speed_per_charge * f.var_f[0])), lowest), highest)


@kernel
def ground_physics(f):
    """Stand still, roll, turn, brake."""
    p = PARAMETERS
    state = f.action
    if state <= FULL:
        f.gv = ZERO
    elif state == ROLL:
        f.gv = np.float32(f.var_f[1] * roll_speed(f, p.ground_speed, p.ground_speed, p.ground_limit))
    elif state == TURN:
        f.gv = np.float32(f.gv + f.var_f[2])
        if f.gv * f.var_f[3] < ZERO and abs(f.gv) >= abs(f.var_f[3]):
            f.var_f[1] = np.float32(-f.var_f[1])
            f.facing = f.var_f[1]
            enter_at(f, ROLL, f.age, ZERO)
    else:
        ground_friction(f, ATTRIBUTES[f.character].ground_friction)
    ground_move(f)


@kernel
def air_physics(f):
    """A slow fall with the speed of the roll; after a hit with drift, once at the bottom of its speed."""
    p = PARAMETERS
    if f.action == ROLL + AIR or f.action == TURN + AIR:
        f.vx = np.float32(f.var_f[1] * roll_speed(f, p.air_speed, p.air_lowest, p.air_limit))
    elif f.action == BOUNCE and f.vy <= -p.terminal:
        air_drift(f, ATTRIBUTES[f.character].air_max_drift)
    fall(f, p.gravity, p.terminal)


@kernel
def pound_physics(f):
    """Fall, dash, fall."""
    p = PARAMETERS
    row = figures(f)
    if f.age < row.from_age:
        coast_down(f)
    elif f.age < row.until_age:
        if f.age == row.from_age:
            angle = pound_angle(f)
            f.vy = np.float32(p.pound_speed * sinf(angle))
            f.vx = np.float32(p.pound_speed * np.float32(f.facing * cosf(angle)))
        f.vy = np.float32(f.vy * p.pound_decay)
        f.vx = np.float32(f.vx * p.pound_decay)
    else:
        air_step(f)


@kernel
def pound_angle(f):
    """Return the angle that the stick asks for, in radians."""
    p = PARAMETERS
    tilt = max(np.float32(min(abs(f.stick_y), p.pound_stick_high) - p.pound_stick_low), ZERO)
    if f.stick_y < ZERO:
        tilt = np.float32(-tilt)
    reach = np.float32(p.pound_stick_high - p.pound_stick_low)
    return np.float32(DEGREE * np.float32(np.float32(tilt * p.pound_angle) / reach))


@kernel
def special_landing(f):
    """A roll goes on along the floor; after a hit it is over."""
    if f.action == BOUNCE:
        land_with_lag(f)
        return
    rate = f.rate
    change_air_to_ground(f, f.action - AIR)
    f.rate = rate


@kernel
def special_edge(f):
    """A roll goes on in the air."""
    rate = f.rate
    vx = f.vx
    change_ground_to_air(f, f.action + AIR)
    f.vx = vx
    f.rate = rate
