"""The menu event: 0x49 bytes that the menu gecko code of libmelee sends on every frame outside a game."""

from __future__ import annotations

import enum
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

MENU_EVENT = 0x3E
SIZE = 0x49


class Scene(enum.IntEnum):
    """Scene numbers (minor scene in the high byte)."""

    PRESS_START = 0x0000
    MAIN_MENU = 0x0001
    CHARACTER_SELECT = 0x0002
    ONLINE_CHARACTER_SELECT = 0x0008
    STAGE_SELECT = 0x0102
    ONLINE_STAGE_SELECT = 0x0108
    RESULTS = 0x0402


class Status(enum.IntEnum):
    """What sits in a slot of the character-select screen."""

    HUMAN = 0
    CPU = 1
    UNPLUGGED = 3


NO_CHARACTER = 0x1A
COIN_DOWN = 2


@dataclass
class Slot:
    """One of the four slots of a character-select screen."""

    status: Status = Status.UNPLUGGED
    x: float = 0.0
    y: float = 0.0
    character: int = NO_CHARACTER
    """number of its icon"""
    coin: bool = False
    costume: int = 0
    level: int = 1
    """CPU level 1..9"""
    holding: bool = False
    """the hand holds the level's slider"""


@dataclass
class MenuState:
    """Everything that a menu event tells."""

    scene: Scene
    frame: int = 0
    slots: Sequence[Slot] = field(default_factory=lambda: [Slot() for _ in range(4)])
    ready: bool = False
    stage: int = 0
    """libmelee's id of the stage under the cursor"""
    cursor: tuple[float, float] = (0.0, 0.0)
    submenu: int = 0
    selection: int = 0
    name_entry: bool = False

    def encode(self) -> bytes:
        """Return the event."""
        out = bytearray(SIZE)
        struct.pack_into(">BH", out, 0, MENU_EVENT, self.scene)
        for port, slot in enumerate(self.slots):
            struct.pack_into(">ff", out, 3 + 8 * port, slot.x, slot.y)
            out[0x25 + port] = slot.status
            out[0x29 + port] = slot.character
            out[0x2D + port] = COIN_DOWN if slot.coin else 0
            out[0x41 + port] = slot.level if slot.status == Status.CPU else 0
            out[0x45 + port] = slot.holding
        out[0x23] = not self.ready
        out[0x24] = self.stage
        struct.pack_into(">ffi", out, 0x31, *self.cursor, self.frame)
        out[0x3D], out[0x3E] = self.submenu, self.selection
        out[0x3F] = self.slots[0].costume
        out[0x40] = 5 if self.name_entry else 0
        return bytes(out)
