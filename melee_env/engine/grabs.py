"""Grabs, pummels, throws and getting free.

Rules: doldecomp/melee ft/chara/ftCommon/ftCo_Catch*.c, ftCo_Capture*.c, ftCo_Throw.c, ftCo_Thrown.c;
distances and lengths measured on recorded games. Who holds whom is told by the two action states.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import states
from melee_env.engine.floors import line_under, set_floor
from melee_env.engine.hitlag import influence
from melee_env.engine.holds import held_place, shares_path
from melee_env.engine.input import XY, A
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import THROW_WEIGHT, knockback
from melee_env.engine.launch import ANY_STATE, FLY_TOP, clear_own_speed, launch
from melee_env.engine.shield import mash
from melee_env.engine.stages import STAGE_LINES
from melee_env.engine.staling import push_stale, stale_factor
from melee_env.engine.state import NO_LINE
from melee_env.engine.states import NUM_CHARACTERS, STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, LENGTH, THROWS, read_table
from melee_env.engine.transitions import enter, enter_at, enter_attack, enter_wait_or_fall, leave_ground

ZERO = np.float32(0)
ONE = np.float32(1)
HOLD_PER_PERCENT = np.float32(1.7)  # x368
HOLD_BASE = np.float32(90)  # x354
HOLD_DECAY = np.float32(1)
HOLD_MASH = np.float32(6)  # x3A8
PULL_FRAMES = np.float32(2)
THROW_STICK = np.float32(0.25)  # x098
THROW_VERTICAL_STICK = np.float32(0.25)  # the tilts', x0AC and x0B0
THROW_INVINCIBLE = 8  # x348
WEIGHT_RATE = np.float32(0.01)  # x37C
CUT_SPEED = np.float32(1)  # x370
FREE_JUMP_SPEED = np.float32(1)  # x374, a guess
FREE_JUMP_STICK = np.float32(0.6625)  # x070
FREE_JUMP_WINDOW = 30  # x3AC, a guess
STRUGGLE_FRAMES = np.float32(10)  # x3B0, measured on 16 holds
STRUGGLE_RATE = np.float32(2)  # x3B4, measured on 16 holds
SIDEWAYS = 90
"""throws at more than this angle send the victim behind the thrower without turning it round"""
CATCH_PULL, DASH_CATCH, DASH_CATCH_PULL, CATCH_WAIT, CATCH_ATTACK, CATCH_CUT = 213, 214, 215, 216, 217, 218
THROW_F, THROW_B, THROW_HI, THROW_LW = 219, 220, 221, 222
PULLED_HIGH, WAIT_HIGH, DAMAGE_HIGH, PULLED_LOW, WAIT_LOW, DAMAGE_LOW = 223, 224, 225, 226, 227, 228
CAPTURE_CUT, CAPTURE_JUMP, THROWN_F, THROWN_LW = 229, 230, 239, 242
DONKEY_KONG = 3
"""whom every hold lifts off the floor (two of two in the games fitted on; no other fighter of 48)"""


def _load_blows() -> np.ndarray:
    table = np.zeros((NUM_CHARACTERS, THROW_LW - CATCH_ATTACK + 1, 3), np.int32)
    table[:, 0] = 4, 3, 1
    for character, row in read_table("hitboxes.csv"):
        blow = int(row["state"]) - CATCH_ATTACK
        if 0 <= blow < table.shape[1] and int(row["damage"]) > 0 and int(row["window"]) == 0:
            knocks = int(row["kbg"]) + int(row["bkb"]) > 0
            table[character, blow] = int(row["first"]), int(row["damage"]), knocks
    return table


HOLDER_BLOWS = _load_blows()
"""``[character, state - 217]``: animation frame and damage of the blow that a pummel or a throw deals to the held
fighter, which it always reaches (damage 0 for a throw without one), and whether it knocks: else only the holder
freezes, as in Sheik's throws"""


