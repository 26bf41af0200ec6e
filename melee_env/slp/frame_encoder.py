"""Encode a running game frame by frame: the events of one frame as bytes, in any version from 3.0 on.

:mod:`melee_env.slp.writer` encodes whole games at once; for a single frame its array work costs milliseconds. Here
every event is a template into which bytes of the frame are copied, which takes some microseconds.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, SEAT_DTYPE, Frames
from melee_env.game import GameInfo
from melee_env.ids import Stage
from melee_env.slp import events
from melee_env.slp.reader import copy_plan
from melee_env.slp.start import check_versus, write_start
from melee_env.slp.versions import Version, payload_sizes

Present = tuple[bool, ...]
"""Which fighters are there: leader and Nana of seat 0, leader and Nana of seat 1."""


def place_of(dtype: np.dtype, name: str) -> int:
    """Return the byte offset of a field."""
    return int(dtype.fields[name][1])  # type: ignore[index]


@cache
def leaf_of(name: str) -> slice:
    """Return where a top-level field of a frame is."""
    kind, at = FRAME_DTYPE.fields[name][:2]  # type: ignore[index]
    return slice(at, at + kind.itemsize)


FIGHTERS = tuple(
    place_of(FRAME_DTYPE, "seats") + seat * SEAT_DTYPE.itemsize + place_of(SEAT_DTYPE, name)
    for seat in range(2)
    for name in ("leader", "nana")
)
"""Byte offsets of the fighters in a frame, in the order of :data:`Present`."""
ITEMS = tuple(place_of(FRAME_DTYPE, "items") + slot * ITEM_DTYPE.itemsize for slot in range(NUM_ITEMS))
"""Byte offsets of the items in a frame."""
HITSTUN, PRESENT, FLAGS = (place_of(FIGHTER_DTYPE, name) for name in ("hitstun", "present", "flags"))


@lru_cache(maxsize=256)
def byte_plan(command: int, size: int, record: np.dtype) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which byte of an event belongs to which byte of ``record``: ``(in the event, in the record)``."""
    there, here = [], []
    for source, target, length in copy_plan(command, size, record).tolist():
        there += [source + length - 1 - k for k in range(length)]
        here += [target + k for k in range(length)]
    return np.array(there, np.int64), np.array(here, np.int64)


