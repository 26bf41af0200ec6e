"""Step 3, second half: what the input may interrupt, state by state, in the game's order.

Lists: doldecomp/melee ft/chara/ftCommon (the IASA callbacks). The first check that succeeds ends it.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import attacks, moves
from melee_env.engine.characters import multi_jump, own_states, peach, specials
from melee_env.engine.damage import can_act, down_wait_interrupts, jump_remembered, meteor_ready, wiggle_out
from melee_env.engine.grabs import catch_wait_interrupts
from melee_env.engine.input import LR, XY, A, B, flicked
from melee_env.engine.kernel import kernel
from melee_env.engine.ledge import cliff_interrupts
from melee_env.engine.shield import FREE, tilt_shield, try_guard, try_release
from melee_env.engine.states import OWN_VERSION, STATES, Interrupts
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import WAIT, enter, enter_wait_or_fall

ZERO = np.float32(0)
RUN_TURN_STICK = np.float32(-0.375)  # x038
RUN_STICK = np.float32(0.625)  # x058
DASH_BLOCK = np.float32(4)  # x044
DASH_REDASH = np.float32(20)  # x04C
TEETER_STICK = np.float32(0.75)  # x474
SHIELD_DROP_TO = np.float32(-0.8)
TAUNT_BUTTON = np.uint32(0x0008)
RESPAWN_INVINCIBILITY = 120


@kernel
def idle(f):
    """Tell whether nothing on the controller could start an action from standing."""
    return (
        f.pressed == 0
        and f.stick_x == ZERO
        and f.stick_y == ZERO
        and f.cstick_x == ZERO
        and f.cstick_y == ZERO
        and (f.held & LR) == 0
    )


@kernel
def try_taunt(f):
    """D-pad up."""
    if (f.pressed & TAUNT_BUTTON) != 0:
        enter(f, 264)
        return True
    return False


@kernel
def try_shield_jump(g, f):
    """Shield, taunt or jump: the middle of most lists."""
    return try_guard(g, f) or try_taunt(f) or moves.try_jump(f, moves.JUMP_STICK)


@kernel
def wait_list(g, f):
    """Everything that standing can become."""
    if idle(f):
        return False
    if f.pressed != 0 or f.cstick_x != ZERO or f.cstick_y != ZERO:
        if (
            specials.try_ground(g, f)
            or attacks.try_catch(g, f, attacks.CATCH)
            or attacks.try_ground_attack(g, f)
        ):
            return True
    return (
        moves.try_spot_dodge(f)
        or try_shield_jump(g, f)
        or moves.try_dash(f)
        or (f.action != OWN_VERSION[f.character, attacks.DOWN_TILT] and moves.try_squat(f))
        or moves.try_turn(f)
        or moves.try_walk(f)
    )


@kernel
def walk_list(g, f):
    """Walking: everything, then back to standing or another walk class."""
    if f.pressed != 0 or f.cstick_x != ZERO or f.cstick_y != ZERO:
        if (
            attacks.try_catch(g, f, attacks.CATCH)
            or specials.try_ground(g, f)
            or attacks.try_ground_attack(g, f)
        ):
            return
    if try_shield_jump(g, f) or moves.try_dash(f) or moves.try_squat(f):
        return
    if f.stick_x * f.facing < moves.WALK_STICK:
        enter(f, WAIT)
        return
    update_walk_class(f)


@kernel
def update_walk_class(f):
    """Change the walk animation with the speed, at the matching place of the new one."""
    attributes = ATTRIBUTES[f.character]
    speed = abs(f.gv)
    action = moves.WALK_SLOW
    new_length = attributes.walk_slow_length
    if speed >= np.float32(np.float32(0.8) * attributes.walk_max):
        action = moves.WALK_SLOW + 2
        new_length = attributes.walk_fast_length
    elif speed >= np.float32(np.float32(0.4) * attributes.walk_max):
        action = moves.WALK_SLOW + 1
        new_length = attributes.walk_middle_length
    if action == f.action:
        return
    length = attributes.walk_slow_length
    if f.action == moves.WALK_SLOW + 1:
        length = attributes.walk_middle_length
    elif f.action == moves.WALK_SLOW + 2:
        length = attributes.walk_fast_length
    turns = int(f.age / length)
    within = np.float32(f.age - np.float32(length * turns))
    moves.enter_walk(f, np.float32(int(new_length * np.float32(within / length))))


@kernel
def turn_list(g, f):
    """Turning: attacks already go the new way; a flick arms a dash for the frame of the turn."""
    if f.var_i[1] != 0:
        f.pressed |= np.uint32(f.var_i[2])
    turned = f.var_i[0] != 0
    if not turned:
        f.facing = np.float32(-f.facing)
    action = f.action
    if specials.try_ground(g, f) or attacks.try_catch(g, f, attacks.CATCH) or attacks.try_ground_attack(g, f):
        return
    if not turned:
        f.facing = np.float32(-f.facing)
    if try_shield_jump(g, f) or f.action != action:
        return
    forward = f.stick_x * f.var_f[0] >= moves.DASH_STICK
    if forward and f.tilt_x < moves.DASH_WINDOW:
        f.var_f[2] = f.var_f[0]
    if f.var_i[1] != 0:
        if f.var_f[2] != ZERO and forward:
            moves.enter_dash(f, 0)
            return
        # UCF dash back: a fast full flick on the second frame of a tilt turn.
        f.var_i[1] = 0
    ucf_dash_back(f, forward)
    f.var_i[2] |= np.int32(f.pressed & (A | B))


@kernel
def ucf_dash_back(f, forward):
    """UCF: on a tilt turn's second frame a fast full stick turns at once and dashes."""
    if f.ucf != 0 and f.action == moves.TURN and f.age == np.float32(2) and f.var_i[0] == 0 and forward:
        if f.tilt_x < moves.DASH_WINDOW and flicked(f):
            f.facing = f.var_f[0]
            moves.enter_dash(f, 0)