SHOULDERED, SHOULDERED_TURN = 266, 270
"""Donkey Kong's cargo hold; the throws out of it follow"""
SHOULDER_FORWARD, SHOULDER_UP = np.float32(3.147), np.float32(3.964)
"""where he carries a fighter, from where he was one frame before: measured on two recorded holds"""


@kernel
def captured(f):
    """Tell whether the opponent holds the fighter."""
    return (STATES[f.character, f.action].flags & states.CAPTURED) != 0


@kernel
def holds(f, o):
    """Tell whether ``f`` holds ``o``."""
    return captured(o) and f.action >= CATCH_PULL and f.action <= THROW_LW and f.action != DASH_CATCH


@kernel
def hold_time(f):
    """Return the frames that a fighter is held without mashing."""
    return HOLD_PER_PERCENT * f.percent + HOLD_BASE


@kernel
def connect_grab(g, f, o):
    """Let a catch box that touched ``o`` take hold; the animation goes on from the same frame."""
    age = f.age
    f.gv = ZERO
    enter_at(f, DASH_CATCH_PULL if f.action == DASH_CATCH else CATCH_PULL, age, ONE)
    f.var_f[0] = age
    clear_own_speed(o)
    o.kx = ZERO
    o.ky = ZERO
    o.ground_k = ZERO
    o.hitlag = 0
    o.hitstun = 0
    o.tumble = 0
    o.facing = -f.facing
    enter_at(o, PULLED_LOW if o.airborne == 0 else PULLED_HIGH, ONE, ONE)
    o.grab_timer = hold_time(o)
    o.mash_x = 0
    o.mash_y = 0
    o.var_i[0] = 0  # frames in the hold
    o.var_i[1] = 0  # a jump was pressed
    o.var_f[0] = ZERO  # frames left of the quickened struggle
    o.var_f[1] = ZERO  # how far the place in the hold differs from the expected one, forward and up
    o.var_f[2] = ZERO


@kernel
def waits_in_hold(f, o):
    """Tell whether ``o`` holds ``f`` and neither pulls nor throws it."""
    held = f.action == WAIT_HIGH or f.action == DAMAGE_HIGH or f.action == WAIT_LOW or f.action == DAMAGE_LOW
    return held and (o.action == CATCH_WAIT or o.action == CATCH_ATTACK)


@kernel
def expected_place(f, o, age):
    """Return where ``o`` at an age holds or throws ``f``, forward and up, by the tables."""
    release = ONE
    if o.action >= THROW_F:
        release = THROWS[o.character, o.action - THROW_F].release
    hanging = 1 if f.action <= DAMAGE_HIGH else 0
    return held_place(o.character, o.action, f.character, hanging, age, release)


@kernel
def learn_release(f, o):
    """Wait on with a throw whose release a recording shows not to have come at its expected age."""
    if f.action >= THROW_F and f.action <= THROW_LW and holds(f, o):
        f.var_i[0] = 1 if f.age >= THROWS[f.character, f.action - THROW_F].release else 0


@kernel
def learn_hold(f, o, x, y, age):
    """Take over how far a recorded place in the hold of ``o`` at ``(x, y)`` and ``age`` differs from the expected one.

    It stays while a holder waits, and in every throw, as it comes from the victim's body then.
    """
    if not (waits_in_hold(f, o) or (holds(o, f) and o.action >= THROW_F)):
        return
    forward, up = expected_place(f, o, age)
    f.var_f[1] = np.float32(np.float32(np.float32(f.x - x) * o.facing) - forward)
    f.var_f[2] = np.float32(np.float32(f.y - y) - up)
    if o.action >= THROW_F and shares_path(o.character, o.action, f.character):
        f.body_forward = f.var_f[1]
        f.body_up = f.var_f[2]


