"""Articles: Fox's and Falco's lasers, the ghosts of their side specials, Sheik's needles.

Spawn places, speeds and lives are measured on recorded games. The whole item list is skipped while
``live_items`` is 0.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.floors import floor_ends, floor_height
from melee_env.engine.kernel import kernel
from melee_env.engine.rng import randi
from melee_env.engine.stages import FLOOR_COUNT, FLOORS, STAGE_LINES, STAGES, WALL_COUNT, WALLS
from melee_env.engine.staling import stale_factor
from melee_env.frame import NUM_ITEMS

ZERO = np.float32(0)
ONE = np.float32(1)
TWO = np.float32(2)
HALF = np.float32(0.5)
FALCO = 22
FOX_LASER, FALCO_LASER, FOX_GHOST, FALCO_GHOST, NEEDLE = 54, 55, 56, 57, 79
FOX_SHOT, FALCO_SHOT, FOX_TRAIL, FALCO_TRAIL, FOX_THROW_SHOT, FALCO_THROW_SHOT, THROWN_NEEDLE = range(7)
"""rows of ``ITEM_HITS``"""
NO_SLOT = -1
REFLECTOR_RADIUS = np.float32(7.5)
REFLECTOR_HEIGHT = np.float32(6)
REFLECTOR_DAMAGE = np.float32(1.5)
POWER_SHIELD_DAMAGE = np.float32(0.5)
THROWN = 1
"""state of a laser that was shot in a throw or reflected"""
FOLLOWING, LINGERING = 1, 2
"""a ghost's two states, four and two frames long"""
ILLUSION_FIRST, ILLUSION_LAST = 347, 352
DIAGONAL = np.float32(0.70710678)
NEEDLE_REACH = np.float32(7)
NEEDLE_LOW, NEEDLE_STEP, NEEDLE_HEIGHTS = np.float32(4), np.float32(0.5), 9
"""where needles start: nine of nine recorded ones have the height that the frame's random number gives"""

ITEM_HIT = np.dtype(
    [
        ("damage", "i4"),
        ("angle", "f4"),
        ("kbg", "i4"),
        ("bkb", "i4"),
        ("set_kb", "i4"),
        ("element", "i4"),
        ("flinch", "i4"),  # 0: damage only
        ("single", "i4"),  # ends on contact
        ("size", "f4"),
        ("speed", "f4"),
        ("life", "f4"),
        ("length", "f4"),  # reach of the hitbox ahead of the item
        ("height", "f4"),  # of the hitbox above the item
        ("clank", "i4"),  # meets hitboxes
        ("tail", "f4"),  # frames of flight that a beam is long, behind the item
    ]
)
ITEM_HITS = np.array(
    [
        (3, 361, 0, 0, 0, 0, 0, 1, 1.2, 7.0, 34, 0, 0, 0, 3.2),
        (3, 361, 100, 0, 5, 0, 1, 1, 1.2, 5.0, 99, 0, 0, 0, 4.5),
        (7, 80, 60, 68, 0, 0, 1, 0, 4.0, 0.0, 4, 4, 3.5, 1, 0),
        (7, 270, 70, 70, 0, 0, 1, 0, 4.0, 0.0, 4, 4, 3.5, 1, 0),
        (2, 361, 0, 0, 0, 0, 0, 1, 1.2, 7.0, 34, 0, 0, 0, 3.2),
        (2, 361, 100, 30, 0, 0, 1, 1, 1.2, 5.0, 99, 0, 0, 0, 4.5),
        (3, 0, 34, 24, 0, 0, 1, 1, 2.0, 4.0, 30, 0, 0, 0, 0),
    ],
    ITEM_HIT,
)
"""Knockback and reach solved from recorded hits."""

MUZZLES = np.array([[[9.47, 7.68], [9.41, 9.59]], [[5.58, 8.13], [9.64, 9.31]]], np.float32)
"""where shots start, ``[Fox or Falco, ground or air]``: forward, up; measured on 240 recorded shots"""


