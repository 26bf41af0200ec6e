"""One game: pads in, packets of events out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from melee_env.backends.base import MatchOptions
from melee_env.backends.embedded import EmbeddedBackend
from melee_env.controller import Button, Controllers, neutral
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, FIRST_FRAME, Frames, seen_from
from melee_env.game import GameInfo, SeatInfo
from melee_env.ids import character_from_external
from melee_env.opponents import Opponent
from melee_env.slp.frame_encoder import FrameEncoder
from melee_env.slp.versions import Version
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, controller_bytes

NO_CONTEST = 7
QUIT_BUTTONS = Button.L | Button.R | Button.A | Button.START


@dataclass(frozen=True)
class MatchSetup:
    """Who plays what where."""

    options: MatchOptions
    """fighters, stage, clock"""
    seats: tuple[SeatInfo, SeatInfo]
    """ports, costumes, levels"""
    players: tuple[Opponent | None, Opponent | None]
    """who plays a seat that no pipe drives"""
    seed: int
    """RNG seed"""
    frozen: bool
    """Frozen Stadium"""
    version: Version
    """Slippi version of the events"""
    rollback: tuple[int, int] = (0, 0)
    """every so many frames, so many frames are sent again"""
    online: bool = False
    """START does not pause, and the quitting buttons work at once"""


class Match:
    """Plays a game on the engine.

    Attributes:
        over: the game has ended.
        frames: frames that were played.
        paused: START stopped it.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        info = GameInfo(
            stage=setup.options.stage.external,
            seats=setup.seats,
            seed=setup.seed,
            timer=setup.options.time_limit // 60,
            frozen_stadium=setup.frozen,
        )
        self._encoder = FrameEncoder(info, setup.version)
        self._engine = EmbeddedBackend(1)
        self._controllers = neutral(1, 2)
        self._pad_bytes = self._controllers.view(np.uint8).reshape(2, -1)
        self._ports = [seat.port for seat in setup.seats]
        self._frame: Frames | None = None
        self._before: dict[int, Pad] = {}
        self._late: list[Controllers] = []
        self._saved = b""
        self._last, self._known = neutral(1, 2), neutral(1)
        self._lras = -1
        self._method = 0
        self.over = False
        self.paused = False
        self.frames = 0
        for seat, player in enumerate(setup.players):
            if player is not None:
                player.reset(1, setup.seed + seat)

    def start(self) -> bytes:
        """Return the events that open the game."""
        return self._encoder.start()

    def advance(self, pads: Mapping[int, Pad]) -> list[bytes]:
        """Play one frame; returns one packet per frame to send: none while paused, several on a rollback."""
        self._read_pause(pads)
        if self.paused or self.over:
            return []
        for seat, port in enumerate(self._ports):
            self._hold(seat, pads.get(port, NEUTRAL))
        packets: list[bytes] = []
        if self._frame is None:
            # The option names the first frame that a controller acts on; the game's first frame is before it.
            options = replace(self.setup.options, start_frame=FIRST_FRAME + 1)
            self._frame = self._engine.reset(np.array([self.setup.seed], np.uint32), [options])
        else:
            every, depth = self.setup.rollback
            guessing = bool(every) and self.frames % every >= every - depth
            if self._late and not guessing:
                packets += self._correct()
            self._frame = self._engine.step(self._guess() if guessing else self._controllers)
            self._last = self._controllers.copy()
        self.frames += 1
        packets.append(self._encode(self._frame[0]))
        if self._late and self._frame["end_method"][0]:
            packets += self._correct()
        self._method = int(self._frame["end_method"][0])
        self.over = bool(self._method)
        return packets

    def end(self) -> bytes:
        """Return the game end."""
        assert self._frame is not None
        leaders = self._frame["seats"]["leader"][0]
        order = sorted(
            (0, 1), key=lambda seat: (-int(leaders["stocks"][seat]), float(leaders["percent"][seat]))
        )
        return self._encoder.end(self._method, (order.index(0), order.index(1)), self._lras)

    def metadata(self) -> dict[str, Any]:
        """Return what the metadata of a replay says about the game."""
        assert self._frame is not None
        last = int(self._frame["frame"][0])
        players = {
            str(seat.port): {
                "names": {},
                "characters": {str(character_from_external(seat.character).internal): last - FIRST_FRAME + 1},
            }
            for seat in self.setup.seats
        }
        return {"lastFrame": last, "players": players}

    def _hold(self, seat: int, pad: Pad) -> None:
        player = self.setup.players[seat]
        if player is None or self._frame is None:
            self._pad_bytes[seat] = np.frombuffer(controller_bytes(pad), np.uint8)
        else:
            start = np.array([self.frames == 1])
            self._controllers[:, seat] = player.act(seen_from(self._frame, seat), start)

    def _read_pause(self, pads: Mapping[int, Pad]) -> None:
        for port, pad in pads.items():
            pressed = pad.buttons & ~self._before.get(port, pad).buttons
            self._before[port] = pad
            playable = self._frame is not None and self._frame["frame"][0] >= FIRST_CONTROLLABLE_FRAME
            quitting = pad.buttons & QUIT_BUTTONS == QUIT_BUTTONS
            if quitting and (self.paused or (self.setup.online and playable)):
                self.over, self._method, self._lras = True, NO_CONTEST, port
            elif pressed & Button.START and playable and not self.setup.online:
                self.paused = not self.paused

    def _guess(self) -> Controllers:
        """Return the controllers of a frame for which the second player's input is late: the last known one."""
        if not self._late:
            self._saved, self._known = self._engine.save(0), self._last[:, 1].copy()
        self._late.append(self._controllers.copy())
        guess = self._controllers.copy()
        guess[:, 1] = self._known
        return guess

    def _correct(self) -> list[bytes]:
        """Play the guessed frames again with the inputs that arrived late, and send them again."""
        self._engine.load(0, self._saved)
        packets = []
        for controllers in self._late:
            self._frame = self._engine.step(controllers)
            packets.append(self._encode(self._frame[0]))
        self._late = []
        return packets

    def _encode(self, frame: Frames) -> bytes:
        first, second = self._ports
        if (first, second) != (0, 1):
            frame = frame.copy()
            frame["items"]["owner"] = np.array([first, second, -1], np.int8)[frame["items"]["owner"]]
            hit = frame["seats"]["leader"]["last_hit_by"]
            frame["seats"]["leader"]["last_hit_by"] = np.where(
                hit < 2, np.array([first, second])[hit % 2], hit
            )
        finalized = int(frame["frame"]) - len(self._late)
        return self._encoder.frame(frame, finalized)