@kernel
def follow_captor(g, f, o, thrown):
    """Keep a held or ``thrown`` fighter at its holder's hands; one that stands stays on the floor."""
    if (f.action >= THROWN_F and f.action <= THROWN_LW) != thrown:
        return
    if captured(f) and f.action >= SHOULDERED:
        if f.action <= SHOULDERED_TURN:
            f.x = o.prev_x + o.facing * SHOULDER_FORWARD
            f.y = o.prev_y + SHOULDER_UP
        return
    if not holds(o, f):
        return
    forward, up = expected_place(f, o, o.age)
    if waits_in_hold(f, o) or o.action >= THROW_F:
        forward = forward + f.var_f[1]
        up = up + f.var_f[2]
    f.x = o.x + o.facing * forward
    if f.action >= THROWN_F or f.action <= DAMAGE_HIGH:
        f.y = o.y + up
    elif f.ground != NO_LINE:
        line, _, past = line_under(g, f.ground, f.x)
        if past == ZERO:
            set_floor(g, f)


@kernel
def catch_anim(g, f, o, kind):
    """The holder's side: pull, wait, throw."""
    over = f.age >= LENGTH[f.character, f.action]
    if kind == Anim.THROW:
        if holds(f, o) and f.age >= THROWS[f.character, f.action - THROW_F].release and f.var_i[0] == 0:
            throw(g, f, o)
        if over:
            enter_wait_or_fall(f)
    elif not holds(f, o):
        enter(f, CATCH_CUT)
    elif kind == Anim.CATCH_PULL:
        if f.age >= f.var_f[0] + PULL_FRAMES:
            f.gv = ZERO
            enter(f, CATCH_WAIT)
            if o.character == DONKEY_KONG:
                o.airborne = 1
            enter(o, WAIT_HIGH if o.airborne != 0 else WAIT_LOW)
    elif over:
        f.age = ZERO


@kernel
def crossed(now, before, limit):
    """Tell whether an axis went outward past ``limit`` on this frame."""
    return now >= limit and before < limit


@kernel
def wanted_throw(f):
    """Return the throw that this frame's stick or C-stick asks for, 0 for none.

    The C-stick throws down when it is held down for two frames (doldecomp/melee ft/ft_0DF1.c ftCo_800DF878).
    """
    side = f.facing
    if crossed(f.stick_x * side, f.prev_stick_x * side, THROW_STICK):
        return THROW_F
    if crossed(-f.stick_x * side, -f.prev_stick_x * side, THROW_STICK):
        return THROW_B
    if crossed(f.cstick_x * side, f.prev_cstick_x * side, THROW_STICK):
        return THROW_F
    if crossed(-f.cstick_x * side, -f.prev_cstick_x * side, THROW_STICK):
        return THROW_B
    up = crossed(f.stick_y, f.prev_stick_y, THROW_VERTICAL_STICK)
    if up or crossed(f.cstick_y, f.prev_cstick_y, THROW_VERTICAL_STICK):
        return THROW_HI
    held_down = f.cstick_y <= -THROW_VERTICAL_STICK and f.prev_cstick_y <= -THROW_VERTICAL_STICK
    if crossed(-f.stick_y, -f.prev_stick_y, THROW_VERTICAL_STICK) or held_down:
        return THROW_LW
    return 0


@kernel
def catch_wait_interrupts(g, f, o):
    """Pummel or throw."""
    if not holds(f, o):
        return False
    if (f.pressed & A) != 0:
        f.gv = ZERO
        enter_attack(g, f, CATCH_ATTACK)
        return True
    action = wanted_throw(f)
    if action == 0:
        return False
    start_throw(g, f, o, action)
    return True


@kernel
def start_throw(g, f, o, action):
    """Begin a throw; most animations run slower with heavier victims."""
    rate = ONE
    if THROWS[f.character, action - THROW_F].weight_independent == 0:
        rate = ONE / (ATTRIBUTES[o.character].weight * WEIGHT_RATE)
    enter_attack(g, f, action)
    enter_at(f, action, ZERO, rate)
    o.facing = f.facing
    enter_at(o, THROWN_F + action - THROW_F, ZERO, rate)
    shared = shares_path(f.character, action, o.character)
    o.var_f[1] = o.body_forward if shared else ZERO
    o.var_f[2] = o.body_up if shared else ZERO
    o.grab_timer = ZERO
    f.var_i[0] = 0  # a recording shows that the release comes later than expected
    f.invincible = THROW_INVINCIBLE
    f.stale_factor = stale_factor(f, f.attack_id)  # the throw's own blow does not stale it


