"""Read ``.slp`` files into games.

Time and memory grow linearly with the file. A file that a recorder left unfinished gives every whole
frame, and :class:`Reading` says what was wrong with it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import ReplayError
from melee_env.frame import FIGHTER_DTYPE, ITEM_DTYPE, NUM_ITEMS, Frames, empty_frames
from melee_env.game import Game, GameInfo
from melee_env.ids import Stage
from melee_env.slp import events
from melee_env.slp.container import MAX_METADATA, find_events, read_metadata
from melee_env.slp.randall import randall_position
from melee_env.slp.rollback import Copies, Rollback, choose, find_copies
from melee_env.slp.start import CONTROLLER_NAMES, FIGHTER_NAMES, ITEM_NAMES, check_versus, read_start
from melee_env.slp.stream import Stream, read_payload_table, walk

_FIGHTER_BYTES = np.dtype((np.void, FIGHTER_DTYPE.itemsize))
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
        detail = detail or str(error)
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
    starts = stream.rows(events.START)
    if not len(starts):
        raise ReplayError("no_start", path, None, "no game start in the file")
    tail = stream.data[stream.end : stream.end + MAX_METADATA].tobytes()
    info = read_start(starts[0], stream.sizes, read_metadata(tail))
    ends = stream.rows(events.END)
    return replace(info, end_method=int(ends[0]["method"])) if len(ends) else info


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
    frames = empty_frames(len(chosen))
    row_of = np.full(len(copies.starts) + 1, -1)  # one more, so that copy -1 (before the first) gives -1
    row_of[chosen] = np.arange(len(chosen))
    frames["frame"] = copies.numbers[chosen]
    frames["stage"] = info.stage
    for seat, seat_info in enumerate(info.seats):
        frames["seats"]["port"][:, seat] = seat_info.port
        frames["seats"]["kind"][:, seat] = seat_info.kind
    _fill_fighters(frames, stream, copies, row_of, info)
    _fill_seeds(frames, stream, copies, row_of)
    _fill_items(frames, stream, copies, row_of)
    _fill_stage(frames, stream, copies, row_of, info)
    if len(frames):
        frames["end_method"][-1] = info.end_method
    return frames


def _fill_fighters(
    frames: Frames, stream: Stream, copies: Copies, row_of: NDArray[np.int64], info: GameInfo
) -> None:
    halves = [command for command in (events.PRE, events.POST) if command in stream.sizes]
    parts = {command: stream.rows(command) for command in halves}
    rows = {command: row_of[copies.of(stream.offset(command))] for command in halves}
    for seat, seat_info in enumerate(info.seats):
        for follower, name in enumerate(("leader", "nana")):
            fighters = np.zeros(len(frames), FIGHTER_DTYPE)
            seen = np.zeros(len(frames), np.uint8)
            for command in halves:
                part, row = parts[command], rows[command]
                mine = (part["port"] == seat_info.port) & (part["follower"] == follower) & (row >= 0)
                mine &= frames["frame"][row] == part["frame"]
                _copy_fields(part[mine], fighters, row[mine])
                seen[row[mine]] += 1
            if not seen.any():
                continue
            fighters["present"] = seen >= len(halves)
            fighters["hitstun"][fighters["flags"][:, 3] & events.FLAG_HITSTUN == 0] = 0
            # As opaque bytes: a structured copy would go field by field.
            frames["seats"][name][:, seat].view(_FIGHTER_BYTES)[:] = fighters.view(_FIGHTER_BYTES)


def _copy_fields(part: NDArray[np.void], fighters: NDArray[np.void], row: NDArray[np.int64]) -> None:
    if len(row) == len(fighters) and (not len(row) or (row[0] == 0 and (np.diff(row) == 1).all())):
        row = slice(None)  # type: ignore[assignment]
    controllers = fighters["controller"]
    for name in part.dtype.names or ():
        if name in FIGHTER_NAMES:
            fighters[name][row] = part[name]
        elif name in CONTROLLER_NAMES:
            controllers[name][row] = part[name]


def _fill_seeds(frames: Frames, stream: Stream, copies: Copies, row_of: NDArray[np.int64]) -> None:
    for command in (events.POST, events.PRE, events.FRAME_START):
        part = stream.rows(command)
        if len(part) and "seed" in (part.dtype.names or ()):
            row = row_of[copies.of(stream.offset(command))][::-1]  # backwards: a frame's first event wins
            kept = row >= 0
            frames["seed"][row[kept]] = part["seed"][::-1][kept]
            if "scene_frame" in (part.dtype.names or ()):
                frames["scene_frame"][row[kept]] = part["scene_frame"][::-1][kept]


def _fill_items(frames: Frames, stream: Stream, copies: Copies, row_of: NDArray[np.int64]) -> None:
    offsets = stream.offset(events.ITEM)
    if not len(offsets):
        return
    part, copy = stream.rows(events.ITEM), copies.of(offsets)
    slot = np.arange(len(copy)) - np.searchsorted(copy, copy)
    row = row_of[copy]
    kept = (row >= 0) & (slot < NUM_ITEMS)
    part, row, slot = part[kept], row[kept], slot[kept]
    items = np.zeros(len(part), ITEM_DTYPE)
    items["exists"] = 1
    for name in part.dtype.names or ():
        if name in ITEM_NAMES:
            items[name] = part[name]
    frames["items"][row, slot] = items


def _fill_stage(
    frames: Frames, stream: Stream, copies: Copies, row_of: NDArray[np.int64], info: GameInfo
) -> None:
    def follow(command: int, field: str, name: str, first: float, platform: int | None = None) -> None:
        part, row = stream.rows(command), row_of[copies.of(stream.offset(command))]
        kept = row >= 0
        if platform is not None and len(part):
            kept &= part["platform"] == platform
        values = np.full(len(frames), first, frames.dtype[name])
        latest = np.full(len(frames), -1)
        latest[row[kept]] = np.flatnonzero(kept)
        latest = np.maximum.accumulate(latest) if len(latest) else latest
        known = latest >= 0
        values[known] = part[field][latest[known]] if known.any() else first
        frames[name] = values

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
        frames["randall_x"], frames["randall_y"] = randall_position(frames["frame"])
