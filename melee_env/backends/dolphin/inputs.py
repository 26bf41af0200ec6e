"""Controllers of the project as commands of a libmelee controller."""

from __future__ import annotations

import melee
import numpy as np

from melee_env.controller import STICK_STEPS, TRIGGER_STEPS, Button, encode_stick, encode_trigger

_BUTTONS = {
    Button.A: melee.Button.BUTTON_A,
    Button.B: melee.Button.BUTTON_B,
    Button.X: melee.Button.BUTTON_X,
    Button.Y: melee.Button.BUTTON_Y,
    Button.Z: melee.Button.BUTTON_Z,
    Button.L: melee.Button.BUTTON_L,
    Button.R: melee.Button.BUTTON_R,
    Button.START: melee.Button.BUTTON_START,
    Button.D_UP: melee.Button.BUTTON_D_UP,
    Button.D_DOWN: melee.Button.BUTTON_D_DOWN,
    Button.D_LEFT: melee.Button.BUTTON_D_LEFT,
    Button.D_RIGHT: melee.Button.BUTTON_D_RIGHT,
}
Held = tuple[int, int, int, int, int, int, int]
"""Main stick, C-stick (steps), left and right trigger (steps), button mask."""


def held_by(controller: np.void) -> Held:
    """Return what a hand does on a controller of the project.

    The raw stick bytes count where there are any; a recording of an old version has only the processed values.
    """
    main = (int(controller["raw_x"]), int(controller["raw_y"]))
    if main == (0, 0):
        main = (int(encode_stick(controller["stick_x"])), int(encode_stick(controller["stick_y"])))
    c_stick = (int(controller["raw_cx"]), int(controller["raw_cy"]))
    if c_stick == (0, 0):
        c_stick = (int(encode_stick(controller["cstick_x"])), int(encode_stick(controller["cstick_y"])))
    left, right = int(encode_trigger(controller["trigger_l"])), int(encode_trigger(controller["trigger_r"]))
    return (*main, *c_stick, left, right, int(controller["buttons"]))


class PadWriter:
    """Writes what changed to a pipe.

    Args:
        controller: libmelee's controller, connected.
    """

    def __init__(self, controller: melee.Controller) -> None:
        self._controller = controller
        self._held: Held = (0,) * 7

    def release(self) -> None:
        """Put the controller at rest; menus move it behind our back, so everything is written."""
        self._controller.release_all()
        self._held = (0,) * 7

    def hold(self, held: Held) -> None:
        """Write what differs from before."""
        before, self._held = self._held, held
        if held[:2] != before[:2]:
            self._tilt(melee.Button.BUTTON_MAIN, *held[:2])
        if held[2:4] != before[2:4]:
            self._tilt(melee.Button.BUTTON_C, *held[2:4])
        if held[4] != before[4]:
            self._controller.press_shoulder(melee.Button.BUTTON_L, held[4] / TRIGGER_STEPS)
        if held[5] != before[5]:
            self._controller.press_shoulder(melee.Button.BUTTON_R, held[5] / TRIGGER_STEPS)
        changed = held[6] ^ before[6]
        if changed:
            for mask, button in _BUTTONS.items():
                if changed & mask:
                    press = (
                        self._controller.press_button if held[6] & mask else self._controller.release_button
                    )
                    press(button)

    def _tilt(self, stick: melee.Button, across: int, up: int) -> None:
        span = 2 * STICK_STEPS
        self._controller.tilt_analog(stick, across / span + 0.5, up / span + 0.5)

    def flush(self) -> None:
        """Let what was written count."""
        self._controller.flush()
