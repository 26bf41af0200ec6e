"""Frames as Arrow files: a column per field, named by its path in a frame, e.g. ``seats.0.leader.x``.

Live items are a list per frame. Fields of partners who are not there take no space. Any Arrow library opens these
files; here they are mapped into memory and copied into frames in one pass.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import json
import mmap
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demonstrations.arrow import import_arrow
from melee_env.engine.kernel import entry_point, kernel
from melee_env.frame import FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, NUM_SEATS, Frames, empty_frames

ALIGNMENT = 64
"""Columns begin at multiples of this, as Arrow recommends."""
METADATA = b"melee_env"
"""Key of the JSON text that is kept with the columns."""


@dataclass(frozen=True)
class Leaf:
    """A number inside a record."""

    name: str
    """path, e.g. ``seats.0.leader.x``"""
    place: int
    """byte in the record"""
    dtype: np.dtype[Any]
    """its type"""


def leaves(dtype: np.dtype[Any], name: str = "", place: int = 0) -> list[Leaf]:
    """Return every number of a nested record, in order."""
    prefix = f"{name}." if name else ""
    if dtype.subdtype is not None:
        base, (count,) = dtype.subdtype
        return [
            leaf for k in range(count) for leaf in leaves(base, f"{prefix}{k}", place + k * base.itemsize)
        ]
    if dtype.fields is None:
        return [Leaf(name, place, dtype)]
    return [
        leaf
        for field in dtype.names or ()
        for leaf in leaves(dtype.fields[field][0], prefix + field, place + int(dtype.fields[field][1]))
    ]


@lru_cache(maxsize=1)
def frame_leaves() -> tuple[Leaf, ...]:
    """Return every number of a frame but those of its items."""
    return tuple(leaf for leaf in leaves(FRAME_DTYPE) if not leaf.name.startswith("items."))


def to_arrow(frames: Frames, head: dict[str, Any]) -> Any:
    """Return frames ``[T]`` as the bytes of an Arrow file (a ``pyarrow.Buffer``), with ``head`` as JSON.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    pa = import_arrow()
    rows = np.ascontiguousarray(frames).view(np.uint8).reshape(len(frames), FRAME_DTYPE.itemsize)
    kept = _kept_leaves(frames)
    sizes = np.array([leaf.dtype.itemsize for leaf in kept])
    strides = -(-sizes * len(frames) // ALIGNMENT) * ALIGNMENT
    begins = np.cumsum(strides) - strides
    columns = np.zeros(int(strides.sum()), np.uint8)
    split_rows(rows, np.column_stack([[leaf.place for leaf in kept], sizes, begins]), columns)
    arrays, fields = [], []
    for leaf, begin, size in zip(kept, begins.tolist(), sizes.tolist(), strict=True):
        values = pa.array(columns[begin : begin + size * len(frames)].view(leaf.dtype))
        arrays.append(values)
        fields.append(pa.field(leaf.name, values.type, nullable=False))
    arrays.append(_items_to_arrow(pa, frames))
    fields.append(pa.field("items", arrays[-1].type, nullable=False))
    schema = pa.schema(fields, metadata={METADATA: json.dumps(head, sort_keys=True)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return sink.getvalue()


def read_head(path: Path) -> dict[str, Any]:
    """Return the JSON values that are kept with the frames of a file.

    Raises:
        OSError, ValueError, KeyError: the file is missing or damaged.
    """
    return json.loads(_open(path)[1].schema.metadata[METADATA])


def read_frames(path: Path) -> Frames:
    """Return the frames ``[T]`` of a file.

    Raises:
        OSError, ValueError, KeyError: the file is missing or damaged.
    """
    mapped, table = _open(path)
    batch = table.get_batch(0)
    data, length = np.frombuffer(mapped, np.uint8), len(batch)
    places = {leaf.name: leaf for leaf in frame_leaves()}
    plan = []
    for name in batch.schema.names:
        if name == "items":
            continue
        leaf, values = places[name], batch.column(name).buffers()[1]
        begin, size = values.address - data.ctypes.data, leaf.dtype.itemsize
        if values.size < length * size or not 0 <= begin <= len(data) - length * size:
            raise ValueError(f"column {name} is short")
        plan.append((leaf.place, size, begin))
    frames = empty_frames(length)
    rows = frames.view(np.uint8).reshape(length, FRAME_DTYPE.itemsize)
    join_columns(data, np.array(plan, np.int64).reshape(-1, 3), rows)
    _items_from_arrow(batch.column("items"), frames)
    return frames


def _open(path: Path) -> tuple[mmap.mmap, Any]:
    pa = import_arrow()
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return mapped, pa.ipc.open_file(pa.py_buffer(mapped))


def _kept_leaves(frames: Frames) -> list[Leaf]:
    """Return the numbers of a frame without those of partners who never are there."""
    absent = tuple(
        f"seats.{seat}.nana." for seat in range(NUM_SEATS) if not _any(frames["seats"]["nana"][:, seat])
    )
    return [leaf for leaf in frame_leaves() if not leaf.name.startswith(absent)]


def _any(fighters: NDArray[np.void]) -> bool:
    """Say whether any byte of records is set."""
    return bool(np.ascontiguousarray(fighters).view(np.uint8).any())


def _items_to_arrow(pa: Any, frames: Frames) -> Any:
    row, slot = np.nonzero(frames["items"]["exists"])
    items = np.ascontiguousarray(frames["items"][row, slot])
    offsets = np.searchsorted(row, np.arange(len(frames) + 1)).astype(np.int32)
    data = items.view(np.uint8).reshape(len(items), ITEM_DTYPE.itemsize)
    names, arrays = ["slot"], [pa.array(slot.astype(np.uint8))]
    for leaf in leaves(ITEM_DTYPE):
        values = np.ascontiguousarray(data[:, leaf.place : leaf.place + leaf.dtype.itemsize])
        names.append(leaf.name)
        arrays.append(pa.array(values.view(leaf.dtype).reshape(-1)))
    return pa.ListArray.from_arrays(pa.array(offsets), pa.StructArray.from_arrays(arrays, names))


def _items_from_arrow(column: Any, frames: Frames) -> None:
    offsets, values = column.offsets.to_numpy(), column.values
    row = np.repeat(np.arange(len(frames)), np.diff(offsets))
    items = np.zeros(len(row), ITEM_DTYPE)
    data = items.view(np.uint8).reshape(len(row), ITEM_DTYPE.itemsize)
    for leaf in leaves(ITEM_DTYPE):
        field = np.ascontiguousarray(values.field(leaf.name).to_numpy()).astype(leaf.dtype, copy=False)
        data[:, leaf.place : leaf.place + leaf.dtype.itemsize] = field.view(np.uint8).reshape(
            len(row), leaf.dtype.itemsize
        )
    slot = values.field("slot").to_numpy()
    if (slot >= NUM_ITEMS).any():
        raise ValueError("an item lies in no slot")
    frames["items"][row, slot] = items


@kernel
def move(source, there, target, here, size):
    """Copy a number of one, two, four or eight bytes."""
    there, here = np.uint64(there), np.uint64(here)  # unsigned, so that the bytes are moved together
    for k in range(np.uint64(size)):
        target[here + np.uint64(k)] = source[there + np.uint64(k)]


@entry_point
def split_rows(rows, plan, columns):
    """Copy numbers out of records ``[T, bytes]`` into columns.

    Args:
        rows: the records, uint8.
        plan: ``[columns, 3] int64``: byte in a record, bytes, where the column begins in ``columns``.
        columns: all columns one behind the other, ``[bytes] uint8``.
    """
    for n in range(rows.shape[0]):
        row = rows[n]
        for k in range(plan.shape[0]):
            move(row, plan[k, 0], columns, plan[k, 2] + n * plan[k, 1], plan[k, 1])


@entry_point
def join_columns(columns, plan, rows):
    """Copy columns into zeroed records ``[T, bytes]``; the reverse of :func:`split_rows`."""
    for n in range(rows.shape[0]):
        row = rows[n]
        for k in range(plan.shape[0]):
            move(columns, plan[k, 2] + n * plan[k, 1], row, plan[k, 0], plan[k, 1])
