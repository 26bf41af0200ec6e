"""The fight: approach to a move's distance, strike, punish, chase techs, guard the edge."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.opponents.fighter.reach import (
    BAIR,
    DAIR,
    DOWN_SMASH,
    DOWN_TILT,
    FAIR,
    GROUND_MOVES,
    JAB,
    MOVES,
    NAIR,
    REACH,
    SMASH,
    TILT,
    UAIR,
    UP_SMASH,
    UP_TILT,
)
from melee_env.opponents.script import C_X, C_Y, MAIN_X, MAIN_Y, NEUTRAL, A, L, X, Z, draw, press, side

FAR = np.float32(38)
GRAB_REACH = np.float32(12)
NONE, APPROACH, JUMP_IN, GRAB, RETREAT = 0, 1, 2, 3, 4
DASH, RUN = 20, 21


@kernel
def best_move(m, me, dx, dy, first, last, killing, level):
    """Return the move of ``first``..``last`` that reaches best, or -1; the unskilled take any that comes to mind."""
    best = -1
    best_score = np.float32(0)
    for move in range(first, last):
        reach = REACH[me.character, move]
        ahead = dx * me.facing
        if reach.damage == 0 or ahead > reach.front or ahead < reach.back:
            continue
        if dy > reach.high or dy < reach.low:
            continue
        # A strong slow move for one who cannot answer, a quick one otherwise.
        score = reach.damage / (reach.first + (np.float32(4) if killing else np.float32(14)))
        if killing:
            score = reach.damage
        score *= np.float32(1) + (np.float32(2.5) - np.float32(2) * level.skill) * draw(m)
        if score > best_score:
            best = move
            best_score = score
    return best


@kernel
def perform(m, action, me, move, dx):
    """Press what makes a move."""
    forward = 16 if me.facing > 0 else 0
    if move == JAB:
        press(m, action, A)
    elif move == TILT:
        action[MAIN_X] = 12 if me.facing > 0 else 4
        press(m, action, A)
    elif move == UP_TILT:
        action[MAIN_Y] = 12
        press(m, action, A)
    elif move == DOWN_TILT:
        action[MAIN_Y] = 4
        press(m, action, A)
    elif move == SMASH:
        action[C_X] = side(dx)
    elif move == UP_SMASH or move == UAIR:
        action[C_Y] = 16
    elif move == DOWN_SMASH or move == DAIR:
        action[C_Y] = 0
    elif move == NAIR:
        action[MAIN_X] = NEUTRAL
        action[MAIN_Y] = NEUTRAL
        press(m, action, A)
    elif move == FAIR:
        action[C_X] = forward
    elif move == BAIR:
        action[C_X] = 16 - forward


@kernel
def err(m, action, level):
    """Do something that does not fit, and need some time to notice."""
    choice = draw(m)
    if choice < 0.25:
        press(m, action, X)
    elif choice < 0.5:
        action[C_X] = 16 if draw(m) < 0.5 else 0
    elif choice < 0.7:
        action[MAIN_X] = 16 if draw(m) < 0.5 else 0
    elif choice < 0.85:
        press(m, action, Z)
    m.wait = int(6 + level.pause)


@kernel
def hesitate(m, level):
    """Take a level's time until the next decision."""
    m.plan = NONE
    m.wait = int(2 * level.pause * draw(m))


@kernel
def in_the_air(m, action, me, dx, dy, level, edge):
    """Strike what is in reach, drift toward it, fall fast, cancel the landing."""
    action[MAIN_X] = side(dx) if abs(dx) > 4 else NEUTRAL
    if abs(me.x) > edge - 10 and me.x * dx > 0:
        action[MAIN_X] = side(-me.x)
    attacking = me.action >= 65 and me.action <= 69
    if attacking:
        if me.vel_y < 0 and me.y < 9 and m.age > 10 and draw(m) < level.skill:
            press(m, action, L)
            m.age = 0
        return
    move = best_move(m, me, dx, dy, GROUND_MOVES, MOVES, False, level)
    if move >= 0 and m.wait == 0:
        if draw(m) < level.error:
            m.wait = int(4 + level.pause)
        else:
            perform(m, action, me, move, dx)
        return
    if me.vel_y < 0 and me.y > 2 and draw(m) < level.skill * 0.3:
        action[MAIN_Y] = 0


@kernel
def strike(m, action, me, dx, dy, open_, shielding, hurt, level):
    """Hit what is in reach; returns whether something was pressed."""
    distance = abs(dx)
    if draw(m) < level.error:
        err(m, action, level)
        return True
    can_grab = distance < GRAB_REACH and dx * me.facing > 0 and abs(dy) < 8
    if can_grab and (shielding or (not open_ and draw(m) < 0.3)):
        press(m, action, Z)
        hesitate(m, level)
        return True
    killing = open_ and hurt > 60
    move = best_move(m, me, dx, dy, 0, GROUND_MOVES, killing, level)
    if move < 0:
        return False
    if me.action == DASH or me.action == RUN:
        # Only smashes and grabs come out of a dash; a tilt would be a dash attack.
        if move == JAB or move == TILT or move == UP_TILT or move == DOWN_TILT:
            move = UP_SMASH if dy > 6 else SMASH
    perform(m, action, me, move, dx)
    hesitate(m, level)
    return True


@kernel
def choose_plan(m, distance, level):
    """Pick how to get to the other."""
    choice = draw(m)
    m.age = 0
    if choice < 0.3 and distance < FAR + 12:
        m.plan = JUMP_IN
    elif choice < 0.75 + 0.15 * level.skill:
        m.plan = APPROACH
    elif choice < 0.95:
        m.plan = GRAB
    else:
        m.plan = RETREAT


@kernel
def approach(m, action, me, dx, dy, edge, level):
    """Follow the plan toward the other."""
    distance = abs(dx)
    if m.plan == NONE or m.age > 45:
        if draw(m) < level.error:
            err(m, action, level)
            return
        choose_plan(m, distance, level)
    if m.plan == RETREAT:
        action[MAIN_X] = side(-dx) if abs(me.x) < edge - 15 else side(-me.x)
        if m.age > 12:
            m.plan = NONE
    elif m.plan == JUMP_IN and distance < FAR:
        action[MAIN_X] = side(dx)
        press(m, action, X)
        m.plan = APPROACH
    else:
        action[MAIN_X] = side(dx)
        if distance < 10 and dy > 12:
            press(m, action, X)
        if m.plan == GRAB and distance < GRAB_REACH + 6:
            press(m, action, Z)
            hesitate(m, level)


@kernel
def guard_edge(m, action, me, other_x, other_y, edge, level):
    """Wait at the edge for who comes back, and hit him there."""
    out = np.float32(1) if other_x > 0 else np.float32(-1)
    post = out * (edge - np.float32(9))
    gap = post - me.x
    if abs(gap) > 5:
        action[MAIN_X] = side(gap)
        return
    if me.facing * out < 0:
        action[MAIN_X] = 11 if out > 0 else 5
        return
    if m.wait > 0:
        return
    move = best_move(m, me, other_x - me.x, other_y - me.y, 0, GROUND_MOVES, True, level)
    if move >= 0:
        if draw(m) < level.error:
            err(m, action, level)
        else:
            perform(m, action, me, move, other_x - me.x)
            hesitate(m, level)
