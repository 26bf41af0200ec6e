"""Read ``.slp`` files into games.

Time and memory grow linearly with the file. A file that a recorder left unfinished gives every whole
frame, and :class:`Reading` says what was wrong with it.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import CONTROLLER_DTYPE
from melee_env.errors import ReplayError
from melee_env.frame import (
    FIGHTER_DTYPE,
    FRAME_DTYPE,
    ITEM_DTYPE,
    NUM_ITEMS,
    NUM_SEATS,
    SEAT_DTYPE,
    Frames,
)
from melee_env.game import Game, GameInfo
from melee_env.ids import Stage
from melee_env.slp import events
from melee_env.slp.container import MAX_METADATA, find_events, read_metadata
from melee_env.slp.copying import build_frames, scatter
from melee_env.slp.randall import randall_position
from melee_env.slp.rollback import Copies, Rollback, choose, find_copies
from melee_env.slp.start import check_versus, read_start
from melee_env.slp.stream import Stream, read_payload_table, walk

_SEATS, _ITEMS = (FRAME_DTYPE.fields[name][1] for name in ("seats", "items"))  # type: ignore[index]
_SEAT_PARTS = np.array([SEAT_DTYPE.fields[name][1] for name in ("leader", "nana")])  # type: ignore[index]
_SEAT_PLACES = _SEATS + SEAT_DTYPE.itemsize * np.arange(NUM_SEATS)
"""``[seats]``: byte in a frame at which a seat begins, with its port and kind"""
_FIGHTER_PLACES = _SEAT_PLACES[:, None] + _SEAT_PARTS
"""``[seats, 2]``: byte in a frame at which each seat's leader and follower begin"""
_HEAD_DTYPE = np.dtype(list(itertools.takewhile(lambda field: field[0] != "seats", FRAME_DTYPE.descr)))
"""What a frame begins with, before its seats"""
_FIGHTER = {name: int(field[1]) for name, field in FIGHTER_DTYPE.fields.items()}  # type: ignore[union-attr]
HEAD_SIZE = 4096
"""Bytes that hold the container's header, the payload table and the game start."""


@dataclass(frozen=True)
class Reading:
    """What came out of a file."""

    info: GameInfo
    """the start of the game, with all its players"""
    game: Game | None
    """the game, or None if it is not one between two players (reason ``not_versus``)"""
    frames: int
    """distinct frames that were read"""
    status: str
    """``read``, ``repaired`` (nothing that was recorded is lost) or ``partial``"""
    reason: str = ""
    """empty, or a stable code: ``unfinished``, ``cut_event``, ``unknown_event``, ``severed_frame``,
    ``missing_frames``, ``bad_frame_number``, ``bad_length``, ``not_versus``"""
    detail: str = ""
    """the same in words"""


def read_game(path: str | os.PathLike[str], rollback: Rollback = "last") -> Game:
    """Read a game between two players.

    Args:
        path: the file.
        rollback: ``last`` for what finally happened, ``first`` for what the players were shown.

    Returns:
        The game; seats are in the order of their ports.

    Raises:
        ReplayError: with reason ``unreadable``, ``not_slp``, ``bad_payload_table``, ``no_start``,
            ``no_frames`` or ``not_versus``.
    """
    reading = read(path, rollback)
    if reading.game is None:
        check_versus(reading.info, path)
        raise ReplayError("no_frames", path, None, "no frame shows both players")
    return reading.game


def read(path: str | os.PathLike[str], rollback: Rollback = "last") -> Reading:
    """Read a file and say how it went; a game outside one-against-one is counted, not returned.

    Raises:
        ReplayError: as :func:`read_game`, but for ``not_versus``.
    """
    data = _load(path)
    raw_start, announced, sizes, position = _open(bytes(data[:HEAD_SIZE]), path)
    stream = walk(data, position, sizes)
    info = _read_info(stream, path)
    copies = find_copies(stream)
    ended = len(stream.offset(events.END)) > 0
    usable = _usable(copies, ended)
    chosen = choose(copies.numbers, usable, rollback)
    if not len(chosen):
        detail = "the file ends before its first whole frame"
        raise ReplayError("no_frames", path, stream.end, stream.fault or detail)
    status, reason, detail = _judge(stream, copies, usable, ended, announced, raw_start)
    numbers = copies.numbers[chosen]
    gaps = int(numbers[-1]) - int(numbers[0]) + 1 - len(numbers)
    if gaps and status != "partial":
        status, reason, detail = "partial", "missing_frames", f"{gaps} frame numbers are missing"

    game: Game | None = None
    try:
        check_versus(info, path)
        frames = assemble(stream, copies, chosen, info)
        game = Game(info, frames)
    except ReplayError as error:
        reason = reason or error.reason
        detail = detail or error.detail
    return Reading(info, game, len(chosen), status, reason, detail)


