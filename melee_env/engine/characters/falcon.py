"""Captain Falcon's and Ganondorf's specials: punch, raptor boost, dive, kick.

Logic: doldecomp/melee ft/chara/ftCaptain; figures: data/specials_falcon.csv and data/states_falcon.csv.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.endings import become_helpless, figures, land_with_lag
from melee_env.engine.characters.figures import load_figures
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import (
    air_friction,
    air_step,
    coast_down,
    fall,
    friction,
    ground_friction,
    ground_move,
    root_air,
    root_step,
    steer_stop,
)
from melee_env.engine.states import Anim, Collision, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import clamp_drift, enter, enter_wait_or_fall, leave_ground, touch_ground
from melee_env.engine.trig import cosf, sinf

PARAMETERS = load_figures("falcon")
"""Figures of Captain Falcon (0) and Ganondorf (1)."""

ZERO = np.float32(0)
ONE = np.float32(1)
DEGREE = np.float32(0.01745329238474369)
OVER_SPEED_DECAY = np.float32(0.03)  # x1FC
GANONDORF = 25
THROW = 356
KICK_GROUND_END, KICK_LANDING, KICK_AIR_END, KICK_EDGE_END = 358, 360, 361, 362


@kernel
def parameters(f):
    """Return the fighter's row of figures."""
    return PARAMETERS[1 if f.character == GANONDORF else 0]


@kernel
def special_anim(f, kind, over):
    """Animation callbacks."""
    if kind == Anim.FALCON_DIVE_CATCH:
        if over:
            enter(f, THROW)
            f.var_f[0] = ZERO
            f.var_f[1] = ZERO
    elif kind == Anim.FALCON_DIVE_THROW:
        f.airborne = 1
        f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
        if over:
            enter_wait_or_fall(f)
    elif kind == Anim.FALCON_KICK:
        if over:
            if f.airborne == 0:
                enter(f, KICK_GROUND_END)
            else:
                f.jumps_used = 1
                enter(f, KICK_EDGE_END)
    elif kind == Anim.FALCON_AIR_KICK:
        if over:
            f.jumps_used = 1
            f.ecb_lock = 10
            enter(f, KICK_AIR_END)


@kernel
def special_interrupts(f, kind):
    """What the stick does on a single frame of the punch and the dive."""
    p = parameters(f)
    if kind == Interrupts.FALCON_PUNCH:
        if f.age == p.punch_age:
            angle = punch_angle(f)
            f.vy = np.float32(p.punch_speed * sinf(angle))
            f.vx = np.float32(p.punch_speed * np.float32(f.facing * cosf(angle)))
    elif kind == Interrupts.FALCON_DIVE:
        if f.age == figures(f).from_age:
            if f.airborne == 0:
                leave_ground(f)
                f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
            if abs(f.stick_x) > p.dive_turn_stick:
                f.facing = ONE if f.stick_x >= ZERO else -ONE


@kernel
def punch_angle(f):
    """Return the angle of an air punch that the stick asks for, in radians."""
    p = parameters(f)
    reach = np.float32(p.punch_stick_high - p.punch_stick_low)
    tilt = max(np.float32(min(abs(f.stick_y), p.punch_stick_high) - p.punch_stick_low), ZERO)
    if f.stick_y < ZERO:
        tilt = np.float32(-tilt)
    return np.float32(DEGREE * np.float32(np.float32(tilt * p.punch_angle) / reach))


@kernel
def special_physics(f, kind):
    """Physics callbacks."""
    p = parameters(f)
    if kind == Physics.FALCON_PUNCH:
        if f.age < p.punch_age:
            coast_down(f)
        elif f.age < p.punch_free_age:
            f.vy = np.float32(f.vy * p.punch_decay)
            f.vx = np.float32(f.vx * p.punch_decay)
        else:
            air_step(f)
    elif kind == Physics.FALCON_RAPTOR:
        raptor_physics(f)
    elif kind == Physics.FALCON_DIVE:
        dive_physics(f)
    elif kind == Physics.FALCON_DIVE_THROW:
        if f.age < figures(f).from_age:
            root_air(f)
        else:
            dive_physics(f)
            own = np.float32(f.vy - f.var_f[1])
            fall(f, figures(f).gravity, ATTRIBUTES[f.character].terminal_vel)
            f.var_f[1] = np.float32(f.vy - own)
    elif kind == Physics.FALCON_KICK:
        if f.airborne != 0:
            root_air(f)
        else:
            forward, _ = root_step(f)
            f.gv = np.float32(forward * f.facing)
            ground_move(f)
    elif kind == Physics.FALCON_KICK_END:
        kick_end_physics(f)
    else:
        kick_landing_physics(f)


@kernel
def raptor_physics(f):
    """The animation drives the speed; from an age on the boost falls with its own gravity (``var_f[0]``)."""
    row = figures(f)
    root_air(f)
    if f.age >= row.from_age:
        f.var_f[0] = max(np.float32(f.var_f[0] - row.gravity), np.float32(-row.terminal))
        f.vy = f.var_f[0]


@kernel
def dive_physics(f):
    """Drift that stops with the stick (``var_f[0]``, fall in ``var_f[1]``) on top of the animation."""
    p = parameters(f)
    attributes = ATTRIBUTES[f.character]
    limit = np.float32(p.dive_drift * attributes.air_max_drift)
    f.vx = f.var_f[0]
    if abs(f.vx) > limit:
        air_friction(f, OVER_SPEED_DECAY)
    else:
        steer_stop(f, np.float32(attributes.air_accel_stick * p.dive_accel), limit)
    f.var_f[0] = np.float32(f.accel_x + f.vx)
    f.accel_x = ZERO
    root_air(f)
    f.vx = np.float32(f.vx + f.var_f[0])
    f.vy = np.float32(f.vy + f.var_f[1])


@kernel
def kick_end_physics(f):
    """After a kick along the floor: its own friction there, off the edge first the animation, then a fall."""
    row = figures(f)
    if f.airborne != 0:
        if f.age < row.from_age:
            root_air(f)
        else:
            coast_down(f)
    elif row.friction > ZERO and f.age > ZERO:
        ground_friction(f, np.float32(row.friction * ATTRIBUTES[f.character].ground_friction))
        ground_move(f)
    else:
        friction(f)


@kernel
def kick_landing_physics(f):
    """Slide to a stop with the landing's own friction."""
    ground_friction(f, np.float32(figures(f).friction * ATTRIBUTES[f.character].ground_friction))
    ground_move(f)


@kernel
def special_landing(f, kind):
    """What touching the floor does."""
    if kind == Collision.FALCON_DIVE:
        if f.age >= figures(f).from_age:
            land_with_lag(f)
    elif kind == Collision.FALCON_KICK:
        touch_ground(f)
    elif kind == Collision.FALCON_KICK_AIR:
        touch_ground(f)
        enter(f, KICK_LANDING)
    else:
        touch_ground(f)
        enter_wait_or_fall(f)


@kernel
def special_edge(f, kind):
    """What running off the floor does."""
    if kind == Collision.FALCON_RAPTOR:
        clamp_drift(f)
        become_helpless(f)
    elif kind == Collision.FALCON_KICK:
        leave_ground(f)
    else:
        leave_ground(f)
        enter_wait_or_fall(f)
