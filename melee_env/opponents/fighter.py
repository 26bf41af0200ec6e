"""A simple fighter with nine levels: it spaces, strikes, shields, recovers, techs and edge-guards.

The rules are one compiled function per game and frame. Higher levels act sooner, err less and know more
options. Randomness is the game's own generator, seeded per game from a NumPy generator.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.actions.multidiscrete import decode_rows
from melee_env.controller import CONTROLLER_DTYPE, Controllers
from melee_env.engine.kernel import entry_point, kernel
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.observations.features import EDGE_X

LEVELS = range(1, 10)

MEMORY = np.dtype([("rng", "u4"), ("wait", "i4"), ("plan", "i4"), ("age", "i4"), ("held", "i4")])
"""What a fighter remembers of a game: generator, frames until it may act, running plan, buttons of last frame."""

A, B, X, Y, Z, L, R = 0, 1, 2, 3, 4, 5, 6
MAIN_X, MAIN_Y, C_X, C_Y = 8, 9, 10, 11
NEUTRAL = 8
FAR = np.float32(38)
NEAR = np.float32(13)
EDGES = np.array([EDGE_X.get(stage, 80.0) for stage in range(256)], np.float32)
NONE, APPROACH, NAIR, GRAB, SHIELD, RETREAT, LASER = 0, 1, 2, 3, 4, 5, 6


@kernel
def draw(m):
    """Return a number in 0..1 from the memory's generator (the game's own formula)."""
    m.rng = np.uint32(m.rng * np.uint32(214013) + np.uint32(2531011))
    return np.float32(m.rng >> np.uint32(16)) / np.float32(65536)


@kernel
def press(m, action, button):
    """Press a button as an edge: it is let go for one frame when it was down already."""
    if (m.held >> button) & 1 == 0:
        action[button] = 1


@kernel
def side(value):
    """Return the full stick class toward the sign of ``value``."""
    return 16 if value > 0 else 0


@kernel
def recover(m, action, me, edge):
    """Come back: drift in, double jump, then up-B toward the edge."""
    inward = np.float32(-1) if me.x > 0 else np.float32(1)
    action[MAIN_X] = side(inward)
    if me.action == 353 or me.action == 354:
        action[MAIN_Y] = 16 if me.y < 0 else 12
        return
    far = abs(me.x) - edge
    if me.vel_y > 0 or (me.y > 15 and far < 25):
        return
    if me.jumps > 0:
        if me.y < -5 or far > 30:
            press(m, action, X)
    elif me.y < -15 or far > 45:
        action[MAIN_X] = NEUTRAL
        action[MAIN_Y] = 16
        press(m, action, B)


@kernel
def on_ledge(m, action, me, skill):
    """Choose a way up."""
    if m.wait > 0:
        return
    choice = draw(m)
    if choice < 0.35:
        action[MAIN_Y] = 16
    elif choice < 0.6:
        press(m, action, X)
    elif choice < 0.8:
        press(m, action, L)
    else:
        press(m, action, A)
    m.wait = int(20 * (1.2 - skill))


@kernel
def lying(m, action, me):
    """Get up in one of four ways."""
    choice = draw(m)
    if choice < 0.3:
        action[MAIN_Y] = 16
    elif choice < 0.5:
        action[MAIN_X] = 16
    elif choice < 0.7:
        action[MAIN_X] = 0
    else:
        press(m, action, A)


@kernel
def flying(m, action, me, skill):
    """Steer toward the middle, tech the landing."""
    action[MAIN_X] = 0 if me.x > 0 else 16
    action[MAIN_Y] = 14
    if me.y < 12 and me.vel_y + me.knockback_y < 0 and draw(m) < skill * 0.4:
        press(m, action, L)


@kernel
def airborne(m, action, me, op, dx, dy, skill):
    """Strike what is close, drift toward it, fall fast, cancel the landing."""
    action[MAIN_X] = side(dx) if abs(dx) > 4 else NEUTRAL
    close = abs(dx) < 20 and abs(dy) < 18
    attacking = me.action >= 65 and me.action <= 69
    if not attacking and close and draw(m) < 0.15 + 0.6 * skill:
        if dy > 9:
            action[C_Y] = 16
        elif dx * me.facing < -2:
            action[C_X] = side(dx)
        elif dy < -9:
            action[C_Y] = 0
        else:
            press(m, action, A)
            action[MAIN_X] = NEUTRAL
    elif me.vel_y < 0 and me.y > 2 and draw(m) < skill * 0.5:
        action[MAIN_Y] = 0
    if attacking and me.vel_y < 0 and me.y < 8 and draw(m) < skill:
        press(m, action, L)


@kernel
def choose_plan(m, distance, skill, me):
    """Pick what to do next on the ground."""
    choice = draw(m)
    m.age = 0
    if distance > FAR:
        m.plan = LASER if choice < 0.15 else APPROACH
    elif choice < 0.35:
        m.plan = NAIR
    elif choice < 0.5 + 0.2 * skill:
        m.plan = APPROACH
    elif choice < 0.85:
        m.plan = GRAB
    else:
        m.plan = RETREAT


@kernel
def grounded(m, action, me, op, dx, distance, skill, edge):
    """Neutral game: shield threats, strike in reach, else follow the plan."""
    threatened = distance < 22 and op.action >= 44 and op.action <= 69 and op.facing * dx < 0
    if threatened and draw(m) < skill * 0.35:
        m.plan = SHIELD
        m.age = 0
    if m.plan == SHIELD:
        if m.age < 12:
            action[L] = 1
            return
        m.plan = GRAB if distance < 14 else NONE
    if m.wait > 0:
        return
    if m.plan == NONE or m.age > 45:
        choose_plan(m, distance, skill, me)
    vulnerable = op.hitstun > 0 or (op.action >= 183 and op.action <= 198)
    if distance < NEAR and abs(op.y - me.y) < 14:
        strike(m, action, me, op, dx, vulnerable, skill)
        m.wait = int(3 + 14 * (1 - skill) * draw(m))
        m.plan = NONE
        return
    if m.plan == RETREAT:
        action[MAIN_X] = side(-dx) if abs(me.x) < edge - 15 else side(-me.x)
        if m.age > 12:
            m.plan = NONE
    elif m.plan == LASER:
        press(m, action, B)
        m.plan = NONE
        m.wait = 10
    elif m.plan == NAIR and distance < FAR:
        action[MAIN_X] = side(dx)
        if m.age == 0:
            press(m, action, X)
        else:
            m.plan = APPROACH
    else:
        action[MAIN_X] = side(dx)
        if m.plan == GRAB and distance < 20:
            press(m, action, Z)
            m.plan = NONE
            m.wait = 8


@kernel
def strike(m, action, me, op, dx, vulnerable, skill):
    """Hit what is in reach."""
    choice = draw(m)
    if vulnerable and choice < 0.3 + 0.3 * skill:
        action[C_Y] = 16
    elif choice < 0.3:
        press(m, action, Z)
    elif choice < 0.5:
        action[MAIN_Y] = 0
        press(m, action, B)
    elif choice < 0.65:
        action[C_Y] = 16
    elif choice < 0.8:
        action[C_X] = side(dx)
    elif choice < 0.92:
        action[MAIN_Y] = 2
        press(m, action, A)
    else:
        press(m, action, A)


@kernel
def decide(m, action, me, op, edge, skill):
    """Fill one policy action for one game."""
    state = me.action
    if state < 13 or state >= 322 and state <= 324:
        return
    dx = op.x - me.x
    dy = op.y - me.y
    distance = np.float32(np.sqrt(dx * dx + dy * dy))
    if m.wait > 0:
        m.wait -= 1
    m.age += 1
    if state == 13:
        action[MAIN_X] = side(dx)
    elif state >= 223 and state <= 232:
        press(m, action, A if m.age % 2 == 0 else X)
        action[MAIN_X] = 16 if m.age % 4 < 2 else 0
    elif state == 216:
        choice = draw(m)
        action[MAIN_Y] = 16 if choice < 0.6 else NEUTRAL
        action[MAIN_X] = NEUTRAL if choice < 0.6 else (side(-dx) if choice < 0.8 else side(dx))
    elif state == 253:
        on_ledge(m, action, me, skill)
    elif state == 184 or state == 192:
        lying(m, action, me)
    elif me.hitstun > 0 or state >= 87 and state <= 91 or state == 38:
        flying(m, action, me, skill)
    elif me.airborne != 0 and (abs(me.x) > edge or me.y < -8):
        recover(m, action, me, edge)
    elif state >= 360 and state <= 369:
        if draw(m) < 0.3 + 0.5 * skill:
            press(m, action, X)
    elif me.airborne != 0:
        airborne(m, action, me, op, dx, dy, skill)
    else:
        safe = abs(op.x) < edge and op.action > 13
        target = dx if safe else np.float32(0) - me.x
        if not safe and abs(me.x) < 15:
            return
        grounded(m, action, me, op, target, distance if safe else FAR + 1, skill, edge)
        if abs(me.x) > edge - 6 and (action[MAIN_X] - NEUTRAL) * me.x > 0:
            action[MAIN_X] = NEUTRAL


@entry_point
def decide_all(memory, leaders, stages, actions, skill):
    """Fill actions ``[N, 13]`` for leaders ``[N, 2]``, the fighter in the first column."""
    for n in range(memory.shape[0]):
        m = memory[n]
        action = actions[n]
        for k in range(13):
            action[k] = NEUTRAL if k >= MAIN_X and k <= C_Y else 0
        decide(m, action, leaders[n, 0], leaders[n, 1], EDGES[stages[n]], skill)
        m.held = 0
        for k in range(7):
            if action[k] != 0:
                m.held |= 1 << k


class Fighter:
    """``scripted:fighter-N``: level 1 hardly reacts, level 9 acts at once and knows every option."""

    def __init__(self, level: int = 5) -> None:
        """Choose the level, 1..9.

        Raises:
            OptionError: no such level.
        """
        if level not in LEVELS:
            raise OptionError(f"fighter level must be 1..9, got {level!r}")
        self.level = level

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Give every game its own generator."""
        self._memory = np.zeros(num_envs, MEMORY)
        children = np.random.SeedSequence(seed).spawn(num_envs)
        self._memory["rng"] = [np.random.default_rng(child).integers(2**32) for child in children]
        self._actions = np.zeros((num_envs, 13), np.int64)
        self._controllers = np.zeros(num_envs, CONTROLLER_DTYPE)

    def seed_games(self, seeds: NDArray[np.int64], mask: NDArray[np.bool_]) -> None:
        """Give the masked games their own seeds, as a new episode does."""
        for i in np.flatnonzero(mask):
            self._memory[i] = np.zeros((), MEMORY)
            self._memory["rng"][i] = np.random.default_rng(seeds[i]).integers(2**32)

    def get_state(self, game: int) -> bytes:
        """Return what the next actions of a game depend on."""
        return self._memory[game].tobytes()

    def set_state(self, game: int, state: bytes) -> None:
        """Go on from a state of :meth:`get_state`."""
        self._memory[game] = np.frombuffer(state, MEMORY)[0]

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers ``[N]``; plans are dropped where an episode starts."""
        if episode_start is not None and episode_start.any():
            for name in ("wait", "plan", "age", "held"):
                self._memory[name][episode_start] = 0
        skill = np.float32(self.level / 9)
        decide_all(self._memory, frames["seats"]["leader"], frames["stage"], self._actions, skill)
        decode_rows(self._actions, self._controllers)
        return self._controllers
