"""Fox's and Falco's specials: blaster, illusion, firefox, reflector.

Logic: doldecomp/melee ft/chara/ftFox; figures: data/specials_fox.csv. Variables of the states:
``var_i[0..3]`` and ``var_f[0]`` as each section says; they survive a change between ground and air.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import moves
from melee_env.engine.characters.endings import land_with_lag
from melee_env.engine.characters.figures import load_figures
from melee_env.engine.input import B
from melee_env.engine.items import spawn_illusion, spawn_laser
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import air_friction, coast, fall, ground_friction, ground_move
from melee_env.engine.stages import STAGE_LINES
from melee_env.engine.states import Anim, Collision, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import (
    WAIT,
    change_air_to_ground,
    change_ground_to_air,
    enter,
    enter_at,
    enter_attack,
    enter_fall,
    enter_wait_or_fall,
    leave_ground,
    touch_ground,
)
from melee_env.engine.trig import atan2f, cosf, sinf

PARAMETERS = load_figures("fox")
"""Figures of Fox (0) and Falco (1)."""

ZERO = np.float32(0)
ONE = np.float32(1)
HALF_PI = np.float32(1.5707963705062866)
DEGREE = np.float32(0.01745329238474369)
FALCO = 22
N_START, N_LOOP, N_END, AIR_N_START, AIR_N_LOOP, AIR_N_END = 341, 342, 343, 344, 345, 346
S_START, S_DASH, S_END, AIR_S_START, AIR_S_DASH, AIR_S_END = 347, 348, 349, 350, 351, 352
HI_HOLD, HI_HOLD_AIR, HI, AIR_HI, HI_LANDING, HI_FALL, HI_BOUND = 353, 354, 355, 356, 357, 358, 359
LW_START, LW_LOOP, LW_HIT, LW_END, LW_TURN = 360, 361, 362, 363, 364
AIR = 5
"""distance between a reflector state and its air version"""


@kernel
def parameters(f):
    """Return the fighter's row of figures."""
    return PARAMETERS[1 if f.character == FALCO else 0]


@kernel
def special_anim(g, f, kind, over):
    """Animation callbacks."""
    if kind == Anim.SHINE:
        reflector_anim(f, over)
    elif kind == Anim.SHINE_END:
        if over:
            enter_wait_or_fall(f)
    elif kind == Anim.BLASTER:
        blaster_anim(g, f, over)
    elif kind == Anim.ILLUSION:
        illusion_anim(g, f, over)
    elif kind == Anim.FIREFOX:
        if over:
            firefox_launch(g, f)
    elif kind == Anim.FIREFOX_MOVE:
        f.var_i[1] -= 1
        if f.var_i[1] <= 0:
            if f.airborne != 0:
                enter(f, HI_FALL)
                f.var_f[0] = ONE
                f.var_i[1] = 0
            else:
                enter_at(f, HI_LANDING, ZERO, ONE)


@kernel
def special_interrupts(g, f, kind):
    """Interrupt lists."""
    if kind == Interrupts.SHINE:
        if reflector_turn(f):
            return
        if f.airborne != 0:
            moves.try_air_jump(f)
        elif not moves.try_jump(f, moves.JUMP_STICK):
            reflector_drop(g, f)
    elif kind == Interrupts.SHINE_START:
        if f.airborne == 0:
            reflector_drop(g, f)
    elif kind == Interrupts.BLASTER:
        if (f.pressed & B) != 0:
            f.var_i[0] = 1
    elif kind == Interrupts.ILLUSION:
        if (f.pressed & B) != 0:
            illusion_end(f)


@kernel
def special_physics(g, f, kind):
    """Physics callbacks."""
    p = parameters(f)
    if kind == Physics.SHINE_AIR:
        if f.var_i[2] > 0:
            f.var_i[2] -= 1
        else:
            fall(f, p.shine_gravity, ATTRIBUTES[f.character].terminal_vel)
        coast(f)
    elif kind == Physics.ILLUSION_START:
        delayed_fall(f, p.illusion_start_gravity)
        air_friction(f, p.illusion_air_friction)
    elif kind == Physics.ILLUSION:
        illusion_physics(f)
    elif kind == Physics.ILLUSION_END:
        if f.airborne != 0:
            delayed_fall(f, p.illusion_gravity)
            air_friction(f, p.illusion_end_air_friction)
        else:
            ground_friction(f, p.illusion_end_ground_friction)
            ground_move(f)
    elif kind == Physics.FIREFOX_HOLD:
        delayed_fall(f, p.firefox_gravity)
        air_friction(f, p.firefox_air_friction)
    elif kind == Physics.FIREFOX_MOVE:
        firefox_physics(f)