@kernel
def dash_list(g, f):
    """The three phases of a dash."""
    forward = f.stick_x * f.facing
    action = f.action
    if specials.try_side(g, f):
        moves.lose_dash_speed(f)
        return
    if attacks.try_catch(g, f, attacks.DASH_CATCH):
        return
    if f.var_i[0] != 0 and f.age <= DASH_BLOCK:
        smash = (f.pressed & A) != 0 and forward >= attacks.SMASH_STICK
        if smash or attacks.crossed(f.cstick_x, f.prev_cstick_x, attacks.SMASH_STICK):
            if smash or f.cstick_x * f.facing >= ZERO:
                moves.lose_dash_speed(f)
                attacks.enter_attack(g, f, attacks.SIDE_SMASH)
                return
        if (f.held & LR) != 0:
            moves.lose_dash_speed(f)
            enter(f, moves.ESCAPE_F)
            return
    elif f.age <= DASH_REDASH:
        if attacks.try_dash_attack(g, f):
            return
        if forward < ZERO and moves.try_dash(f):
            moves.lose_dash_speed(f)
            return
        if try_guard(g, f):
            moves.lose_dash_speed(f)
            return
    else:
        if moves.try_dash(f):
            moves.lose_dash_speed(f)
            return
        if try_guard(g, f):
            moves.lose_dash_speed(f)
            return
    if try_taunt(f):
        moves.lose_dash_speed(f)
        return
    if f.action != action or moves.try_jump(f, moves.RUNNING_JUMP_STICK):
        return
    if f.age > ATTRIBUTES[f.character].run_start_frame and forward >= RUN_STICK:
        enter(f, moves.RUN)
        f.var_i[0] = 0


@kernel
def run_list(g, f):
    """Running."""
    if f.pressed != 0 and (
        specials.try_ground(g, f)
        or attacks.try_catch(g, f, attacks.DASH_CATCH)
        or attacks.try_dash_attack(g, f)
    ):
        return
    if try_guard(g, f) or try_taunt(f) or moves.try_jump(f, moves.RUNNING_JUMP_STICK):
        return
    if f.var_i[0] > 0:
        return
    if f.stick_x * f.facing <= RUN_TURN_STICK:
        enter(f, moves.TURN_RUN)
        f.var_f[0] = f.facing
        f.var_i[0] = 0
    elif abs(f.stick_x) < RUN_STICK:
        enter(f, moves.RUN_BRAKE)


@kernel
def run_brake_list(f):
    """Braking: jump, turn, crouch."""
    if moves.try_jump(f, moves.RUNNING_JUMP_STICK):
        return
    if f.stick_x * f.facing <= RUN_TURN_STICK:
        age = f.age
        enter(f, moves.TURN_RUN)
        f.age = age
        f.var_f[0] = f.facing
        f.var_i[0] = 0
        return
    moves.try_squat(f)


@kernel
def knee_bend_list(g, f):
    """Jump squat: up-B, grab, up smash, short hop."""
    if f.pressed != 0 or f.cstick_y != ZERO:
        if specials.try_up(g, f) or attacks.try_catch(g, f, attacks.CATCH) or attacks.try_up_smash(g, f):
            return
    moves.check_short_hop(f)


