"""Step 6: the ECB against floors, walls and ceilings, and what touching or leaving them does.

The ECB is a diamond around the fighter; its points come from tables by state and age (the game takes
them from bones). Rules: doldecomp/melee mp/mpcoll.c; snapping formula checked bit for bit on recorded
landings.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.characters import own_states
from melee_env.engine.damage import hit_ceiling_in_tumble, hit_wall_in_tumble, land_in_damage, land_in_tumble
from melee_env.engine.floors import (
    find_landing,
    floor_height,
    line_under,
    push_off_corners,
    push_out_of_ceilings,
    push_out_of_walls,
    set_floor,
)
from melee_env.engine.kernel import kernel
from melee_env.engine.ledge import try_ledge_catch
from melee_env.engine.moves import ESCAPE_AIR
from melee_env.engine.state import ECB_LOCK, NO_LINE
from melee_env.engine.states import STATES, Anim, Collision
from melee_env.engine.tables import ATTRIBUTES, AUTOCANCEL, ECB, ECB_SPAN
from melee_env.engine.transitions import (
    WAIT,
    clamp_drift,
    enter,
    enter_fall,
    enter_squeezed,
    leave_ground,
    touch_ground,
)

ZERO = np.float32(0)
ONE = np.float32(1)
HALF = np.float32(0.5)
DONKEY_KONG, SHEIK, MARTH, ROY = 3, 7, 18, 26
UNFOLDING = (DONKEY_KONG, SHEIK, MARTH, ROY)
"""who kneels so low before a jump that the air dodge's diamond is more than six units higher: Marth and Donkey Kong
land after half the way in 11 of 11 recorded dodges, Fox, Falco, Samus, Peach, Game & Watch and Mewtwo after the whole
in 141; Roy has Marth's bones, and Sheik's drawn head rises by 7.5 (Marth's by 9.2, Fox's by 5.2)"""
NO_IMPACT_SPEED = np.float32(-1.0)
PLATFORM_STICK = np.float32(-0.62)  # x25C
TEETER_STICK = np.float32(0.75)  # x474
L_CANCEL_WINDOW = 7  # xE4
AIR_DODGE_LANDING = np.float32(10)
FALL_SPECIAL, LANDING, LANDING_SPECIAL, OTTOTTO, MISS_FOOT = 35, 42, 43, 245, 251
AERIAL, AERIAL_LANDING, AERIALS = 65, 70, 5
"""first aerial, first landing of one, how many there are"""


@kernel
def update_ecb(f):
    """Move the diamond to where this frame's pose puts it; a locked bottom stays."""
    if f.ecb_lock > 0:
        f.ecb_lock -= 1
    row, count = ECB_SPAN[f.character, f.action]
    if count > 0:
        index = min(max(int(f.age), 0), count - 1)
        box = ECB[row + index]
        f.ecb_half = box.half_width
        f.ecb_top = box.top
        bottom = box.bottom
    else:
        bottom = f.ecb_bottom
    if f.airborne == 0:
        bottom = ZERO
    if f.airborne == 0 or f.ecb_lock == 0:
        f.ecb_bottom = bottom
    f.ecb_side = np.float32(np.float32(bottom + f.ecb_top) * HALF)
    if f.ecb_top < np.float32(f.ecb_bottom + ONE):
        f.ecb_top = np.float32(f.ecb_bottom + ONE)


@kernel
def passes_platforms(f):
    """Tell whether a held-down stick lets platforms through in this state."""
    return (STATES[f.character, f.action].flags & states.PLATFORM_PASS) != 0 and f.stick_y <= PLATFORM_STICK


@kernel
def land(f):
    """Ordinary landing: standing at once after a soft touch, else the landing animation."""
    if f.vy > NO_IMPACT_SPEED:
        touch_ground(f)
        enter(f, WAIT)
    else:
        touch_ground(f)
        enter(f, LANDING)


