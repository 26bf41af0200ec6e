"""Elementary movement: friction, acceleration to a target, gravity, drift.

Source: doldecomp/melee ft/ftcommon.c; checked on recorded frames (exact shares in docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.tables import ATTRIBUTES, ROOT_DX, ROOT_DY, ROOT_SPAN
from melee_env.engine.trig import cosf, sinf

ZERO = np.float32(0)
FAST_FALL_STICK = np.float32(-0.6625)  # x088
FAST_FALL_WINDOW = 4  # x08C
OVER_SPEED_DECAY = np.float32(0.03)  # x1FC


@kernel
def ground_friction(f, amount):
    """Set the ground acceleration that takes ``amount`` off the speed, down to a stop."""
    if amount > abs(f.gv):
        f.ground_accel = np.float32(-f.gv)
    elif f.gv > ZERO:
        f.ground_accel = np.float32(-amount)
    else:
        f.ground_accel = amount


@kernel
def limited(speed, acceleration, target, friction, limit):
    """Return the acceleration that approaches ``target`` and sheds over-speed by ``friction``."""
    if speed * acceleration >= ZERO:
        if acceleration > ZERO:
            if np.float32(speed + acceleration) > target:
                acceleration = np.float32(-friction)
                if np.float32(speed + acceleration) < target:
                    acceleration = np.float32(target - speed)
                if np.float32(speed + acceleration) > limit:
                    acceleration = np.float32(limit - speed)
        elif np.float32(speed + acceleration) < target:
            acceleration = friction
            if np.float32(speed + acceleration) > target:
                acceleration = np.float32(target - speed)
            if np.float32(speed + acceleration) < -limit:
                acceleration = np.float32(-limit - speed)
    return acceleration


@kernel
def to_target(f, acceleration, target, friction):
    """Set the ground acceleration toward a target speed; a target of zero is friction."""
    if target == ZERO:
        ground_friction(f, friction)
    else:
        limit = ATTRIBUTES[f.character].ground_max_h
        f.ground_accel = limited(f.gv, acceleration, target, friction, limit)


@kernel
def ground_move(f):
    """Turn ground speed and acceleration into vectors along the floor."""
    f.accel_x = np.float32(f.normal_y * f.ground_accel)
    f.accel_y = np.float32(-f.normal_x * f.ground_accel)
    f.vx = np.float32(f.normal_y * f.gv)
    f.vy = np.float32(-f.normal_x * f.gv)


@kernel
def air_friction(f, amount):
    """Set the air acceleration that takes ``amount`` off the horizontal speed."""
    if amount >= abs(f.vx):
        f.accel_x = np.float32(-f.vx)
    elif f.vx > ZERO:
        f.accel_x = np.float32(-amount)
    else:
        f.accel_x = amount


@kernel
def air_drift(f, max_drift):
    """Set the air acceleration that the stick asks for, toward at most ``max_drift``."""
    attributes = ATTRIBUTES[f.character]
    target = np.float32(f.stick_x * max_drift)
    if target == ZERO:
        air_friction(f, attributes.air_friction)
        return
    base = attributes.air_accel_base
    acceleration = np.float32(f.stick_x * attributes.air_accel_stick)
    acceleration = np.float32(acceleration + (base if f.stick_x > ZERO else -base))
    f.accel_x = limited(f.vx, acceleration, target, attributes.air_friction, attributes.air_max_h)


@kernel
def steer(f, acceleration, drift):
    """Set the air acceleration of a move with its own steering: toward ``drift`` times the stick."""
    attributes = ATTRIBUTES[f.character]
    target = np.float32(f.stick_x * drift)
    if target == ZERO:
        air_friction(f, attributes.air_friction)
    else:
        change = np.float32(f.stick_x * acceleration)
        f.accel_x = limited(f.vx, change, target, attributes.air_friction, attributes.air_max_h)


@kernel
def steer_stop(f, acceleration, drift):
    """Like :func:`steer`, but the speed never passes its target and stops with the stick."""
    target = np.float32(f.stick_x * drift)
    change = np.float32(f.stick_x * acceleration)
    if target == ZERO:
        change = np.float32(-f.vx)
    elif not f.vx * change < ZERO:
        reached = np.float32(f.vx + change)
        if (change > ZERO and reached > target) or (change <= ZERO and reached < target):
            change = np.float32(target - f.vx)
    f.accel_x = change


@kernel
def helpless_drift(f, share):
    """Drift of a helpless fall, toward at most ``share`` of the fighter's drift speed."""
    attributes = ATTRIBUTES[f.character]
    limit = np.float32(attributes.air_max_drift * share)
    target = np.float32(f.stick_x * attributes.air_max_drift)
    if target == ZERO:
        air_friction(f, attributes.air_friction)
        return
    base = attributes.air_accel_base
    change = np.float32(f.stick_x * attributes.air_accel_stick)
    change = np.float32(change + (base if f.stick_x > ZERO else -base))
    target = min(max(target, np.float32(-limit)), limit)
    f.accel_x = limited(f.vx, change, target, attributes.air_friction, attributes.air_max_h)


