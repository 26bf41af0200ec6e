"""The main menu: down to Vs. mode or to the online modes."""

from __future__ import annotations

from collections.abc import Mapping

from melee_env.controller import Button
from melee_env.virtual_dolphin.menu_event import MenuState, Scene
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, axis

MAIN, ONE_PLAYER, VERSUS, ONLINE = 0, 1, 2, 8
"""Submenu numbers."""
ENTRIES = {MAIN: 5, ONE_PLAYER: 5, VERSUS: 5, ONLINE: 4}
DIRECT = 2
"""Entry of direct online play."""


class MainMenu:
    """One entry further per push of the stick; A enters, B goes back."""

    def __init__(self) -> None:
        self.state = MenuState(Scene.MAIN_MENU)
        self._before: dict[int, Pad] = {}

    def advance(self, pads: Mapping[int, Pad]) -> str | None:
        """Take one frame of input; returns ``"versus"`` or ``"direct"`` when such a mode is entered."""
        chosen = None
        for port, pad in pads.items():
            before = self._before.get(port, NEUTRAL)
            pressed = pad.buttons & ~before.buttons
            push = axis(pad.y) if not axis(before.y) else 0.0
            if pressed & Button.A:
                chosen = self._enter() or chosen
            elif pressed & Button.B:
                self._open(MAIN)
            elif push:
                entries = ENTRIES[self.state.submenu]
                self.state.selection = (self.state.selection + (1 if push < 0 else -1)) % entries
            self._before[port] = pad
        return chosen

    def _enter(self) -> str | None:
        match self.state.submenu, self.state.selection:
            case (0, 0):
                self._open(ONE_PLAYER)
            case (0, 1):
                self._open(VERSUS)
            case (1, 2):
                self._open(ONLINE)
            case (2, 0):
                return "versus"
            case (8, 2 | 3):
                return "direct"
        return None

    def _open(self, submenu: int) -> None:
        self.state.submenu, self.state.selection = submenu, 0
