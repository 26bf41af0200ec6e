"""Write games as ``.slp`` files that Slippi's tools, peppi and libmelee read back to the same frames.

Files claim Slippi 3.19 and hold every event of that version but the gecko list. Frames may begin later
than -123 (all three readers take the numbers as they are). Two things have no place in the format: a
fighter that is not ``present`` is not written, and hitstun is written together with its state flag.
"""

from __future__ import annotations

import os
import struct
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from melee_env.frame import Frames, empty_frames
from melee_env.game import Game, GameInfo
from melee_env.ids import Stage
from melee_env.slp import events
from melee_env.slp.container import wrap_footer, wrap_header
from melee_env.slp.start import CONTROLLER_NAMES, check_versus, write_start


def write_game(path: str | os.PathLike[str], game: Game) -> None:
    """Write a whole game; the file appears at ``path`` only when it is complete.

    Args:
        path: where to write; an existing file is replaced.
        game: the game; its frames must have increasing numbers.

    Raises:
        ReplayError: ``not_versus``.
        ValueError: frame numbers that do not increase.
        OSError: the file cannot be written.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with SlpRecorder(beside, game.info) as recorder:
            recorder.append(game.frames)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


class SlpRecorder:
    """Write a game while it is played.

    What was appended is in the file at once; a recorder that is killed leaves a file that the reader
    repairs (reason ``unfinished``). :meth:`close` adds the game's end, the metadata and the length.

    Example:
        >>> with SlpRecorder("game.slp", info) as recorder:  # doctest: +SKIP
        ...     recorder.append(frames)
    """

    def __init__(self, path: str | os.PathLike[str], info: GameInfo) -> None:
        check_versus(info, path)
        self.info = info
        self._last: Frames | None = None
        self._characters: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
        self._file = open(path, "wb")  # noqa: SIM115 (closed by close())
        self._file.write(wrap_header(0) + payload_table() + write_start(info))
        self._file.flush()

    def append(self, frames: Frames) -> None:
        """Write frames ``[T]`` (or one frame ``[]``) behind those already written.

        Raises:
            ValueError: frame numbers that do not increase.
        """
        frames = np.atleast_1d(frames)
        if not len(frames):
            return
        before = self._last if self._last is not None else _before_first(self.info)
        if self._last is not None and frames["frame"][0] <= before["frame"][0]:
            raise ValueError(f"frame {frames['frame'][0]} does not follow frame {before['frame'][0]}")
        self._file.write(encode_frames(frames, self.info, before))
        self._file.flush()
        self._last = frames[-1:].copy()
        for seat, counter in enumerate(self._characters):
            values, counts = np.unique(frames["seats"]["leader"]["character"][:, seat], return_counts=True)
            counter.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))

    def close(self, end_method: int | None = None) -> None:
        """Finish the file; calling it twice is fine.

        Args:
            end_method: how the game ended; by default what the last frame or the game's description says,
                no contest (7) if neither does.
        """
        if self._file.closed:
            return
        if end_method is None:
            shown = int(self._last["end_method"][0]) if self._last is not None else 0
            end_method = shown or self.info.end_method or 7
        self._file.write(self._end_event(end_method))
        length = self._file.tell() - len(wrap_header(0))
        self._file.write(wrap_footer(self._metadata()))
        self._file.seek(0)
        self._file.write(wrap_header(length))
        self._file.close()

    def __enter__(self) -> SlpRecorder:
        """Return the recorder."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; after an error leave it unfinished, as what it is."""
        if error is None:
            self.close()
        else:
            self._file.close()

    def _end_event(self, end_method: int) -> bytes:
        places = [-1, -1, -1, -1]
        if self._last is not None:
            leaders = self._last["seats"]["leader"][0]
            stocks, percents = leaders["stocks"].tolist(), leaders["percent"].tolist()
            for place, seat in enumerate(sorted((0, 1), key=lambda seat: (-stocks[seat], percents[seat]))):
                places[self.info.seats[seat].port] = place
        return struct.pack(">BBb4b", events.END, end_method, -1, *places)

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        if self.info.started_at:
            metadata["startAt"] = self.info.started_at
        if self._last is not None:
            metadata["lastFrame"] = int(self._last["frame"][0])
        metadata["players"] = {
            str(seat.port): {
                "names": {key: text for key, text in (("netplay", seat.name), ("code", seat.code)) if text},
                "characters": {str(character): count for character, count in sorted(counter.items())},
            }
            for seat, counter in zip(self.info.seats, self._characters, strict=True)
        }
        if self.info.played_on:
            metadata["playedOn"] = self.info.played_on
        return metadata


def payload_table() -> bytes:
    """Return the event that announces the sizes of all events of the written version."""
    sizes = [(command, event.size) for command, event in events.EVENTS.items() if command < 256]
    sizes += [(events.GECKO, 512), (events.SPLIT, 516)]
    table = b"".join(struct.pack(">BH", command, size) for command, size in sizes)
    return bytes([events.PAYLOADS, 1 + len(table)]) + table


