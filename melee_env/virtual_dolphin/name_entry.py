"""The screen on which a connect code is typed: four rows of ten keys, and one below them."""

from __future__ import annotations

from melee_env.controller import Button
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, axis

ROWS = ("ABCDEFGHIJ", "KLMNOPQRST", "UVWXYZ   #", "0123456789")
FIRST, PER_COLUMN = 45, 5
"""Number of the first key; a column further is five less, a row further is one more (libmelee's menu helper)."""
BOTTOM = 57
"""Number of the key below the rows."""
DEAD_FRAMES = 10
"""frames at the start during which nothing counts"""


class NameEntry:
    """One key further per push of the stick; A types, B deletes, START ends.

    Attributes:
        text: what was typed.
    """

    def __init__(self) -> None:
        self.text = ""
        self._frame = self._row = self._column = 0
        self._on_bottom = False
        self._before = NEUTRAL

    @property
    def selection(self) -> int:
        """Number of the key under the hand."""
        return BOTTOM if self._on_bottom else FIRST + self._row - PER_COLUMN * self._column

    def advance(self, pad: Pad) -> str | None:
        """Take one frame of input; returns the code once it is done."""
        self._frame += 1
        if self._frame <= DEAD_FRAMES:
            return None
        before, self._before = self._before, pad
        pressed = pad.buttons & ~before.buttons
        if pressed & Button.START and self.text:
            return self.text
        if pressed & Button.A and not self._on_bottom:
            self.text += ROWS[self._row][self._column].strip()
        elif pressed & Button.B:
            self.text = self.text[:-1]
        if (across := axis(pad.x)) and not axis(before.x):
            self._column = (self._column + (1 if across > 0 else -1)) % len(ROWS[0])
        if (up := axis(pad.y)) and not axis(before.y):
            self._move(-1 if up > 0 else 1)
        return None

    def _move(self, rows: int) -> None:
        # The key below lies between the last row and the first.
        places = len(ROWS) + 1
        place = ((len(ROWS) if self._on_bottom else self._row) + rows) % places
        self._on_bottom = place == len(ROWS)
        if not self._on_bottom:
            self._row = place
