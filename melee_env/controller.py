"""The GameCube controller: its grids, its dtype, and exact conversions between them.

A stick byte, once clamped to the circle of radius 80 and divided by 80, is a multiple of 1/80; inside
the dead zone (0.28 per axis) it counts as zero, so the smallest deflection is 23/80. An analog trigger
is a multiple of 1/140 and counts from 43/140 on. Source: doldecomp/melee ft/fighter.c (input half of
the frame), checked on recorded games.
"""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

STICK_STEPS = 80
STICK_DEAD_STEPS = 22
"""Largest stick step that the dead zone 0.28 swallows; 23/80 is the smallest deflection."""
TRIGGER_STEPS = 140
TRIGGER_DEAD_STEPS = 42
"""Largest trigger step that counts as released; 43/140 is the smallest pull."""
Z_TRIGGER = np.float32(0.35)
"""Shield strength that the Z button stands for (common data 0x014)."""


class Button(enum.IntFlag):
    """Physical button masks as Slippi's pre-frame event holds them."""

    D_LEFT = 0x0001
    D_RIGHT = 0x0002
    D_DOWN = 0x0004
    D_UP = 0x0008
    Z = 0x0010
    R = 0x0020
    L = 0x0040
    A = 0x0100
    B = 0x0200
    X = 0x0400
    Y = 0x0800
    START = 0x1000


ANY_TRIGGER = 0x80000000
"""Bit of ``processed_buttons`` that any shield input sets (L, R, Z or an analog pull)."""

CONTROLLER_DTYPE = np.dtype(
    [
        ("stick_x", "f4"),
        ("stick_y", "f4"),
        ("cstick_x", "f4"),
        ("cstick_y", "f4"),
        ("trigger", "f4"),
        ("trigger_l", "f4"),
        ("trigger_r", "f4"),
        ("processed_buttons", "u4"),
        ("buttons", "u2"),
        ("raw_x", "i1"),
        ("raw_y", "i1"),
        ("raw_cx", "i1"),
        ("raw_cy", "i1"),
    ]
)
"""One controller on one frame.

``stick_*``/``cstick_*`` are processed (-1..1, dead zone applied), ``trigger`` is the processed shield
strength (0..1), ``trigger_l/r`` are the physical analog pulls, ``buttons`` the physical mask,
``raw_*`` the stick bytes (-80..80 after the clamp; what UCF looks at).
"""

Controllers = NDArray[np.void]
"""An array of :data:`CONTROLLER_DTYPE` with any shape."""


