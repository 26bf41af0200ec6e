"""What a controller pipe says: lines that set buttons and sticks, and FLUSH that makes them count."""

from __future__ import annotations

import math
import os
from collections import deque
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from melee_env.controller import (
    CONTROLLER_DTYPE,
    STICK_STEPS,
    TRIGGER_STEPS,
    Button,
    clamp_to_gate,
    decode_stick,
    fill_processed,
)


class Pad(NamedTuple):
    """One controller as the console reads it: stick bytes, trigger bytes (140 is full), button mask."""

    x: int = 0
    y: int = 0
    cx: int = 0
    cy: int = 0
    left: int = 0
    right: int = 0
    buttons: int = 0

    def pressed(self, button: Button) -> bool:
        """Tell whether a button is held."""
        return bool(self.buttons & button)


NEUTRAL = Pad()
_BUTTONS = {button.name: int(button) for button in Button}


@lru_cache(maxsize=1 << 16)
def controller_bytes(pad: Pad) -> bytes:
    """Return what the game makes of a pad: one record of ``CONTROLLER_DTYPE``, as bytes."""
    out = np.zeros((), CONTROLLER_DTYPE)
    out["raw_x"], out["raw_y"] = clamp_to_gate(pad.x, pad.y)
    out["raw_cx"], out["raw_cy"] = clamp_to_gate(pad.cx, pad.cy)
    for name, raw in (
        ("stick_x", "raw_x"),
        ("stick_y", "raw_y"),
        ("cstick_x", "raw_cx"),
        ("cstick_y", "raw_cy"),
    ):
        out[name] = decode_stick(out[raw])
    out["trigger_l"] = np.float32(pad.left) / np.float32(TRIGGER_STEPS)
    out["trigger_r"] = np.float32(pad.right) / np.float32(TRIGGER_STEPS)
    out["buttons"] = pad.buttons
    fill_processed(out)
    return out.tobytes()


class Pipe:
    """The reading end of one FIFO.

    Attributes:
        flushed: pads in the order in which they were flushed.
        closed: the writer came and went.
    """

    def __init__(self, path: Path) -> None:
        # Without a writer a blocking open would wait; O_NONBLOCK reads b"" before the first writer as well.
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._rest = b""
        self._held = dict.fromkeys(Pad._fields, 0)
        self.flushed: deque[Pad] = deque()
        self.closed = False
        self._used = False

    def fileno(self) -> int:
        """Return the file descriptor, for ``select``."""
        return self._fd

    def read(self) -> bool:
        """Take what is there; returns False when there was nothing."""
        try:
            data = os.read(self._fd, 65536)
        except BlockingIOError:
            return False
        if not data:
            self.closed = self._used
            return False
        self._used = True
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._obey(line.decode("ascii", "replace").split())
        return True

    def _obey(self, words: list[str]) -> None:
        match words:
            case ["FLUSH"]:
                self.flushed.append(Pad(**self._held))
            case ["PRESS", name]:
                self._held["buttons"] |= _BUTTONS.get(name, 0)
            case ["RELEASE", name]:
                self._held["buttons"] &= ~_BUTTONS.get(name, 0)
            case ["SET", "MAIN" | "C" as stick, across, up]:
                names = ("x", "y") if stick == "MAIN" else ("cx", "cy")
                for name, text in zip(names, (across, up), strict=True):
                    self._held[name] = stick_byte(float(text))
            case ["SET", "L" | "R" as trigger, amount]:
                self._held["left" if trigger == "L" else "right"] = trigger_byte(float(amount))

    def close(self) -> None:
        """Close the FIFO."""
        os.close(self._fd)


def stick_byte(value: float) -> int:
    """Return the byte of an axis value 0..1 as Dolphin's pipe device reports it: 0.5 is 0, 80 is the gate."""
    return max(-127, min(127, math.floor((value - 0.5) * 254)))


def trigger_byte(value: float) -> int:
    """Return the byte of a trigger value 0..1, full at 140."""
    return max(0, min(TRIGGER_STEPS, math.floor(value * 255)))


def axis(byte: int) -> float:
    """Return a stick byte as -1..1 with the menus' dead zone."""
    return 0.0 if abs(byte) <= 22 else max(-1.0, min(1.0, byte / STICK_STEPS))
