"""The event stream: payload table, walk from event to event, fields of one kind as arrays."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import ReplayError
from melee_env.slp import events
from melee_env.slp.container import METADATA
from melee_env.slp.copying import gather, index_events


@dataclass(frozen=True)
class Stream:
    """Every whole event of a file, by command."""

    data: NDArray[np.uint8]
    """the file's bytes"""
    sizes: dict[int, int]
    """payload size by command, as announced"""
    offsets: dict[int, NDArray[np.int64]]
    """byte offsets of the events by command, in file order"""
    end: int
    """first byte behind the last whole event"""
    fault: str
    """why the walk stopped: empty at a proper end, else ``cut_event`` or ``unknown_event``"""

    def dtype(self, command: int) -> np.dtype:
        """Return what an event of one command holds in this file (see :func:`events.row_dtype`)."""
        return events.row_dtype(command, self.sizes[command]) if command in self.sizes else np.dtype([])

    def has(self, command: int, name: str) -> bool:
        """Say whether events of ``command`` hold the field."""
        return name in (self.dtype(command).names or ())

    def offset(self, command: int) -> NDArray[np.int64]:
        """Return the byte offsets of all events of one command."""
        return self.offsets.get(command, np.zeros(0, np.int64))

    def column(self, command: int, name: str) -> NDArray[np.generic]:
        """Return one field of all events of one command, ``[N]`` in native byte order; it must be there."""
        kind, at = self.dtype(command).fields[name][:2]  # type: ignore[index]
        offsets = self.offset(command)
        out = np.empty((len(offsets), kind.itemsize), np.uint8)
        gather(self.data, offsets, at, out)
        return out.view(kind.newbyteorder("="))[:, 0]

    def first(self, command: int) -> np.void:
        """Return the first event of one command as a record; there must be one."""
        return np.frombuffer(self.data, self.dtype(command), 1, int(self.offset(command)[0]))[0]


def read_payload_table(data: bytes, offset: int, path: object = "") -> tuple[dict[int, int], int]:
    """Read the table that announces the payload size of every command.

    Args:
        data: bytes of the file, at least from its start to the end of the table.
        offset: where the table starts.
        path: for the error message.

    Returns:
        ``(sizes, offset of the next event)``.

    Raises:
        ReplayError: ``bad_payload_table``, or ``no_frames`` if the file ends inside the table.
    """

    def refuse(detail: str) -> ReplayError:
        return ReplayError("bad_payload_table", path, offset, detail)

    if len(data) < offset + 2:
        raise ReplayError("no_frames", path, len(data), "the file ends before its payload table")
    if data[offset] != events.PAYLOADS:
        raise refuse(f"event 0x{data[offset]:02x} in the place of the table")
    size = data[offset + 1]
    if size < 1 or (size - 1) % 3:
        raise refuse(f"impossible size {size}")
    if len(data) < offset + 1 + size:
        raise ReplayError("no_frames", path, len(data), "the file ends inside its payload table")
    sizes: dict[int, int] = {events.PAYLOADS: size}
    for command, payload in struct.iter_unpack(">BH", data[offset + 2 : offset + 1 + size]):
        if command == events.PAYLOADS or payload == 0:
            raise refuse(f"size {payload} for event 0x{command:02x}")
        if sizes.get(command, payload) != payload:
            raise refuse(f"two sizes for event 0x{command:02x}")
        if command in events.EVENTS and payload < events.layout_of(command, payload).least:
            raise refuse(f"size {payload} is too small for event 0x{command:02x}")
        sizes[command] = payload
    if events.START not in sizes or events.POST not in sizes:
        raise refuse("no game start or no post-frame event is announced")
    return sizes, offset + 1 + size


def walk(data: NDArray[np.uint8], offset: int, sizes: dict[int, int]) -> Stream:
    """Go from event to event until the metadata, the end of the bytes or something unannounced.

    Args:
        data: the whole file, uint8.
        offset: first byte behind the payload table.
        sizes: payload size by command.
    """
    step = np.zeros(256, np.int64)
    for command, size in sizes.items():
        step[command] = size + 1
    step[events.PAYLOADS] = 0
    places, counts, end = index_events(data, offset, step)
    rest = data[end : end + len(METADATA)].tobytes()
    fault = ""
    if rest and step[rest[0]]:
        fault = "cut_event"
    elif rest and rest != b"}" and not METADATA.startswith(rest):
        # A recorder that was cut inside the key of the metadata has still written every event.
        fault = "unknown_event"
    ends = np.cumsum(counts)
    offsets = {
        command: places[ends[command] - counts[command] : ends[command]]
        for command in sizes
        if command in events.EVENTS
    }
    return Stream(data, sizes, offsets, end, fault)
