"""Sheik's needles, chain (which hits nobody) and vanish (Mewtwo's and Zelda's teleport) and the transformation.

Logic: doldecomp/melee ft/chara/ftSeak, ftMewtwo; figures: data/states_sheik.csv and data/specials_sheik.csv.
Variables: ``stored`` needles; ``var_i[0]`` frames of the travel that are left, or of the chain so far, and ``var_i[1]``
whether B was let go.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.endings import figures, partner
from melee_env.engine.characters.figures import load_figures
from melee_env.engine.input import LR, B
from melee_env.engine.items import spawn_needle
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import air_friction, fall, ground_move
from melee_env.engine.moves import on_platform
from melee_env.engine.stages import STAGE_LINES
from melee_env.engine.states import Anim, Interrupts
from melee_env.engine.tables import ATTRIBUTES, LENGTH
from melee_env.engine.transitions import enter, enter_at, enter_wait_or_fall, leave_ground
from melee_env.engine.trig import atan2f, cosf, sinf

PARAMETERS = load_figures("sheik")
"""Figures of Sheik (0), Mewtwo (1) and Zelda (2)."""

ZERO = np.float32(0)
ONE = np.float32(1)
HALF_PI = np.float32(1.5707963705062866)
NEEDLE_PERIOD = 3
"""frames from one thrown needle to the next"""
CANCEL, THROW = 1, 2
"""distance from the needle loop to its cancel and its throw"""
CHAIN_START, CHAIN_AIR_START = 349, 352
SHEIK, ZELDA, MEWTWO = 7, 19, 16
SHEIK_APPEARS, ZELDA_APPEARS = 362, 356
IN_AIR = 2
"""distance from the second half of a transformation to its air version"""


@kernel
def parameters(f):
    """Return the fighter's row of figures."""
    row = 0
    if f.character == MEWTWO:
        row = 1
    elif f.character == ZELDA:
        row = 2
    return PARAMETERS[row]


@kernel
def special_anim(g, f, kind, over):
    """Needles come one by one; the vanish leads to a travel of fixed length."""
    if kind == Anim.SHEIK_NEEDLES:
        if over:
            f.age = ZERO
        if f.age == ZERO:
            f.stored = min(f.stored + 1, int(parameters(f).needles))
    elif kind == Anim.SHEIK_THROW:
        throw_needles(g, f)
        if over:
            f.stored = 0
            enter_wait_or_fall(f)
    elif kind == Anim.SHEIK_CHAIN:
        unroll_chain(f)
    elif kind == Anim.SHEIK_VANISH:
        if over:
            vanish(g, f)
    else:
        f.var_i[0] -= 1
        if f.var_i[0] <= 0:
            reappear(f)


@kernel
def unroll_chain(f):
    """Throw the chain out, then hold it until B is let go; the animation waits at its end."""
    p = parameters(f)
    f.age = min(f.age, LENGTH[f.character, f.action])
    f.var_i[0] += 1
    if f.action == CHAIN_START or f.action == CHAIN_AIR_START:
        if f.var_i[0] > int(p.chain_start):
            enter(f, f.action + 1)
            f.var_i[0] = 0
            f.var_i[1] = 0
    elif f.var_i[0] > int(p.chain_out) and f.var_i[1] != 0:
        enter(f, f.action + 1)


@kernel
def throw_needles(g, f):
    """One after the other leaves the hand, which draws one more than were stored."""
    if f.age == NEEDLE_PERIOD:
        f.stored = min(f.stored + 1, int(parameters(f).needles))
    if f.stored > 0 and f.age >= NEEDLE_PERIOD and int(f.age) % NEEDLE_PERIOD == 0:
        f.stored -= 1
        spawn_needle(g, f)


@kernel
def special_interrupts(f, kind):
    """Letting B go throws the needles or draws in the chain; a shield press keeps the needles."""
    if kind == Interrupts.SHEIK_CHAIN:
        if (f.held & B) == 0:
            f.var_i[1] = 1
    elif (f.held & B) == 0:
        enter(f, f.action + THROW)
    elif (f.pressed & LR) != 0:
        enter(f, f.action + CANCEL)


@kernel
def vanish(g, f):
    """Choose the way with the stick; on the floor a stick into or along it stays there."""
    p = parameters(f)
    x = f.stick_x
    y = f.stick_y
    travel = f.action + 1
    strength = min(np.float32(np.sqrt(np.float32(np.float32(x * x) + np.float32(y * y)))), ONE)
    if f.airborne == 0:
        row = STAGE_LINES[g.slot, f.ground]
        into_floor = np.float32(np.float32(row.normal_x * x) + np.float32(row.normal_y * y)) <= ZERO
        if strength >= p.travel_stick and into_floor and not on_platform(g, f):
            f.facing = ONE if x >= ZERO else -ONE
            speed = np.float32(np.float32(p.travel_speed * strength) + p.travel_base)
            enter_at(f, travel, p.travel_age, ZERO)
            f.gv = np.float32(f.facing * np.float32(speed * cosf(atan2f(y, np.float32(x * f.facing)))))
            f.var_i[0] = int(p.travel_frames)
            return
        travel = partner(f) + 1
        leave_ground(f)
    angle = HALF_PI
    if strength > p.travel_stick:
        if abs(x) > p.turn_stick:
            f.facing = ONE if x >= ZERO else -ONE
        angle = atan2f(y, np.float32(x * f.facing))
    else:
        strength = ONE
    speed = np.float32(np.float32(p.travel_speed * strength) + p.travel_base)
    enter_at(f, travel, p.travel_age, ZERO)
    f.vx = np.float32(f.facing * np.float32(speed * cosf(angle)))
    f.vy = np.float32(speed * sinf(angle))
    f.var_i[0] = int(p.travel_frames)
    f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)


@kernel
def reappear(f):
    """Come back with a share of the travel's speed."""
    keep = parameters(f).travel_retention
    if f.airborne == 0:
        gv = np.float32(f.gv * keep)
        enter(f, f.action + 1)
        f.gv = gv
    else:
        enter(f, f.action + 1)
        f.vx = np.float32(f.vx * keep)
        f.vy = np.float32(f.vy * keep)


@kernel
def end_travel(f, wall, ceiling):
    """A wall or ceiling that is met steeply ends the travel (doldecomp/melee ft/inlines.h)."""
    steep = np.float32(
        parameters(f).travel_contact * np.float32(np.sqrt(np.float32(f.vx * f.vx + f.vy * f.vy)))
    )
    if np.float32(-wall * f.vx) > steep or (ceiling and f.vy > steep):
        reappear(f)
        f.age = ONE


@kernel
def travel_physics(f):
    """The speed stays as it is."""
    if f.airborne == 0:
        ground_move(f)


@kernel
def reappear_physics(f):
    """The rest of the travel fades, then gravity takes over."""
    p = parameters(f)
    attributes = ATTRIBUTES[f.character]
    if f.age < figures(f).from_age:
        f.vy = np.float32(f.vy - np.float32(f.vy / p.fade))
        air_friction(f, attributes.air_friction)
    else:
        fall(f, attributes.gravity, attributes.terminal_vel)
        limit = np.float32(p.reappear_drift * attributes.air_max_drift)
        f.vx = min(max(f.vx, np.float32(-limit)), limit)


@kernel
def transform(f):
    """Change into the other one of Zelda and Sheik, in the second half of the transformation."""
    appears = ZELDA_APPEARS
    if f.character == ZELDA:
        appears = SHEIK_APPEARS
        f.character = SHEIK
    else:
        f.character = ZELDA
    enter(f, appears + (IN_AIR if f.airborne != 0 else 0))
