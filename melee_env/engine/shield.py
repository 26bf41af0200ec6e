"""Shields: raising, holding, being hit, power shields, breaking.

Rules: doldecomp/melee ft/chara/ftCommon/ftCo_Guard.c, ftCo_ShieldBreak*.c; figures measured on recorded
games (docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.input import L_OR_R, LR
from melee_env.engine.kernel import kernel
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, LENGTH
from melee_env.engine.transitions import WAIT, enter, enter_at, leave_ground

ZERO = np.float32(0)
ONE = np.float32(1)
FULL = np.float32(60)  # x260
REGENERATION = np.float32(0.07)  # x27C
DRAIN = np.float32(0.28)  # x278
DRAIN_LOW = np.float32(0.05)
AFTER_BREAK = np.float32(30)  # x280
DEAD_ZONE = np.float32(0.3)  # x010
RANGE = np.float32(0.7)
SIZE_FLOOR = np.float32(0.15)  # x264
SIZE_HARD = np.float32(0.5)  # x2D8
DAMAGE_LOW = np.float32(0.1)  # x2DC
DAMAGE_SPAN = np.float32(0.2)  # x2E0 - x2DC
STUN_LOW = np.float32(0.05)  # x2E4
STUN_SPAN = np.float32(0.65)  # x2E8 - x2E4
STUN_SLOPE = np.float32(1.5)  # x28C
STUN_BASE = np.float32(2)  # x290
PUSH = np.float32(0.2)  # x294
PUSH_CAP = np.float32(2)  # x298
PUSH_SHARE = np.float32(0.6)  # x2BC
POWER_WINDOW = 4
"""frames of the trigger timer in which a digital press makes a power shield"""
REFLECT_FRAMES = 2  # x2A4
POWER_FRAMES = 4  # x2B4
RAISE_FRAMES = 8  # x2E8 of the fighter
HOLD_FRAMES = 8  # x268
DIZZY_BASE = np.float32(400)  # x2F8
DIZZY_REST = np.float32(90)  # x2FC
DIZZY_MASH = 6  # x304
GUARD_ON, GUARD, GUARD_OFF, GUARD_SET_OFF, GUARD_REFLECT = 178, 179, 180, 181, 182
SHIELD_BREAK_FLY = 205
CENTER_X = np.zeros(27, np.float32)
CENTER_Y = np.full(27, 9.0, np.float32)

# Variables of the guard states: var_i[0] frames since the shield went up, var_i[1] power shield counter,
# var_i[2] was released. var_f[0] frames left of shield stun.


@kernel
def shield_depth(f):
    """Return how hard the trigger is pressed, 0 lightest to 1; the last one without a press."""
    depth = (f.trigger - DEAD_ZONE) / RANGE
    return f.light if depth < ZERO else min(depth, ONE)


@kernel
def shield_radius(f):
    """Return the shield's radius in game units."""
    attributes = ATTRIBUTES[f.character]
    health = f.shield / FULL * (ONE + f.light * (SIZE_HARD - ONE))
    share = (ONE - SIZE_FLOOR) * health + SIZE_FLOOR
    return share * attributes.shield_size * attributes.model_scale * np.float32(0.5)


@kernel
def shield_center(f):
    """Return the middle of the shield."""
    scale = ATTRIBUTES[f.character].model_scale
    return f.x + f.facing * CENTER_X[f.character] * scale, f.y + CENTER_Y[f.character] * scale


@kernel
def enter_guard(f, action):
    """Enter a shield state without animation; its counters go on."""
    enter_at(f, action, -ONE, ZERO)


@kernel
def try_guard(g, f):
    """Raise the shield: a fresh digital press is a power shield."""
    if (f.held & LR) == 0:
        return False
    if (f.pressed & L_OR_R) != 0 and f.trigger_timer < POWER_WINDOW:
        raise_shield(f, GUARD_REFLECT)
        return True
    if f.shield > ZERO:
        raise_shield(f, GUARD_ON)
        return True
    return False