def clamp_to_gate(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Clamp stick bytes to the circle of radius 80, truncating as the console's pad library does.

    Args:
        x: signed bytes, any shape.
        y: signed bytes of the same shape.

    Returns:
        Clamped integers with ``x**2 + y**2 <= 80**2``.
    """
    xs = np.asarray(x, np.float64)
    ys = np.asarray(y, np.float64)
    length = np.sqrt(xs * xs + ys * ys)
    scale = np.where(length > STICK_STEPS, STICK_STEPS / np.maximum(length, 1.0), 1.0)
    # A product such as 79.999999… must not lose a whole step to truncation.
    return np.trunc(xs * scale + np.sign(xs) * 1e-9).astype(np.int16), np.trunc(
        ys * scale + np.sign(ys) * 1e-9
    ).astype(np.int16)


def decode_stick(steps: ArrayLike) -> NDArray[np.float32]:
    """Turn stick steps (-80..80) into processed values (-1..1) with the per-axis dead zone."""
    integers = np.asarray(steps)
    values = integers.astype(np.float32) / np.float32(STICK_STEPS)
    return np.where(np.abs(integers) <= STICK_DEAD_STEPS, np.float32(0), values).astype(np.float32)


def encode_stick(values: ArrayLike) -> NDArray[np.int16]:
    """Turn processed values (-1..1) into the nearest stick steps (-80..80); inverse of :func:`decode_stick`."""
    scaled = np.clip(np.asarray(values, np.float64), -1.0, 1.0) * STICK_STEPS
    return (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(np.int16)


def decode_trigger(steps: ArrayLike) -> NDArray[np.float32]:
    """Turn trigger steps (0..140) into the processed strength (0..1) with its floor of 43/140."""
    integers = np.asarray(steps)
    values = integers.astype(np.float32) / np.float32(TRIGGER_STEPS)
    return np.where(integers <= TRIGGER_DEAD_STEPS, np.float32(0), values).astype(np.float32)


def encode_trigger(values: ArrayLike) -> NDArray[np.int16]:
    """Turn a pull (0..1) into the nearest trigger steps (0..140); inverse of :func:`decode_trigger`."""
    scaled = np.clip(np.asarray(values, np.float64), 0.0, 1.0) * TRIGGER_STEPS
    return np.floor(scaled + 0.5).astype(np.int16)


def neutral(*shape: int) -> Controllers:
    """Return controllers at rest."""
    return np.zeros(shape, CONTROLLER_DTYPE)


def make_controllers(
    stick_x: ArrayLike = 0.0,
    stick_y: ArrayLike = 0.0,
    cstick_x: ArrayLike = 0.0,
    cstick_y: ArrayLike = 0.0,
    trigger: ArrayLike = 0.0,
    buttons: ArrayLike = 0,
) -> Controllers:
    """Build controllers from what a hand does; arguments broadcast against each other.

    Sticks are rounded to the nearest step, clamped to the gate and given their dead zone; ``trigger``
    is the analog pull of L (0..1); digital L/R belong to ``buttons`` (:class:`Button` masks).

    Returns:
        Controllers whose processed and raw fields agree, of the broadcast shape.
    """
    arrays = np.broadcast_arrays(stick_x, stick_y, cstick_x, cstick_y, trigger, buttons)
    out = np.zeros(arrays[0].shape, CONTROLLER_DTYPE)
    out["raw_x"], out["raw_y"] = clamp_to_gate(encode_stick(arrays[0]), encode_stick(arrays[1]))
    out["raw_cx"], out["raw_cy"] = clamp_to_gate(encode_stick(arrays[2]), encode_stick(arrays[3]))
    for name, raw in (
        ("stick_x", "raw_x"),
        ("stick_y", "raw_y"),
        ("cstick_x", "raw_cx"),
        ("cstick_y", "raw_cy"),
    ):
        out[name] = decode_stick(out[raw])
    out["trigger_l"] = encode_trigger(arrays[4]).astype(np.float32) / np.float32(TRIGGER_STEPS)
    out["buttons"] = arrays[5]
    fill_processed(out)
    return out


def fill_processed(controllers: Controllers) -> None:
    """Compute ``trigger`` and ``processed_buttons`` from the physical fields, in place.

    A digital L or R is a full pull, Z a pull of 0.35 together with A; any pull sets the bit
    :data:`ANY_TRIGGER` (doldecomp/melee ft/fighter.c 8006AD10).
    """
    buttons = controllers["buttons"].astype(np.uint32)
    pull = np.maximum(controllers["trigger_l"], controllers["trigger_r"])
    pull = np.where(pull <= np.float32(0.3), np.float32(0), pull)
    pull = np.where(buttons & (Button.L | Button.R) != 0, np.float32(1), pull)
    z = buttons & Button.Z != 0
    pull = np.where(z & (pull == 0), Z_TRIGGER, pull)
    processed = buttons | np.where(z, np.uint32(Button.A), np.uint32(0))
    processed |= np.where(pull > 0, np.uint32(ANY_TRIGGER), np.uint32(0))
    for name, low, high in (("stick_y", 0x20000, 0x10000), ("stick_x", 0x40000, 0x80000)):
        processed |= np.where(controllers[name] < 0, np.uint32(low), np.uint32(0))
        processed |= np.where(controllers[name] > 0, np.uint32(high), np.uint32(0))
    for name, low, high in (("cstick_y", 0x200000, 0x100000), ("cstick_x", 0x400000, 0x800000)):
        processed |= np.where(controllers[name] < 0, np.uint32(low), np.uint32(0))
        processed |= np.where(controllers[name] > 0, np.uint32(high), np.uint32(0))
    controllers["trigger"] = pull
    controllers["processed_buttons"] = processed
