"""The fighters' own states: what their words in ``data/states_<module>.csv`` do.

Words that several fighters use are here, the others in the fighter's module. Physics callbacks and their
names: doldecomp/melee ft/ft_084E.c; landings and edges: ft/ft_081B.c.
"""

from __future__ import annotations

from melee_env.engine.characters import falcon, fox
from melee_env.engine.characters.endings import become_helpless, clamp_drift, figures, land_with_lag, partner
from melee_env.engine.kernel import kernel
from melee_env.engine.motion import coast_down, root_air
from melee_env.engine.states import Anim, Collision, Interrupts, Physics
from melee_env.engine.transitions import change_air_to_ground, change_ground_to_air


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
    else:
        falcon.special_anim(f, kind, over)


@kernel
def own_interrupts(g, f, kind):
    """Interrupt lists."""
    if kind <= Interrupts.SHINE_START:
        fox.special_interrupts(g, f, kind)
    else:
        falcon.special_interrupts(f, kind)


@kernel
def own_physics(g, f, kind):
    """Physics callbacks."""
    if kind <= Physics.SHINE_AIR:
        fox.special_physics(g, f, kind)
    elif kind == Physics.COAST:
        coast_down(f)
    elif kind == Physics.ROOT_AIR:
        root_air(f)
    else:
        falcon.special_physics(f, kind)


@kernel
def own_landing(g, f, kind):
    """What touching the floor does."""
    if kind <= Collision.SHINE_AIR:
        fox.special_landing(g, f, kind)
    elif kind == Collision.PAIR:
        change_air_to_ground(f, partner(f))
    elif kind == Collision.LAND_LAG:
        land_with_lag(f)
    else:
        falcon.special_landing(f, kind)


@kernel
def stops_at_edge(f, kind):
    """Tell whether the state cannot run off the floor."""
    if kind == Collision.FALCON_RAPTOR:
        return f.age < figures(f).from_age
    return kind == Collision.PAIR_STOP


@kernel
def own_edge(g, f, kind):
    """What running off the floor does."""
    if kind <= Collision.SHINE_AIR:
        fox.special_edge(g, f, kind)
    elif kind == Collision.PAIR:
        change_ground_to_air(f, partner(f))
        clamp_drift(f)
    else:
        falcon.special_edge(f, kind)
