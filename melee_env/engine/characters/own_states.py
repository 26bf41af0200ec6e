"""The fighters' own states: what their words in ``data/states_<module>.csv`` do.

Words that several fighters use are here, the others in the fighter's module. Physics callbacks and their
names: doldecomp/melee ft/ft_084E.c; landings and edges: ft/ft_081B.c.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters import falcon, fox, gnw, marth, multi_jump, peach, sheik
from melee_env.engine.characters.endings import become_helpless, clamp_drift, figures, land_with_lag, partner
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import air_drift, air_friction, fall, ground_friction, ground_move, root_air
from melee_env.engine.states import Anim, Collision, Interrupts, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import change_air_to_ground, change_ground_to_air

ZERO = np.float32(0)


@kernel
def begin(f):
    """Set up what a fighter's module needs at the start of a special."""
    if f.action == fox.LW_START or f.action == fox.LW_START + fox.AIR:
        fox.start_reflector(f)


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
    elif kind == Anim.MULTI_JUMP:
        multi_jump.special_anim(f, over)
    else:
        peach.special_anim(f, kind, over)


@kernel
def own_interrupts(g, f, kind):
    """Interrupt lists."""
    if kind <= Interrupts.SHINE_START:
        fox.special_interrupts(g, f, kind)
    elif kind <= Interrupts.FALCON_DIVE:
        falcon.special_interrupts(f, kind)
    elif kind <= Interrupts.MARTH_DOLPHIN:
        marth.special_interrupts(g, f, kind)
    elif kind == Interrupts.SHEIK_NEEDLES:
        sheik.special_interrupts(f)
    elif kind == Interrupts.GNW_FIRE:
        gnw.special_interrupts(f)
    else:
        peach.special_interrupts(g, f, kind)


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
    elif kind == Physics.MULTI_JUMP:
        multi_jump.special_physics(f)
    else:
        peach.special_physics(f, kind)


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
    elif kind == Collision.MARTH_DOLPHIN:
        marth.special_landing(f)
    else:
        gnw.special_landing(f)


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
    else:
        marth.special_edge(f)
