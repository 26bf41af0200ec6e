"""Steps 12 and 13: which hitboxes touch what, and how hard.

Nothing changes here but victim lists, the stale queue and the ``pending_`` fields, so that both fighters
are tested before either reacts (equal timing trades). Rules: doldecomp/melee ft/ftcoll.c.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.combos import count_hit
from melee_env.engine.grabs import CATCH_ATTACK, HOLDER_BLOWS, THROW_LW, captured, connect_grab
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import knockback
from melee_env.engine.overlap import (
    BOXES,
    active_row,
    box_path,
    boxes_overlap,
    touched_height,
    touches_shield,
)
from melee_env.engine.shield import is_down, power_shields
from melee_env.engine.staling import push_stale, stale_factor
from melee_env.engine.states import STATES
from melee_env.engine.tables import ATTRIBUTES, CATCH, HITBOXES, NORMAL

ZERO = np.float32(0)
ONE = np.float32(1)
REACH = np.float32(80)
"""distance of two fighters along an axis beyond which no hitbox is tested"""
CHARGE_BONUS = np.float32(0.3671)
"""share of damage that a full smash charge adds"""
MAX_CHARGE = np.float32(60)
"""game units by which a touch must be deeper once a recording has shown that it was none"""
CLANK_RANGE = 9  # x3CC
BODY, CLANK = 1, 2
VULNERABLE, INVINCIBLE, INTANGIBLE = 0, 1, 2


@kernel
def hurt_status(f):
    """Return 2 while nothing touches the fighter, 1 while hits do nothing to it, else 0."""
    row = STATES[f.character, f.action]
    age = int(f.age)
    if f.intangible > 0 or (age >= row.intangible_from and age <= row.intangible_to):
        return INTANGIBLE
    return INVINCIBLE if f.invincible > 0 else VULNERABLE


@kernel
def open_window(f, row):
    """Forget who was hit when other hitboxes than before came out, and freeze their staling."""
    window = -1
    for i in range(BOXES):
        if HITBOXES[row, i].active != 0:
            window = max(window, HITBOXES[row, i].window)
    if window == f.hit_window:
        return
    f.hit_window = window
    f.doubt = ZERO
    f.stale_factor = stale_factor(f, f.attack_id)
    for group in range(f.victims.shape[0]):
        f.victims[group] = 0


@kernel
def charged_damage(f, damage):
    """Return an attack's unstaled damage, raised by a smash charge."""
    raw = np.float32(damage)
    if f.smash_charge > 0:
        raw = raw * (CHARGE_BONUS * (np.float32(f.smash_charge) / MAX_CHARGE) + ONE)
    return raw


@kernel
def staled(f, damage):
    """Return the damage that reaches the victim."""
    return damage if f.stale_factor == ONE else damage * f.stale_factor


@kernel
def mark(f, group, bit):
    """Enter the opponent into the victim list of a hitbox group."""
    f.victims[group] |= np.uint8(bit)


@kernel
def cancel(f, box, damage, other):
    """Let a hitbox lose a clank: its group is spent and its owner freezes and may rebound."""
    mark(f, box.group, CLANK)
    damage = max(damage, 1)
    if damage > f.pending_clank:
        f.pending_clank = damage
        if box.rebound != 0 and f.airborne == 0:
            f.pending_rebound = damage
            f.pending_rebound_facing = ONE if other.x > f.x else -ONE


@kernel
def clanks(v, row_v, a, row_a, j):
    """Let hitbox ``j`` of ``a`` meet the hitboxes of ``v``; tell whether it is spent."""
    box = HITBOXES[row_a, j]
    damage_a = int(staled(a, charged_damage(a, box.damage)))
    for m in range(BOXES):
        own = HITBOXES[row_v, m]
        if own.active == 0 or own.clank == 0 or own.element == CATCH or v.victims[own.group] != 0:
            continue
        if not boxes_overlap(v, row_v, m, a, row_a, j):
            continue
        damage_v = int(staled(v, charged_damage(v, own.damage)))
        if damage_v - CLANK_RANGE < damage_a:
            cancel(v, own, damage_v, a)
        if damage_a - CLANK_RANGE < damage_v:
            cancel(a, box, damage_a, v)
            return True
    return False


@kernel
def strike_shield(v, damage, bonus, facing):
    """Log a hit of ``damage`` on the shield of ``v``; a power shield loses no health."""
    if not power_shields(v):
        v.pending_shield_sum += max(damage + bonus, 0)
    if damage > v.pending_shield:
        v.pending_shield = damage
        v.pending_shield_facing = facing


@kernel
def hit_shield(v, a, box, damage):
    """Log a fighter's hit on the shield of ``v``, and the push that the attacker gets on the ground."""
    damage = max(damage, 1)
    strike_shield(v, damage, int(box.shield_damage), -ONE if v.x > a.x else ONE)
    if damage > a.pending_shield_dealt:
        a.pending_shield_dealt = damage
        if a.airborne == 0:
            a.pending_push = v.light * np.float32(damage)
            a.pending_push_side = ONE if v.x > a.x else -ONE


@kernel
def may_hit(v, box):
    """Tell whether a hitbox is out and fits a victim on the ground or in the air."""
    if box.active == 0 or box.element == CATCH:
        return False
    return (box.hits_air if v.airborne != 0 else box.hits_ground) != 0