@kernel
def aerial_lag(f, index, cancelled):
    """Return the landing lag of an aerial by its number; L-cancel halves it."""
    attributes = ATTRIBUTES[f.character]
    lag = attributes.landing_lag_nair
    if index == 1:
        lag = attributes.landing_lag_fair
    elif index == 2:
        lag = attributes.landing_lag_bair
    elif index == 3:
        lag = attributes.landing_lag_uair
    elif index == 4:
        lag = attributes.landing_lag_dair
    if cancelled:
        lag = max(np.float32(int(lag * HALF)), ONE)
    return lag


@kernel
def land_from_aerial(f):
    """Landing lag of an aerial unless it is in its auto-cancel windows."""
    index = f.action - AERIAL
    age = f.age
    if age < AUTOCANCEL[f.character, index, 0] or age >= AUTOCANCEL[f.character, index, 1]:
        land(f)
        return
    cancelled = f.shield_press < L_CANCEL_WINDOW
    touch_ground(f)
    enter_squeezed(f, AERIAL_LANDING + index, aerial_lag(f, index, cancelled))
    f.l_cancel = 1 if cancelled else 2


@kernel
def special_lag(f):
    """Return the landing lag that a helpless fall was given (``var_i[2]``, 0 is ten frames)."""
    if f.action == FALL_SPECIAL and f.var_i[2] > 0:
        return np.float32(f.var_i[2])
    return AIR_DODGE_LANDING


@kernel
def land_special(f):
    """Landing from a helpless fall."""
    lag = special_lag(f)
    touch_ground(f)
    enter_squeezed(f, LANDING_SPECIAL, lag)


@kernel
def collide_in_air(g, f):
    """Walls, ceilings, floors, ledges for an airborne fighter."""
    before_x = f.prev_x
    before_low = f.ecb_bottom
    before_bottom = np.float32(f.prev_y + before_low)
    before_half = f.ecb_half
    before_side = f.ecb_side
    before_top = f.ecb_top
    update_ecb(f)
    kind = STATES[f.character, f.action].collision
    wall = ZERO
    if kind != Collision.CLIFF_OPTION:
        wall = push_out_of_walls(g, f, before_half, before_side)
        push_off_corners(g, f, before_half, before_low, before_side, before_top)
    ceiling = push_out_of_ceilings(g, f)
    tumbling = kind == Collision.AIR_TUMBLE
    if tumbling and wall != ZERO:
        hit_wall_in_tumble(g, f, wall)
    elif tumbling and ceiling:
        hit_ceiling_in_tumble(g, f)
    line = find_landing(g, f, before_x, before_bottom, passes_platforms(f))
    if line == NO_LINE:
        if wall != ZERO or ceiling:
            own_states.own_contact(f, wall, ceiling)
        if (STATES[f.character, f.action].flags & states.LEDGE) != 0:
            try_ledge_catch(g, f)
        return
    f.ground = line
    set_floor(g, f)
    if f.hitlag > 0:
        return  # SDI into the floor leaves a victim in the air, on the floor's height
    if kind == Collision.AIR or kind == Collision.AUTO:
        land(f)
    elif kind == Collision.AIR_ATTACK:
        land_from_aerial(f)
    elif kind == Collision.AIR_SPECIAL:
        land_special(f)
    elif tumbling:
        land_in_tumble(g, f)
    elif kind == Collision.DAMAGE:
        land_in_damage(g, f)
    elif kind == Collision.SHIELD_BREAK:
        touch_ground(f)
        enter(f, 207)
    elif kind == Collision.CLIFF_OPTION:
        touch_ground(f)
    elif kind >= Collision.BLASTER_GROUND:
        own_states.own_landing(g, f, kind)
    else:
        land(f)


@kernel
def fall_off(g, f):
    """Leave the floor over its edge into a fall."""
    leave_ground(f)
    enter_fall(f)
    f.vy = ZERO


