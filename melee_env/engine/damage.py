"""Step 14: the hits of the frame are applied; and the states of being launched.

Order: doldecomp/melee ft/fighter.c ProcessHit and ft/chara/ftCommon/ftCo_Damage.c.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.downed import (
    DOWN_BOUND_D,
    DOWN_BOUND_U,
    DOWN_DAMAGE,
    DOWN_WAIT,
    down_anim,
    down_wait_interrupts,
    hit_ceiling_in_tumble,
    hit_wall_in_tumble,
    land_in_damage,
    land_in_tumble,
)
from melee_env.engine.hitlag import REBOUND_STOP, exit_hitlag, shift_in_hitlag
from melee_env.engine.input import flicked
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import hitlag_frames
from melee_env.engine.launch import ANY_STATE, clear_own_speed, count_hitstun, launch
from melee_env.engine.motion import air_friction, fall, ground_friction, ground_move
from melee_env.engine.moves import air_jump
from melee_env.engine.shield import break_shield, hurt_shield, shield_reaction
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, ELECTRIC, LENGTH
from melee_env.engine.transitions import clamp_drift, enter, enter_fall, enter_wait_or_fall

__all__ = [
    "apply_hits",
    "can_act",
    "damage_anim",
    "damage_physics",
    "down_anim",
    "down_wait_interrupts",
    "exit_hitlag",
    "hit_ceiling_in_tumble",
    "hit_wall_in_tumble",
    "land_in_damage",
    "land_in_tumble",
    "meteor_ready",
    "shift_in_hitlag",
    "wiggle_out",
]

ZERO = np.float32(0)
TENTH = np.float32(0.1)
MAX_PERCENT = np.float32(999)
CROUCH_SHARE = np.float32(0.6666667)  # x124
RESET_DAMAGE = np.float32(7)  # x428, below it a lying fighter stays down
PUSH_SLOPE = np.float32(0.07)  # x3E0
PUSH_BASE = np.float32(0.02)  # x3E4
REBOUND_SLOPE = np.float32(0.3)  # x3D0, with the next three solved from recorded clanks
REBOUND_BASE = np.float32(3.3)  # x3D4
REBOUND_PUSH_SLOPE = np.float32(0.007)  # x3D8
REBOUND_PUSH_BASE = np.float32(0.5)  # x3DC
LEDGE_COOLDOWN = 30
JUMP_MEMORY = 20
"""hitstun frames before its end from which on a jump input is kept for the end (x1D0, a guess: 28 of 30 recorded
presses in the last 13 frames jumped, earlier ones were not seen)"""
LONG = 1000
"""frames since the last launch are not counted further"""
WIGGLE_STICK = np.float32(0.8)  # x210
WIGGLE_WINDOW = 1  # x214
ONE = np.float32(1)
SQUAT, SQUAT_WAIT, DAMAGE_FALL, FLY_ROLL = 39, 40, 38, 91
CAPTURE_CUT, CAPTURE_DAMAGE_HIGH, CAPTURE_DAMAGE_LOW, THROWN_F = 229, 225, 228, 239
SHINE_FIRST, SHINE_HIT, AIR_SHINE_HIT, SHINE_LAST = 360, 362, 367, 369


@kernel
def can_act(f):
    """Tell whether hitstun is over."""
    return f.hitstun <= 0


@kernel
def captured(f):
    """Tell whether the opponent holds the fighter."""
    return (STATES[f.character, f.action].flags & states.CAPTURED) != 0


@kernel
def clear_pending(f):
    """Forget the frame's hits."""
    f.pending_damage = ZERO
    f.pending_kb = ZERO
    f.pending_hits = 0
    f.pending_hitlag = 0
    f.pending_dealt = 0
    f.pending_shield = 0
    f.pending_shield_sum = 0
    f.pending_shield_dealt = 0
    f.pending_clank = 0
    f.pending_rebound = 0
    f.pending_push_side = ZERO
    f.pending_reflect = ZERO


@kernel
def apply_hits(g, f, o):
    """Apply what this frame's hit detection logged for one fighter."""
    f.combo_grace = max(f.combo_grace - 1, 0)
    if f.thrown_damage > ZERO:
        f.percent = min(f.percent + f.thrown_damage, MAX_PERCENT)
        f.thrown_damage = ZERO
    contacts = f.pending_hits + f.pending_dealt + f.pending_shield + f.pending_shield_dealt + f.pending_clank
    if contacts != 0 or f.pending_reflect != ZERO:
        apply_contacts(g, f, o)
    if f.hitlag == 0:
        f.since_hit = min(f.since_hit + 1, LONG)