@kernel
def test_fighter(v, a, row_a, row_v, status):
    """Test the hitboxes of ``a`` against ``v``.

    Returns:
        Bits of the hitboxes that hit the body, and their height classes, two bits each.
    """
    hits = 0
    heights = 0
    shielded = not is_down(v)
    clankable = v.seat < a.seat and row_v >= 0 and v.airborne == 0 and a.airborne == 0
    for j in range(BOXES):
        box = HITBOXES[row_a, j]
        if not may_hit(v, box) or a.victims[box.group] != 0:
            continue
        if clankable and box.clank != 0 and clanks(v, row_v, a, row_a, j):
            continue
        x0, y0, x1, y1 = box_path(a, row_a, j)
        radius = box.size - a.doubt
        if shielded and touches_shield(v, x0, y0, x1, y1, radius):
            mark(a, box.group, BODY)
            hit_shield(v, a, box, int(staled(a, charged_damage(a, box.damage))))
            continue
        if status == INTANGIBLE:
            continue
        height = touched_height(v, x0, y0, x1, y1, radius)
        if height < 0:
            continue
        mark(a, box.group, BODY)
        damage = staled(a, charged_damage(a, box.damage))
        a.pending_dealt = max(a.pending_dealt, int(damage), 1)
        if status == INVINCIBLE:
            continue
        hits |= 1 << j
        heights |= height << (2 * j)
        v.pending_damage = v.pending_damage + damage
        score(a, v, a.attack_id, a.instance)
    return hits, heights


@kernel
def score(a, v, attack_id, instance):
    """Enter a damaging hit into the attacker's stale queue and combo, and into the victim's record."""
    push_stale(a, attack_id, instance)
    count_hit(a, v, attack_id)
    a.last_attack = attack_id
    v.last_hit_by = a.port
    v.hit_by_instance = instance


@kernel
def log_hit(v, kb, angle, facing, element, height, damage):
    """Keep the strongest of the frame's hits."""
    v.pending_hits += 1
    v.pending_hitlag = max(v.pending_hitlag, int(damage), 1)
    if v.pending_hits == 1 or kb > v.pending_kb:
        v.pending_kb = kb
        v.pending_angle = angle
        v.pending_facing = facing
        v.pending_element = element
        v.pending_height = height


@kernel
def log_fighter_hits(v, a, row, hits, heights):
    """Work out the knockback of the hitboxes that hit, with the whole frame's damage."""
    weight = ATTRIBUTES[v.character].weight
    for j in range(BOXES):
        if (hits & (1 << j)) == 0:
            continue
        box = HITBOXES[row, j]
        raw = charged_damage(a, box.damage)
        kb = knockback(v.percent, v.pending_damage, int(raw), box.kbg, box.bkb, box.set_kb, weight)
        facing = -ONE if v.x > a.x else ONE
        height = (heights >> (2 * j)) & 3
        log_hit(v, kb, np.float32(box.angle), facing, int(box.element), height, staled(a, raw))


@kernel
def strike_held(v, a):
    """Let the blow of the holder's pummel or throw reach the held fighter."""
    if a.action < CATCH_ATTACK or a.action > THROW_LW or a.hitlag > 0 or not captured(v):
        return
    blow = HOLDER_BLOWS[a.character, a.action - CATCH_ATTACK]
    if blow[1] == 0 or a.victims[0] != 0 or int(a.age) < blow[0]:
        return
    mark(a, 0, BODY)
    if a.action == CATCH_ATTACK:
        a.stale_factor = stale_factor(a, a.attack_id)
    damage = staled(a, np.float32(blow[1]))
    v.pending_damage = v.pending_damage + damage
    v.pending_hits += 1
    if blow[2] != 0:
        v.pending_hitlag = max(int(damage), 1)
    v.pending_element = NORMAL
    a.pending_dealt = max(int(damage), 1)
    score(a, v, a.attack_id, a.instance)


@kernel
def untouchable(f):
    """Tell whether the fighter is out of play for hits."""
    return (STATES[f.character, f.action].flags & (states.DEAD | states.SAFE)) != 0


@kernel
def detect_grabs(g):
    """Step 12: a catch box on a grabbable body grabs at once; the first seat wins a tie."""
    for seat in range(2):
        f = g.fighters[seat]
        if f.hitlag > 0:
            continue
        row = active_row(f, f.age)
        if row < 0:
            continue
        o = g.fighters[1 - seat]
        if abs(f.x - o.x) > REACH or abs(f.y - o.y) > REACH or untouchable(o):
            continue
        if hurt_status(o) != VULNERABLE:
            continue
        if (STATES[o.character, o.action].flags & (states.CAPTURED | states.LEDGE_HELD | states.DOWN)) != 0:
            continue
        for i in range(BOXES):
            box = HITBOXES[row, i]
            if box.active == 0 or box.element != CATCH:
                continue
            if (box.hits_air if o.airborne != 0 else box.hits_ground) == 0:
                continue
            x0, y0, x1, y1 = box_path(f, row, i)
            if touched_height(o, x0, y0, x1, y1, box.size) >= 0:
                connect_grab(g, f, o)
                return


@kernel
def detect_hits(g):
    """Step 13: each fighter as victim of the other."""
    a = g.fighters[0]
    b = g.fighters[1]
    row_a = active_row(a, a.age)
    row_b = active_row(b, b.age)
    if row_a >= 0:
        open_window(a, row_a)
    if row_b >= 0:
        open_window(b, row_b)
    strike_held(b, a)
    strike_held(a, b)
    near = abs(a.x - b.x) < REACH and abs(a.y - b.y) < REACH
    if near and row_b >= 0:
        hit_victim(a, b, row_b, row_a)
    if near and row_a >= 0:
        hit_victim(b, a, row_a, row_b)


@kernel
def hit_victim(v, a, row_a, row_v):
    """Test the strikes of ``a`` against ``v`` and log what hit."""
    if untouchable(v):
        return
    if captured(v):
        return
    hits, heights = test_fighter(v, a, row_a, row_v, hurt_status(v))
    if hits != 0:
        log_fighter_hits(v, a, row_a, hits, heights)
