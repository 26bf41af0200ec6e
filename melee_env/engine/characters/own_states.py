"""The fighters' own states: what their words in ``data/states_<module>.csv`` do.

Words that several fighters use are here, the others in the fighter's module. Physics callbacks and their
names: doldecomp/melee ft/ft_084E.c; landings and edges: ft/ft_081B.c.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters import falcon, fox, gnw, jigglypuff, marth, multi_jump, peach, samus, sheik
from melee_env.engine.characters.endings import (
    become_helpless,
    figures,
    land_falling,
    land_with_lag,
    partner,
)
from melee_env.engine.input import LR, B
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import (
    air_drift,
    air_friction,
    air_step,
    fall,
    ground_friction,
    ground_move,
    root_air,
    steer,
    steer_stop,
    to_target,
)
from melee_env.engine.states import STATES, Anim, Collision, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import (
    change_air_to_ground,
    change_ground_to_air,
    clamp_drift,
    enter,
    enter_attack,
    leave_ground,
)

ZERO = np.float32(0)


@kernel
def begin(f):
    """Set up what a fighter's module needs at the start of a special."""
    if f.action == fox.LW_START or f.action == fox.LW_START + fox.AIR:
        fox.start_reflector(f)
    samus.smash_missile(f)
    jigglypuff.begin(f)


@kernel
def own_anim(g, f, o, kind, over):
    """Animation callbacks."""
    if kind <= Anim.SHINE_END:
        fox.special_anim(g, f, kind, over)
    elif kind == Anim.HELPLESS:
        if over:
            become_helpless(f)
    elif kind <= Anim.FALCON_AIR_KICK:
        falcon.special_anim(f, kind, over)
    elif kind == Anim.MARTH_CHARGE:
        marth.special_anim(f, kind, over)
    elif kind <= Anim.SHEIK_TRAVEL:
        sheik.special_anim(g, f, kind, over)
    elif kind <= Anim.PEACH_BOMBER:
        peach.special_anim(f, kind, over)
    elif kind == Anim.MULTI_JUMP:
        multi_jump.special_anim(f, over)
    elif kind == Anim.TRANSFORM:
        if over:
            sheik.transform(f)
    elif kind == Anim.ROLLOUT:
        jigglypuff.special_anim(f, over)
    else:
        samus.special_anim(f, kind, over)


@kernel
def own_interrupts(g, f, kind):
    """Interrupt lists."""
    if kind <= Interrupts.SHINE_START:
        fox.special_interrupts(g, f, kind)
    elif kind <= Interrupts.FALCON_DIVE:
        falcon.special_interrupts(f, kind)
    elif kind <= Interrupts.MARTH_DOLPHIN:
        marth.special_interrupts(g, f, kind)
    elif kind <= Interrupts.SHEIK_CHAIN:
        sheik.special_interrupts(f, kind)
    elif kind == Interrupts.GNW_FIRE:
        gnw.special_interrupts(f)
    elif kind == Interrupts.HOLD_CHARGE:
        hold_charge(g, f)
    elif kind == Interrupts.ROLLOUT:
        jigglypuff.special_interrupts(f)
    else:
        peach.special_interrupts(g, f, kind)


@kernel
def hold_charge(g, f):
    """A charge in the hand: B throws it, a shield press keeps it (``next`` is the state that keeps it)."""
    keep = STATES[f.character, f.action].next
    if (f.pressed & B) != 0:
        enter_attack(g, f, keep + 1)
        f.stored = 0
    elif (f.pressed & LR) != 0:
        enter(f, keep)


@kernel
def own_contact(f, wall, ceiling):
    """What touching a wall, whose normal is ``wall``, or a ceiling does in the air."""
    if STATES[f.character, f.action].physics == Physics.SHEIK_TRAVEL:
        sheik.end_travel(f, wall, ceiling)


