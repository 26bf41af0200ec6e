"""What recorded frames tell of contacts, where the engine saw them otherwise: hits, blocks, hitlag."""

from __future__ import annotations

import numpy as np

from melee_env.engine.damage import push_attacker
from melee_env.engine.hits import BODY
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import hitlag_frames
from melee_env.engine.overlap import BOXES, active_row
from melee_env.engine.shield import GUARD_SET_OFF, damage_share, stun_frames
from melee_env.engine.staling import pop_stale, push_stale
from melee_env.engine.tables import CATCH, HITBOXES
from melee_env.engine.transitions import squeeze

ONE = np.float32(1)
ZERO = np.float32(0)
MISJUDGED = np.float32(0.01)
"""percent by which damage may differ through rounding alone"""
REFUTED = np.float32(2)


@kernel
def infer_hitlag(g, before, leaders, early):
    """Where hitlag is not recorded: a hit that the engine did not see stops both; a pose that moves ends it.

    A hit whose damage the engine got wrong has the hitlag of the recorded damage; one that it got right, its own.
    One percent that changes nothing else is no hit but the toll of being out of sight.
    """
    damage = 0
    wrong = False
    for seat in range(2):
        taken = np.float32(leaders[seat].percent - before[seat].percent)
        if abs(taken - ONE) < MISJUDGED and leaders[seat].action == before[seat].action:
            continue
        damage = max(damage, int(taken))
        wrong = wrong or abs(g.fighters[seat].percent - leaders[seat].percent) > MISJUDGED
    for seat in range(2):
        f = g.fighters[seat]
        record = leaders[seat]
        if damage > 0:
            if wrong:
                f.hitlag = hitlag_frames(damage, False, False) - (1 if early else 0)
        elif record.action == before[seat].action and record.action_frame != before[seat].action_frame:
            if f.hitlag > 0:
                f.age = record.action_frame  # it ended earlier, which says nothing of the animation's rate
            f.hitlag = 0


@kernel
def correct_contact(a, row, touched, hurt):
    """Let a recording say whether the hitboxes of ``a`` touched the opponent on this frame, and did damage.

    A contact that the engine missed closes the groups that are out, one that it invented opens them again, but counts
    from then on only when it is deeper; the stale queue follows, and no shield has pushed the attacker back.
    """
    if touched == (a.hitlag > 0):
        return
    for i in range(BOXES):
        box = HITBOXES[row, i]
        if box.active != 0 and box.element != CATCH:
            a.victims[box.group] = BODY if touched else 0
    if touched and hurt:
        push_stale(a, a.attack_id, a.instance)
    elif not touched:
        a.push_x = ZERO
        a.push_y = ZERO
        a.ground_push = ZERO
        a.doubt += REFUTED
        pop_stale(a, a.attack_id, a.instance)


@kernel
def correct_hits(f, record, dealt, foreseen, told):
    """Let the record tell whether the fighter's attack touched: its hitlag, where ``told``, else the damage ``dealt``.

    Without hitlag a damage that was ``foreseen`` and did not come opens the attack again; a touch that the engine
    missed stopped the recorded animation, not the engine's.
    """
    if f.action != record.action:
        return
    row = active_row(f, record.action_frame)
    if told:
        if row >= 0 and f.age == record.action_frame:
            correct_contact(f, row, record.hitlag > 0, dealt > ZERO)
    elif dealt > ZERO:
        if row >= 0:
            correct_contact(f, row, True, True)
    elif foreseen:
        row = active_row(f, f.age)
        if row >= 0:
            correct_contact(f, row, False, False)


@kernel
def blocked_damage(v, before, record):
    """Return the whole percent that a hit on the shield did, where the engine saw none or another one; else 0.

    A frame's drain of the shield is less than what one percent takes from it.
    """
    stunned = record.action == GUARD_SET_OFF and record.action_frame == ZERO
    if not stunned or (v.action == GUARD_SET_OFF and abs(v.shield - record.shield) < MISJUDGED):
        return 0
    return int((before.shield - record.shield + MISJUDGED) / damage_share(v.light))


@kernel
def learn_block(v, a, damage):
    """Let a hit of ``damage`` on the shield of ``v`` stun it, and push ``a`` back if it struck itself."""
    v.rate = squeeze(v, GUARD_SET_OFF, stun_frames(damage, v.light))
    if a.airborne == 0 and a.hitlag > 0:
        a.pending_push = v.light * np.float32(damage)
        a.pending_push_side = ONE if v.x > a.x else -ONE
        push_attacker(a)
        a.pending_push_side = ZERO
