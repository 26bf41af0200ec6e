"""Putting a recorded frame into an engine state, for checking the engine against recorded games.

Slippi records most of what decides the next frame; what it does not (input timers, ECB, counters of the
running state) goes on from the engine's own simulation as long as that agreed with the record.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import moves, states
from melee_env.engine.downed import LIE_FRAMES
from melee_env.engine.kernel import entry_point, kernel
from melee_env.engine.knockback import hitlag_frames
from melee_env.engine.ledge import CLIFF_WAIT, HANG_TIME
from melee_env.engine.state import NO_LINE
from melee_env.engine.states import NUM_STATES
from melee_env.engine.tables import ATTRIBUTES, FLOOR, STAGE_LINE_COUNT, STAGE_LINES
from melee_env.engine.transitions import enter

NO_GROUND = 65535
MAX_RATE = np.float32(10)
"""fastest animation that a recorded age is taken for; anything beyond is a jump of the animation"""
VELOCITIES, HITLAG, HURTBOX, INSTANCE = 0, 1, 2, 3
"""places in ``recorded``: which fields the recording's version holds"""
ONE = np.float32(1)
ZERO = np.float32(0)
NOISE = np.float32(2e-4)
"""game units by which summed positions differ from a speed through rounding alone"""
FASTEST = np.float32(12)
"""game units a frame; anything beyond is no movement but a new place"""
FIRST_DAMAGE, LAST_DAMAGE = 75, 91


@kernel
def guess_counters(f, record):
    """Set the counters of a state that the engine did not enter by itself."""
    for i in range(8):
        f.var_i[i] = 0
    f.var_f[0] = ONE
    if f.action == moves.JUMP_F or f.action == moves.JUMP_B or f.action == 261 or f.action == 263:
        f.var_i[0] = 1
    elif f.action == moves.TURN:
        f.var_f[0] = np.float32(-record.facing)
        f.var_f[1] = max(
            np.float32(0),
            np.float32(ATTRIBUTES[f.character].standing_turn_frames + ONE - record.action_frame),
        )
    elif f.action == moves.KNEE_BEND:
        f.var_i[1] = 2
    elif f.action == moves.TURN_RUN:
        f.var_f[0] = record.facing
    elif f.action == CLIFF_WAIT:
        f.var_i[0] = 1
        f.var_i[1] = HANG_TIME
    elif states.STATES[f.character, f.action].anim == states.Anim.DOWN_WAIT:
        f.var_i[0] = LIE_FRAMES
    if (states.STATES[f.character, f.action].flags & states.LEDGE_HELD) != 0:
        f.on_ledge = 1 if record.facing > 0 else 2


@kernel
def known_floor(g, line):
    """Tell whether a recorded line is a floor of the engine's stage (Stadium's transformations are not)."""
    return line < STAGE_LINE_COUNT[g.slot] and STAGE_LINES[g.slot, line].kind == FLOOR


@kernel
def is_damage(action):
    """Tell whether a state is that of a fighter that was hit, flinching or flying."""
    return action >= FIRST_DAMAGE and action <= LAST_DAMAGE


@kernel
def infer_hitlag(f, o, record, other):
    """Where hitlag is not recorded: a hit that the engine did not see stops both; a pose that moves ends it."""
    damage = int(np.float32(record.percent - f.pre_percent))
    dealt = int(np.float32(other.percent - o.pre_percent))
    if max(damage, dealt) > 0:
        if f.hitlag == 0:
            f.hitlag = hitlag_frames(max(damage, dealt), False, False)
    elif f.hitlag > 0 and record.action_frame != f.age:
        f.hitlag = 0


