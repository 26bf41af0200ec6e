"""The stale-move queue."""

from __future__ import annotations

import numpy as np

from melee_env.engine.staling import clear_stale, pop_stale, push_stale, stale_factor
from melee_env.engine.state import allocate

JAB, TILT = 2, 7


def attacker():
    return allocate(1)[0]["fighters"][0]


def test_fresh_attacks_do_full_damage():
    assert stale_factor(attacker(), JAB) == 1


def test_the_newest_entry_weighs_most():
    fighter = attacker()
    push_stale(fighter, JAB, 1)
    assert stale_factor(fighter, JAB) == np.float32(1) - np.float32(0.09)
    push_stale(fighter, TILT, 2)
    assert stale_factor(fighter, JAB) == np.float32(1) - np.float32(0.08)
    assert stale_factor(fighter, TILT) == np.float32(1) - np.float32(0.09)


def test_nine_entries_count_and_055_is_the_least():
    fighter = attacker()
    for swing in range(20):
        push_stale(fighter, JAB, swing)
    assert abs(stale_factor(fighter, JAB) - 0.55) < 1e-6
    for swing in range(9):
        push_stale(fighter, TILT, 100 + swing)
    assert stale_factor(fighter, JAB) == 1


def test_one_swing_is_entered_once():
    fighter = attacker()
    push_stale(fighter, JAB, 5)
    push_stale(fighter, JAB, 5)
    assert stale_factor(fighter, JAB) == np.float32(1) - np.float32(0.09)


def test_attack_one_never_stales():
    fighter = attacker()
    push_stale(fighter, 1, 5)
    assert stale_factor(fighter, 1) == 1


def test_a_death_clears_the_queue():
    fighter = attacker()
    push_stale(fighter, JAB, 5)
    clear_stale(fighter)
    assert stale_factor(fighter, JAB) == 1


def test_an_entry_is_taken_back_only_if_it_is_the_newest():
    fighter = attacker()
    push_stale(fighter, JAB, 1)
    push_stale(fighter, TILT, 2)
    pop_stale(fighter, JAB, 1)
    assert stale_factor(fighter, TILT) == np.float32(1) - np.float32(0.09)
    pop_stale(fighter, TILT, 2)
    assert stale_factor(fighter, TILT) == 1
    assert stale_factor(fighter, JAB) == np.float32(1) - np.float32(0.09)
