"""Marth's and Roy's specials: Shield Breaker, Dancing Blade, Dolphin Slash, Counter.

Logic: doldecomp/melee ft/chara/ftMars; figures: data/states_marth.csv and data/specials_marth.csv.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters.endings import become_helpless, figures
from melee_env.engine.characters.figures import load_figures
from melee_env.engine.input import A, B
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import coast, fall, root_motion, steer, tilted_root
from melee_env.engine.states import Anim, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES, ROOT_DX, ROOT_SPAN
from melee_env.engine.transitions import enter, enter_at, leave_ground

PARAMETERS = load_figures("marth")
"""Figures of Marth (0) and Roy (1)."""

ZERO = np.float32(0)
ONE = np.float32(1)
DEGREE = np.float32(0.01745329238474369)
ROY = 26
VERTICAL_STICK = np.float32(0.55)  # x21C
CHARGE, CHARGE_AIR, RELEASE, FULL_RELEASE = 342, 346, 1, 2
FIRST_SWING, FIRST_SWING_AIR, AIR = 349, 358, 9
SWINGS_IN_STEP = 3


@kernel
def parameters(f):
    """Return the fighter's row of figures."""
    return PARAMETERS[1 if f.character == ROY else 0]


@kernel
def special_anim(f, kind, over):
    """Animation callback of the charge: it is released by itself at its end."""
    if kind == Anim.MARTH_CHARGE:
        f.var_i[0] += 1
        if over:
            f.age = ZERO
        if f.var_i[0] > parameters(f).charge_frames:
            enter_at(f, f.action + FULL_RELEASE, ZERO, ONE)


@kernel
def special_interrupts(g, f, kind):
    """Releasing the charge, the next swing of the dance, the tilt of the Dolphin Slash."""
    if kind == Interrupts.MARTH_CHARGE:
        if (f.held & B) == 0:
            enter_at(f, f.action + RELEASE, ZERO, ONE)
    elif kind == Interrupts.MARTH_DANCE:
        dance(g, f)
    else:
        tilt(f)


@kernel
def dance(g, f):
    """A or B inside the swing's window leads to the next one; a press before it spoils it (``var_i[1]``)."""
    if (f.pressed & (A | B)) == 0:
        return
    row = figures(f)
    if f.age < row.from_age:
        f.var_i[1] = 1
        return
    if f.age > row.until_age or f.var_i[1] != 0:
        return
    first = FIRST_SWING if f.airborne == 0 else FIRST_SWING_AIR
    step = (f.action - first + SWINGS_IN_STEP - 1) // SWINGS_IN_STEP
    if step == 0:
        following = first + (1 if f.stick_y > VERTICAL_STICK else 2)
    elif f.stick_y > VERTICAL_STICK:
        following = first + SWINGS_IN_STEP * step
    else:
        following = first + SWINGS_IN_STEP * step + (2 if f.stick_y < -VERTICAL_STICK else 1)
    enter(f, following)
    f.var_i[1] = 0


@kernel
def tilt(f):
    """The largest stick before the launch tilts it (``var_f[0]``); at the launch the stick turns the fighter."""
    p = parameters(f)
    row = figures(f)
    if f.age < row.from_age:
        reach = np.float32(abs(f.stick_x) - p.tilt_stick)
        if reach > ZERO:
            angle = np.float32(
                DEGREE * np.float32(p.tilt_angle * np.float32(reach / np.float32(ONE - p.tilt_stick)))
            )
            if angle > abs(f.var_f[0]):
                f.var_f[0] = -angle if f.stick_x > ZERO else angle
    elif f.age < row.from_age + ONE and abs(f.stick_x) > p.turn_stick:
        f.facing = ONE if f.stick_x > ZERO else -ONE


@kernel
def special_physics(f, kind):
    """Physics callbacks."""
    if kind == Physics.MARTH_DANCE_AIR:
        row = figures(f)
        fall(f, row.gravity, row.terminal)
        first, count = ROOT_SPAN[f.character, f.action - AIR]
        index = int(f.age)
        f.vx = np.float32(ROOT_DX[first + index] * f.facing) if 0 <= index < count else ZERO
    else:
        dolphin_slash(f)


@kernel
def dolphin_slash(f):
    """A hop forward, then the animation, tilted; once that is over a slow fall with little drift."""
    row = figures(f)
    attributes = ATTRIBUTES[f.character]
    if f.age < row.from_age:
        if f.airborne == 0:
            root_motion(f)
        else:
            fall(f, attributes.gravity, attributes.terminal_vel)
            coast(f)
        return
    if f.airborne == 0:
        leave_ground(f)
        f.jumps_used = int(attributes.max_jumps)
    if f.age <= row.until_age:
        tilted_root(f, f.var_f[0])
        if f.vx * f.facing < ZERO:
            f.vx = np.float32(-f.vx)
    else:
        fall(f, row.gravity, row.terminal)
        share = row.mobility
        steer(f, np.float32(attributes.air_accel_stick * share), np.float32(attributes.air_max_drift * share))


@kernel
def special_edge(f):
    """Off the edge in a Dolphin Slash."""
    become_helpless(f)
