"""Grabs, pummels, throws and getting free.

Rules: doldecomp/melee ft/chara/ftCommon/ftCo_Catch*.c, ftCo_Capture*.c, ftCo_Throw.c, ftCo_Thrown.c.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.input import XY, A, B
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import THROW_WEIGHT, decay_knockback, knockback
from melee_env.engine.damage import influence
from melee_env.engine.launch import clear_own_speed, launch
from melee_env.engine.staling import push_stale, stale_factor
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, LENGTH, THROWS
from melee_env.engine.transitions import enter, enter_at, enter_attack, leave_ground

ZERO = np.float32(0)
ONE = np.float32(1)
HOLD_PER_PERCENT = np.float32(1.7)
HOLD_BASE = np.float32(90)
HOLD_DECAY = np.float32(1)
MASH = np.float32(6)
THROW_STICK = np.float32(0.25)  # x098
WEIGHT_RATE = np.float32(0.01)  # x37C
CUT_SPEED = np.float32(0.6)  # x370
HOLD_DISTANCE = np.float32(9)
JUMP_FREE_STICK = np.float32(0.6625)
CATCH, CATCH_PULL, DASH_CATCH, DASH_CATCH_PULL, CATCH_WAIT, CATCH_ATTACK, CATCH_CUT = 212, 213, 214, 215, 216, 217, 218
THROW_F, THROW_B, THROW_HI, THROW_LW = 219, 220, 221, 222
PULLED_HIGH, WAIT_HIGH, DAMAGE_HIGH = 223, 224, 225
PULLED_LOW, WAIT_LOW, DAMAGE_LOW = 226, 227, 228
CAPTURE_CUT, CAPTURE_JUMP, THROWN_F = 229, 230, 239


@kernel
def holds(f, o):
    """Tell whether ``f`` holds ``o``."""
    return f.action >= CATCH_PULL and f.action <= THROW_LW and f.action != DASH_CATCH and (
        STATES[o.character, o.action].flags & states.CAPTURED
    ) != 0


@kernel
def connect_grab(g, f, o):
    """Let a catch box that touched ``o`` take hold."""
    enter(f, DASH_CATCH_PULL if f.action == DASH_CATCH else CATCH_PULL)
    f.gv = ZERO
    o.facing = -f.facing
    clear_own_speed(o)
    o.kx = ZERO
    o.ky = ZERO
    o.ground_k = ZERO
    o.hitstun = 0
    o.tumble = 0
    o.fast_fall = 0
    o.airborne = 0
    o.ground = f.ground
    o.jumps_used = 0
    enter(o, PULLED_HIGH)
    o.grab_timer = HOLD_PER_PERCENT * o.percent + HOLD_BASE
    follow_captor(g, o, f)


@kernel
def follow_captor(g, f, o):
    """Keep a held fighter at its holder's hands."""
    if (STATES[f.character, f.action].flags & states.CAPTURED) == 0:
        return
    f.x = o.x + o.facing * HOLD_DISTANCE
    f.y = o.y
    f.ground = o.ground
    f.normal_x = o.normal_x
    f.normal_y = o.normal_y


@kernel
def catch_anim(g, f, o, kind):
    """The holder's side: pull, wait, throw."""
    over = f.age >= LENGTH[f.character, f.action]
    if kind == Anim.CATCH_PULL:
        if over or f.age >= ONE + ONE:
            if holds(f, o):
                enter(f, CATCH_WAIT)
                enter(o, WAIT_HIGH if o.action <= DAMAGE_HIGH else WAIT_LOW)
            else:
                enter(f, CATCH_CUT)
    elif kind == Anim.CATCH_WAIT:
        if over:
            f.age = ZERO
        if not holds(f, o):
            enter(f, CATCH_CUT)
    else:
        data = THROWS[f.character, f.action - THROW_F]
        if holds(f, o) and f.age >= data.release:
            throw(g, f, o)
        if over:
            enter(f, 14)


@kernel
def catch_wait_interrupts(g, f, o):
    """Pummel or throw."""
    x = f.stick_x * f.facing
    cx = f.cstick_x * f.facing
    if x >= THROW_STICK and f.prev_stick_x * f.facing < THROW_STICK or cx >= THROW_STICK:
        start_throw(g, f, o, THROW_F)
    elif x <= -THROW_STICK and f.prev_stick_x * f.facing > -THROW_STICK or cx <= -THROW_STICK:
        start_throw(g, f, o, THROW_B)
    elif f.stick_y >= THROW_STICK and f.prev_stick_y < THROW_STICK or f.cstick_y >= THROW_STICK:
        start_throw(g, f, o, THROW_HI)
    elif f.stick_y <= -THROW_STICK and f.prev_stick_y > -THROW_STICK or f.cstick_y <= -THROW_STICK:
        start_throw(g, f, o, THROW_LW)
    elif (f.pressed & (A | B)) != 0:
        enter_attack(g, f, CATCH_ATTACK)
    else:
        return False
    return True


@kernel
def start_throw(g, f, o, action):
    """Begin a throw; its animation runs slower with heavier victims."""
    enter_attack(g, f, action)
    rate = ONE / (ATTRIBUTES[o.character].weight * WEIGHT_RATE)
    enter_at(f, action, ZERO, rate)
    enter_at(o, THROWN_F + action - THROW_F, ZERO, rate)


@kernel
def throw(g, f, o):
    """The moment of release: damage, launch, DI and one frame of decay."""
    data = THROWS[f.character, f.action - THROW_F]
    factor = stale_factor(f, f.attack_id)
    raw = np.float32(data.damage)
    damage = raw if factor == ONE else raw * factor
    kb = knockback(o.percent, damage, int(data.damage), data.kbg, data.bkb, data.set_kb, THROW_WEIGHT)
    o.percent = min(o.percent + damage, np.float32(999))
    push_stale(f, f.attack_id, f.instance)
    f.last_attack = f.attack_id
    o.last_hit_by = f.port
    o.hit_by_instance = f.instance
    f.combo += 1
    leave_ground(o)
    launch(g, o, kb, np.float32(data.angle), -f.facing, 1)
    influence(o)
    decay_knockback(o)


@kernel
def captured_anim(g, f, o, kind):
    """The held side: the hold timer and mashing."""
    if not holds(o, f):
        get_free(f)
        return
    if kind == Anim.THROWN:
        return
    if f.age >= LENGTH[f.character, f.action]:
        if f.action == DAMAGE_HIGH or f.action == DAMAGE_LOW:
            enter(f, f.action - 1)
        else:
            f.age = ZERO
    f.grab_timer = f.grab_timer - HOLD_DECAY
    if f.pressed != 0:
        f.grab_timer = f.grab_timer - MASH
    if f.grab_timer <= ZERO and o.action == CATCH_WAIT:
        release(g, o, f)


@kernel
def get_free(f):
    """Leave a hold that no longer exists."""
    if (f.held & XY) != 0 or f.stick_y >= JUMP_FREE_STICK:
        leave_ground(f)
        enter(f, CAPTURE_JUMP)
        f.vy = ATTRIBUTES[f.character].short_hop_v
    else:
        enter(f, CAPTURE_CUT)


@kernel
def release(g, f, o):
    """End a hold without a throw: both step apart."""
    get_free(o)
    enter(f, CATCH_CUT)
    f.gv = -f.facing * CUT_SPEED
    o.gv = f.facing * CUT_SPEED
