"""Step 1: timers, the animation frame, and what an animation's end leads to."""

from __future__ import annotations

import numpy as np

from melee_env.engine import moves, states
from melee_env.engine.characters import own_states
from melee_env.engine.characters.throw_shots import shoot_in_throw
from melee_env.engine.damage import damage_anim, down_anim
from melee_env.engine.death import dead_anim, rebirth_anim
from melee_env.engine.grabs import captured_anim, catch_anim
from melee_env.engine.input import XY, A
from melee_env.engine.kernel import kernel
from melee_env.engine.ledge import cliff_anim
from melee_env.engine.shield import dizzy_anim, guard_anim
from melee_env.engine.states import NUM_CHARACTERS, STATES, Anim
from melee_env.engine.tables import ATTRIBUTES, LENGTH, SMASH_CHARGE, TURN_AGE
from melee_env.engine.transitions import WAIT, enter, enter_at, enter_fall, enter_wait_or_fall

ZERO = np.float32(0)
ONE = np.float32(1)
RUN_STICK = np.float32(0.625)
MAX_CHARGE = 60
ENTRY_START, ENTRY_END = 323, 324
STILL = np.float32(0.01)
LEAN = np.float32(0.1)  # x444: between 0.082 and 0.109 in recorded falls
TWICE = np.float32(2)
DONKEY_KONG, PEACH = 3, 9
FALLS = (29, 32, 35)
SKID_AGE = np.full(NUM_CHARACTERS, 9, np.float32)
SKID_AGE[16] = 20
"""age on which a turn out of a run freezes: measured for six fighters, Mewtwo's differs"""
RISE_PER_FRAME = np.float32(0.044920038)
"""speed of the entry's hop, read off recorded games (spawn height + 29 steps up, 29 down)"""


@kernel
def begin_frame(f):
    """Remember where the fighter was and run the timers that never stop."""
    f.prev_x = f.x
    f.prev_y = f.y
    f.shift_x = ZERO
    f.shift_y = ZERO
    f.l_cancel = 0  # shows on the landing's frame alone
    if f.intangible > 0:
        f.intangible -= 1
    if f.invincible > 0:
        f.invincible -= 1


@kernel
def finished(f):
    """Tell whether the running animation is over; a state that is not modelled and has no known length goes on."""
    length = LENGTH[f.character, f.action]
    if length == ZERO and (STATES[f.character, f.action].flags & states.GAP) != 0:
        return False
    return f.age >= length


@kernel
def go_on(f, following):
    """Enter the state that follows an animation's end; -1 is standing or falling."""
    if following < 0:
        enter_wait_or_fall(f)
    elif following == WAIT and f.airborne != 0:
        enter_fall(f)
    else:
        enter(f, following)
        f.var_i[0] = 0
        f.var_i[1] = 0
        f.var_f[0] = ONE


@kernel
def walk_rate(f):
    """Let the walk animation run as fast as the feet."""
    if f.gv * f.facing <= ZERO:
        f.rate = ZERO
        return
    attributes = ATTRIBUTES[f.character]
    speed = attributes.slow_walk_anim_speed
    if f.action == moves.WALK_SLOW + 1:
        speed = attributes.mid_walk_anim_speed
    elif f.action == moves.WALK_SLOW + 2:
        speed = attributes.fast_walk_anim_speed
    f.rate = np.float32(abs(f.gv) / speed)


@kernel
def turn_anim(f, over):
    """Count down to the change of facing."""
    if f.var_f[1] > ZERO:
        f.var_f[1] = np.float32(f.var_f[1] - ONE)
    elif f.var_i[0] == 0:
        f.var_i[0] = 1
        f.var_i[1] = 1
        f.facing = np.float32(-f.facing)
    if over:
        enter_wait_or_fall(f)


@kernel
def turn_run_anim(f, over):
    """Freeze on the skid's picture, for a frame at least and while the speed still points the old way; then turn.

    Source: doldecomp/melee ftCo_TurnRun.c ftCo_TurnRun_Anim.
    """
    if f.var_i[0] == 0:
        if f.age >= SKID_AGE[f.character]:
            f.rate = ZERO
            f.var_i[0] = 1
    elif f.var_i[0] == 1 and f.var_f[0] * f.gv <= STILL:
        f.rate = ONE
        f.var_i[0] = 2
        f.facing = np.float32(-f.var_f[0])
    if over:
        if f.stick_x * f.facing >= RUN_STICK:
            enter(f, moves.RUN)
            f.var_i[0] = 10
        else:
            enter_wait_or_fall(f)


@kernel
def smash_anim(f, over, following):
    """Hold a smash at its charge frame while A is held."""
    charge_age = SMASH_CHARGE[f.character, f.action]
    if f.smash_charge >= 0 and charge_age > ZERO:
        at_charge = f.age >= charge_age and f.age < charge_age + ONE
        if at_charge and (f.held & A) != 0 and f.smash_charge < MAX_CHARGE:
            f.smash_charge += 1
            f.rate = ZERO
        else:
            f.rate = ONE
    if over:
        go_on(f, following)