@kernel
def raise_shield(f, action):
    """Begin shielding."""
    enter_guard(f, action)
    f.light = shield_depth(f)
    f.var_i[0] = 0
    f.var_i[1] = POWER_FRAMES if action == GUARD_REFLECT else 0
    f.var_i[2] = 0


@kernel
def drain(f):
    """Use up shield health; tell whether the shield broke."""
    f.shield = f.shield - DRAIN * (f.light * (ONE - DRAIN_LOW) + DRAIN_LOW)
    return f.shield < ZERO


@kernel
def guard_anim(g, f, kind):
    """Shield states: drain, release, stun."""
    if kind == Anim.GUARD_OFF:
        if f.var_i[1] > 0:
            f.var_i[1] -= 1
        if f.age >= LENGTH[f.character, f.action]:
            enter(f, WAIT)
        return
    if f.var_i[1] > 0:
        f.var_i[1] -= 1
    if kind == Anim.GUARD_SET_OFF:
        f.var_f[0] = f.var_f[0] - ONE
        if f.var_f[0] <= ZERO:
            hold_or_drop(f)
        return
    f.light = shield_depth(f)
    if f.var_i[0] > 0 and drain(f):
        break_shield(f)
        return
    f.var_i[0] += 1
    if (f.held & LR) == 0:
        f.var_i[2] = 1
    if f.var_i[0] >= HOLD_FRAMES:
        hold_or_drop(f)


@kernel
def hold_or_drop(f):
    """Keep the shield up while LR is held, else let it down."""
    if (f.held & LR) != 0 and f.var_i[2] == 0:
        if f.action != GUARD:
            enter_guard(f, GUARD)
    else:
        enter(f, GUARD_OFF)


@kernel
def hurt_shield(f, damage):
    """Take shield damage (whole percent); tell whether the shield broke."""
    if f.var_i[1] > 0 and f.action == GUARD_REFLECT:
        return False
    share = ONE - (f.light * DAMAGE_SPAN + DAMAGE_LOW)
    f.shield = f.shield - np.float32(damage) * share
    return f.shield < ZERO


@kernel
def shield_reaction(f, damage, facing):
    """Be stunned and pushed by a hit on the shield."""
    power = f.action == GUARD_REFLECT and f.var_i[1] > 0
    held = f.var_i[0]
    frames = STUN_SLOPE * (np.float32(damage) * (ONE - (f.light * STUN_SPAN + STUN_LOW))) + STUN_BASE
    speed = frames * PUSH
    if not power:
        speed = speed * PUSH_SHARE
    speed = min(speed, PUSH_CAP)
    length = LENGTH[f.character, GUARD_SET_OFF]
    enter_at(f, GUARD_SET_OFF, ZERO, (length + np.float32(0.1)) / frames)
    f.var_f[0] = np.float32(int(frames))
    f.var_i[0] = held
    f.var_i[1] = POWER_FRAMES if power else 0
    f.var_i[2] = 0
    f.gv = -facing * speed


@kernel
def break_shield(f):
    """Fly up out of a broken shield."""
    f.shield = AFTER_BREAK
    leave_ground(f)
    enter(f, SHIELD_BREAK_FLY)
    f.vx = ZERO
    f.vy = ATTRIBUTES[f.character].shield_break_vel


@kernel
def regenerate(f):
    """Let the shield grow back while it is down."""
    if f.shield < FULL and (STATES[f.character, f.action].flags & states.GUARD) == 0:
        f.shield = min(f.shield + REGENERATION, FULL)


@kernel
def dizzy_anim(g, f):
    """Stagger until the timer runs out; inputs shorten it."""
    if f.var_i[3] == 0:
        f.var_i[3] = int(max(DIZZY_BASE - f.percent, ZERO) + DIZZY_REST)
    f.var_i[3] -= 1
    if f.pressed != 0:
        f.var_i[3] = max(f.var_i[3] - DIZZY_MASH, 0)
    if f.age >= LENGTH[f.character, f.action]:
        f.age = ZERO
    if f.var_i[3] <= 0:
        f.var_i[3] = 0
        enter(f, WAIT)