@kernel
def special_landing(g, f, kind):
    """What touching the floor does."""
    p = parameters(f)
    if kind == Collision.SHINE_AIR:
        change_air_to_ground(f, f.action - AIR)
        limit = ATTRIBUTES[f.character].air_max_drift
        f.vx = min(max(f.vx, np.float32(-limit)), limit)
    elif kind == Collision.BLASTER_AIR:
        touch_ground(f)
        enter(f, int(p.blaster_landing))
    elif kind == Collision.ILLUSION_AIR:
        change_air_to_ground(f, f.action - 3)
    elif kind == Collision.ILLUSION_AIR_END:
        land_with_lag(f)
    elif kind == Collision.FIREFOX_HOLD_AIR:
        change_air_to_ground(f, HI_HOLD)
    elif kind == Collision.FIREFOX_AIR:
        firefox_hits_floor(g, f)
    elif kind == Collision.FIREFOX_FALL:
        touch_ground(f)
        enter_at(f, HI_LANDING, np.float32(p.firefox_landing_age + ONE), ONE)
    else:
        touch_ground(f)
        enter(f, WAIT)


@kernel
def special_edge(g, f, kind):
    """What running off the floor does."""
    if kind == Collision.SHINE_GROUND:
        change_ground_to_air(f, f.action + AIR)
    elif kind == Collision.BLASTER_GROUND:
        leave_ground(f)
        enter_fall(f)
        f.vy = ZERO
    elif kind == Collision.ILLUSION_GROUND:
        change_ground_to_air(f, f.action + 3)
        f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
    elif kind == Collision.FIREFOX_HOLD:
        change_ground_to_air(f, HI_HOLD_AIR)
        f.vy = ZERO
    elif kind == Collision.FIREFOX_GROUND:
        change_ground_to_air(f, AIR_HI)
        f.var_f[0] = ZERO
        f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
    else:
        leave_ground(f)
        enter_fall(f)


@kernel
def delayed_fall(f, gravity):
    """Hold the height for ``var_i[0]`` frames, then fall with the move's gravity."""
    if f.var_i[0] > 0:
        f.var_i[0] -= 1
    else:
        fall(f, gravity, ATTRIBUTES[f.character].terminal_vel)


# Reflector: var_i[0] release lag, var_i[1] released, var_i[2] gravity delay, var_i[3] turn frames.


@kernel
def start_reflector(f):
    """Set the reflector's counters."""
    p = parameters(f)
    f.var_i[0] = int(p.shine_release_lag)
    f.var_i[1] = 0
    f.var_i[2] = int(p.shine_gravity_delay)
    f.var_i[3] = 0


@kernel
def enter_reflector(f, action):
    """Enter a reflector state in the version for ground or air."""
    enter(f, action + AIR if f.airborne != 0 else action)


@kernel
def reflector_anim(f, over):
    """Start, loop, hit and turn: remember a released B, count, go on."""
    base = f.action - AIR if f.action >= LW_START + AIR else f.action
    if (f.held & B) == 0:
        f.var_i[1] = 1
    if base == LW_START:
        if over:
            enter_reflector(f, LW_LOOP)
        return
    if f.var_i[0] > 0:
        f.var_i[0] -= 1
    released = f.var_i[0] <= 0 and f.var_i[1] != 0
    if base == LW_TURN:
        f.var_i[3] -= 1
        if f.var_i[3] <= 0:
            enter_reflector(f, LW_END if released else LW_LOOP)
    elif base == LW_HIT:
        if over:
            enter_reflector(f, LW_END if released else LW_LOOP)
    elif released:
        enter_reflector(f, LW_END)
    elif over:
        f.age = ZERO


@kernel
def reflector_turn(f):
    """Stick backward: turn round inside the reflector."""
    if f.stick_x * f.facing >= ZERO:
        return False
    enter_reflector(f, LW_TURN)
    f.var_i[3] = int(parameters(f).shine_turn_frames) - 1
    f.facing = np.float32(-f.facing)
    return True


@kernel
def reflector_drop(g, f):
    """Drop through a platform with the reflector on."""
    if moves.drop_input(f) and moves.on_platform(g, f):
        change_ground_to_air(f, f.action + AIR)
        moves.pass_platform(f)


# Blaster: var_i[0] another shot was asked for.


@kernel
def blaster_anim(g, f, over):
    """Shoot at the shot frame; go round while B was pressed, already before the first shot."""
    p = parameters(f)
    looping = f.action == N_LOOP or f.action == AIR_N_LOOP
    if looping and f.age == (p.shot_age_air if f.airborne != 0 else p.shot_age_ground):
        spawn_laser(g, f)
    if not over:
        return
    if looping and f.var_i[0] == 0:
        enter(f, f.action + 1)
        return
    enter_attack(g, f, AIR_N_LOOP if f.airborne != 0 else N_LOOP)
    if looping:
        f.var_i[0] = 0


