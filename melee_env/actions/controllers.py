"""``make_controllers`` compiled, for the codecs that round every step."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import (
    ANY_TRIGGER,
    CONTROLLER_DTYPE,
    STICK_DEAD_STEPS,
    STICK_STEPS,
    TRIGGER_STEPS,
    Z_TRIGGER,
    Button,
    Controllers,
)
from melee_env.engine.kernel import entry_point, kernel

A, Z, L_OR_R = np.uint32(Button.A), np.uint32(Button.Z), np.uint32(Button.L | Button.R)
SHIELD = np.uint32(ANY_TRIGGER)
TRIGGER_FLOOR = np.float32(0.3)


@kernel
def rounded(value, steps):
    """Round -1..1 to steps, halves away from the centre."""
    scaled = min(max(value, -1.0), 1.0) * steps
    return np.sign(scaled) * np.floor(abs(scaled) + 0.5)


@kernel
def axis(steps):
    """Return the processed value of a stick step."""
    return np.float32(0) if abs(steps) <= STICK_DEAD_STEPS else np.float32(steps) / np.float32(STICK_STEPS)


@kernel
def direction(value, low, high):
    """Return the bit of a stick that is off its centre."""
    return np.uint32(low) if value < 0 else (np.uint32(high) if value > 0 else np.uint32(0))


@kernel
def clamped(x, y):
    """Clamp steps to the gate, as ``clamp_to_gate`` does."""
    length = np.sqrt(x * x + y * y)
    scale = STICK_STEPS / max(length, 1.0) if length > STICK_STEPS else 1.0
    return np.trunc(x * scale + np.sign(x) * 1e-9), np.trunc(y * scale + np.sign(y) * 1e-9)


@kernel
def press(c, buttons, pull, sticks):
    """Fill buttons and triggers of a controller whose sticks set the bits ``sticks``, as ``fill_processed`` does."""
    strength = pull if pull > TRIGGER_FLOOR else np.float32(0)
    if (buttons & L_OR_R) != 0:
        strength = np.float32(1)
    processed = buttons | sticks
    if (buttons & Z) != 0:
        processed |= A
        if strength == 0:
            strength = Z_TRIGGER
    if strength > 0:
        processed |= SHIELD
    c.trigger_l = pull
    c.trigger_r = np.float32(0)
    c.trigger = strength
    c.buttons = buttons
    c.processed_buttons = processed


@entry_point
def fill_controllers(hands, buttons, out):
    """Fill controllers ``out [N]`` from hands ``[N, 5]`` (stick x, y, C-stick x, y, pull) and buttons ``[N]``."""
    for n in range(hands.shape[0]):
        c = out[n]
        x, y = clamped(rounded(hands[n, 0], STICK_STEPS), rounded(hands[n, 1], STICK_STEPS))
        cx, cy = clamped(rounded(hands[n, 2], STICK_STEPS), rounded(hands[n, 3], STICK_STEPS))
        c.raw_x, c.raw_y, c.raw_cx, c.raw_cy = np.int8(x), np.int8(y), np.int8(cx), np.int8(cy)
        c.stick_x, c.stick_y, c.cstick_x, c.cstick_y = axis(x), axis(y), axis(cx), axis(cy)
        steps = np.floor(min(max(hands[n, 4], 0.0), 1.0) * TRIGGER_STEPS + 0.5)
        pull = np.float32(steps) / np.float32(TRIGGER_STEPS)
        bits = direction(y, 0x20000, 0x10000) if abs(y) > STICK_DEAD_STEPS else np.uint32(0)
        bits |= direction(x, 0x40000, 0x80000) if abs(x) > STICK_DEAD_STEPS else np.uint32(0)
        bits |= direction(cy, 0x200000, 0x100000) if abs(cy) > STICK_DEAD_STEPS else np.uint32(0)
        bits |= direction(cx, 0x400000, 0x800000) if abs(cx) > STICK_DEAD_STEPS else np.uint32(0)
        press(c, np.uint32(buttons[n]), pull, bits)


def controllers_from(hands: NDArray[np.floating], buttons: NDArray[np.integer]) -> Controllers:
    """Return what ``make_controllers`` gives for hands ``[..., 5]`` and button masks ``[...]``, one pass.

    Args:
        hands: main stick x, y, C-stick x, y (-1..1) and the pull of L (0..1).
        buttons: masks of :class:`~melee_env.controller.Button`.
    """
    rows = np.ascontiguousarray(hands, np.float64).reshape(-1, 5)
    out = np.zeros(len(rows), CONTROLLER_DTYPE)
    fill_controllers(rows, np.ascontiguousarray(buttons, np.int64).reshape(-1), out)
    return out.reshape(np.shape(buttons))