@kernel
def find_slot(g):
    """Return a free item slot, or -1."""
    for n in range(NUM_ITEMS):
        if g.items[n].exists == 0:
            return n
    return NO_SLOT


@kernel
def end_item(item):
    """Let an item vanish; the list is recounted when items move."""
    item.exists = 0


@kernel
def spawn(g, f, item_type, kind, x, y, vx, vy):
    """Put an item of the fighter's into the game, one frame of flight before it is seen at its place.

    Returns:
        Its slot, -1 when all are taken.
    """
    n = find_slot(g)
    if n == NO_SLOT:
        return n
    hit = ITEM_HITS[kind]
    item = g.items[n]
    item.exists = 1
    item.type = item_type
    item.kind = kind
    item.state = 0
    item.age = 0
    item.owner = f.seat
    item.facing = f.facing
    item.x = x
    item.y = y
    item.prev_x = x
    item.prev_y = y
    item.vx = vx
    item.vy = vy
    item.timer = hit.life + ONE  # it moves once on this very frame
    item.spawn_id = g.spawned
    item.instance = f.instance
    item.attack_id = f.attack_id
    item.damage = hit.damage
    item.stale_factor = stale_factor(f, f.attack_id)
    item.victims = 0
    g.spawned += np.uint32(1)
    g.live_items += 1
    return n


@kernel
def spawn_laser(g, f):
    """Shoot from the blaster's muzzle."""
    falco = f.character == FALCO
    kind = FALCO_SHOT if falco else FOX_SHOT
    muzzle = MUZZLES[1 if falco else 0, 1 if f.airborne != 0 else 0]
    x = f.x + f.facing * muzzle[0]
    speed = f.facing * ITEM_HITS[kind].speed
    spawn(g, f, FALCO_LASER if falco else FOX_LASER, kind, x, f.y + muzzle[1], speed, ZERO)


@kernel
def spawn_throw_shot(g, f, forward, up, vx, vy):
    """Shoot in a throw, from a place before and above the fighter."""
    falco = f.character == FALCO
    item_type = FALCO_LASER if falco else FOX_LASER
    kind = FALCO_THROW_SHOT if falco else FOX_THROW_SHOT
    n = spawn(g, f, item_type, kind, f.x + f.facing * forward, f.y + up, f.facing * vx, vy)
    if n != NO_SLOT:
        g.items[n].state = THROWN
        g.items[n].facing = ONE if f.facing * vx >= ZERO else -ONE


@kernel
def spawn_illusion(g, f):
    """Let the ghost that carries the side special's hitbox follow, two frames behind."""
    falco = f.character == FALCO
    item_type = FALCO_GHOST if falco else FOX_GHOST
    dash = f.vx if f.airborne != 0 else f.gv
    n = spawn(g, f, item_type, FALCO_TRAIL if falco else FOX_TRAIL, f.x - dash, f.y, ZERO, ZERO)
    if n != NO_SLOT:
        g.items[n].state = FOLLOWING
        g.items[n].age = -1  # it hits from the frame after its first
        g.items[n].lead_x = f.x - dash
        g.items[n].lead_y = f.y


@kernel
def spawn_needle(g, f):
    """Throw a needle from one of nine heights; it leaves the hand where the frame's movement has brought it."""
    vx = f.facing * ITEM_HITS[THROWN_NEEDLE].speed
    vy = ZERO
    if f.airborne != 0:
        vx = vx * DIAGONAL
        vy = -abs(vx)
    up = NEEDLE_LOW + NEEDLE_STEP * np.float32(randi(g, NEEDLE_HEIGHTS))
    n = spawn(g, f, NEEDLE, THROWN_NEEDLE, ZERO, ZERO, vx, vy)
    if n != NO_SLOT:
        g.items[n].age = -1
        g.items[n].lead_x = f.facing * NEEDLE_REACH
        g.items[n].lead_y = up


