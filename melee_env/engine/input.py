"""Step 3, first half: the controller becomes sticks, buttons and timers.

Source: doldecomp/melee ft/fighter.c 8006AD10. Runs on every frame, also in hitlag, where new button
presses stay "pressed" until hitlag ends. UCF looks at the raw stick bytes of the last three frames.
"""

from __future__ import annotations

import numpy as np

from melee_env.controller import ANY_TRIGGER, Button
from melee_env.engine.kernel import kernel
from melee_env.engine.state import LONG_AGO
from melee_env.frame import FIRST_CONTROLLABLE_FRAME

A = np.uint32(Button.A)
B = np.uint32(Button.B)
XY = np.uint32(Button.X | Button.Y)
L_OR_R = np.uint32(Button.L | Button.R)
LR = np.uint32(ANY_TRIGGER)
D_PAD_UP = np.uint32(Button.D_UP)

DEAD_ZONE = np.float32(0.28)  # x000, x004
TRIGGER_DEAD_ZONE = np.float32(0.3)  # x010
FLICK = np.float32(0.25)  # x008, x00C: crossing it restarts a tilt timer
TRIGGER_FLICK = np.float32(0.25)  # x018
NEVER = 255
GATE, NOTCH = 80, 6
"""UCF 0.84: raw stick steps that are full, and steps beside an axis that still count as on it"""
FAST_FLICK = 75
"""UCF: raw stick steps in two frames, beyond which a flick is fast"""
ZERO = np.float32(0)
ONE = np.float32(1)


@kernel
def tilt_timer(timer, now, before):
    """Return the next value of a tilt timer: frames since ``now`` crossed ±0.25, 254 inside."""
    if now >= FLICK:
        return min(timer + 1, LONG_AGO) if before >= FLICK else 0
    if now <= -FLICK:
        return min(timer + 1, LONG_AGO) if before <= -FLICK else 0
    return LONG_AGO


@kernel
def outside(value, dead_zone):
    """Return ``value``, or zero inside the dead zone."""
    return ZERO if abs(value) <= dead_zone else value


@kernel
def flicked(f):
    """Tell whether the stick moved fast to the side over the last two frames (UCF)."""
    travel = f.raw_x[0] - f.raw_x[2]
    return travel * travel > FAST_FLICK * FAST_FLICK


@kernel
def remember_sticks(f):
    """Keep this frame's sticks and trigger for the next one's comparison."""
    f.prev_stick_x = f.stick_x
    f.prev_stick_y = f.stick_y
    f.prev_cstick_x = f.cstick_x
    f.prev_cstick_y = f.cstick_y
    f.prev_trigger = f.trigger


@kernel
def silence(f):
    """Let sticks, trigger and presses rest."""
    f.pressed = np.uint32(0)
    f.stick_x = ZERO
    f.stick_y = ZERO
    f.cstick_x = ZERO
    f.cstick_y = ZERO
    f.trigger = ZERO


@kernel
def read_controller(f, c, frame, cardinals):
    """Take over controller ``c`` of frame number ``frame``.

    Before the fighters may be controlled the timers run already, but no stick moves them. With ``cardinals``
    (UCF 0.84) a stick at the gate within six steps of an axis counts as full and straight.
    """
    if frame > FIRST_CONTROLLABLE_FRAME:
        remember_sticks(f)
    before = f.held
    for i in range(2, 0, -1):
        f.raw_x[i] = f.raw_x[i - 1]
        f.raw_y[i] = f.raw_y[i - 1]
    f.raw_x[0] = c.raw_x
    f.raw_y[0] = c.raw_y
    f.stick_x = outside(c.stick_x, DEAD_ZONE)
    f.stick_y = outside(c.stick_y, DEAD_ZONE)
    if cardinals:
        if abs(c.raw_x) >= GATE and abs(c.raw_y) <= NOTCH and f.stick_y == ZERO:
            f.stick_x = ONE if c.raw_x > 0 else -ONE
        elif abs(c.raw_y) >= GATE and abs(c.raw_x) <= NOTCH and f.stick_x == ZERO:
            f.stick_y = ONE if c.raw_y > 0 else -ONE
    f.cstick_x = outside(c.cstick_x, DEAD_ZONE)
    f.cstick_y = outside(c.cstick_y, DEAD_ZONE)
    f.trigger = outside(c.trigger, TRIGGER_DEAD_ZONE)
    f.held = c.processed_buttons
    fresh = f.held & ~before
    f.pressed = (f.pressed | fresh) if f.hitlag > 0 else fresh

    f.flick_x = min(f.flick_x + 1, LONG_AGO)
    if abs(f.stick_x) >= FLICK and not f.prev_stick_x * f.stick_x >= FLICK * FLICK:
        f.flick_x = 0
        f.flick_side = 1 if f.stick_x > ZERO else -1
    f.tilt_x = tilt_timer(f.tilt_x, f.stick_x, f.prev_stick_x)
    f.tilt_y = tilt_timer(f.tilt_y, f.stick_y, f.prev_stick_y)
    if f.trigger >= TRIGGER_FLICK:
        f.trigger_timer = min(f.trigger_timer + 1, LONG_AGO) if f.prev_trigger >= TRIGGER_FLICK else 0
    else:
        f.trigger_timer = LONG_AGO
    f.shield_press = 0 if (f.pressed & LR) != 0 else min(f.shield_press + 1, NEVER)
    if (f.pressed & L_OR_R) != 0:
        f.lr_before = f.lr_press
        f.lr_press = 0
    else:
        f.lr_press = min(f.lr_press + 1, NEVER)
    if frame < FIRST_CONTROLLABLE_FRAME:
        remember_sticks(f)
        silence(f)


@kernel
def reset_input(f):
    """Forget all input, as at the start of a game and after a death."""
    f.tilt_x = LONG_AGO
    f.tilt_y = LONG_AGO
    f.flick_x = LONG_AGO
    f.trigger_timer = LONG_AGO
    f.shield_press = NEVER
    f.lr_press = NEVER
    f.lr_before = NEVER
    f.held = np.uint32(0)
    silence(f)