def encode_frames(frames: Frames, info: GameInfo, before: Frames) -> bytes:
    """Return the events of all frames.

    Args:
        frames: ``[T]``.
        info: the game, for its ports and its stage.
        before: ``[1]``, the frame before the first (stage events tell changes only).

    Raises:
        ValueError: frame numbers that do not increase.
    """
    if (np.diff(frames["frame"]) <= 0).any():
        raise ValueError("frame numbers must increase")
    parts = _parts(frames, info, before)
    sizes = np.array([np.where(mask, rows.dtype.itemsize, 0) for mask, rows in parts])
    ends = np.cumsum(sizes.sum(axis=0))
    starts = np.cumsum(sizes, axis=0) - sizes + (ends - sizes.sum(axis=0))
    out = np.zeros(int(ends[-1]), np.uint8)
    for (mask, rows), start in zip(parts, starts, strict=True):
        size = rows.dtype.itemsize
        raw = rows.view(np.uint8).reshape(-1, size)
        sliding_window_view(out, size, writeable=True)[start[mask]] = raw
    return out.tobytes()


def _before_first(info: GameInfo) -> Frames:
    """Return what the stage shows before its first event."""
    before = empty_frames(1)
    if info.stage == Stage.FOUNTAIN_OF_DREAMS.external:
        before["fod_left"], before["fod_right"] = events.FOD_FIRST_HEIGHTS
    return before


Part = tuple[NDArray[np.bool_], NDArray[np.void]]
"""On which frames an event occurs, ``[T]``, and its rows there."""


def _parts(frames: Frames, info: GameInfo, before: Frames) -> list[Part]:
    """Return the events of a frame copy in the order in which the game sends them."""
    always = np.ones(len(frames), bool)
    fighters = [
        (frames["seats"][name][:, seat], info.seats[seat].port, follower)
        for seat in range(2)
        for follower, name in enumerate(("leader", "nana"))
    ]
    seeds = {"seed": frames["seed"], "scene_frame": frames["scene_frame"]}
    parts = [_part(events.FRAME_START, always, frames, **seeds)]
    for command in (events.PRE, events.POST):
        if command == events.POST:
            parts += _stage_parts(frames, info, before)
            for slot in range(frames["items"].shape[1]):
                item = frames["items"][:, slot]
                parts.append(_part(events.ITEM, item["exists"] != 0, frames, item))
        for fighter, port, follower in fighters:
            present = fighter["present"] != 0
            part = _part(command, present, frames, fighter, port=port, follower=follower)
            if command == events.PRE:
                part[1]["seed"] = frames["seed"][present]
            else:
                part[1]["flags"][part[1]["hitstun"] != 0, 3] |= events.FLAG_HITSTUN
            parts.append(part)
    parts.append(_part(events.BOOKEND, always, frames, finalized=frames["frame"]))
    return [part for part in parts if len(part[1])]


def _part(command: int, mask: NDArray[np.bool_], frames: Frames, source: NDArray[np.void] | None = None,
          **values: Any) -> Part:  # fmt: skip
    """Build the rows of one event: fields come from ``source`` by name, or from ``values``."""
    dtype = events.row_dtype(command, events.EVENTS[command].size)
    rows = np.zeros(int(mask.sum()), dtype)
    rows.view(np.uint8).reshape(-1, dtype.itemsize)[:, 0] = command
    rows["frame"] = frames["frame"][mask]
    if source is not None:
        held = source.dtype.names or ()
        for name in dtype.names or ():
            if name in held:
                rows[name] = source[name][mask]
            elif "controller" in held and name in CONTROLLER_NAMES:
                rows[name] = source["controller"][name][mask]
    for name, value in values.items():
        rows[name] = value[mask] if isinstance(value, np.ndarray) else value
    return mask, rows


def _stage_parts(frames: Frames, info: GameInfo, before: Frames) -> list[Part]:
    def changed(*names: str) -> NDArray[np.bool_]:
        changes = np.zeros(len(frames), bool)
        for name in names:
            changes |= np.diff(frames[name], prepend=before[name]) != 0
        return changes

    if info.stage == Stage.FOUNTAIN_OF_DREAMS.external:
        return [
            _part(events.FOD_PLATFORM, changed(name), frames, platform=platform, height=frames[name])
            for platform, name in ((events.FOD_RIGHT, "fod_right"), (events.FOD_LEFT, "fod_left"))
        ]
    if info.stage == Stage.DREAM_LAND.external:
        return [_part(events.WHISPY, changed("whispy"), frames, direction=frames["whispy"])]
    if info.stage == Stage.POKEMON_STADIUM.external:
        mask = changed("stadium_event", "stadium_type")
        shown = {"event": frames["stadium_event"], "type": frames["stadium_type"]}
        return [_part(events.STADIUM, mask, frames, **shown)]
    return []