@kernel
def own_physics(g, f, kind):
    """Physics callbacks."""
    if kind <= Physics.SHINE_AIR:
        fox.special_physics(g, f, kind)
    elif kind == Physics.COAST:
        own_coast(f)
    elif kind == Physics.OWN_FRICTION:
        ground_friction(f, figures(f).friction)
        ground_move(f)
    elif kind == Physics.OWN_DRIFT:
        own_fall(f)
        air_drift(f, ATTRIBUTES[f.character].air_max_drift)
    elif kind == Physics.ROOT_AIR:
        root_air(f)
    elif kind <= Physics.FALCON_KICK_LANDING:
        falcon.special_physics(f, kind)
    elif kind <= Physics.MARTH_DOLPHIN:
        marth.special_physics(f, kind)
    elif kind == Physics.SHEIK_TRAVEL:
        sheik.travel_physics(f)
    elif kind == Physics.SHEIK_REAPPEAR:
        sheik.reappear_physics(f)
    elif kind == Physics.GNW_FIRE:
        gnw.special_physics(f)
    elif kind >= Physics.STEER and kind <= Physics.DONKEY_SPIN:
        own_steering(f, kind)
    elif kind == Physics.SAMUS_SCREW:
        samus.special_physics(f)
    elif kind == Physics.POUND or kind == Physics.ROLLOUT:
        jigglypuff.special_physics(f, kind)
    else:
        peach.special_physics(f, kind)


@kernel
def own_steering(f, kind):
    """Moves with steering of their own.

    A hover falls from an age on, a spin has its own fall until an age, a glide loses speed only while it falls.
    """
    row = figures(f)
    attributes = ATTRIBUTES[f.character]
    if kind == Physics.STEER_FAST:
        air_step(f)
    elif kind == Physics.GLIDE:
        own_fall(f)
        if f.vy < ZERO and row.friction > ZERO:
            air_friction(f, row.friction)
        return
    elif kind == Physics.HOVER_COAST:
        if f.age >= row.from_age:
            fall(f, row.gravity, attributes.terminal_vel)
        air_friction(f, attributes.air_friction)
        return
    elif kind == Physics.DONKEY_SPIN and f.airborne == 0:
        to_target(
            f,
            np.float32(f.stick_x * row.accel),
            np.float32(f.stick_x * row.drift),
            attributes.ground_friction,
        )
        ground_move(f)
        return
    elif kind == Physics.DONKEY_SPIN and f.age >= row.until_age:
        fall(f, attributes.gravity, attributes.terminal_vel)
    else:
        own_fall(f)
    if kind == Physics.STEER_STOP:
        steer_stop(f, row.accel, row.drift)
    else:
        steer(f, row.accel, row.drift)


@kernel
def own_fall(f):
    """Gravity up to the terminal speed, the move's own where it has them."""
    row = figures(f)
    attributes = ATTRIBUTES[f.character]
    gravity = row.gravity if row.gravity > ZERO else attributes.gravity
    fall(f, gravity, row.terminal if row.terminal > ZERO else attributes.terminal_vel)


@kernel
def own_coast(f):
    """Gravity and friction without drift, the move's own where it has them."""
    own_fall(f)
    row = figures(f)
    air_friction(f, row.friction if row.friction > ZERO else ATTRIBUTES[f.character].air_friction)


@kernel
def own_landing(g, f, kind):
    """What touching the floor does."""
    if kind <= Collision.SHINE_AIR:
        fox.special_landing(g, f, kind)
    elif kind == Collision.PAIR:
        change_air_to_ground(f, partner(f))
    elif kind == Collision.LAND_LAG:
        land_with_lag(f)
    elif kind <= Collision.FALCON_KICK_AIR:
        falcon.special_landing(f, kind)
    elif kind == Collision.MARTH_DOLPHIN or kind == Collision.LAND_FALLING:
        land_falling(f)
    elif kind == Collision.ROLLOUT:
        jigglypuff.special_landing(f)
    elif kind == Collision.SHEIK_CHAIN:
        enter(f, f.action + 1)
    else:
        gnw.special_landing(f, kind)


@kernel
def stops_at_edge(f, kind):
    """Tell whether the state cannot run off the floor."""
    if kind == Collision.FALCON_RAPTOR:
        return f.age < figures(f).from_age
    return kind == Collision.PAIR_STOP or kind == Collision.MARTH_DOLPHIN


@kernel
def own_edge(g, f, kind):
    """What running off the floor does."""
    if kind <= Collision.SHINE_AIR:
        fox.special_edge(g, f, kind)
    elif kind == Collision.PAIR:
        change_ground_to_air(f, partner(f))
        clamp_drift(f)
    elif kind <= Collision.FALCON_KICK_AIR:
        falcon.special_edge(f, kind)
    elif kind == Collision.LAND_LAG or kind == Collision.LAND_FALLING:
        leave_ground(f)
        f.jumps_used = int(ATTRIBUTES[f.character].max_jumps)
    elif kind == Collision.ROLLOUT:
        jigglypuff.special_edge(f)
    elif kind == Collision.SHEIK_CHAIN:
        enter(f, f.action + 1)
    else:
        marth.special_edge(f)
