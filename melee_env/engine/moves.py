"""Interrupt checks that start movement: walking, dashing, turning, jumping, crouching, dodging.

Each ``try_…`` looks at this frame's input, enters the state and returns True, or returns False.
Conditions: doldecomp/melee ft/chara/ftCommon/; thresholds: data/common.csv.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters import multi_jump
from melee_env.engine.input import L_OR_R, LR, XY
from melee_env.engine.kernel import kernel
from melee_env.engine.stages import STAGE_LINES
from melee_env.engine.state import ECB_LOCK, LONG_AGO, NO_LINE
from melee_env.engine.states import STATES, Physics
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter, enter_at, leave_ground
from melee_env.engine.trig import atan2f, cosf, sinf

ZERO = np.float32(0)
ONE = np.float32(1)
WALK_STICK = np.float32(0.18)  # x024
DASH_STICK = np.float32(0.8)  # x03C
DASH_WINDOW = 2  # x040
DASH_LOSS = np.float32(0.75)  # x054
JUMP_STICK = np.float32(0.6625)  # x070
JUMP_WINDOW = 4  # x074
RUNNING_JUMP_STICK = np.float32(0.5625)  # x080
SHORT_HOP_STICK = np.float32(0.3)  # x07C
BACK_JUMP_STICK = np.float32(-0.25)
BACK_AIR_JUMP_STICK = np.float32(-0.3)
SQUAT_STICK = np.float32(-0.6875)  # x090
RISE_STICK = np.float32(-0.625)  # x094
DROP_STICK = np.float32(-0.66)  # x464
DROP_WINDOW = 6  # x468
DROP_SPEED = np.float32(-0.5)  # x46C
DROP_DELAY = 2
DODGE_STICK = np.float32(0.7)  # x314, x31C
DODGE_WINDOW = 4  # x318, x320
AIR_DODGE_DEAD_ZONE = np.float32(0.25)  # x32C, x330
AIR_DODGE_SPEED = np.float32(3.1)  # x338

WALK_SLOW, TURN, TURN_RUN, DASH, RUN, RUN_BRAKE = 15, 18, 19, 20, 21, 23
KNEE_BEND, JUMP_F, JUMP_B, JUMP_AERIAL_F, JUMP_AERIAL_B = 24, 25, 26, 27, 28
FALL, SQUAT, SQUAT_WAIT, SQUAT_RV = 29, 39, 40, 41
ESCAPE_F, ESCAPE_B, ESCAPE, ESCAPE_AIR, PASS = 233, 234, 235, 236, 244


@kernel
def enter_walk(f, start):
    """Walk at the class that the speed asks for, from animation frame ``start``."""
    limit = ATTRIBUTES[f.character].walk_max
    speed = abs(f.gv)
    action = WALK_SLOW
    if speed >= np.float32(np.float32(0.8) * limit):  # x02C
        action = WALK_SLOW + 2
    elif speed >= np.float32(np.float32(0.4) * limit):  # x028
        action = WALK_SLOW + 1
    enter_at(f, action, start, ONE)


@kernel
def try_walk(f):
    """Stick forward."""
    if f.stick_x * f.facing >= WALK_STICK:
        enter_walk(f, ZERO)
        return True
    return False


@kernel
def enter_turn(f, frames, dash_facing):
    """Turn round after ``frames`` frames; ``dash_facing`` not 0 dashes out of it."""
    f.var_f[0] = np.float32(-f.facing)
    f.var_f[1] = frames
    f.var_f[2] = dash_facing
    f.var_i[0] = 0  # has turned
    f.var_i[1] = 0  # turned on this frame
    f.var_i[2] = 0  # buttons remembered for the frame of the turn
    enter(f, TURN)


@kernel
def try_turn(f):
    """Stick backward, any deflection."""
    if f.stick_x * f.facing < ZERO:
        enter_turn(f, ATTRIBUTES[f.character].standing_turn_frames, ZERO)
        return True
    return False


@kernel
def lose_dash_speed(f):
    """Give up three quarters of the speed, as leaving a dash by most actions does."""
    f.gv = np.float32(f.gv - np.float32(f.gv * DASH_LOSS))


@kernel
def enter_dash(f, from_check):
    """Dash with its impulse: replaces speed along the facing, adds to speed against it."""
    impulse = np.float32(f.facing * ATTRIBUTES[f.character].dash_init_vel)
    if f.gv * f.facing >= ZERO:
        impulse = np.float32(impulse - f.gv)
    enter(f, DASH)
    f.ground_impulse = impulse
    f.var_i[0] = from_check
    f.var_i[1] = 1  # first frame
    f.tilt_x = LONG_AGO


@kernel
def try_dash(f):
    """A flick to the full stick: forward dashes, backward is a smash turn."""
    if abs(f.stick_x) >= DASH_STICK and f.tilt_x < DASH_WINDOW:
        if f.stick_x * f.facing >= ZERO:
            enter_dash(f, 1)
        else:
            enter_turn(f, ZERO, f.facing)
        return True
    return False


@kernel
def jump_input(f, stick):
    """Return 0 without jump input, 1 for the stick beyond ``stick``, 2 for a button."""
    if f.stick_y >= stick and f.tilt_y < JUMP_WINDOW:
        return 1
    return 2 if (f.pressed & XY) != 0 else 0


@kernel
def try_jump(f, stick):
    """Jump squat by stick (beyond ``stick``) or button."""
    source = jump_input(f, stick)
    if source == 0:
        return False
    squat_to_jump(f, source)
    return True


@kernel
def squat_to_jump(f, source):
    """Begin a jump squat that the stick (1), a button (2) or the C-stick (3) asked for."""
    enter(f, KNEE_BEND)
    f.var_i[0] = 0  # short hop
    f.var_i[1] = source


@kernel
def try_c_stick_jump(f):
    """Jump squat by the C-stick, out of a shield only."""
    if f.cstick_y < JUMP_STICK:
        return False
    squat_to_jump(f, 3)
    return True


@kernel
def check_short_hop(f):
    """A jump squat frame on which the jump input is gone makes it a short hop."""
    if f.var_i[1] == 2:
        if (f.held & XY) == 0:
            f.var_i[0] = 1
    elif (f.cstick_y if f.var_i[1] == 3 else f.stick_y) < SHORT_HOP_STICK:
        f.var_i[0] = 1


@kernel
def leave_jump_squat(f):
    """The ground jump itself, with the stick of the frame before."""
    attributes = ATTRIBUTES[f.character]
    vx = np.float32(
        np.float32(f.vx * attributes.ground_to_air_mult) + np.float32(f.stick_x * attributes.jump_h_init)
    )
    limit = attributes.jump_h_max
    vx = min(max(vx, np.float32(-limit)), limit)
    vy = attributes.short_hop_v if f.var_i[0] != 0 else attributes.jump_v_init
    back = f.stick_x * f.facing < BACK_JUMP_STICK
    leave_ground(f)
    enter(f, JUMP_B if back else JUMP_F)
    f.vx = vx
    f.vy = vy
    f.var_i[0] = 0
    f.tilt_y = LONG_AGO


@kernel
def try_air_jump(f):
    """Double jump by stick or button while jumps are left."""
    return air_jump(f, jump_input(f, JUMP_STICK) != 0)


@kernel
def air_jump(f, asked):
    """Double jump while jumps are left, if it was ``asked`` for."""
    if multi_jump.jumps_so(f):
        return multi_jump.try_multi_jump(f, asked)
    attributes = ATTRIBUTES[f.character]
    if f.jumps_used >= attributes.max_jumps or not asked:
        return False
    back = f.stick_x * f.facing <= BACK_AIR_JUMP_STICK
    enter(f, JUMP_AERIAL_B if back else JUMP_AERIAL_F)
    f.vx = np.float32(f.stick_x * attributes.double_jump_h_mult)
    if STATES[f.character, f.action].physics == Physics.JUMP_PATH:
        f.vy = ZERO
    else:
        f.vy = np.float32(attributes.jump_v_init * attributes.double_jump_v_mult)
    f.jumps_used = max(2, f.jumps_used + 1)
    f.ecb_lock = ECB_LOCK
    f.tilt_y = LONG_AGO
    return True


@kernel
def try_air_dodge(f):
    """L or R in the air: a burst along the stick."""
    if (f.pressed & L_OR_R) == 0:
        return False
    x = f.stick_x
    y = f.stick_y
    enter(f, ESCAPE_AIR)
    if abs(x) < AIR_DODGE_DEAD_ZONE and abs(y) < AIR_DODGE_DEAD_ZONE:
        f.vx = ZERO
        f.vy = ZERO
    else:
        angle = atan2f(y, x)
        f.vx = np.float32(AIR_DODGE_SPEED * cosf(angle))
        f.vy = np.float32(AIR_DODGE_SPEED * sinf(angle))
    return True


@kernel
def on_platform(g, f):
    """Tell whether the floor under the fighter can be dropped through."""
    return f.ground != NO_LINE and STAGE_LINES[g.slot, f.ground].drop_through != 0


@kernel
def drop_through(f):
    """Fall through the platform."""
    leave_ground(f)
    enter(f, PASS)
    pass_platform(f)


@kernel
def pass_platform(f):
    """Sink through the floor line that was just left, in whatever state."""
    limit = ATTRIBUTES[f.character].air_max_drift
    f.vx = min(max(f.vx, np.float32(-limit)), limit)
    f.vy = DROP_SPEED
    f.floor_skip = f.ground
    f.tilt_y = LONG_AGO


@kernel
def drop_input(f):
    """Tell whether the stick was flicked down far enough to drop."""
    return f.stick_y <= DROP_STICK and f.tilt_y < DROP_WINDOW


@kernel
def try_squat(f):
    """Stick down."""
    if f.stick_y < SQUAT_STICK:
        enter(f, SQUAT)
        f.var_i[0] = 0  # platform drop counter
        return True
    return False


@kernel
def try_squat_drop(g, f):
    """Arm a platform drop in a crouch and perform it two frames later."""
    if f.var_i[0] > 0:
        f.var_i[0] -= 1
        if f.var_i[0] == 0:
            drop_through(f)
            return True
    elif drop_input(f) and on_platform(g, f):
        f.var_i[0] = DROP_DELAY
    return False


@kernel
def flicked_down(f):
    """Tell whether the stick was flicked down far enough for a spot dodge."""
    return f.stick_y <= -DODGE_STICK and f.tilt_y < DODGE_WINDOW


@kernel
def try_spot_dodge(f):
    """Shield held and the stick flicked down."""
    if (f.held & LR) != 0 and flicked_down(f):
        enter(f, ESCAPE)
        return True
    return False


@kernel
def try_roll(f):
    """A side flick out of shield, or the C-stick held to a side."""
    x = f.stick_x
    if not (abs(x) >= DODGE_STICK and f.tilt_x < DODGE_WINDOW):
        x = f.cstick_x
        if abs(x) < DODGE_STICK:
            return False
    enter(f, ESCAPE_F if x * f.facing >= ZERO else ESCAPE_B)
    f.var_f[0] = f.facing
    return True
