"""One frame of one game, in the game's own order.

Every phase runs for all fighters before the next begins. Source: doldecomp/melee ft/fighter.c
Fighter_Create (process priorities), checked against Slippi's pre- and post-frame records.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.animation import animate, begin_frame
from melee_env.engine.collision import collide
from melee_env.engine.combos import step_back
from melee_env.engine.damage import apply_hits, exit_hitlag, shift_in_hitlag
from melee_env.engine.death import TIME, check_blast_zones
from melee_env.engine.floors import carry
from melee_env.engine.grabs import follow_captor
from melee_env.engine.hits import detect_grabs, detect_hits
from melee_env.engine.input import read_controller
from melee_env.engine.interrupts import interrupt
from melee_env.engine.item_hits import detect_item_hits
from melee_env.engine.items import move_items
from melee_env.engine.kernel import kernel
from melee_env.engine.offscreen import heal, hurt_offscreen
from melee_env.engine.physics import accelerate, integrate
from melee_env.engine.scenery import blow, move_scenery
from melee_env.engine.shield import regenerate
from melee_env.engine.stages import JOINED
from melee_env.engine.state import NO_LINE
from melee_env.engine.states import STATES
from melee_env.engine.tables import ATTRIBUTES
from melee_env.frame import FIRST_CONTROLLABLE_FRAME

ZERO = np.float32(0)
NUDGE = np.float32(0.3)  # x450, body push per frame
SEED_MULTIPLIER = np.uint32(214013)
SEED_INCREMENT = np.uint32(2531011)


@kernel
def begin_hitlag_phase(g, f):
    """Step 0: hitlag counts down; its end applies ASDI and DI."""
    if f.hitlag > 0:
        f.hitlag -= 1
        if f.hitlag == 0:
            exit_hitlag(g, f)


@kernel
def neighbours(g, i, j):
    """Tell whether two floor lines are one or meet at an end."""
    if i == NO_LINE or j == NO_LINE:
        return False
    joined = JOINED[g.slot, g.form, i]
    return i == j or joined[0] == j or joined[1] == j


@kernel
def push_body(g, f, o):
    """A fighter that stands on the floor of another one and overlaps it is moved away by 0.3 in this frame."""
    f.nudge = ZERO
    if f.airborne != 0 or o.airborne != 0:
        return
    flags = STATES[f.character, f.action].flags
    if ((flags | STATES[o.character, o.action].flags) & (states.DEAD | states.SAFE | states.CAPTURED)) != 0:
        return
    distance = np.float32(o.x - f.x)
    reach = np.float32(ATTRIBUTES[f.character].push_half_width + ATTRIBUTES[o.character].push_half_width)
    if (flags & states.UNPUSHED) != 0 or abs(distance) >= reach or not neighbours(g, f.ground, o.ground):
        return
    first = g.fighters[0]
    ahead = distance > ZERO or (distance == ZERO and (first.facing < ZERO) == (f.seat == first.seat))
    f.nudge = np.float32(-NUDGE if ahead else NUDGE)


@kernel
def read_input(g, f, controller):
    """Step 3, first half: Slippi's pre-frame record, then the controller."""
    f.pre_action = f.action
    f.pre_x = f.x
    f.pre_y = f.y
    f.pre_facing = f.facing
    f.pre_percent = f.percent
    read_controller(f, controller, g.frame, g.cardinals != 0)


@kernel
def move(g, f, o):
    """Step 4: physics, or SDI in hitlag; then the blast zones."""
    if f.hitlag > 0:
        shift_in_hitlag(f)
    else:
        if f.ledge_cooldown > 0:
            f.ledge_cooldown -= 1
        accelerate(g, f)
        integrate(f)
        blow(g, f)
    step_back(f, o)
    carry(g, f)
    check_blast_zones(g, f)


@kernel
def step_game(g, controllers, early):
    """Advance one game by one frame with the two seats' controllers; ``early`` frames begin with their hits."""
    for part in range(2):
        if (part == 1) != early:
            settle(g)
        else:
            advance(g, controllers)


@kernel
def advance(g, controllers):
    """Steps 0 to 6: animation, input, movement, collision."""
    g.frame += 1
    g.frame_seed = g.seed
    a = g.fighters[0]
    b = g.fighters[1]

    hurt_offscreen(g, a)
    hurt_offscreen(g, b)
    heal(a)
    heal(b)
    begin_frame(a)  # before ASDI, which the collision counts as this frame's movement
    begin_frame(b)
    begin_hitlag_phase(g, a)
    begin_hitlag_phase(g, b)
    if a.hitlag == 0:
        animate(g, a, b)
    push_body(g, a, b)  # the second seat's body is where its last frame ended, on the floor before a jump
    if b.hitlag == 0:
        animate(g, b, a)
    push_body(g, b, a)

    free = g.frame >= FIRST_CONTROLLABLE_FRAME
    read_input(g, a, controllers[0])
    if free and a.hitlag == 0:
        interrupt(g, a, b)
    read_input(g, b, controllers[1])
    if free and b.hitlag == 0:
        interrupt(g, b, a)

    move_scenery(g)
    move(g, a, b)
    move(g, b, a)
    move_items(g)

    collide(g, a)
    collide(g, b)
    follow_captor(g, a, b, False)
    follow_captor(g, b, a, False)


@kernel
def settle(g):
    """Steps 12 to 16: places of the thrown, grabs, hits, damage."""
    a = g.fighters[0]
    b = g.fighters[1]
    follow_captor(g, a, b, True)
    follow_captor(g, b, a, True)
    detect_grabs(g)
    detect_hits(g)
    detect_item_hits(g)
    apply_hits(g, a, b)
    apply_hits(g, b, a)
    regenerate(a)
    regenerate(b)

    # The free-running stream moves on even if nothing drew from it, so that frames differ.
    g.seed = np.uint32(g.seed * SEED_MULTIPLIER + SEED_INCREMENT)
    if g.frame >= g.time_limit and g.end_method == 0:
        g.end_method = TIME
