"""Shields: raising, holding, being hit, power shields, breaking.

Rules: doldecomp/melee ft/chara/ftCommon/ftCo_Guard.c, ftCo_ShieldBreak*.c; figures measured on recorded
games (docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.input import L_OR_R, LR, XY, A, B
from melee_env.engine.kernel import kernel
from melee_env.engine.state import LONG_AGO
from melee_env.engine.states import STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, LENGTH
from melee_env.engine.transitions import WAIT, enter, enter_at, enter_squeezed, leave_ground

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
POWER_WINDOW = 2
"""frames of the trigger timer in which a digital press makes a power shield: 38 of 38 such presses on the second frame
of a light press did, 30 of 30 later ones did not"""
REPLACED_AGE = np.float32(-2)
"""age that a power shield shows which replaced a shield just raised; until its reflecting ends the shield is down"""
REFLECT_FRAMES = 2  # x2A4, counting the first
POWER_FRAMES = 4  # x2B4, counting the first
FREE_FRAMES = 4  # x2B8, frames after a power shield in which letting go allows attacks
HOLD_FRAMES = 8  # x268, shortest time up: 22 of 45 recorded short shields last exactly this long
SHIFT_SHARE = np.float32(0.66)  # x4C0
DIZZY_BASE = np.float32(400)  # x2F8
DIZZY_REST = np.float32(90)  # x2FC
DIZZY_DECAY = np.float32(1)  # x300
DIZZY_MASH = np.float32(6)  # x304
TILT = np.float32(3)
"""game units by which the full stick moves the shield"""
TILT_SHARE = np.float32(0.2)
"""share of the way to the stick's place that the shield goes on a frame (both of schmooblidon/meleelight shieldTilt)"""
TILT_X, TILT_Y = 0, 1
"""where the stick has moved the shield to (``var_f``)"""
GUARD_ON, GUARD, GUARD_OFF, GUARD_SET_OFF, GUARD_REFLECT = 178, 179, 180, 181, 182
SHIELD_BREAK_FLY = 205
MASH_BUTTONS = A | B | XY | LR
MASH_STICK = np.float32(0.7)  # x308
AGE, FREE, RELEASED, REFLECT, POWER, HOLD = 0, 1, 2, 3, 4, 5
"""variables of the shield states (``var_i``): frames up, attacks allowed after a power shield, let go,
frames of reflection and of power shield left, frames until letting go is possible"""


@kernel
def shield_depth(f):
    """Return how hard the trigger is pressed, 0 lightest to 1; the last one without a press."""
    depth = (f.trigger - DEAD_ZONE) / RANGE
    return f.light if depth < ZERO else min(depth, ONE)


@kernel
def shield_radius(f):
    """Return the shield's radius in game units."""
    attributes = ATTRIBUTES[f.character]
    health = f.shield / FULL * (f.light * (SIZE_HARD - ONE) + ONE)
    share = (ONE - SIZE_FLOOR) * health + SIZE_FLOOR
    return share * attributes.shield_size * attributes.model_scale


@kernel
def shield_center(f):
    """Return the middle of the shield."""
    attributes = ATTRIBUTES[f.character]
    x = f.x + f.facing * attributes.shield_offset_x + f.var_f[TILT_X]
    return x, f.y + attributes.shield_offset_y + f.var_f[TILT_Y]


@kernel
def tilt_shield(f):
    """Let the shield follow the stick."""
    f.var_f[TILT_X] += TILT_SHARE * (TILT * f.stick_x - f.var_f[TILT_X])
    f.var_f[TILT_Y] += TILT_SHARE * (TILT * f.stick_y - f.var_f[TILT_Y])


@kernel
def power_shields(f):
    """Tell whether a hit on the shield does nothing to it."""
    return f.action == GUARD_REFLECT and f.var_i[POWER] > 0


@kernel
def reflects(f):
    """Tell whether the shield sends projectiles back."""
    return f.action == GUARD_REFLECT and f.var_i[REFLECT] > 0


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
    f.var_f[TILT_X] = ZERO
    f.var_f[TILT_Y] = ZERO
    f.light = shield_depth(f)
    f.var_i[AGE] = 0
    f.var_i[FREE] = 0
    f.var_i[RELEASED] = 0
    f.var_i[HOLD] = HOLD_FRAMES
    start_power(f, action == GUARD_REFLECT)


@kernel
def start_power(f, power):
    """Set the power shield's counters; its press counts once."""
    f.var_i[REFLECT] = REFLECT_FRAMES if power else 0
    f.var_i[POWER] = POWER_FRAMES if power else 0
    if power:
        f.trigger_timer = LONG_AGO


@kernel
def count_power(f):
    """Let the power shield run out."""
    if f.var_i[REFLECT] > 0:
        f.var_i[REFLECT] -= 1
    if f.var_i[POWER] > 0:
        f.var_i[POWER] -= 1


@kernel
def drain(f):
    """Use up shield health; tell whether the shield broke."""
    f.light = shield_depth(f)
    f.shield = f.shield - DRAIN * (f.light * (ONE - DRAIN_LOW) + DRAIN_LOW)
    return f.shield < ZERO


