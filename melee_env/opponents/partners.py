"""Training partners: players that do one thing which a drill needs, with some chance in it."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.kernel import kernel
from melee_env.opponents.cache import rule
from melee_env.opponents.script import (
    MAIN_X,
    MAIN_Y,
    A,
    L,
    Script,
    Z,
    draw,
    let_go,
    press,
    remember_buttons,
    side,
)

MEMORY = np.dtype([("rng", "u4"), ("held", "i4"), ("choice", "i4"), ("left", "i4")])
"""Generator, buttons of last frame, running choice (0 none yet), frames that it still lasts."""

MISS, IN_PLACE, LEFT, RIGHT = 1, 2, 3, 4
DAMAGE_FALL = 38
FLY_FIRST, FLY_LAST = 87, 91
DOWN_FIRST, DOWN_LAST = 183, 198
WAITS_FACE_UP, WAITS_FACE_DOWN = 184, 192
THROWN_FIRST, THROWN_LAST = 239, 243
GROUND_TECH_FIRST, GROUND_TECH_LAST = 199, 201
LEDGE = 253
TECH_HEIGHT = 14.0
"""units above the floor below which a tumbling fighter presses for a tech (the window is 20 frames)"""
LATE_IN_THROW = 20.0
"""animation frame of a throw from which on the thrown fighter presses"""


@kernel
def tech_one(m, action, me):
    """Miss the tech, tech in place or roll, each as likely; get up in one of four ways."""
    state = me.action
    thrown = state >= THROWN_FIRST and state <= THROWN_LAST
    tumbling = state == DAMAGE_FALL or (state >= FLY_FIRST and state <= FLY_LAST)
    down = state >= DOWN_FIRST and state <= DOWN_LAST
    if thrown or tumbling:
        if m.choice == 0:
            m.choice = MISS + int(4 * draw(m))
        if m.choice >= LEFT:
            action[MAIN_X] = 0 if m.choice == LEFT else 16
        falling = me.vel_y + me.knockback_y < 0 and me.y < TECH_HEIGHT
        if m.choice != MISS and m.left == 0 and ((thrown and me.action_frame >= LATE_IN_THROW) or falling):
            press(m, action, L)
            m.left = 1
    elif down:
        if state == WAITS_FACE_UP or state == WAITS_FACE_DOWN:
            choice = draw(m)
            if choice < 0.25:
                action[MAIN_Y] = 16
            elif choice < 0.5:
                action[MAIN_X] = 0
            elif choice < 0.75:
                action[MAIN_X] = 16
            else:
                press(m, action, A)
    elif state == LEDGE:
        action[MAIN_Y] = 16
    elif state < GROUND_TECH_FIRST or state > GROUND_TECH_LAST:
        m.choice = 0
        m.left = 0


@rule
def tech_all(memory, leaders, actions):
    """Apply :func:`tech_one` to leaders ``[N, 2]``, the player in the first column."""
    for n in range(memory.shape[0]):
        let_go(actions[n])
        tech_one(memory[n], actions[n], leaders[n, 0])
        remember_buttons(memory[n], actions[n])


class TechRandom(Script):
    """Stands, and when knocked down techs in place, left, right or not at all; gets up in random ways."""

    memory_dtype = MEMORY

    def decide(
        self,
        memory: NDArray[np.void],
        leaders: NDArray[np.void],
        stages: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Fill one policy action per game."""
        tech_all(memory, leaders, actions)


@rule
def drift_all(memory, leaders, actions):
    """Hold a random direction in the air for a while, then another; stand on the ground."""
    for n in range(memory.shape[0]):
        m = memory[n]
        let_go(actions[n])
        me = leaders[n, 0]
        if me.airborne != 0 and me.action > 13:
            if m.left <= 0:
                m.choice = int(3 * draw(m))
                m.left = 8 + int(25 * draw(m))
            m.left -= 1
            actions[n, MAIN_X] = 8 * m.choice
            if abs(me.x) > 60:
                actions[n, MAIN_X] = side(-me.x)


class Drift(Script):
    """Drifts at random while in the air and steers its knockback so; never attacks."""

    memory_dtype = MEMORY

    def decide(
        self,
        memory: NDArray[np.void],
        leaders: NDArray[np.void],
        stages: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Fill one policy action per game."""
        drift_all(memory, leaders, actions)


SHIELD_STUN = 181
SHIELD_FIRST, SHIELD_LAST = 178, 182
GRAB_REACH = 12.0
PATIENCE = 10
"""frames without shield stun after which the shielding fighter looks for a grab"""
LOW_SHIELD = 12.0


@rule
def shield_grab_all(memory, leaders, actions):
    """Hold the shield; grab when the other leaves a gap in reach."""
    for n in range(memory.shape[0]):
        m = memory[n]
        let_go(actions[n])
        me = leaders[n, 0]
        other = leaders[n, 1]
        stunned = me.action == SHIELD_STUN or me.hitlag > 0
        m.left = 0 if stunned else m.left + 1
        if me.action >= SHIELD_FIRST and me.action <= SHIELD_LAST:
            reach = (other.x - me.x) * me.facing
            in_reach = reach > 0 and reach < GRAB_REACH and abs(other.y - me.y) < 6
            if m.left >= PATIENCE and in_reach and draw(m) < 0.3:
                press(m, actions[n], Z)
            elif me.shield > LOW_SHIELD or stunned:
                actions[n, L] = 1
        elif me.airborne == 0 and me.shield > LOW_SHIELD:
            actions[n, L] = 1
        remember_buttons(m, actions[n])


class ShieldGrab(Script):
    """Holds its shield until it is small, and grabs out of it when the attacker leaves a gap."""

    memory_dtype = MEMORY

    def decide(
        self,
        memory: NDArray[np.void],
        leaders: NDArray[np.void],
        stages: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Fill one policy action per game."""
        shield_grab_all(memory, leaders, actions)
