"""The stage-select screen: one cursor for all, the six tournament stages and Random."""

from __future__ import annotations

from collections.abc import Mapping

from melee_env.controller import Button
from melee_env.ids import Stage
from melee_env.virtual_dolphin.menu_event import MenuState, Scene, Slot
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, axis

ICONS: tuple[tuple[float, float, int, Stage | None], ...] = (
    (1.0, -9.0, 0x18, Stage.BATTLEFIELD),
    (6.7, -9.0, 0x19, Stage.FINAL_DESTINATION),
    (12.5, -9.0, 0x1A, Stage.DREAM_LAND),
    (15.0, 3.5, 0x12, Stage.POKEMON_STADIUM),
    (3.5, 15.5, 0x06, Stage.YOSHIS_STORY),
    (10.0, 15.5, 0x08, Stage.FOUNTAIN_OF_DREAMS),
    (-13.5, 3.5, 0x1D, None),
)
"""Place, libmelee's id and stage (None draws one) of every icon that works; from libmelee's menu helper."""
ICON_HALF = 2.5
CURSOR_SPEED = 1.013
DEAD_FRAMES = 20
"""frames at the start during which nothing counts"""
CLOSING_FRAMES = 12
"""frames from the choice to the game; A held at their end turns Zelda into Sheik"""
EDGE = 25.0


class StageSelect:
    """The screen; ``stage`` and ``frozen`` hold the choice."""

    def __init__(self, slots: list[Slot], scene: Scene = Scene.STAGE_SELECT) -> None:
        self.state = MenuState(scene, slots=slots)
        self.stage: Stage | None = None
        """the stage, None for a random one"""
        self.frozen = False
        """Stadium does not transform (Z switches)"""
        self._chosen_on = -1
        self._before: dict[int, Pad] = {}

    def enter(self, held: Mapping[int, Pad]) -> None:
        """Show the screen (again); what is held already does not count as pressed; Frozen Stadium stays as it was."""
        self.state.frame, self.state.cursor, self.state.stage = 0, (0.0, 0.0), 0
        self._chosen_on = -1
        self._before = dict(held)

    def advance(self, pads: Mapping[int, Pad]) -> str | None:
        """Take one frame of input; returns ``"start"`` or ``"back"`` when the screen is left."""
        frame = self.state.frame
        if self._chosen_on >= 0:
            return "start" if frame - self._chosen_on >= CLOSING_FRAMES else None
        result = None
        for port, pad in pads.items():
            pressed = pad.buttons & ~self._before.get(port, NEUTRAL).buttons
            self._before[port] = pad
            if frame < DEAD_FRAMES:
                continue
            self._move(pad)
            if pressed & Button.Z:
                self.frozen = not self.frozen
            if pressed & Button.B:
                result = "back"
            if pressed & (Button.A | Button.START):
                self._choose()
        return result

    def _move(self, pad: Pad) -> None:
        x, y = self.state.cursor
        x = max(-EDGE, min(EDGE, x + CURSOR_SPEED * axis(pad.x)))
        y = max(-EDGE, min(EDGE, y + CURSOR_SPEED * axis(pad.y)))
        self.state.cursor = (x, y)
        found = self._icon()
        self.state.stage = found[2] if found else 0

    def _icon(self) -> tuple[float, float, int, Stage | None] | None:
        x, y = self.state.cursor
        for place in ICONS:
            if abs(x - place[0]) < ICON_HALF and abs(y - place[1]) < ICON_HALF:
                return place
        return None

    def _choose(self) -> None:
        found = self._icon()
        if found is not None:
            self.stage, self._chosen_on = found[3], self.state.frame