@kernel
def coast(f):
    """Air friction of states without drift; above the drift maximum the loss is 0.03."""
    attributes = ATTRIBUTES[f.character]
    if abs(f.vx) > attributes.air_max_drift:
        air_friction(f, OVER_SPEED_DECAY)
    else:
        air_friction(f, attributes.air_friction)


@kernel
def fall(f, gravity, terminal):
    """Apply gravity up to the terminal speed."""
    f.vy = np.float32(f.vy - gravity)
    if f.vy < -terminal:
        f.vy = np.float32(-terminal)


@kernel
def fast_fall_check(f):
    """Start a fast fall: already falling, and the stick flicked down."""
    if f.fast_fall == 0 and f.vy < ZERO and f.stick_y <= FAST_FALL_STICK and f.tilt_y < FAST_FALL_WINDOW:
        f.fast_fall = 1
        f.tilt_y = 254


@kernel
def friction(f):
    """Standing friction, doubled above walking speed."""
    attributes = ATTRIBUTES[f.character]
    amount = attributes.ground_friction
    if abs(f.gv) > attributes.walk_max:
        amount = np.float32(amount * np.float32(2))
    ground_friction(f, amount)
    ground_move(f)


@kernel
def root_motion(f):
    """Let the animation drive the ground speed; without table rows this is friction."""
    row, count = ROOT_SPAN[f.character, f.action]
    index = int(f.age)
    if count == 0:
        friction(f)
        return
    step = ROOT_DX[row + index] if index < count else ZERO
    f.ground_accel = np.float32(np.float32(step * f.facing) - f.gv)
    ground_move(f)


@kernel
def air_step(f):
    """Fast-fall check, gravity, drift."""
    fast_fall_check(f)
    attributes = ATTRIBUTES[f.character]
    if f.fast_fall != 0:
        f.vy = np.float32(-attributes.fast_fall_vel)
    else:
        fall(f, attributes.gravity, attributes.terminal_vel)
    air_drift(f, attributes.air_max_drift)


@kernel
def root_step(f):
    """Return how far the animation moves on this frame, forward and up."""
    row, count = ROOT_SPAN[f.character, f.action]
    index = int(f.age)
    if index < 0 or index >= count:
        return ZERO, ZERO
    return ROOT_DX[row + index], ROOT_DY[row + index]


@kernel
def root_air(f):
    """Let the animation drive both speeds in the air."""
    forward, up = root_step(f)
    f.vx = np.float32(forward * f.facing)
    f.vy = up


@kernel
def tilted_root(f, angle):
    """Let the animation drive both speeds in the air, turned by ``angle`` (radians)."""
    forward, up = root_step(f)
    forward = np.float32(forward * f.facing)
    cosine = cosf(angle)
    sine = sinf(angle)
    f.vx = np.float32(np.float32(forward * cosine) - np.float32(up * sine))
    f.vy = np.float32(np.float32(forward * sine) + np.float32(up * cosine))


@kernel
def coast_down(f):
    """Gravity and air friction, no drift and no fast fall."""
    attributes = ATTRIBUTES[f.character]
    fall(f, attributes.gravity, attributes.terminal_vel)
    air_friction(f, attributes.air_friction)