@dataclass(frozen=True)
class Template:
    """Some events in a row with the bytes that a frame fills in."""

    blank: NDArray[np.uint8]
    there: NDArray[np.int64]
    here: NDArray[np.int64]

    def fill(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the events of one frame given as bytes."""
        out = self.blank.copy()
        out[self.there] = frame[self.here]
        return out


class FrameEncoder:
    """Turns frames of one game into events.

    Args:
        info: the game, for its ports and its stage.
        version: Slippi version whose layout is written.

    Raises:
        ReplayError: ``not_versus``.
        ValueError: a version that cannot be written.
    """

    def __init__(self, info: GameInfo, version: Version = events.WRITTEN_VERSION) -> None:
        check_versus(info)
        self.info, self.version = info, version
        self.sizes = payload_sizes(version)
        self._ports = tuple((seat.port, follower) for seat in info.seats for follower in range(2))
        self._templates: dict[Present, tuple[Template, Template]] = {}
        self._item = _join([self._template(events.ITEM, ITEM_DTYPE, 0)])
        first = events.FOD_FIRST_HEIGHTS if info.stage == Stage.FOUNTAIN_OF_DREAMS.external else (0.0, 0.0)
        self._stage = [struct.pack("<f", first[0]), struct.pack("<f", first[1]), b"\0", bytes(4)]

    def start(self) -> bytes:
        """Return the payload table and the game start."""
        table = b"".join(struct.pack(">BH", command, size) for command, size in self.sizes.items())
        begin = bytearray(write_start(self.info)[: self.sizes[events.START] + 1])
        begin[1:4] = bytes(self.version)
        return bytes([events.PAYLOADS, 1 + len(table)]) + table + bytes(begin)

    def frame(self, frame: Frames, finalized: int | None = None) -> bytes:
        """Return the events of one frame ``[]``, in the order in which the game sends them.

        Args:
            frame: the frame.
            finalized: newest frame that can no longer change; the frame itself by default.
        """
        data = np.frombuffer(frame.tobytes(), np.uint8)
        present = tuple(bool(data[at + PRESENT]) for at in FIGHTERS)
        if present not in self._templates:
            self._templates[present] = self._build(present)
        head, tail = self._templates[present]
        parts = [head.fill(data).tobytes(), self._stage_events(data)]
        for at in ITEMS:
            if data[at]:
                parts.append(self._item_event(data, at))
        closing = tail.fill(data)
        self._mark_hitstun(closing, data, present)
        if finalized is not None and self.sizes[events.BOOKEND] >= 8:
            closing[-4:] = np.frombuffer(struct.pack(">i", finalized), np.uint8)
        parts.append(closing.tobytes())
        return b"".join(parts)

    def end(self, method: int, places: tuple[int, int], lras: int = -1) -> bytes:
        """Return the game end.

        Args:
            method: 1 time, 2 stock-out, 7 no contest.
            places: place of seat 0 and 1, 0 is the winner; -1 for none.
            lras: port of the player who left the game, -1 for none.
        """
        by_port = [-1] * 4
        for seat, place in zip(self.info.seats, places, strict=True):
            by_port[seat.port] = place
        return struct.pack(">BBb4b", events.END, method, lras, *by_port)[: self.sizes[events.END] + 1]

    def _template(self, command: int, record: np.dtype, base: int, **fixed: int) -> Template:
        size = self.sizes[command]
        there, here = byte_plan(command, size, record)
        row = np.zeros(1, events.row_dtype(command, size))
        for name, value in fixed.items():
            row[name] = value
        blank = row.view(np.uint8).copy()
        blank[0] = command
        number = leaf_of("frame")
        there = np.concatenate([there + 0, [4, 3, 2, 1]])
        here = np.concatenate([here + base, np.arange(number.start, number.stop)])
        return Template(blank, there, here)

    def _build(self, present: Present) -> tuple[Template, Template]:
        head, tail = [self._frame_start()], []
        for at, here, (port, follower) in zip(FIGHTERS, present, self._ports, strict=True):
            if not here:
                continue
            pre = self._template(events.PRE, FIGHTER_DTYPE, at, port=port, follower=follower)
            seed = leaf_of("seed")
            head.append(
                Template(
                    pre.blank,
                    np.concatenate([pre.there, [10, 9, 8, 7]]),
                    np.concatenate([pre.here, np.arange(seed.start, seed.stop)]),
                )
            )
            tail.append(self._template(events.POST, FIGHTER_DTYPE, at, port=port, follower=follower))
        bookend = self._template(events.BOOKEND, np.dtype([]), 0)
        if self.sizes[events.BOOKEND] >= 8:
            bookend = Template(
                bookend.blank,
                np.concatenate([bookend.there, [8, 7, 6, 5]]),
                np.concatenate([bookend.here, bookend.here]),
            )
        return _join(head), _join([*tail, bookend])

    def _frame_start(self) -> Template:
        names = ["seed"] + (["scene_frame"] if self.sizes[events.FRAME_START] >= 12 else [])
        start = self._template(events.FRAME_START, np.dtype([]), 0)
        there, here = start.there, start.here
        for number, name in enumerate(names):
            leaf = leaf_of(name)
            there = np.concatenate([there, np.arange(8, 4, -1) + 4 * number])
            here = np.concatenate([here, np.arange(leaf.start, leaf.stop)])
        return Template(start.blank, there, here)

    def _mark_hitstun(self, closing: NDArray[np.uint8], frame: NDArray[np.uint8], present: Present) -> None:
        size = self.sizes[events.POST] + 1
        row = 0
        for at, here in zip(FIGHTERS, present, strict=True):
            if here:
                if frame[at + HITSTUN : at + HITSTUN + 4].any():
                    closing[row * size + 0x26 + 3] |= events.FLAG_HITSTUN
                row += 1

    def _item_event(self, frame: NDArray[np.uint8], at: int) -> bytes:
        out = self._item.blank.copy()
        # The last four bytes of the plan are the frame's number, the rest lies within the item.
        out[self._item.there[:-4]] = frame[self._item.here[:-4] + at]
        out[self._item.there[-4:]] = frame[self._item.here[-4:]]
        return out.tobytes()

    def _stage_events(self, frame: NDArray[np.uint8]) -> bytes:
        """Return what changed on the stage since the frame before."""
        if self.version < (3, 18, 0):
            return b""
        number = frame[leaf_of("frame")].tobytes()[::-1]
        left, right, whispy, shape = self._stage
        out = b""
        if self.info.stage == Stage.FOUNTAIN_OF_DREAMS.external:
            new_left, new_right = frame[leaf_of("fod_left")].tobytes(), frame[leaf_of("fod_right")].tobytes()
            for platform, old, new in (
                (events.FOD_RIGHT, right, new_right),
                (events.FOD_LEFT, left, new_left),
            ):
                if new != old:
                    out += bytes([events.FOD_PLATFORM]) + number + bytes([platform]) + new[::-1]
            self._stage[:2] = [new_left, new_right]
        elif self.info.stage == Stage.DREAM_LAND.external:
            direction = frame[leaf_of("whispy")].tobytes()
            if direction != whispy:
                out = bytes([events.WHISPY]) + number + direction
            self._stage[2] = direction
        elif self.info.stage == Stage.POKEMON_STADIUM.external:
            now = b"".join(frame[leaf_of(name)].tobytes()[::-1] for name in ("stadium_event", "stadium_type"))
            if now != shape:
                out = bytes([events.STADIUM]) + number + now
            self._stage[3] = now
        return out


def _join(parts: list[Template]) -> Template:
    starts = np.cumsum([0] + [len(part.blank) for part in parts[:-1]])
    return Template(
        np.concatenate([part.blank for part in parts]),
        np.concatenate([part.there + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.here for part in parts]),
    )