@kernel
def miss_foot(f):
    """Tumble backwards over the end of the floor out of a shield or a flinch."""
    leave_ground(f)
    f.ky = ZERO
    f.hitstun = 0
    f.tumble = 0
    enter(f, MISS_FOOT)
    clamp_drift(f)


@kernel
def leave_edge(g, f, edge_x, outward):
    """Decide what walking over the end of the floor does in this state."""
    kind = STATES[f.character, f.action].collision
    outward_stick = f.stick_x * outward
    backwards = f.facing * outward < ZERO
    if kind == Collision.STOP or kind == Collision.OTTOTTO:
        stay_at_edge(g, f, edge_x)
    elif kind == Collision.TEETER and f.nudge * f.facing < ZERO:
        stay_at_edge(g, f, edge_x)  # the other body pushes backwards, over no edge
    elif kind == Collision.TEETER and not backwards and outward_stick < TEETER_STICK:
        stay_at_edge(g, f, edge_x)
        f.gv = ZERO
        f.vx = ZERO
        enter(f, OTTOTTO)
    elif backwards and (kind == Collision.SHIELD or STATES[f.character, f.action].anim == Anim.DAMAGE):
        miss_foot(f)
    elif kind == Collision.DAMAGE:
        leave_ground(f)
        f.vy = ZERO
    elif kind >= Collision.BLASTER_GROUND:
        if own_states.stops_at_edge(f, kind):
            stay_at_edge(g, f, edge_x)
        else:
            own_states.own_edge(g, f, kind)
    else:
        fall_off(g, f)


@kernel
def stay_at_edge(g, f, edge_x):
    """Put the fighter on the last point of the floor."""
    f.x = edge_x
    f.y = np.float32(f.y + np.float32(np.float32(floor_height(g, f.ground, f.x) - f.y) + np.float32(0.0001)))


@kernel
def collide_on_ground(g, f):
    """Follow the floor; at its end fall, stop or teeter."""
    before_half = f.ecb_half
    before_side = f.ecb_side
    update_ecb(f)
    push_out_of_walls(g, f, before_half, before_side)
    if f.ground == NO_LINE:
        return  # on a floor that only a recording knows
    line, edge_x, outward = line_under(g, f.ground, f.x)
    f.ground = line
    if outward == ZERO:
        set_floor(g, f)
        return
    leave_edge(g, f, edge_x, outward)


@kernel
def move_in_two_steps(f):
    """Split this frame's movement, as the game does when the diamond changes by more than six units.

    Only the rounding differs; recorded respawns show it bit for bit.
    """
    half = np.float32(np.float32(f.x - f.prev_x) * HALF)
    f.x = np.float32(np.float32(f.prev_x + half) + half)
    half = np.float32(np.float32(f.y - f.prev_y) * HALF)
    f.y = np.float32(np.float32(f.prev_y + half) + half)


@kernel
def collide(g, f):
    """Run the state's collision callback."""
    if f.sub_steps != 0:
        f.sub_steps = 0
        move_in_two_steps(f)
    kind = STATES[f.character, f.action].collision
    if kind == Collision.NONE:
        return
    if f.airborne != 0 and STATES[f.character, f.action].anim != Anim.DOWN_BOUND:
        rest = dodge_rest(f)
        f.x = np.float32(f.x - rest)
        collide_in_air(g, f)
        if f.airborne != 0:
            f.x = np.float32(f.x + rest)
    else:
        collide_on_ground(g, f)


@kernel
def dodge_rest(f):
    """Return the second half of the way that an air dodge makes right out of the jump squat, for who unfolds in it.

    The diamond grows by more than six units then, so the game moves in two steps, and the floor ends the first.
    """
    if f.action != ESCAPE_AIR or f.ecb_lock < ECB_LOCK or f.character not in UNFOLDING:
        return ZERO
    return np.float32(np.float32(f.x - f.prev_x) * HALF)
