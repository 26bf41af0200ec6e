"""Direct online play: the own account, the character screen with one hand, and the search for a partner.

There is no network behind it: the partner is a player of this program that answers at one code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from melee_env.controller import Button
from melee_env.ids import Character
from melee_env.virtual_dolphin.character_select import (
    EDGE_X,
    EDGE_Y,
    HAND_SPEED,
    ICON_HALF,
    ICONS,
    QUIT_FRAMES,
    RANDOM,
    icon_at,
)
from melee_env.virtual_dolphin.menu_event import NO_CHARACTER, MenuState, Scene, Slot, Status
from melee_env.virtual_dolphin.name_entry import NameEntry
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, axis

SEARCH_FRAMES = 60
"""frames until a partner that is there is found"""


@dataclass(frozen=True)
class Account:
    """Who plays online."""

    code: str
    """connect code"""
    name: str
    """display name"""


def read_account(user: Path) -> Account | None:
    """Read ``Slippi/user.json`` below a user directory; None if there is none that can be read."""
    try:
        held = json.loads((user / "Slippi" / "user.json").read_text(encoding="utf-8"))
        return Account(str(held["connectCode"]), str(held.get("displayName", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


class OnlineSelect:
    """The character screen of direct play.

    Args:
        partner: connect code at which somebody answers, empty for nobody.
        rng: for the Random icon.
    """

    def __init__(self, partner: str, rng: np.random.Generator) -> None:
        self._partner, self._rng = partner, rng
        self._hand = Slot(status=Status.HUMAN)
        slots = [self._hand, *(Slot() for _ in range(3))]
        self.state = MenuState(Scene.ONLINE_CHARACTER_SELECT, slots=slots)
        self._entry: NameEntry | None = None
        self._found_in: int | None = None
        self._before = NEUTRAL
        self._quitting = 0
        self.connected = False

    @property
    def character(self) -> Character:
        """Who was chosen; a switch beside Zelda's picture stands on Sheik."""
        chosen = ICONS[self._hand.character][0]
        return Character.SHEIK if chosen is Character.ZELDA else chosen

    @property
    def costume(self) -> int:
        """The chosen costume."""
        return self._hand.costume

    @property
    def slots(self) -> list[Slot]:
        """The hands on the screen."""
        return list(self.state.slots)

    def enter(self, held: Mapping[int, Pad]) -> None:
        """Show the screen (again); what is held already does not count as pressed."""
        self.state.frame = 0
        self._before = held.get(0, NEUTRAL)

    def advance(self, pads: Mapping[int, Pad]) -> str | None:
        """Take one frame of input; returns ``"start"`` or ``"back"`` when the screen is left."""
        pad = pads.get(0, NEUTRAL)
        before, self._before = self._before, pad
        if self._entry is not None:
            code = self._entry.advance(pad)
            self.state.selection = self._entry.selection
            if code is not None:
                self._entry, self.state.name_entry = None, False
                self._found_in = SEARCH_FRAMES if code == self._partner else None
            return None
        if self._found_in is not None:
            self._found_in -= 1
            self.connected = self.connected or self._found_in <= 0
        pressed = pad.buttons & ~before.buttons
        self._choose(pressed)
        self._quitting = self._quitting + 1 if pad.pressed(Button.B) else 0
        if self._quitting > QUIT_FRAMES:
            return "back"
        if pressed & Button.START and self._hand.character != NO_CHARACTER:
            if self.connected:
                return "start"
            if self._found_in is None:
                self._entry, self.state.name_entry = NameEntry(), True
                self.state.selection = self._entry.selection
        self._hand.x = max(-EDGE_X, min(EDGE_X, self._hand.x + HAND_SPEED * axis(pad.x)))
        self._hand.y = max(-EDGE_Y, min(EDGE_Y, self._hand.y + HAND_SPEED * axis(pad.y)))
        return None

    def _choose(self, pressed: int) -> None:
        hand = self._hand
        if pressed & Button.B:
            hand.character, hand.coin = NO_CHARACTER, False
        if pressed & (Button.X | Button.Y) and hand.coin:
            step = 1 if pressed & Button.X else -1
            hand.costume = (hand.costume + step) % ICONS[hand.character][1]
        if not pressed & Button.A or hand.coin:
            return
        on_random = abs(hand.x - RANDOM[0]) < ICON_HALF and abs(hand.y - RANDOM[1]) < ICON_HALF
        chosen = int(self._rng.integers(len(ICONS))) if on_random else icon_at(hand.x, hand.y)
        if chosen != NO_CHARACTER:
            hand.character, hand.coin, hand.costume = chosen, True, 0