@kernel
def meets_stage(g, item):
    """Tell whether the item's path of this frame crosses a line of the stage."""
    stage = STAGES[g.slot]
    if item.y > stage.highest_floor + ONE and item.prev_y > stage.highest_floor + ONE:
        return False
    for n in range(WALL_COUNT[g.slot, g.form]):
        row = STAGE_LINES[g.slot, int(WALLS[g.slot, g.form, n])]
        low = min(row.y0, row.y1)
        high = max(row.y0, row.y1)
        if item.y < low or item.y > high:
            continue
        wall = (row.x0 + row.x1) * HALF
        if (item.prev_x - wall) * (item.x - wall) <= ZERO:
            return True
    return False


@kernel
def sticks(g, item):
    """Tell whether the item came down through a floor on this frame."""
    if item.vy >= ZERO or item.y > STAGES[g.slot].highest_floor:
        return False
    for n in range(FLOOR_COUNT[g.slot, g.form]):
        line = int(FLOORS[g.slot, g.form, n])
        left, right = floor_ends(g, line)
        if item.x >= left and item.x <= right:
            height = floor_height(g, line, item.x)
            if item.prev_y >= height and item.y < height:
                return True
    return False


@kernel
def expire(item):
    """End an item whose time is over; a ghost lingers in a second state."""
    if item.state == FOLLOWING and item.type >= FOX_GHOST:
        item.state = LINGERING
        item.timer = TWO
    else:
        end_item(item)


@kernel
def fly(g, item):
    """Move an item by its speed, a ghost to where its owner was two frames ago; a new needle to the hand."""
    owner = g.fighters[item.owner]
    item.prev_x = item.x
    item.prev_y = item.y
    if item.kind == FOX_TRAIL or item.kind == FALCO_TRAIL:
        if owner.action < ILLUSION_FIRST or owner.action > ILLUSION_LAST:
            end_item(item)  # its owner was hit
        elif item.state == FOLLOWING:
            item.x = item.lead_x
            item.y = item.lead_y
            item.lead_x = owner.prev_x
            item.lead_y = owner.prev_y
    elif item.kind == THROWN_NEEDLE and item.age == 0:
        item.x = owner.x + item.lead_x
        item.y = owner.y + item.lead_y
        item.prev_x = item.x
        item.prev_y = item.y
    else:
        item.x = item.x + item.vx
        item.y = item.y + item.vy


@kernel
def move_items(g):
    """Steps 0 to 5 for items: timers, flight, stage."""
    if g.live_items == 0:
        return
    live = 0
    for n in range(NUM_ITEMS):
        item = g.items[n]
        if item.exists == 0:
            continue
        item.age += 1
        item.timer = item.timer - ONE
        fly(g, item)
        if item.vx != ZERO and (meets_stage(g, item) or sticks(g, item)):
            end_item(item)
        elif item.timer <= ZERO:
            expire(item)
        if item.exists == 0:
            continue
        live += 1
    g.live_items = live


@kernel
def item_path(item):
    """Return both ends of what the item can hit on this frame, x and y each: its way, ahead of it, a beam's tail."""
    hit = ITEM_HITS[item.kind]
    back = min(hit.tail, np.float32(item.age))
    x = item.prev_x
    y = item.prev_y
    if back > ONE:
        x = item.x - back * item.vx
        y = item.y - back * item.vy
    return x, y + hit.height, item.x + item.facing * hit.length, item.y + hit.height


@kernel
def near_reflector(f, item, radius):
    """Tell whether a flying item of this radius touches the fighter's reflector."""
    reach = REFLECTOR_RADIUS + radius
    dx = item.x - f.x
    dy = item.y - (f.y + REFLECTOR_HEIGHT)
    return item.vx != ZERO and dx * dx + dy * dy <= reach * reach


@kernel
def reflect_item(f, item, damage):
    """Turn a shot round: it is the fighter's now and does ``damage`` times its damage."""
    item.owner = f.seat
    item.vx = -item.vx
    item.vy = -item.vy
    item.facing = -item.facing
    item.damage = int(np.float32(item.damage) * damage)
    item.victims = 0
    item.age = 0
    item.state = THROWN
