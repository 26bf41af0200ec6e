"""Which rule applies: one compiled decision per game and frame."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.kernel import kernel
from melee_env.errors import OptionError
from melee_env.observations.features import EDGE_X
from melee_env.opponents.cache import rule
from melee_env.opponents.fighter.defence import break_free, get_up, guard, hang, recover, survive
from melee_env.opponents.fighter.levels import LEVELS, LONGEST_DELAY, SKILLS
from melee_env.opponents.fighter.offence import approach, guard_edge, in_the_air, strike
from melee_env.opponents.script import (
    MAIN_X,
    MAIN_Y,
    NEUTRAL,
    Script,
    X,
    draw,
    let_go,
    press,
    remember_buttons,
    side,
)

MEMORY = np.dtype(
    [
        ("rng", "u4"),
        ("held", "i4"),
        ("wait", "i4"),
        ("plan", "i4"),
        ("age", "i4"),
        ("guard", "i4"),
        ("now", "i4"),
        ("seen", "f4", (LONGEST_DELAY, 8)),
    ]
)
"""What a fighter remembers of a game: generator, buttons of last frame, frames until it may decide again, running
plan and its age, frames in the shield, frames since the start, and the other fighter's last frames."""
SEEN_X, SEEN_Y, SEEN_ACTION, SEEN_AGE, SEEN_FACING, SEEN_HITSTUN, SEEN_AIRBORNE, SEEN_PERCENT = range(8)

EDGES = np.array([EDGE_X.get(stage, 80.0) for stage in range(256)], np.float32)
DEAD_LAST, ON_PLATFORM = 11, 13
TUMBLING, SHINE_FIRST, SHINE_LAST = 38, 360, 369
GRABBING = 216
LEDGE = 253
FOX, FALCO = 1, 22


@kernel
def remember_other(m, other, delay):
    """Note the other fighter and return the picture that is ``delay`` frames old."""
    row = m.seen[m.now % LONGEST_DELAY]
    row[SEEN_X] = other.x
    row[SEEN_Y] = other.y
    row[SEEN_ACTION] = other.action
    row[SEEN_AGE] = other.action_frame
    row[SEEN_FACING] = other.facing
    row[SEEN_HITSTUN] = other.hitstun
    row[SEEN_AIRBORNE] = other.airborne
    row[SEEN_PERCENT] = other.percent
    old = m.seen[max(m.now - delay, 0) % LONGEST_DELAY]
    m.now += 1
    return old


@kernel
def is_open(seen):
    """Tell whether the other cannot answer: hit, lying, landing from an attack, dizzy."""
    state = int(seen[SEEN_ACTION])
    return (
        seen[SEEN_HITSTUN] > 0
        or (state >= 70 and state <= 74)
        or state == 43
        or (state >= 183 and state <= 198)
        or (state >= 205 and state <= 211)
        or (state >= 58 and state <= 64 and seen[SEEN_AGE] > 18)
    )


@kernel
def on_the_ground(m, action, me, seen, edge, level):
    """Play the neutral game: shield what comes, edge-guard, punish, strike, else come nearer."""
    dx = seen[SEEN_X] - me.x
    dy = seen[SEEN_Y] - me.y
    distance = np.float32(np.sqrt(dx * dx + dy * dy))
    state = int(seen[SEEN_ACTION])
    away = abs(seen[SEEN_X]) > edge + 2 or seen[SEEN_Y] < -8 or state == LEDGE
    if m.guard > 0:
        guard(m, action, me, dx, distance, level)
        return
    if state <= ON_PLATFORM:
        if abs(me.x) > 15:
            action[MAIN_X] = side(-me.x)
        return
    if away:
        guard_edge(m, action, me, seen[SEEN_X], seen[SEEN_Y], edge, level)
        return
    threatened = distance < 24 and state >= 44 and state <= 69 and seen[SEEN_FACING] * dx < 0
    if threatened and me.shield > 15 and draw(m) < level.skill * 0.25:
        guard(m, action, me, dx, distance, level)
        return
    if m.wait > 0:
        return
    shielding = state >= 178 and state <= 182
    if distance < 40 and strike(m, action, me, dx, dy, is_open(seen), shielding, seen[SEEN_PERCENT], level):
        return
    approach(m, action, me, dx, dy, edge, level)


@kernel
def hold_grab(m, action, dx):
    """Throw: up most often, else to a side or down."""
    choice = draw(m)
    action[MAIN_X] = NEUTRAL
    if choice < 0.5:
        action[MAIN_Y] = 16
    elif choice < 0.65:
        action[MAIN_Y] = 0
    else:
        action[MAIN_X] = side(dx) if choice < 0.85 else side(-dx)


@kernel
def decide(m, action, me, seen, edge, level):
    """Fill one policy action for one game."""
    state = me.action
    if state <= DEAD_LAST or (state >= 322 and state <= 324):
        return
    if m.wait > 0:
        m.wait -= 1
    m.age += 1
    dx = seen[SEEN_X] - me.x
    if state == 12 or state == ON_PLATFORM:
        if m.wait == 0:
            action[MAIN_X] = side(dx)
    elif state >= 223 and state <= 232:
        if draw(m) < level.skill:
            break_free(m, action)
    elif state == GRABBING:
        hold_grab(m, action, dx)
    elif state == LEDGE:
        hang(m, action, level)
    elif state == 184 or state == 192:
        if m.wait == 0:
            get_up(m, action)
    elif me.hitstun > 0 or (state >= 87 and state <= 91) or state == TUMBLING:
        m.guard = 0
        survive(m, action, me, level)
        if me.hitstun == 0 and (abs(me.x) > edge or me.y < -8):
            recover(m, action, me, edge)
    elif me.airborne != 0 and (abs(me.x) > edge or me.y < -8):
        recover(m, action, me, edge)
    elif (me.character == FOX or me.character == FALCO) and state >= SHINE_FIRST and state <= SHINE_LAST:
        press(m, action, X)
    elif me.airborne != 0:
        in_the_air(m, action, me, dx, seen[SEEN_Y] - me.y, level, edge)
    else:
        on_the_ground(m, action, me, seen, edge, level)
        if abs(me.x) > edge - 6 and (action[MAIN_X] - NEUTRAL) * me.x > 0:
            action[MAIN_X] = NEUTRAL


@rule
def decide_all(memory, leaders, stages, actions, level):
    """Fill actions ``[N, 13]`` for leaders ``[N, 2]``, the fighter in the first column."""
    for n in range(memory.shape[0]):
        m = memory[n]
        let_go(actions[n])
        seen = remember_other(m, leaders[n, 1], level[0].delay)
        decide(m, actions[n], leaders[n, 0], seen, EDGES[stages[n]], level[0])
        remember_buttons(m, actions[n])


class Fighter(Script):
    """``scripted:fighter-N``: level 1 sees late, errs often and knows little; level 9 hardly ever misses a chance."""

    memory_dtype = MEMORY

    def __init__(self, level: int = 5) -> None:
        """Choose the level, 1..9.

        Raises:
            OptionError: no such level.
        """
        if level not in LEVELS:
            raise OptionError(f"fighter level must be 1..9, got {level!r}")
        self.level = level

    def decide(
        self,
        memory: NDArray[np.void],
        leaders: NDArray[np.void],
        stages: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Fill one policy action per game."""
        level = SKILLS[self.level - 1 : self.level]
        decide_all(memory, leaders, stages, actions, level)
