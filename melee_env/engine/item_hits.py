"""Step 13 for items: what lasers, ghosts and needles touch.

Order of an item's tests against a fighter: reflector, hitboxes, shield, body (doldecomp/melee ft/ftcoll.c).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.hits import (
    CLANK,
    CLANK_RANGE,
    INTANGIBLE,
    REACH,
    VULNERABLE,
    cancel,
    charged_damage,
    hurt_status,
    log_hit,
    score,
    staled,
    strike_shield,
    untouchable,
)
from melee_env.engine.items import (
    ITEM_HITS,
    POWER_SHIELD_DAMAGE,
    REFLECTOR_DAMAGE,
    end_item,
    item_path,
    near_reflector,
    reflect_item,
)
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import knockback
from melee_env.engine.overlap import (
    BOXES,
    active_row,
    box_path,
    segment_distance,
    touched_height,
    touches_shield,
)
from melee_env.engine.shield import is_down, reflects
from melee_env.engine.tables import ATTRIBUTES, CATCH, HITBOXES
from melee_env.frame import NUM_ITEMS

ZERO = np.float32(0)
ONE = np.float32(1)
SHINE_FIRST, SHINE_LAST = 360, 369


@kernel
def detect_item_hits(g):
    """Step 13, second half: each fighter as victim of items."""
    if g.live_items == 0:
        return
    for seat in range(2):
        f = g.fighters[seat]
        if not untouchable(f):
            test_items(g, f, hurt_status(f))


@kernel
def clashes(v, item, x0, y0, x1, y1, radius):
    """Let the fighter's hitboxes meet an item's; tell whether the item's is spent.

    The rule is that of two fighters' hitboxes, but for the floor: the fighter may be in the air.
    """
    row = active_row(v, v.age)
    if row < 0 or v.hitlag > 0:
        return False
    theirs = int(staled_item(item))
    for m in range(BOXES):
        box = HITBOXES[row, m]
        if box.active == 0 or box.clank == 0 or box.element == CATCH or (v.victims[box.group] & CLANK) != 0:
            continue
        ax, ay, bx, by = box_path(v, row, m)
        if segment_distance(ax, ay, bx, by, x0, y0, x1, y1) > box.size + radius:
            continue
        own = int(staled(v, charged_damage(v, box.damage)))
        if own - CLANK_RANGE < theirs:
            cancel(v, box, own, item)
        if theirs - CLANK_RANGE < own:
            return True
    return False


@kernel
def staled_item(item):
    """Return the damage of an item's hit."""
    raw = np.float32(item.damage)
    return raw if item.stale_factor == ONE else raw * item.stale_factor


@kernel
def test_items(g, v, status):
    """Test all items against ``v``; lasers end on contact."""
    for n in range(NUM_ITEMS):
        item = g.items[n]
        bit = 1 << v.seat
        if item.exists == 0 or item.age < 0 or item.owner == v.seat or (item.victims & bit) != 0:
            continue
        hit = ITEM_HITS[item.kind]
        if abs(item.x - v.x) > REACH or abs(item.y - v.y) > REACH:
            continue
        x0, y0, x1, y1 = item_path(item)
        radius = hit.size
        if v.action >= SHINE_FIRST and v.action <= SHINE_LAST and near_reflector(v, item, radius):
            v.pending_reflect = -ONE if item.vx > ZERO else ONE
            reflect_item(v, item, REFLECTOR_DAMAGE)
            continue
        if hit.clank != 0 and clashes(v, item, x0, y0, x1, y1, radius):
            item.victims |= bit
            continue
        damage = staled_item(item)
        if (reflects(v) or not is_down(v)) and touches_shield(v, x0, y0, x1, y1, radius):
            if reflects(v) and hit.single != 0:
                reflect_item(v, item, POWER_SHIELD_DAMAGE)
                continue
            item.victims |= bit
            strike_shield(v, max(int(damage), 1), 0, item_facing(v, item))
            if hit.single != 0:
                end_item(item)
            continue
        if status == INTANGIBLE:
            continue
        height = touched_height(v, x0, y0, x1, y1, radius)
        if height < 0:
            continue
        item.victims |= bit
        if status == VULNERABLE:
            owner = g.fighters[item.owner]
            v.pending_damage = v.pending_damage + damage
            weight = ATTRIBUTES[v.character].weight
            kb = ZERO
            if hit.flinch != 0:
                kb = knockback(v.percent, v.pending_damage, int(damage), hit.kbg, hit.bkb, hit.set_kb, weight)
            log_hit(v, kb, hit.angle, item_facing(v, item), int(hit.element), height, damage)
            score(owner, v, item.attack_id, item.instance)
        if hit.single != 0:
            end_item(item)


@kernel
def item_facing(v, item):
    """Return the facing that a hit by an item gives: against its flight, else toward it."""
    if item.vx != ZERO:
        return -ONE if item.vx > ZERO else ONE
    return -ONE if v.x > item.x else ONE
