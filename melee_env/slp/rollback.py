"""Frame copies: which events belong together, which copy of a frame counts, which are whole.

A netplay game sends a frame again when it was predicted wrongly. Everything between two frame-start
events (before Slippi 2.2: everything with one frame number) is one *copy* of a frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from melee_env.frame import FIRST_FRAME
from melee_env.slp import events
from melee_env.slp.copying import key_halves
from melee_env.slp.stream import Stream

Rollback = Literal["last", "first"]
"""``last`` is what finally happened, ``first`` what the players were shown."""
LAST_NUMBER = 2**20


@dataclass(frozen=True)
class Copies:
    """The copies of all frames of a file, in file order."""

    starts: NDArray[np.int64]
    """``[C]`` byte offset at which each copy begins"""
    numbers: NDArray[np.int32]
    """``[C]`` frame number of each copy"""
    whole: NDArray[np.bool_]
    """``[C]`` every fighter has both halves, and the copy is closed"""
    filled: NDArray[np.bool_]
    """``[C]`` at least one half of one fighter is there"""
    halves: dict[int, NDArray[np.int64]]
    """by command, of which fighter in which copy each half-frame tells (see :func:`key_halves`)"""

    def of(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the copy to which events at ``offsets`` belong (-1 before the first)."""
        if offsets is self.starts:  # the frame-start events themselves
            return np.arange(len(offsets))
        return np.searchsorted(self.starts, offsets, "right") - 1


def find_copies(stream: Stream) -> Copies:
    """Group the events of a stream into copies of frames."""
    marker = events.FRAME_START if len(stream.offset(events.FRAME_START)) else events.PRE
    if not len(stream.offset(marker)):
        marker = events.POST
    starts, numbers = stream.offset(marker), stream.column(marker, "frame").astype(np.int32)
    if marker != events.FRAME_START and len(numbers):
        new = np.append(True, numbers[1:] != numbers[:-1])
        starts, numbers = starts[new], numbers[new]
    count = len(starts)
    copies = Copies(starts, numbers, np.ones(count, bool), np.zeros(count, bool), {})
    if not count:
        return copies

    for command in (events.PRE, events.POST):
        if command not in stream.sizes:
            continue
        fields: Any = stream.dtype(command).fields
        at = np.array([fields[name][1] for name in ("frame", "port", "follower")])
        keys = key_halves(stream.data, stream.offset(command), at, starts, numbers)
        copies.halves[command] = keys
        copies.whole[-2 - keys[keys < -1]] = False
        copies.filled[keys[keys >= 0] >> 16] = True
    if len(copies.halves) == 2:
        pre, post = (keys[keys >= 0] for keys in copies.halves.values())
        if not np.array_equal(pre, post):
            copies.whole[np.setxor1d(pre, post) >> 16] = False
    copies.whole[:] &= copies.filled
    if events.BOOKEND in stream.sizes:
        closed = np.zeros(count, bool)
        bookend = copies.of(stream.offset(events.BOOKEND))
        closed[bookend[bookend >= 0]] = True
        copies.whole[:] &= closed
    in_range = (numbers >= FIRST_FRAME) & (numbers <= LAST_NUMBER)
    copies.whole[:] &= in_range
    copies.filled[:] &= in_range
    return copies


def choose(numbers: NDArray[np.int32], usable: NDArray[np.bool_], rollback: Rollback) -> NDArray[np.int64]:
    """Choose one copy per frame number.

    Args:
        numbers: ``[C]`` frame number of each copy, in the order in which they were sent.
        usable: ``[C]`` copies that may be chosen.
        rollback: the last or the first usable copy.

    Returns:
        ``[T]`` indices of copies, by increasing frame number.
    """
    indices = np.flatnonzero(usable)
    if rollback == "last":
        indices = indices[::-1]
    elif rollback != "first":
        raise ValueError(f"rollback must be 'last' or 'first', not {rollback!r}")
    _, position = np.unique(numbers[indices], return_index=True)
    return indices[position]