@kernel
def air_list(g, f, dodge):
    """The air: specials, air dodge, aerials, double jump."""
    if f.pressed == 0 and f.cstick_x == ZERO and f.cstick_y == ZERO and f.tilt_y >= moves.JUMP_WINDOW:
        return (
            peach.try_float_down(f)
            or peach.try_float(f)
            or (multi_jump.jumps_so(f) and moves.try_air_jump(f))
        )
    if specials.try_air(g, f):
        return True
    if dodge and moves.try_air_dodge(f):
        return True
    return attacks.try_aerial(g, f) or peach.try_float_down(f) or moves.try_air_jump(f) or peach.try_float(f)


@kernel
def squat_list(g, f):
    """Going down into a crouch."""
    if f.pressed != 0 or f.cstick_x != ZERO or f.cstick_y != ZERO:
        if (
            specials.try_ground(g, f)
            or attacks.try_catch(g, f, attacks.CATCH)
            or attacks.try_ground_attack(g, f)
        ):
            return
    if try_shield_jump(g, f):
        return
    moves.try_squat_drop(g, f)


@kernel
def squat_wait_list(g, f):
    """Crouching."""
    if f.pressed != 0 or f.cstick_x != ZERO or f.cstick_y != ZERO:
        if specials.try_ground(g, f) or attacks.try_ground_attack(g, f):
            return
    if try_shield_jump(g, f) or moves.try_squat_drop(g, f) or moves.try_dash(f):
        return
    if f.stick_y > moves.RISE_STICK:
        enter(f, moves.SQUAT_RV)


@kernel
def squat_rise_list(g, f):
    """Getting up from a crouch."""
    if specials.try_ground(g, f) or attacks.try_ground_attack(g, f):
        return
    if not try_shield_jump(g, f):
        moves.try_walk(f)


@kernel
def landing_list(g, f):
    """Landing: everything, once the lag is over; a crouch only on the first frame after it, without its start."""
    lag = ATTRIBUTES[f.character].landing_lag
    if f.age < lag:
        return
    if f.pressed != 0 or f.cstick_x != ZERO or f.cstick_y != ZERO:
        if (
            specials.try_ground(g, f)
            or attacks.try_catch(g, f, attacks.CATCH)
            or attacks.try_ground_attack(g, f)
        ):
            return
    if try_shield_jump(g, f) or moves.try_dash(f):
        return
    if f.stick_y < moves.SQUAT_STICK and f.age < lag + f.rate:
        enter(f, moves.SQUAT_WAIT)
        f.var_i[0] = 0
    elif not moves.try_turn(f):
        moves.try_walk(f)


@kernel
def guard_list(g, f):
    """Out of shield: release, spot dodge, roll, grab, jump, platform drop."""
    tilt_shield(f)
    if try_release(g, f):
        return
    if f.cstick_y <= -moves.DODGE_STICK:
        enter(f, moves.ESCAPE)
        return
    if moves.on_platform(g, f) and ucf_shield_drop(f):
        moves.drop_through(f)
        return
    if moves.try_spot_dodge(f) or moves.try_roll(f) or attacks.try_catch(g, f, attacks.CATCH):
        return
    if moves.try_jump(f, moves.JUMP_STICK) or moves.try_c_stick_jump(f):
        return
    if moves.on_platform(g, f) and moves.drop_input(f):
        moves.drop_through(f)


@kernel
def guard_off_list(g, f):
    """A falling shield: attacks after a power shield, spot dodge (no button needed), jump."""
    if f.var_i[FREE] > 0 and (
        specials.try_ground(g, f) or attacks.try_catch(g, f, attacks.CATCH) or attacks.try_ground_attack(g, f)
    ):
        return
    if f.cstick_y <= -moves.DODGE_STICK or moves.flicked_down(f):
        enter(f, moves.ESCAPE)
    else:
        moves.try_jump(f, moves.JUMP_STICK)


@kernel
def ucf_shield_drop(f):
    """UCF: a flick down on the rim of the gate drops instead of dodging (36 of 36 recorded); a steeper one dodges."""
    reach = f.stick_y <= moves.DROP_STICK and f.stick_y > SHIELD_DROP_TO
    return f.ucf != 0 and reach and f.tilt_y < moves.DODGE_WINDOW


