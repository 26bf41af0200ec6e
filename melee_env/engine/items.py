"""Articles: Fox's and Falco's lasers and the ghosts of their side specials.

Spawn places, speeds and lives are measured on recorded games. The whole item list is skipped while
``live_items`` is 0.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.stages import STAGE_LINES, STAGES, WALL_COUNT, WALLS
from melee_env.engine.staling import stale_factor
from melee_env.frame import NUM_ITEMS

ZERO = np.float32(0)
ONE = np.float32(1)
TWO = np.float32(2)
HALF = np.float32(0.5)
FALCO = 22
FOX_LASER, FALCO_LASER, FOX_GHOST, FALCO_GHOST = 54, 55, 56, 57
NO_SLOT = -1
REFLECTOR_RADIUS = np.float32(7.5)
REFLECTOR_HEIGHT = np.float32(6)
REFLECTOR_DAMAGE = np.float32(1.5)
POWER_SHIELD_DAMAGE = np.float32(0.5)
LASER, GHOST = 0, 1
GHOST_STATES = 2
"""a ghost goes through two states, four and two frames long"""

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
    ]
)
ITEM_HITS = np.array(
    [
        (3, 361, 0, 0, 0, 0, 0, 1, 1.2, 7.0, 34, 0, 0),
        (3, 361, 100, 0, 5, 0, 1, 1, 1.2, 5.0, 99, 0, 0),
        (7, 80, 60, 68, 0, 0, 1, 0, 5.0, 0.0, 4, 8, 5),
        (7, 270, 70, 70, 0, 0, 1, 0, 5.0, 0.0, 4, 8, 5),
    ],
    ITEM_HIT,
)
"""Fox's laser, Falco's laser, Fox's illusion, Falco's phantasm: knockback and reach solved from recorded hits."""

MUZZLES = np.array([[[9.47, 7.68], [9.41, 9.59]], [[5.58, 8.13], [9.64, 9.31]]], np.float32)
"""where shots start, ``[Fox or Falco, ground or air]``: forward, up; measured on 240 recorded shots"""


@kernel
def item_kind(item_type):
    """Return the row of an item type, -1 for one that cannot hit."""
    if item_type >= FOX_LASER and item_type <= FALCO_GHOST:
        return item_type - FOX_LASER
    return -1


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
def spawn(g, f, item_type, x, y, vx):
    """Put an item of the fighter's into the game."""
    n = find_slot(g)
    if n == NO_SLOT:
        return
    hit = ITEM_HITS[item_kind(item_type)]
    item = g.items[n]
    item.exists = 1
    item.type = item_type
    item.state = GHOST if vx == ZERO else LASER
    item.age = -1 if vx == ZERO else 0  # a ghost hits from the frame after its first
    item.owner = f.seat
    item.facing = f.facing
    item.x = x
    item.y = y
    item.prev_x = x
    item.prev_y = y
    item.vx = vx
    item.vy = ZERO
    item.timer = hit.life + ONE  # it moves once on this very frame
    item.spawn_id = g.spawned
    item.instance = f.instance
    item.attack_id = f.attack_id
    item.damage = hit.damage
    item.stale_factor = stale_factor(f, f.attack_id)
    item.victims = 0
    g.spawned += np.uint32(1)
    g.live_items += 1


@kernel
def spawn_laser(g, f):
    """Shoot from the blaster's muzzle."""
    falco = f.character == FALCO
    item_type = FALCO_LASER if falco else FOX_LASER
    speed = ITEM_HITS[item_kind(item_type)].speed
    muzzle = MUZZLES[1 if falco else 0, 1 if f.airborne != 0 else 0]
    spawn(g, f, item_type, f.x + f.facing * muzzle[0], f.y + muzzle[1], f.facing * speed)


@kernel
def spawn_illusion(g, f, x):
    """Leave the ghost that carries the side special's hitbox at ``x``."""
    spawn(g, f, FALCO_GHOST if f.character == FALCO else FOX_GHOST, x, f.y, ZERO)


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
def expire(item):
    """End an item whose time is over; a ghost lingers in a second state."""
    if item.type >= FOX_GHOST and item.state < GHOST_STATES:
        item.state = GHOST_STATES
        item.timer = TWO
    else:
        end_item(item)


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
        item.prev_x = item.x
        item.prev_y = item.y
        item.x = item.x + item.vx
        item.y = item.y + item.vy
        if item.vx != ZERO and meets_stage(g, item):
            end_item(item)
        elif item.timer <= ZERO:
            expire(item)
        if item.exists == 0:
            continue
        live += 1
    g.live_items = live


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
    item.state = 1
