"""Stale moves: an attack that hit lately does less damage.

Ring of ten (attack id, attack instance), of which the newest nine count. Source: doldecomp/melee
pl/plstale.c; 1,867 of 1,867 recorded hits have one of these factors.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel

ONE = np.float32(1)
QUEUE = 10
WEIGHTS = np.array([0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01], np.float32)
"""what an entry takes off the damage, newest first"""
NO_STALE = 1
"""attack id of hits that never stale"""


@kernel
def stale_factor(f, attack_id):
    """Return the share of its damage that an attack does now, 0.55 to 1."""
    factor = ONE
    slot = f.stale_head
    for k in range(WEIGHTS.shape[0]):
        slot = slot - 1 if slot > 0 else QUEUE - 1
        entry = f.stale_ids[slot]
        if entry == 0:
            break
        if entry == attack_id:
            factor = factor - WEIGHTS[k]
    return factor


@kernel
def push_stale(f, attack_id, instance):
    """Remember a hit; one swing is remembered once, however often it hits."""
    if attack_id == 0 or attack_id == NO_STALE:
        return
    for slot in range(QUEUE):
        if f.stale_ids[slot] == attack_id and f.stale_instances[slot] == instance:
            return
    f.stale_ids[f.stale_head] = attack_id
    f.stale_instances[f.stale_head] = instance
    f.stale_head = (f.stale_head + 1) % QUEUE


@kernel
def pop_stale(f, attack_id, instance):
    """Take the newest entry back if it is this one."""
    newest = f.stale_head - 1 if f.stale_head > 0 else QUEUE - 1
    if f.stale_ids[newest] == attack_id and f.stale_instances[newest] == instance and attack_id != 0:
        f.stale_ids[newest] = 0
        f.stale_head = newest


@kernel
def clear_stale(f):
    """Forget all attacks, as a death does."""
    f.stale_head = 0
    for slot in range(QUEUE):
        f.stale_ids[slot] = 0
        f.stale_instances[slot] = 0
