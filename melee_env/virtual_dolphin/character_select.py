"""The character-select screen of Vs. mode: hands, coins, costumes, CPU levels.

Places are those that libmelee's menu helper aims at (``menuhelper.py`` 0.47.6); all characters are unlocked.
"""

from __future__ import annotations

from collections.abc import Mapping

from melee_env.controller import Button
from melee_env.ids import Character
from melee_env.virtual_dolphin.menu_event import NO_CHARACTER, MenuState, Scene, Slot, Status
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, axis

HAND_SPEED = 1.013
"""units per frame at full stick; no round number, since the helper stands still exactly on its tolerance"""
EDGE_X, EDGE_Y = 37.0, 25.0
ICON_HALF = 3.5
COLUMNS = 9
RANDOM = (-29.0, 4.5)
TYPE_BOX_Y, SLIDER_Y = -2.2, -15.12
LEVEL_FRAMES = 4
"""frames between two steps of a CPU level while the stick is held"""
QUIT_FRAMES = 40
"""frames of B that leave the screen"""
ICONS: tuple[tuple[Character, int], ...] = (
    (Character.DR_MARIO, 5), (Character.MARIO, 5), (Character.LUIGI, 4), (Character.BOWSER, 4),
    (Character.PEACH, 5), (Character.YOSHI, 6), (Character.DONKEY_KONG, 5), (Character.CAPTAIN_FALCON, 6),
    (Character.GANONDORF, 5), (Character.FALCO, 4), (Character.FOX, 4), (Character.NESS, 4),
    (Character.POPO, 4), (Character.KIRBY, 6), (Character.SAMUS, 5), (Character.ZELDA, 5),
    (Character.LINK, 5), (Character.YOUNG_LINK, 5), (Character.PICHU, 4), (Character.PIKACHU, 4),
    (Character.JIGGLYPUFF, 5), (Character.MEWTWO, 4), (Character.GAME_AND_WATCH, 4), (Character.MARTH, 5),
    (Character.ROY, 5),
)  # fmt: skip
"""Fighters and their number of costumes in the order of the icons, which is the screen's own numbering."""


def icon(number: int) -> tuple[float, float]:
    """Return the middle of an icon; the bottom row begins one column later."""
    row, column = divmod(number, COLUMNS)
    return -29.0 + 7.0 * (column + (row == 2)), 4.5 + 7.0 * (2 - row)


def icon_at(x: float, y: float) -> int:
    """Return the number of the icon under a point, or ``NO_CHARACTER``."""
    for number in range(len(ICONS)):
        middle_x, middle_y = icon(number)
        if abs(x - middle_x) < ICON_HALF and abs(y - middle_y) < ICON_HALF:
            return number
    return NO_CHARACTER


def icon_of(character: Character) -> int:
    """Return the number of a fighter's icon; Sheik shares Zelda's."""
    wanted = Character.ZELDA if character is Character.SHEIK else character
    return [fighter for fighter, _ in ICONS].index(wanted)


class CharacterSelect:
    """Four slots; the ports in ``plugged`` have a controller."""

    def __init__(self, plugged: frozenset[int]) -> None:
        self._plugged = plugged
        self.slots = [
            Slot(status=Status.HUMAN if port in plugged else Status.UNPLUGGED, x=-31.0 + 15.5 * port, y=-20.0)
            for port in range(4)
        ]
        self.state = MenuState(Scene.CHARACTER_SELECT, slots=self.slots)
        self._before: dict[int, Pad] = {}
        self._quitting = dict.fromkeys(range(4), 0)

    def enter(self, held: Mapping[int, Pad]) -> None:
        """Show the screen (again); what is held already does not count as pressed; who was chosen stays chosen."""
        self.state.frame = 0
        self._before = dict(held)

    @property
    def active(self) -> list[int]:
        """Ports that take part."""
        return [port for port, slot in enumerate(self.slots) if slot.status != Status.UNPLUGGED]

    def character(self, port: int) -> Character:
        """Return who was chosen at a port."""
        return ICONS[self.slots[port].character][0]

    def choose(self, port: int, character: Character) -> None:
        """Put a coin down, as a person who is not driven by a pipe does."""
        slot = self.slots[port]
        slot.character, slot.coin = icon_of(character), True
        slot.x, slot.y = icon(slot.character)

    def advance(self, pads: Mapping[int, Pad]) -> str | None:
        """Take one frame of input; returns ``"start"`` or ``"back"`` when the screen is left."""
        result = None
        for port, pad in pads.items():
            slot, before = self.slots[port], self._before.get(port, NEUTRAL)
            pressed = pad.buttons & ~before.buttons
            if pressed & Button.A:
                self._press_a(port, slot)
            if pressed & Button.B and slot.coin and slot.status == Status.HUMAN:
                slot.coin = False
            if pressed & (Button.X | Button.Y) and slot.character != NO_CHARACTER:
                step = 1 if pressed & Button.X else -1
                slot.costume = (slot.costume + step) % ICONS[slot.character][1]
            self._move(slot, pad)
            self._quitting[port] = self._quitting[port] + 1 if pad.pressed(Button.B) else 0
            if self._quitting[port] > QUIT_FRAMES:
                result = "back"
            if pressed & Button.START and self.state.ready:
                result = "start"
            self._before[port] = pad
        active = [self.slots[port] for port in self.active]
        # The engine plays two; more would have to be left out silently.
        self.state.ready = len(active) == 2 and all(slot.coin for slot in active)
        return result

    def _press_a(self, port: int, slot: Slot) -> None:
        if slot.holding:
            slot.holding = False
            return
        for other, owner in enumerate(self.slots):
            if abs(slot.y - TYPE_BOX_Y) < 1.5 and abs(slot.x - (-32.0 + 15.6 * other)) < 2.0:
                owner.status = self._next_status(other, port)
                return
            level_x = slot.x - (-30.9 + 15.4 * other)
            if other == port and owner.status == Status.CPU and abs(slot.y - SLIDER_Y) < 1.5:
                slot.holding = -1.5 < level_x < 12.0
                return
        hovered = icon_at(slot.x, slot.y)
        if hovered != NO_CHARACTER and not slot.coin:
            if slot.character != hovered:
                slot.costume = 0
            slot.character, slot.coin = hovered, True

    def _next_status(self, port: int, by: int) -> Status:
        status = self.slots[port].status
        if port not in self._plugged:
            return Status.CPU if status == Status.UNPLUGGED else Status.UNPLUGGED
        if status == Status.HUMAN:
            return Status.CPU
        # Only the controller itself can leave its own slot empty.
        return Status.UNPLUGGED if status == Status.CPU and by == port else Status.HUMAN

    def _move(self, slot: Slot, pad: Pad) -> None:
        across, up = axis(pad.x), axis(pad.y)
        if slot.holding:
            if across and self.state.frame % LEVEL_FRAMES == 0:
                slot.level = max(1, min(9, slot.level + (1 if across > 0 else -1)))
            return
        slot.x = max(-EDGE_X, min(EDGE_X, slot.x + HAND_SPEED * across))
        slot.y = max(-EDGE_Y, min(EDGE_Y, slot.y + HAND_SPEED * up))
        if not slot.coin:
            slot.character = icon_at(slot.x, slot.y)
