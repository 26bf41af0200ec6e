"""Combos: hits of one move on one victim are counted, and many of them drive the attacker back.

Rules: doldecomp/melee ft/ftcoll.c; figures measured on recorded games: no step back after 3 or 4 hits in 306
frames, 0.025 on each of the twenty frames after a fifth or later one in 108 of 108.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.grabs import holds
from melee_env.engine.kernel import kernel
from melee_env.engine.staling import NO_STALE

MANY = 5  # x4C4
STEP_BACK_FRAMES = 20  # x4D8
STEP_BACK = np.float32(0.025)  # x4D0


@kernel
def count_hit(a, v, attack_id):
    """Enter a damaging hit into the attacker's combo."""
    if v.hitstun <= 0 and v.combo_grace <= 0:
        a.combo = 1
    elif attack_id == a.last_attack and attack_id != NO_STALE:
        set_combo(a, a.combo + 1)
    else:
        a.combo = 0


@kernel
def set_combo(f, hits):
    """Set the number of hits; a new one of many starts the step back."""
    if hits > f.combo and hits >= MANY:
        f.step_back = STEP_BACK_FRAMES
    f.combo = hits


@kernel
def correct_combo(f, before, hits):
    """Take over the recorded numbers of hits, of the frame before and now."""
    if f.combo > hits and f.step_back == STEP_BACK_FRAMES:
        f.step_back = 0  # the engine saw a hit that was none
    f.combo = before
    set_combo(f, hits)


@kernel
def step_back(f, o):
    """Shift the attacker of many hits back along the floor, hitlag or not."""
    if f.step_back == 0:
        return
    f.step_back -= 1
    if f.airborne == 0 and not holds(f, o):
        back = np.float32(f.facing * STEP_BACK)
        f.x = np.float32(f.x - np.float32(f.normal_y * back))
        f.y = np.float32(f.y + np.float32(f.normal_x * back))