@kernel
def infer_speeds(f, record, agreed):
    """Where speeds are not recorded, take them from how far the fighter moved against what the engine expected."""
    moved_x = np.float32(record.x - f.prev_x)
    moved_y = np.float32(record.y - f.prev_y)
    if f.hitlag > 0 or f.on_ledge != 0 or max(abs(moved_x), abs(moved_y)) > FASTEST:
        return
    airborne = record.airborne != 0
    flying = is_damage(record.action)
    if flying and airborne and record.hitstun > 0 and record.action_frame > ONE:
        # A launch starts from rest, and its animation counts the frames in which gravity worked.
        attributes = ATTRIBUTES[f.character]
        fallen = np.float32(attributes.gravity * np.float32(record.action_frame - ONE))
        f.vx = ZERO
        f.vy = np.float32(-min(fallen, attributes.terminal_vel))
        f.kx = moved_x
        f.ky = np.float32(moved_y - f.vy)
        return
    if agreed and (f.airborne != 0) == airborne:
        missing_x = np.float32(record.x - f.x)
        missing_y = np.float32(record.y - f.y)
    else:
        missing_x = np.float32(np.float32(moved_x - f.vx) - f.kx)
        missing_y = np.float32(np.float32(moved_y - f.vy) - f.ky)
    if abs(missing_x) < NOISE:
        missing_x = ZERO
    if abs(missing_y) < NOISE:
        missing_y = ZERO
    if not airborne:
        if flying:
            f.ground_k = np.float32(f.ground_k + missing_x)
            f.kx = np.float32(f.kx + missing_x)
        else:
            f.gv = np.float32(f.gv + missing_x)
            f.vx = np.float32(f.vx + missing_x)
    elif flying:
        f.kx = np.float32(f.kx + missing_x)
        f.ky = np.float32(f.ky + missing_y)
    else:
        f.vx = np.float32(f.vx + missing_x)
        f.vy = np.float32(f.vy + missing_y)


@kernel
def sync_fighter(g, f, record, recorded):
    """Overwrite everything that the record shows; a state that the engine does not have becomes a fall."""
    off_stage = record.ground != NO_GROUND and not known_floor(g, int(record.ground))
    action = moves.FALL if off_stage or record.action >= NUM_STATES else int(record.action)
    agreed = f.action == action
    if not agreed:
        if is_damage(action):
            f.vx = ZERO
            f.vy = ZERO
            f.gv = ZERO
            f.kx = ZERO
            f.ky = ZERO
        enter(f, action)
        guess_counters(f, record)
        f.rate = ONE
    elif f.age != record.action_frame and f.hitlag == 0 and record.hitlag == 0:
        rate = np.float32(f.rate + np.float32(record.action_frame - f.age))
        if rate >= 0 and rate <= MAX_RATE:
            f.rate = rate
    if not recorded[VELOCITIES]:
        infer_speeds(f, record, agreed)
    f.age = record.action_frame
    f.x = record.x
    f.y = record.y
    f.facing = record.facing
    f.percent = record.percent
    f.shield = record.shield
    f.stocks = record.stocks
    f.airborne = record.airborne
    f.ground = NO_LINE if off_stage or record.ground == NO_GROUND else int(record.ground)
    if off_stage:
        f.airborne = 1
    if recorded[VELOCITIES]:
        f.vx = record.vel_air_x
        f.vy = record.vel_y
        f.gv = record.vel_ground_x
        f.kx = record.knockback_x
        f.ky = record.knockback_y
    if f.airborne != 0:
        f.ground_k = np.float32(0)
    elif f.ground != NO_LINE:
        f.normal_x = STAGE_LINES[g.slot, f.ground].normal_x
        f.normal_y = STAGE_LINES[g.slot, f.ground].normal_y
    if recorded[HITLAG]:
        f.hitlag = int(record.hitlag)
    f.hitstun = int(record.hitstun)
    f.jumps_used = max(int(ATTRIBUTES[f.character].max_jumps) - record.jumps, 0)
    f.l_cancel = record.l_cancel
    if recorded[INSTANCE]:
        f.instance = record.instance
    if recorded[HURTBOX] and record.hurtbox == 0:
        f.intangible = 0
        f.invincible = 0


@entry_point
def sync_games(games, leaders, seeds, frames, recorded):
    """Overwrite games ``[N]`` with recorded leaders ``[N, 2]``, RNG seeds and frame numbers.

    ``recorded [4] bool`` tells which groups of fields are there; the others go on as the engine has them.
    """
    for n in range(games.shape[0]):
        g = games[n]
        g.frame = frames[n]
        g.seed = seeds[n]
        g.end_method = 0
        for seat in range(2):
            if not recorded[HITLAG]:
                other = 1 - seat
                infer_hitlag(g.fighters[seat], g.fighters[other], leaders[n, seat], leaders[n, other])
        for seat in range(2):
            sync_fighter(g, g.fighters[seat], leaders[n, seat], recorded)