# Illusion: var_i[0] frames before gravity.


@kernel
def illusion_anim(g, f, over):
    """Start, then the dash, whose ghost carries the hitbox."""
    dash = f.action == S_DASH or f.action == AIR_S_DASH
    if dash and f.age == parameters(f).illusion_ghost_age:
        spawn_illusion(g, f)
    if not over:
        return
    if dash:
        illusion_end(f)
    else:
        enter(f, AIR_S_DASH if f.airborne != 0 else S_DASH)


@kernel
def illusion_end(f):
    """Come out of the dash with a little speed."""
    p = parameters(f)
    if f.airborne != 0:
        enter(f, AIR_S_END)
        f.vx = np.float32(f.facing * p.illusion_end_air_speed)
        f.vy = ZERO
        f.var_i[0] = int(p.illusion_gravity_delay)
    else:
        enter(f, S_END)
        f.gv = np.float32(f.facing * p.illusion_end_ground_speed)


@kernel
def illusion_physics(f):
    """The dash: nothing on its first frame, then full speed."""
    speed = np.float32(parameters(f).illusion_speed * f.facing) if f.age >= ONE else ZERO
    if f.airborne != 0:
        f.vx = speed
        f.vy = ZERO
    else:
        f.gv = speed
        ground_move(f)


# Firefox: var_i[0] frames before gravity, var_i[1] frames to travel, var_i[2] frames travelled, var_f[0] angle.


@kernel
def firefox_launch(g, f):
    """Choose the direction with this frame's stick and take off."""
    p = parameters(f)
    x = f.stick_x
    y = f.stick_y
    strength = np.float32(abs(x) + abs(y))
    if f.airborne == 0:
        row = STAGE_LINES[g.slot, f.ground]
        into_floor = np.float32(np.float32(row.normal_x * x) + np.float32(row.normal_y * y)) <= ZERO
        if strength >= p.firefox_stick and into_floor and not moves.on_platform(g, f):
            f.facing = ONE if x >= ZERO else -ONE
            enter(f, HI)
            f.gv = np.float32(f.facing * p.firefox_speed)
            f.var_i[1] = int(p.firefox_frames)
            f.var_i[2] = 0
            f.var_f[0] = ZERO
            return
        leave_ground(f)
    if strength >= p.firefox_stick:
        if abs(x) > np.float32(0.25):
            f.facing = ONE if x >= ZERO else -ONE
        angle = atan2f(y, np.float32(x * f.facing))
    else:
        angle = HALF_PI
    enter(f, AIR_HI)
    f.var_f[0] = angle
    f.var_i[1] = int(p.firefox_frames)
    f.var_i[2] = 0
    f.vx = np.float32(f.facing * np.float32(p.firefox_speed * cosf(angle)))
    f.vy = np.float32(p.firefox_speed * sinf(angle))
    f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)


@kernel
def firefox_physics(f):
    """Keep the speed, then brake along the direction."""
    p = parameters(f)
    f.var_i[2] += 1
    braking = f.var_i[2] >= p.firefox_brake_frame
    if f.airborne == 0:
        f.ground_accel = ZERO
        if braking:
            ground_friction(f, p.firefox_brake)
        ground_move(f)
    elif braking:
        f.vx = np.float32(f.vx - np.float32(f.facing * np.float32(p.firefox_brake * cosf(f.var_f[0]))))
        f.vy = np.float32(f.vy - np.float32(p.firefox_brake * sinf(f.var_f[0])))


@kernel
def firefox_hits_floor(g, f):
    """A steep flight into the floor bounces, a shallow one slides along it."""
    p = parameters(f)
    speed = np.float32(np.sqrt(np.float32(np.float32(f.vx * f.vx) + np.float32(f.vy * f.vy))))
    into = np.float32(np.float32(f.vx * f.normal_x) + np.float32(f.vy * f.normal_y))
    limit = np.float32(-speed * sinf(np.float32(p.firefox_bounce_angle * DEGREE)))
    touch_ground(f)
    if into < limit and f.var_i[2] < p.firefox_bounce_frames:
        enter_at(f, HI_LANDING, ZERO, ONE)
        return
    facing = ONE if f.vx >= ZERO else -ONE
    travelled = f.var_i[2]
    left = f.var_i[1]
    enter(f, HI)
    f.facing = facing
    f.gv = np.float32(facing * speed)
    f.var_i[1] = left
    f.var_i[2] = travelled
    f.var_f[0] = ZERO
