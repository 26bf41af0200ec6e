"""A gamepad in the place of a GameCube controller, through SDL's names, which are the same for every known pad."""

from __future__ import annotations

from typing import Any

from melee_env.controller import Button, Controllers, make_controllers
from melee_env.errors import BackendError, OptionError
from melee_env.rendering.canvas import load_pygame

FULL_AXIS = 32767
CLICK = 0.9
"""pull of a trigger from which on it counts as pressed through"""
BUTTONS = {
    "A": Button.A,
    "X": Button.B,
    "B": Button.X,
    "Y": Button.Y,
    "RIGHTSHOULDER": Button.Z,
    "LEFTSHOULDER": Button.L,
    "START": Button.START,
    "DPAD_UP": Button.D_UP,
}
"""SDL names buttons by their place: A below, B right, X left, Y above."""


class Gamepad:
    """One connected gamepad.

    Args:
        number: which of the connected gamepads, from 0.

    Raises:
        BackendError: no such gamepad is connected.
    """

    def __init__(self, number: int = 0) -> None:
        self._pygame = load_pygame()
        from pygame._sdl2 import controller

        controller.init()
        found = [k for k in range(controller.get_count()) if controller.is_controller(k)]
        if number >= len(found):
            there = f"{len(found)} connected" if found else "none is connected"
            raise BackendError(f"gamepad {number + 1} is not there ({there}); plug it in, or play as 'human'")
        self._pad = controller.Controller(found[number])

    def read(self) -> Controllers:
        """Return the controller ``[]`` that the pad is held to now."""
        return read_pad(self._pygame, self._pad)

    def close(self) -> None:
        """Let the pad go."""
        self._pad.quit()


def read_pad(pygame: Any, pad: Any) -> Controllers:
    """Return the controller ``[]`` of an SDL pad; sticks point up for positive values, as the game has them."""

    def axis(name: str) -> float:
        return max(-1.0, pad.get_axis(getattr(pygame, f"CONTROLLER_AXIS_{name}")) / FULL_AXIS)

    buttons = 0
    for name, button in BUTTONS.items():
        if pad.get_button(getattr(pygame, f"CONTROLLER_BUTTON_{name}")):
            buttons |= button
    left, right = axis("TRIGGERLEFT"), axis("TRIGGERRIGHT")
    buttons |= Button.L if left >= CLICK else 0
    buttons |= Button.R if right >= CLICK else 0
    return make_controllers(
        stick_x=axis("LEFTX"),
        stick_y=-axis("LEFTY"),
        cstick_x=axis("RIGHTX"),
        cstick_y=-axis("RIGHTY"),
        trigger=max(left, right, 0.0),
        buttons=buttons,
    )


def gamepad_number(player: str) -> int | None:
    """Return which gamepad a player's name means (``gamepad``, ``gamepad:2``), None for other names.

    Raises:
        OptionError: a gamepad without a sensible number.
    """
    name, _, number = player.partition(":")
    if name != "gamepad":
        return None
    if number and not (number.isascii() and number.isdigit() and int(number) > 0):
        raise OptionError(f"{player!r}: gamepads are numbered from 1, e.g. gamepad:2")
    return int(number or 1) - 1