@kernel
def guard_anim(g, f, kind):
    """Shield states: drain, shield stun, the way back down."""
    over = f.age >= LENGTH[f.character, f.action]
    if kind == Anim.GUARD_OFF:
        if over:
            enter(f, WAIT)
        return
    count_power(f)
    if kind == Anim.GUARD_SET_OFF:
        if over:
            stand_in_shield(f)
        return
    f.var_i[AGE] += 1
    if not is_down(f) and drain(f):
        f.shield = ZERO
        break_shield(f)
        return
    if f.var_i[HOLD] > 0:
        f.var_i[HOLD] -= 1
    if (f.held & LR) == 0:
        f.var_i[RELEASED] = 1
    if f.var_i[RELEASED] != 0 and f.var_i[HOLD] == 0:
        enter(f, GUARD_OFF)
    elif f.action != GUARD and f.var_i[AGE] >= int(ATTRIBUTES[f.character].shield_raise_frames):
        enter_guard(f, GUARD)


@kernel
def stand_in_shield(f):
    """Come out of shield stun into the shield, or let it down if it was let go."""
    if f.var_i[RELEASED] != 0:
        enter(f, GUARD_OFF)
    else:
        enter_guard(f, GUARD)


@kernel
def try_release(g, f):
    """First check of every shield state: let go, or press again early for a power shield."""
    if (f.held & LR) == 0:
        f.var_i[RELEASED] = 1
    if f.var_i[RELEASED] != 0 and f.var_i[HOLD] == 0:
        enter(f, GUARD_OFF)
        return True
    if f.var_i[FREE] > 0:
        f.var_i[FREE] -= 1
    fresh = (f.pressed & L_OR_R) != 0 and f.trigger_timer < POWER_WINDOW
    if f.action == GUARD_ON and f.var_i[AGE] < POWER_WINDOW and fresh:
        enter_at(f, GUARD_REFLECT, REPLACED_AGE, ZERO)
        start_power(f, True)
        return True
    return False


@kernel
def is_down(f):
    """Tell whether no shield is up; at the start of a power shield that replaced one it is not yet."""
    if (STATES[f.character, f.action].flags & states.GUARD) == 0:
        return True
    return f.action == GUARD_REFLECT and f.age == REPLACED_AGE and f.var_i[REFLECT] > 0


@kernel
def damage_share(light):
    """Return the share of a hit's damage that a shield loses at a depth."""
    return ONE - (light * DAMAGE_SPAN + DAMAGE_LOW)


@kernel
def hurt_shield(f, damage):
    """Take shield damage (whole percent); tell whether the shield broke."""
    f.shield = f.shield - np.float32(damage) * damage_share(f.light)
    return f.shield < ZERO


@kernel
def stun_frames(damage, light):
    """Return the frames of shield stun, a fraction, that ``damage`` gives at a shield depth."""
    return STUN_SLOPE * (np.float32(damage) * (ONE - (light * STUN_SPAN + STUN_LOW))) + STUN_BASE


@kernel
def shield_reaction(f, damage, facing):
    """Be stunned and pushed by a hit on the shield."""
    power = power_shields(f)
    frames = stun_frames(damage, f.light)
    speed = frames * PUSH
    if power:
        f.var_i[FREE] = FREE_FRAMES
        f.var_i[HOLD] = 0
    else:
        speed = speed * PUSH_SHARE
    speed = min(speed, PUSH_CAP)
    enter_squeezed(f, GUARD_SET_OFF, frames)
    f.gv = -facing * speed
    f.tilt_x = LONG_AGO


@kernel
def shift_shield(f, distance):
    """SDI or ASDI on a shield: sideways only, and shorter."""
    shift = SHIFT_SHARE * (f.stick_x * distance)
    f.x = f.x + f.normal_y * shift
    f.y = f.y - f.normal_x * shift


@kernel
def break_shield(f):
    """Fly up out of a broken shield."""
    leave_ground(f)
    enter(f, SHIELD_BREAK_FLY)
    f.vx = ZERO
    f.vy = ATTRIBUTES[f.character].shield_break_vel
    f.grab_timer = ZERO


@kernel
def regenerate(f):
    """Let the shield grow back while it is down."""
    if f.shield < FULL and is_down(f):
        f.shield = min(f.shield + REGENERATION, FULL)


@kernel
def dizzy_anim(g, f):
    """Stagger until the timer runs out; inputs shorten it."""
    f.shield = AFTER_BREAK
    if f.grab_timer <= ZERO:
        f.grab_timer = max(DIZZY_BASE - f.percent, ZERO) + DIZZY_REST
    f.grab_timer = f.grab_timer - DIZZY_DECAY
    mash(f, DIZZY_MASH)
    length = LENGTH[f.character, f.action]
    if f.age >= length:
        f.age = f.age - length
    if f.grab_timer <= ZERO:
        enter(f, WAIT)


@kernel
def mash(f, amount):
    """Take ``amount`` off the grab timer for any new button, and again for a stick moved to another side."""
    if (f.pressed & MASH_BUTTONS) != 0:
        f.grab_timer = f.grab_timer - amount
    x = f.mash_x
    y = f.mash_y
    if abs(f.stick_x) > MASH_STICK:
        x = 1 if f.stick_x > ZERO else -1
    if abs(f.stick_y) > MASH_STICK:
        y = 1 if f.stick_y > ZERO else -1
    if x != f.mash_x or y != f.mash_y:
        f.grab_timer = f.grab_timer - amount
    f.mash_x = x
    f.mash_y = y