@kernel
def interrupt(g, f, o):
    """Run the state's interrupt list."""
    kind = STATES[f.character, f.action].interrupts
    if kind == Interrupts.NONE:
        return
    if kind == Interrupts.WAIT:
        wait_list(g, f)
    elif kind == Interrupts.FALL or kind == Interrupts.JUMP:
        air_list(g, f, True)
    elif kind == Interrupts.WALK:
        walk_list(g, f)
    elif kind == Interrupts.DASH:
        dash_list(g, f)
    elif kind == Interrupts.RUN:
        run_list(g, f)
    elif kind == Interrupts.TURN:
        turn_list(g, f)
    elif kind == Interrupts.TURN_RUN:
        moves.try_jump(f, moves.RUNNING_JUMP_STICK)
    elif kind == Interrupts.RUN_BRAKE:
        run_brake_list(f)
    elif kind == Interrupts.KNEE_BEND:
        knee_bend_list(g, f)
    elif kind == Interrupts.LANDING:
        landing_list(g, f)
    elif kind == Interrupts.SQUAT:
        squat_list(g, f)
    elif kind == Interrupts.SQUAT_WAIT:
        squat_wait_list(g, f)
    elif kind == Interrupts.SQUAT_RV:
        squat_rise_list(g, f)
    elif kind == Interrupts.AERIAL:
        if attacks.interruptible(f):
            air_list(g, f, True)
    elif kind == Interrupts.ATTACK:
        if attacks.interruptible(f):
            wait_list(g, f)
    elif kind == Interrupts.JAB:
        if not attacks.try_next_jab(g, f) and attacks.interruptible(f):
            wait_list(g, f)
    elif kind == Interrupts.ATTACK_DASH:
        attack_dash_list(g, f)
    else:
        rare_interrupt(g, f, o, kind)


@kernel
def attack_dash_list(g, f):
    """A dash attack turns into a dash grab on its first frames."""
    if f.age <= np.float32(4) and (f.pressed & LR) != 0:
        attacks.enter_attack(g, f, attacks.DASH_CATCH)
    elif attacks.interruptible(f):
        wait_list(g, f)


@kernel
def rare_interrupt(g, f, o, kind):
    """Lists of states that are not part of plain movement."""
    if kind == Interrupts.GUARD:
        guard_list(g, f)
    elif kind == Interrupts.GUARD_OFF:
        guard_off_list(g, f)
    elif kind == Interrupts.DAMAGE:
        if can_act(f):
            if jump_remembered(f):
                f.pressed |= XY
            if f.airborne != 0:
                air_list(g, f, True)
            else:
                wait_list(g, f)
        else:
            meteor_list(g, f)
    elif kind == Interrupts.DAMAGE_FLY:
        if can_act(f):
            air_list(g, f, False)
        else:
            meteor_list(g, f)
    elif kind == Interrupts.DAMAGE_FALL:
        if not air_list(g, f, False):
            wiggle_out(g, f)
    elif kind == Interrupts.DOWN_WAIT:
        down_wait_interrupts(g, f)
    elif kind == Interrupts.CATCH_WAIT:
        catch_wait_interrupts(g, f, o)
    elif kind == Interrupts.OTTOTTO:
        ottotto_list(g, f)
    elif kind == Interrupts.CLIFF_WAIT:
        cliff_interrupts(g, f)
    elif kind == Interrupts.REBIRTH_WAIT:
        rebirth_list(g, f)
    elif kind == Interrupts.FALL_LATE:
        if f.age >= np.float32(10):
            air_list(g, f, True)
    elif kind == Interrupts.PEACH_FLOAT and specials.try_air(g, f):
        return
    elif kind >= Interrupts.BLASTER:
        own_states.own_interrupts(g, f, kind)


@kernel
def meteor_list(g, f):
    """In the hitstun of a meteor hit an up special or air jump cancels the knockback; else a jump is remembered."""
    if meteor_ready(f) and (specials.try_up(g, f) or moves.try_air_jump(f)):
        f.kx = ZERO
        f.ky = ZERO
    elif moves.jump_input(f, moves.JUMP_STICK) != 0:
        f.var_i[2] = f.hitstun


@kernel
def ottotto_list(g, f):
    """Teetering: as standing, but a walk off the edge needs more stick."""
    if f.stick_x * f.facing > ZERO and f.stick_x * f.facing < TEETER_STICK:
        stick = f.stick_x
        f.stick_x = ZERO
        wait_list(g, f)
        f.stick_x = stick
    else:
        wait_list(g, f)


@kernel
def rebirth_list(g, f):
    """On the respawn platform any action, or enough stick, ends the wait."""
    if air_list(g, f, True):
        leave_platform(f)
        return
    moved = f.stick_x != ZERO or f.stick_y < moves.SQUAT_STICK or (f.held & LR) != 0
    if moved or (f.pressed & TAUNT_BUTTON) != 0:
        enter_wait_or_fall(f)
        leave_platform(f)


@kernel
def leave_platform(f):
    """Protect the fighter that left its respawn platform."""
    f.invincible = RESPAWN_INVINCIBILITY
    f.sub_steps = 1