@kernel
def throw(g, f, o):
    """The moment of release: damage, launch and DI with the stick of the frame before."""
    data = THROWS[f.character, f.action - THROW_F]
    angle = int(data.angle)
    forward, up = expected_place(o, f, f.age)
    o.x = f.x + f.facing * (forward + o.var_f[1])
    o.y = f.y + up + o.var_f[2]
    if f.airborne == 0 and o.y < f.y and STAGE_LINES[g.slot, f.ground].drop_through == 0:
        o.y = f.y  # the floor stops a body that the hands push below it
        o.prev_y = f.y
    if f.action == THROW_B and angle <= SIDEWAYS:
        f.facing = -f.facing
    raw = np.float32(data.damage)
    damage = raw if f.stale_factor == ONE else raw * f.stale_factor
    kb = knockback(o.percent, damage, int(data.damage), data.kbg, data.bkb, data.set_kb, THROW_WEIGHT)
    o.thrown_damage = damage
    push_stale(f, f.attack_id, f.instance)
    f.combo = 1
    f.last_attack = f.attack_id
    o.last_hit_by = f.port
    o.hit_by_instance = f.instance
    leave_ground(o)
    facing = -f.facing
    launch(g, o, kb, np.float32(angle), facing, 1, FLY_TOP if f.action == THROW_LW else ANY_STATE)
    if angle > SIDEWAYS and angle < 360 - SIDEWAYS:
        o.facing = -facing
    influence(o)


@kernel
def captured_anim(g, f, o, kind):
    """The held side: the hold timer, mashing, getting free."""
    if not holds(o, f):
        get_free(f)
        return
    if kind == Anim.THROWN or f.action == PULLED_LOW or f.action == PULLED_HIGH:
        return
    if f.age >= LENGTH[f.character, f.action]:
        if f.action == DAMAGE_HIGH or f.action == DAMAGE_LOW:
            enter(f, f.action - 1)
        else:
            f.age = f.age - LENGTH[f.character, f.action]
    if f.var_i[0] < FREE_JUMP_WINDOW and (f.pressed & XY) != 0:
        f.var_i[1] = 1
    f.var_i[0] += 1
    f.grab_timer = f.grab_timer - HOLD_DECAY
    before = f.grab_timer
    mash(f, HOLD_MASH)
    waiting = f.action == WAIT_HIGH or f.action == WAIT_LOW
    if f.grab_timer <= ZERO and waiting:
        release(g, o, f)
    elif waiting:
        struggle(f, f.grab_timer < before)


@kernel
def struggle(f, mashed):
    """Mashing quickens the held fighter's animation for some frames (doldecomp/melee ftCo_CaptureWait.c)."""
    if f.var_f[0] > ZERO:
        f.var_f[0] = f.var_f[0] - ONE
        if f.var_f[0] <= ZERO and not mashed:
            f.rate = ONE
    if f.var_f[0] <= ZERO and mashed:
        f.var_f[0] = STRUGGLE_FRAMES
        f.rate = STRUGGLE_RATE


@kernel
def get_free(f):
    """Step or jump out of a hold."""
    if f.var_i[1] != 0 or f.stick_y >= FREE_JUMP_STICK:
        leave_ground(f)
        enter(f, CAPTURE_JUMP)
        f.vx = -f.facing * FREE_JUMP_SPEED
        f.vy = ATTRIBUTES[f.character].short_hop_v
    else:
        enter(f, CAPTURE_CUT)
        f.gv = -f.facing * CUT_SPEED


@kernel
def release(g, f, o):
    """End a hold without a throw: holder ``f`` and held ``o`` step apart."""
    get_free(o)
    enter(f, CATCH_CUT)
    f.gv = -f.facing * CUT_SPEED