def read_header(path: str | os.PathLike[str]) -> GameInfo:
    """Read who played what where, without the frames: a few kilobytes from each end of the file.

    Raises:
        ReplayError: ``unreadable``, ``not_slp``, ``bad_payload_table`` or ``no_start``.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_SIZE)
            raw_start, announced, sizes, position = _open(head, path)
            size = sizes[events.START]
            if head[position : position + 1] != bytes([events.START]) or len(head) < position + 1 + size:
                raise ReplayError("no_start", path, position, "no game start behind the payload table")
            row = np.frombuffer(head, events.row_dtype(events.START, size), 1, position)[0]
            end_size = sizes.get(events.END, 0) + 1
            tail = b""
            if announced and announced > end_size:
                file.seek(raw_start + announced - end_size)
                tail = file.read(end_size + MAX_METADATA)
    except OSError as error:
        raise ReplayError("unreadable", path, None, error.strerror or str(error)) from error
    info = read_start(row, sizes, read_metadata(tail[end_size:]))
    if len(tail) >= end_size > 1 and tail[0] == events.END:
        info = replace(info, end_method=tail[1])
    return info


def _load(path: str | os.PathLike[str]) -> NDArray[np.uint8]:
    try:
        return np.frombuffer(Path(path).read_bytes(), np.uint8)
    except OSError as error:
        raise ReplayError("unreadable", path, None, error.strerror or str(error)) from error


def _open(head: bytes, path: object) -> tuple[int, int | None, dict[int, int], int]:
    raw_start, announced = find_events(head, path)
    sizes, position = read_payload_table(head, raw_start, path)
    return raw_start, announced, sizes, position


def _read_info(stream: Stream, path: object) -> GameInfo:
    if not len(stream.offset(events.START)):
        raise ReplayError("no_start", path, None, "no game start in the file")
    tail = stream.data[stream.end : stream.end + MAX_METADATA].tobytes()
    info = read_start(stream.first(events.START), stream.sizes, read_metadata(tail))
    if not len(stream.offset(events.END)):
        return info
    return replace(info, end_method=int(stream.first(events.END)["method"]))


def _usable(copies: Copies, ended: bool) -> NDArray[np.bool_]:
    """Return the whole copies, and broken ones of frames that have no whole copy."""
    usable = copies.whole.copy()
    severed = copies.filled & ~copies.whole & ~np.isin(copies.numbers, copies.numbers[copies.whole])
    if not ended and len(severed):
        severed[-1] = False  # the frame during which the recorder stopped
    return usable | severed


def _judge(
    stream: Stream,
    copies: Copies,
    usable: NDArray[np.bool_],
    ended: bool,
    announced: int | None,
    raw_start: int,
) -> tuple[str, str, str]:
    """Return status, reason and detail of a file that has frames."""
    if stream.fault == "unknown_event":
        return "partial", stream.fault, f"nothing is readable from byte {stream.end} on"
    if stream.fault == "cut_event":
        reason = "cut_event" if announced else "unfinished"
        return "partial", reason, f"the file stops inside the event at byte {stream.end}"
    empty = ~copies.filled & ~copies.whole
    severed = usable & ~copies.whole
    if severed.any():
        return "partial", "severed_frame", f"frame {copies.numbers[severed][0]} lacks pieces"
    if empty[:-1].any() or (ended and empty.any()):
        return "partial", "bad_frame_number", f"frame {copies.numbers[empty][0]} is empty or impossible"
    if not ended or announced == 0:
        whole = bool(copies.whole[-1])
        return "repaired" if whole else "partial", "unfinished", "the recorder did not close the game"
    if announced is not None and raw_start + announced != stream.end:
        return "repaired", "bad_length", f"{announced} bytes announced, {stream.end - raw_start} found"
    return "read", "", ""


def assemble(stream: Stream, copies: Copies, chosen: NDArray[np.int64], info: GameInfo) -> Frames:
    """Build the frames of a two-player game from the chosen copies.

    Returns:
        ``[T]`` of ``FRAME_DTYPE``; a fighter whose half-frame is missing has ``present`` 0.
    """
    frames = np.empty(len(chosen), FRAME_DTYPE)
    heads = np.zeros(len(chosen), _HEAD_DTYPE)
    row_of = np.full(len(copies.starts) + 1, -1)  # one more, so that copy -1 (before the first) gives -1
    row_of[chosen] = np.arange(len(chosen))
    heads["frame"] = copies.numbers[chosen]
    heads["stage"] = info.stage
    heads["end_method"][-1:] = info.end_method
    _fill_seeds(heads, stream, copies, row_of)
    _fill_stage(heads, stream, copies, row_of, info)
    _fill_fighters(frames, heads, stream, copies, row_of, info)
    _fill_items(frames, stream, copies, row_of)
    return frames


def _fill_fighters(
    frames: Frames,
    heads: NDArray[np.void],
    stream: Stream,
    copies: Copies,
    row_of: NDArray[np.int64],
    info: GameInfo,
) -> None:
    place_of, ports = np.full((256, 256), -1), []
    for seat, seat_info in enumerate(info.seats):
        place_of[seat_info.port, :2] = _FIGHTER_PLACES[seat]
        ports += [(_SEAT_PLACES[seat], seat_info.port), (_SEAT_PLACES[seat] + 1, seat_info.kind)]
    nothing = np.zeros(0, np.int64)
    halves, complete = [], 0
    for bit, command in enumerate((events.PRE, events.POST)):
        if command in copies.halves:
            plan = copy_plan(command, stream.sizes[command], FIGHTER_DTYPE)
            halves.append((stream.offset(command), copies.halves[command], plan))
            complete |= 1 << bit
        else:
            halves.append((nothing, nothing, nothing.reshape(0, 3)))
    build_frames(
        stream.data,
        tuple(halves),
        row_of[:-1],
        place_of,
        _FIGHTER_PLACES.ravel(),
        heads.view(np.uint8).reshape(len(heads), _HEAD_DTYPE.itemsize),
        np.array(ports, np.int64),
        frames.view(np.uint8).reshape(len(frames), FRAME_DTYPE.itemsize),
        (
            _FIGHTER["present"],
            _FIGHTER["flags"] + 3,
            _FIGHTER["hitstun"],
            np.uint8(events.FLAG_HITSTUN),
            np.uint8(complete),
        ),
    )


@lru_cache(maxsize=256)
def copy_plan(command: int, size: int, record: np.dtype) -> NDArray[np.int64]:
    """Return where each field of an event is, where it goes in ``record``, and its bytes: ``[fields, 3]``."""
    places = {name: record.fields[name][:2] for name in record.names or ()}  # type: ignore[index]
    if "controller" in places:
        start = places.pop("controller")[1]
        for name, (kind, at, *_) in (CONTROLLER_DTYPE.fields or {}).items():
            places[name] = (kind, start + at)
    plan: list[tuple[int, int, int]] = []
    for name, (kind, at, *_) in (events.row_dtype(command, size).fields or {}).items():
        if name in places and kind.base.kind == places[name][0].base.kind:
            each = kind.base.itemsize
            plan += [(at + k, places[name][1] + k, each) for k in range(0, kind.itemsize, each)]
    return np.array(plan, np.int64).reshape(-1, 3)


def _fill_seeds(heads: NDArray[np.void], stream: Stream, copies: Copies, row_of: NDArray[np.int64]) -> None:
    for name in ("seed", "scene_frame"):
        for command in (events.FRAME_START, events.PRE, events.POST):
            if stream.has(command, name) and len(stream.offset(command)):
                row = row_of[copies.of(stream.offset(command))][::-1]  # backwards: a frame's first event wins
                heads[name][row[row >= 0]] = stream.column(command, name)[::-1][row >= 0]
                break


def _fill_items(frames: Frames, stream: Stream, copies: Copies, row_of: NDArray[np.int64]) -> None:
    offsets = stream.offset(events.ITEM)
    if not len(offsets):
        return
    copy = copies.of(offsets)
    slot = np.arange(len(copy)) - np.searchsorted(copy, copy)
    row = row_of[copy]
    place = row * FRAME_DTYPE.itemsize + _ITEMS + slot * ITEM_DTYPE.itemsize
    targets = np.where((row >= 0) & (slot < NUM_ITEMS), place, -1)
    plan = copy_plan(events.ITEM, stream.sizes[events.ITEM], ITEM_DTYPE)
    exists = int(ITEM_DTYPE.fields["exists"][1])  # type: ignore[index]
    scatter(stream.data, offsets, targets, plan, frames.view(np.uint8), exists)
    if stream.sizes[events.ITEM] == events.SHORT_ITEM_SIZE:  # its timer is an integer
        kept = targets >= 0
        frames["items"]["timer"][row[kept], slot[kept]] = stream.column(events.ITEM, "timer")[kept]


def _fill_stage(
    heads: NDArray[np.void], stream: Stream, copies: Copies, row_of: NDArray[np.int64], info: GameInfo
) -> None:
    def follow(command: int, field: str, name: str, first: float, platform: int | None = None) -> None:
        heads[name] = first
        if not len(stream.offset(command)):
            return
        row = row_of[copies.of(stream.offset(command))]
        kept = row >= 0
        if platform is not None:
            kept &= stream.column(command, "platform") == platform
        latest = np.full(len(heads), -1)
        latest[row[kept]] = np.flatnonzero(kept)
        latest = np.maximum.accumulate(latest)
        known = latest >= 0
        heads[name][known] = stream.column(command, field)[latest[known]]

    if info.stage == Stage.FOUNTAIN_OF_DREAMS.external:
        left, right = events.FOD_FIRST_HEIGHTS
        follow(events.FOD_PLATFORM, "height", "fod_left", left, events.FOD_LEFT)
        follow(events.FOD_PLATFORM, "height", "fod_right", right, events.FOD_RIGHT)
    elif info.stage == Stage.DREAM_LAND.external:
        follow(events.WHISPY, "direction", "whispy", 0)
    elif info.stage == Stage.POKEMON_STADIUM.external:
        follow(events.STADIUM, "event", "stadium_event", 0)
        follow(events.STADIUM, "type", "stadium_type", 0)
    elif info.stage == Stage.YOSHIS_STORY.external:
        heads["randall_x"], heads["randall_y"] = randall_position(heads["frame"])