@kernel
def apply_contacts(g, f, o):
    """React to the frame's contacts; the first kind that happened decides reaction and hitlag."""
    crouched = f.action == SQUAT or f.action == SQUAT_WAIT
    electric = False
    lag = 0
    if f.pending_hits > 0:
        f.percent = min(f.percent + f.pending_damage, MAX_PERCENT)
    if f.pending_hits > 0 and (f.pending_kb > ZERO or captured(f)):
        take_hit(g, f, o, crouched)
        lag = f.pending_hitlag
        electric = f.pending_element == ELECTRIC
    elif f.pending_shield > 0:
        if hurt_shield(f, f.pending_shield_sum):
            break_shield(f)
        else:
            shield_reaction(f, f.pending_shield, f.pending_shield_facing)
        lag = f.pending_shield
    elif f.pending_clank > 0:
        if f.pending_rebound > 0 and f.airborne == 0 and not captured(o):
            stop_for_rebound(f)
        lag = f.pending_clank
    elif f.pending_dealt > 0:
        lag = f.pending_dealt
    elif f.pending_shield_dealt > 0:
        lag = f.pending_shield_dealt
    elif f.action >= SHINE_FIRST and f.action <= SHINE_LAST:
        f.facing = f.pending_reflect
        enter(f, SHINE_HIT if f.airborne == 0 else AIR_SHINE_HIT)
    if f.pending_push_side != ZERO:
        push_attacker(f)
    if lag > 0:
        f.hitlag = hitlag_frames(lag, electric, crouched)
    clear_pending(f)


@kernel
def stop_for_rebound(f):
    """Freeze after a clank; the push waits for the end of hitlag."""
    strength = np.float32(f.pending_rebound) * REBOUND_SLOPE + REBOUND_BASE
    enter(f, REBOUND_STOP)
    f.var_f[0] = (ATTRIBUTES[f.character].clank_length + TENTH) / strength
    f.ground_impulse = -f.pending_rebound_facing * (strength * REBOUND_PUSH_SLOPE + REBOUND_PUSH_BASE)


@kernel
def push_attacker(f):
    """Push an attacker back from the shield that it hit."""
    speed = -f.pending_push_side * (f.pending_push * PUSH_SLOPE + PUSH_BASE)
    f.ground_push = speed
    f.push_x = f.normal_y * speed
    f.push_y = -f.normal_x * speed


@kernel
def take_hit(g, f, o, crouched):
    """React to a hit: be launched, stay down or stay held; let go of whom one holds."""
    if captured(f):
        if f.action < THROWN_F:
            enter(f, CAPTURE_DAMAGE_HIGH if f.action <= CAPTURE_DAMAGE_HIGH else CAPTURE_DAMAGE_LOW)
        return
    if captured(o):
        let_go(o)
    kb = f.pending_kb
    if crouched:
        kb = kb * CROUCH_SHARE
    if f.on_ledge != 0:
        f.ledge_cooldown = LEDGE_COOLDOWN
    forced = ANY_STATE
    if (STATES[f.character, f.action].flags & states.DOWN) != 0 and f.pending_damage < RESET_DAMAGE:
        up = f.action == DOWN_BOUND_U + DOWN_WAIT
        forced = (DOWN_BOUND_U if up else DOWN_BOUND_D) + DOWN_DAMAGE
    facing = f.facing
    launch(g, f, kb, f.pending_angle, f.pending_facing, f.pending_height, forced)
    if forced != ANY_STATE:
        f.facing = facing


@kernel
def let_go(o):
    """Free a held fighter whose holder was hit."""
    clear_own_speed(o)
    enter(o, CAPTURE_CUT)


@kernel
def jump_remembered(f):
    """Tell whether a jump input in the last frames of hitstun waits for its end."""
    return f.var_i[2] > 0 and f.var_i[2] <= JUMP_MEMORY


@kernel
def damage_anim(g, f, kind):
    """Count hitstun; after it the end of the animation leads on."""
    count_hitstun(f)
    length = LENGTH[f.character, f.action]
    if kind == Anim.DAMAGE_FLY and f.action != FLY_ROLL:
        length = length - ONE  # over as soon as the last picture shows
    over = f.age >= length or f.action == FLY_ROLL
    if not over:
        return
    if f.hitstun > 0:
        if f.action == FLY_ROLL:
            f.age = np.float32(f.age - length) if f.age >= length else f.age
        else:
            f.age = length  # the last picture stands until the hitstun is over
        return
    if f.airborne != 0 and f.action != FLY_ROLL and jump_remembered(f) and air_jump(f, True):
        return
    if kind == Anim.DAMAGE_FLY:
        enter(f, DAMAGE_FALL)
        clamp_drift(f)
    else:
        enter_wait_or_fall(f)


@kernel
def meteor_ready(f):
    """Tell whether a meteor hit can be cancelled by an up special or air jump; call once a frame in hitstun.

    Whoever cancels sets the knockback to zero.
    """
    if f.var_i[0] == 0:
        return False
    if f.var_i[1] > 0:
        f.var_i[1] -= 1
    return f.var_i[1] == 0 and f.airborne != 0 and f.ky < ZERO


@kernel
def damage_physics(f):
    """Physics in hitstun: gravity and friction only; False leaves the frame to the normal air step."""
    if f.airborne == 0:
        ground_friction(f, ATTRIBUTES[f.character].ground_friction)
        ground_move(f)
        return True
    if f.hitstun <= 0:
        return False
    attributes = ATTRIBUTES[f.character]
    fall(f, attributes.gravity, attributes.terminal_vel)
    air_friction(f, attributes.air_friction)
    return True


@kernel
def wiggle_out(g, f):
    """Leave a tumble by a flick of the stick; UCF gives a fast one a second frame."""
    fast = f.ucf != 0 and f.tilt_x == WIGGLE_WINDOW and flicked(f)
    if abs(f.stick_x) >= WIGGLE_STICK and (f.tilt_x < WIGGLE_WINDOW or fast):
        enter_fall(f)
        return True
    return False