@kernel
def entry_anim(g, f):
    """The entrance: a short hop on the spot, then the fall to the stage."""
    f.var_i[0] -= 1
    if f.action == ENTRY_START:
        if f.var_i[0] >= 0:
            f.y = np.float32(f.y + RISE_PER_FRAME)
    if f.var_i[0] >= 0:
        return
    if f.action == 322:
        enter(f, ENTRY_START)
        f.var_i[0] = 28
        f.y = np.float32(f.y + RISE_PER_FRAME)
    elif f.action == ENTRY_START:
        enter_at(f, ENTRY_END, -ONE, ZERO)
        f.var_i[0] = 29
    else:
        enter_fall(f)


@kernel
def loop(f):
    """Wrap an endless animation."""
    length = LENGTH[f.character, f.action]
    if length > ZERO and f.age >= length:
        f.age = np.float32(f.age - length)


@kernel
def lean(f):
    """A fall with more than a little drift mixes in a second picture, which makes some fighters' run twice as fast.

    Source: doldecomp/melee ftCo_Fall.c ftCo_Fall_Anim_Inner; measured on ten fighters.
    """
    if (f.character == DONKEY_KONG or f.character == PEACH) and (f.action in FALLS):
        leans = abs(f.vx) > LEAN * ATTRIBUTES[f.character].air_max_drift
        f.rate = TWICE if leans else ONE


@kernel
def animate(g, f, o):
    """Advance the animation and run the state's animation callback."""
    f.age = np.float32(f.age + f.rate)
    if f.age == TURN_AGE[f.character, f.action]:
        f.facing = np.float32(-f.facing)
    row = STATES[f.character, f.action]
    kind = row.anim
    over = finished(f)
    if kind == Anim.NEXT:
        if over:
            if f.action == moves.ESCAPE_F or f.action == moves.ESCAPE_B:
                f.gv = ZERO
            go_on(f, row.next)
    elif kind == Anim.LOOP:
        loop(f)
        lean(f)
    elif kind == Anim.WALK:
        loop(f)
        walk_rate(f)
    elif kind == Anim.TURN:
        turn_anim(f, over)
    elif kind == Anim.RUN:
        loop(f)
        f.rate = np.float32(abs(f.gv) / ATTRIBUTES[f.character].run_anim_scaling)
        if f.var_i[0] > 0:
            f.var_i[0] -= 1
    elif kind == Anim.RUN_BRAKE:
        f.var_i[1] += 1
        if over or f.var_i[1] >= ATTRIBUTES[f.character].max_run_brake_frames:
            go_on(f, row.next)
    elif kind == Anim.TURN_RUN:
        turn_run_anim(f, over)
    elif kind == Anim.KNEE_BEND:
        if f.age >= ATTRIBUTES[f.character].jump_squat:
            moves.leave_jump_squat(f)
    elif kind == Anim.SMASH:
        smash_anim(f, over, row.next)
    else:
        rare_anim(g, f, o, kind, over, row.next)


@kernel
def rare_anim(g, f, o, kind, over, following):
    """Callbacks of states that are not part of plain movement."""
    if kind == Anim.DAMAGE or kind == Anim.DAMAGE_FLY:
        damage_anim(g, f, kind)
    elif kind >= Anim.GUARD_ON and kind <= Anim.GUARD_REFLECT:
        guard_anim(g, f, kind)
    elif kind >= Anim.DOWN_BOUND and kind <= Anim.DOWN_DAMAGE:
        down_anim(g, f, kind)
    elif kind == Anim.CATCH_PULL or kind == Anim.CATCH_WAIT or kind == Anim.THROW:
        catch_anim(g, f, o, kind)
        if kind == Anim.THROW:
            shoot_in_throw(g, f)
    elif kind == Anim.CAPTURE or kind == Anim.THROWN:
        captured_anim(g, f, o, kind)
    elif kind == Anim.CLIFF_WAIT or kind == Anim.CLIFF_OPTION or kind == Anim.CLIFF_JUMP:
        cliff_anim(g, f, kind, over)
    elif kind >= Anim.DEAD and kind <= Anim.DEAD_FALL:
        dead_anim(g, f, kind)
    elif kind == Anim.REBIRTH or kind == Anim.REBIRTH_WAIT:
        rebirth_anim(g, f, kind)
    elif kind == Anim.ENTRY:
        entry_anim(g, f)
    elif kind == Anim.RAPID_JAB:
        rapid_jab_anim(f, over)
    elif kind == Anim.PASSIVE_WALL:
        if over:
            enter_fall(f)
    elif kind == Anim.REBOUND_STOP:
        if over:
            enter_wait_or_fall(f)
    elif kind == Anim.DIZZY:
        dizzy_anim(g, f)
    elif kind >= Anim.BLASTER:
        own_states.own_anim(g, f, o, kind, over)


@kernel
def rapid_jab_anim(f, over):
    """Go round while A keeps being pressed."""
    if (f.pressed & A) != 0 or (f.held & XY & A) != 0:
        f.var_i[0] = 1
    if over:
        if f.var_i[0] != 0:
            f.var_i[0] = 0
            f.age = ZERO
            f.hit_window = -1
        else:
            enter(f, 49)
