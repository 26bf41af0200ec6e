"""Blast zones, deaths, respawn.

Rules: doldecomp/melee ft/ft_0D31.c and ft/ft_0D4D.c; lengths measured on recorded games.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.input import reset_input
from melee_env.engine.kernel import kernel
from melee_env.engine.rng import randi
from melee_env.engine.stages import STAGES
from melee_env.engine.staling import clear_stale
from melee_env.engine.state import ECB_LOCK, NO_LINE
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import LENGTH
from melee_env.engine.transitions import enter, enter_at, enter_fall

ZERO = np.float32(0)
ONE = np.float32(1)
STAR_SPEED = np.float32(2.4)  # x4F0
SCREEN_PERCENT = 16  # x520
DEAD_FRAMES = 60
STAR_FRAMES = 176
STAR_STOCK = 131
"""frame of a star KO on which the stock is lost, and the way down the background ends"""
STAR_HEIGHT = np.float32(0.6)
"""where that way ends, as a share of the camera's upper limit (6 of 6 recorded)"""
SCREEN_FALL = 51
SCREEN_HIT = 78
REBIRTH_FRAMES = 60  # x5D0
LOCK_FRAMES = 9
REBIRTH_WAIT_FRAMES = 240  # x5D4
INVINCIBLE_FRAMES = 120  # x5D8
DEAD_DOWN, DEAD_LEFT, DEAD_RIGHT, DEAD_UP_STAR, DEAD_UP_FALL = 0, 1, 2, 4, 6
REBIRTH, REBIRTH_WAIT = 12, 13
TIME, STOCK_OUT = 1, 2


@kernel
def check_blast_zones(g, f):
    """Kill a fighter beyond a blast zone; the top one kills only in knockback."""
    stage = STAGES[g.slot]
    inside = f.x <= stage.blast_right and f.x >= stage.blast_left
    if inside and f.y <= stage.blast_top and f.y >= stage.blast_bottom:
        return
    if (STATES[f.character, f.action].flags & (states.DEAD | states.SAFE)) != 0:
        return
    if f.x > stage.blast_right:
        die(g, f, DEAD_RIGHT)
    elif f.x < stage.blast_left:
        die(g, f, DEAD_LEFT)
    elif f.y > stage.blast_top:
        if f.ky > STAR_SPEED:
            die(g, f, DEAD_UP_FALL if randi(g, 100) + 1 <= SCREEN_PERCENT else DEAD_UP_STAR)
    else:
        die(g, f, DEAD_DOWN)


@kernel
def die(g, f, action):
    """Enter a death; plain deaths lose the stock on the spot."""
    enter_at(f, action, -ONE, ZERO)
    f.vx = ZERO
    f.vy = ZERO
    f.gv = ZERO
    f.kx = ZERO
    f.ky = ZERO
    f.ground_k = ZERO
    f.push_x = ZERO
    f.push_y = ZERO
    f.ground_push = ZERO
    f.hitlag = 0
    f.hitstun = 0
    f.tumble = 0
    f.airborne = 1
    f.var_i[0] = DEAD_FRAMES
    f.var_i[1] = 0
    if action == DEAD_UP_STAR:
        f.age = ZERO
        f.rate = ONE
        f.var_i[0] = STAR_FRAMES
    elif action == DEAD_UP_FALL:
        f.var_i[0] = SCREEN_FALL
    else:
        lose_stock(g, f)


@kernel
def lose_stock(g, f):
    """Take a stock; the last one ends the game."""
    f.stocks -= 1
    clear_stale(f)
    f.combo = 0
    other = g.fighters[1 - f.seat]
    other.combo = 0
    if f.stocks <= 0:
        f.stocks = 0
        g.end_method = STOCK_OUT


@kernel
def dead_anim(g, f, kind):
    """Count a death down to the respawn."""
    f.var_i[0] -= 1
    if kind == Anim.DEAD_STAR:
        f.var_i[1] += 1
        if f.var_i[1] == 1:
            goal = np.float32(STAR_HEIGHT * STAGES[g.slot].camera_top)
            f.vy = np.float32(np.float32(goal - f.y) / np.float32(STAR_STOCK - 1))
        elif f.var_i[1] == STAR_STOCK:
            f.vy = ZERO
            lose_stock(g, f)
        if f.age >= LENGTH[f.character, f.action]:
            f.age = ZERO
    if f.var_i[0] > 0:
        return
    if f.action == DEAD_UP_FALL:
        enter_at(f, DEAD_UP_FALL + 1, -ONE, ZERO)
        f.var_i[0] = SCREEN_HIT
        lose_stock(g, f)
        return
    if f.stocks > 0:
        respawn(g, f)


@kernel
def respawn(g, f):
    """Come back high above the respawn point with a clean slate."""
    stage = STAGES[g.slot]
    f.percent = ZERO
    f.shield = np.float32(60)
    f.x = stage.respawn_x[f.seat]
    f.y = np.float32(stage.respawn_y[f.seat] + stage.respawn_drop)
    f.facing = -ONE if f.x >= ZERO else ONE
    f.ground = NO_LINE
    f.airborne = 1
    f.jumps_used = 1
    f.ecb_lock = ECB_LOCK
    f.ledge_cooldown = 0
    f.intangible = 0
    f.invincible = 0
    f.last_attack = 0
    f.last_hit_by = 6
    f.prev_x = f.x
    f.prev_y = f.y
    reset_input(f)
    enter(f, REBIRTH)
    f.var_i[0] = REBIRTH_FRAMES
    f.var_f[1] = stage.respawn_x[f.seat]
    f.var_f[2] = stage.respawn_y[f.seat]
    g.respawns[f.seat] += 1


@kernel
def rebirth_anim(g, f, kind):
    """Count the descent and the wait on the platform."""
    f.var_i[0] -= 1
    if f.var_i[0] > 0:
        return
    if kind == Anim.REBIRTH:
        f.vy = ZERO
        f.vx = ZERO
        enter(f, REBIRTH_WAIT)
        f.var_i[0] = REBIRTH_WAIT_FRAMES
    else:
        enter_fall(f)
        f.invincible = INVINCIBLE_FRAMES


@kernel
def rebirth_physics(f):
    """Cover the remaining way in the remaining frames."""
    share = np.float32(ONE / np.float32(f.var_i[0]))
    f.vx = np.float32(np.float32(f.var_f[1] - f.x) * share)
    f.vy = np.float32(np.float32(f.var_f[2] - f.y) * share)
    # The diamond leaves the pose of death on the first frame, and its lock ends nine frames later.
    if f.var_i[0] == REBIRTH_FRAMES or f.var_i[0] == REBIRTH_FRAMES - LOCK_FRAMES:
        f.sub_steps = 1
