"""Decode a running game: events as they arrive, one frame at a time, into the frames that the reader gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import ReplayError
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, Frames, empty_frames
from melee_env.game import GameInfo
from melee_env.ids import Stage
from melee_env.slp import events
from melee_env.slp.frame_encoder import FIGHTERS, FLAGS, HITSTUN, ITEMS, PRESENT, byte_plan, leaf_of
from melee_env.slp.randall import randall_position
from melee_env.slp.start import check_versus, read_start
from melee_env.slp.stream import read_payload_table


class FrameDecoder:
    """Follows the events of one game after the other.

    Attributes:
        info: the running (or last) game, None before the first.
        games: how many games have begun.
        end_method: how it ended, 0 while it runs.
        frame: ``[]`` of ``FRAME_DTYPE``: the newest frame; overwritten by the next.
    """

    def __init__(self) -> None:
        self.info: GameInfo | None = None
        self.end_method = 0
        self.games = 0
        self._sizes: dict[int, int] = {}
        self._frames = empty_frames(1)
        self._bytes = self._frames.view(np.uint8)
        self._places: dict[tuple[int, int], int] = {}
        self._items = 0
        self._halves = [0, 0, 0, 0]

    @property
    def frame(self) -> Frames:
        """The newest frame."""
        return self._frames[0]

    @property
    def data(self) -> NDArray[np.uint8]:
        """The newest frame as bytes."""
        return self._bytes

    def feed(self, data: bytes) -> Iterator[int]:
        """Take whole events; yields the number of every frame that they close.

        Raises:
            ReplayError: ``unknown_event``, ``cut_event``, ``bad_payload_table`` or ``not_versus``.
        """
        position = 0
        while position < len(data):
            command = data[position]
            if command == events.PAYLOADS:
                self._sizes, position = read_payload_table(data, position, "stream")
                continue
            if command not in self._sizes:
                raise ReplayError(
                    "unknown_event", "stream", position, f"event 0x{command:02x} was not announced"
                )
            size = self._sizes[command] + 1
            event = data[position : position + size]
            if len(event) < size:
                raise ReplayError("cut_event", "stream", position, f"event 0x{command:02x} is too short")
            position += size
            if command == events.BOOKEND:
                self._close()
                yield int(self._frames["frame"][0])
            else:
                self._take(command, event)

    def _take(self, command: int, event: bytes) -> None:
        if command in (events.PRE, events.POST):
            self._take_fighter(command, event)
        elif command == events.ITEM:
            if self._items < NUM_ITEMS:
                self._copy(command, event, ITEM_DTYPE, ITEMS[self._items])
                self._bytes[ITEMS[self._items]] = 1
            self._items += 1
        elif command == events.FRAME_START:
            self._open(event)
        elif command == events.FOD_PLATFORM:
            name = "fod_right" if event[5] == events.FOD_RIGHT else "fod_left"
            self._put(name, event[6:10])
        elif command == events.WHISPY:
            self._put("whispy", event[5:6])
        elif command == events.STADIUM:
            self._put("stadium_event", event[5:7])
            self._put("stadium_type", event[7:9])
        elif command == events.START:
            self._begin(event)
        elif command == events.END:
            self.end_method = event[1]

    def _begin(self, event: bytes) -> None:
        row = np.frombuffer(event, events.row_dtype(events.START, len(event) - 1))[0]
        info = read_start(row, self._sizes, None)
        check_versus(info, "stream")
        self.info, self.end_method = info, 0
        self.games += 1
        self._frames[...] = np.zeros((), FRAME_DTYPE)
        self._frames["stage"] = info.stage
        self._places = {}
        for seat, seat_info in enumerate(info.seats):
            self._frames["seats"]["port"][0, seat] = seat_info.port
            self._frames["seats"]["kind"][0, seat] = seat_info.kind
            for follower in range(2):
                self._places[seat_info.port, follower] = 2 * seat + follower
        if info.stage == Stage.FOUNTAIN_OF_DREAMS.external:
            self._frames["fod_left"], self._frames["fod_right"] = events.FOD_FIRST_HEIGHTS

    def _open(self, event: bytes) -> None:
        self._put("frame", event[1:5])
        self._put("seed", event[5:9])
        if len(event) >= 13:
            self._put("scene_frame", event[9:13])
        self._bytes[ITEMS[0] : ITEMS[0] + NUM_ITEMS * ITEM_DTYPE.itemsize] = 0
        self._items = 0
        self._halves = [0, 0, 0, 0]

    def _take_fighter(self, command: int, event: bytes) -> None:
        fighter = self._places.get((event[5], event[6]))
        if fighter is None:
            return
        if not self._halves[fighter]:
            self._bytes[FIGHTERS[fighter] : FIGHTERS[fighter] + FIGHTER_DTYPE.itemsize] = 0
        self._halves[fighter] |= 1 if command == events.PRE else 2
        self._copy(command, event, FIGHTER_DTYPE, FIGHTERS[fighter])

    def _copy(self, command: int, event: bytes, record: np.dtype, base: int) -> None:
        there, here = byte_plan(command, len(event) - 1, record)
        self._bytes[here + base] = np.frombuffer(event, np.uint8)[there]

    def _put(self, name: str, value: bytes) -> None:
        self._bytes[leaf_of(name)] = np.frombuffer(value[::-1], np.uint8)

    def _close(self) -> None:
        for at, halves in zip(FIGHTERS, self._halves, strict=True):
            if not halves:
                self._bytes[at : at + FIGHTER_DTYPE.itemsize] = 0
            self._bytes[at + PRESENT] = halves == 3
            if not self._bytes[at + FLAGS + 3] & events.FLAG_HITSTUN:
                self._bytes[at + HITSTUN : at + HITSTUN + 4] = 0
        if self.info is not None and self.info.stage == Stage.YOSHIS_STORY.external:
            self._frames["randall_x"], self._frames["randall_y"] = randall_position(self._frames["frame"])
