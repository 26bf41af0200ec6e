"""Frames → observation vectors: one implementation for play, training data and batches of any shape."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.engine.kernel import entry_point, kernel
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, SEAT_DTYPE, Frames, schema_hash
from melee_env.observations.features import (
    ACTION_GROUP,
    ACTION_GROUP_NAMES,
    EDGE_X,
    STAGE_ORDER,
    Feature,
    fighter_features,
)

_FIELDS: Any = FRAME_DTYPE.fields
_SEAT_FIELDS: Any = SEAT_DTYPE.fields
_FIGHTER_FIELDS: Any = FIGHTER_DTYPE.fields
SEATS, ITEMS, STAGE, FRAME = (int(_FIELDS[name][1]) for name in ("seats", "items", "stage", "frame"))
LEADER, NANA = int(_SEAT_FIELDS["leader"][1]), int(_SEAT_FIELDS["nana"][1])
SEAT_SIZE, ITEM_SIZE = SEAT_DTYPE.itemsize, ITEM_DTYPE.itemsize
ACTION, CHARACTER, X, Y = (int(_FIGHTER_FIELDS[name][1]) for name in ("action", "character", "x", "y"))
_ITEM_FIELDS: Any = ITEM_DTYPE.fields
ITEM_OWNER, ITEM_TYPE = int(_ITEM_FIELDS["owner"][1]), int(_ITEM_FIELDS["type"][1])
ITEM_NUMBERS = np.array([int(_ITEM_FIELDS[name][1]) for name in ("x", "y", "vel_x", "vel_y")], np.int64)
PORT = int(_SEAT_FIELDS["port"][1])

GROUPS = len(ACTION_GROUP_NAMES)
CHARACTERS = 27
STAGES = np.array(STAGE_ORDER, np.int64)
EDGES = np.array([EDGE_X.get(stage, 80.0) for stage in range(256)], np.float32)
KIND_FLOAT, KIND_BYTE, KIND_SHORT = 0, 1, 2
GAME_FRAMES = np.float32(28_800)
ZERO, ONE = np.float32(0), np.float32(1)
ITEM_VALUES = 7
GLOBALS = ("dx", "dy", "own.edge", "opponent.edge", "clock")


@kernel
def read_float(data, at):
    """Return the float32 stored at byte ``at``."""
    low = np.uint32(data[at]) | (np.uint32(data[at + 1]) << np.uint32(8))
    high = (np.uint32(data[at + 2]) << np.uint32(16)) | (np.uint32(data[at + 3]) << np.uint32(24))
    return np.uint32(low | high).view(np.float32)


@kernel
def read_short(data, at):
    """Return the uint16 stored at byte ``at``."""
    return np.int64(data[at]) | (np.int64(data[at + 1]) << 8)


@kernel
def clipped(value, limit):
    """Clip to ± limit; what is not finite becomes zero."""
    if not np.isfinite(value):
        return ZERO
    return min(max(value, -limit), limit)


@entry_point
def encode_rows(data, out, offsets, kinds, masks, scales, limits, fighters, num_items):
    """Encode frames ``data [N, bytes]`` into ``out [N, F]``.

    The plain features come first, then for every fighter offset its action group and character, the stage,
    the globals, and ``num_items`` items.
    """
    for n in range(data.shape[0]):
        row = data[n]
        at = 0
        for k in range(offsets.shape[0]):
            if kinds[k] == KIND_FLOAT:
                value = read_float(row, offsets[k])
            elif kinds[k] == KIND_BYTE:
                raw = np.int64(row[offsets[k]])
                value = np.float32(raw) if masks[k] == 0 else np.float32((raw & masks[k]) != 0)
            else:
                raw = read_short(row, offsets[k])
                value = np.float32(raw) if masks[k] == 0 else np.float32((raw & masks[k]) != 0)
            out[n, at] = clipped(value * scales[k], limits[k])
            at += 1
        for k in range(fighters.shape[0]):
            for j in range(GROUPS + CHARACTERS):
                out[n, at + j] = ZERO
            action = read_short(row, fighters[k] + ACTION)
            out[n, at + ACTION_GROUP[min(action, 1023)]] = ONE
            out[n, at + GROUPS + min(np.int64(row[fighters[k] + CHARACTER]), CHARACTERS - 1)] = ONE
            at += GROUPS + CHARACTERS
        stage = np.int64(row[STAGE])
        for k in range(STAGES.shape[0]):
            out[n, at + k] = ONE if stage == STAGES[k] else ZERO
        at += STAGES.shape[0]
        own, other = fighters[0], fighters[1]
        own_x = read_float(row, own + X)
        own_y = read_float(row, own + Y)
        edge = EDGES[stage]
        out[n, at] = clipped((read_float(row, other + X) - own_x) * np.float32(0.01), np.float32(5))
        out[n, at + 1] = clipped((read_float(row, other + Y) - own_y) * np.float32(0.01), np.float32(5))
        out[n, at + 2] = clipped((edge - abs(own_x)) * np.float32(0.01), np.float32(5))
        out[n, at + 3] = clipped((edge - abs(read_float(row, other + X))) * np.float32(0.01), np.float32(5))
        frame = np.int64(row[FRAME]) | (np.int64(row[FRAME + 1]) << 8) | (np.int64(row[FRAME + 2]) << 16)
        frame -= (np.int64(row[FRAME + 3]) & 0x80) >> 7 << 24
        out[n, at + 4] = clipped(np.float32(frame) / GAME_FRAMES, np.float32(2))
        at += 5
        port = np.int64(row[own - LEADER + PORT])
        at = encode_items(row, out[n], at, port, own_x, own_y, num_items)


@kernel
def encode_items(row, out, at, port, own_x, own_y, num_items):
    """Write the first ``num_items`` live items relative to the own fighter at ``port``; unused ones are zero."""
    found = 0
    for i in range(NUM_ITEMS):
        base = ITEMS + i * ITEM_SIZE
        if row[base] == 0 or found >= num_items:
            continue
        out[at] = ONE
        out[at + 1] = ONE if np.int64(row[base + ITEM_OWNER]) == port else ZERO
        out[at + 2] = clipped(np.float32(read_short(row, base + ITEM_TYPE)) * np.float32(0.01), np.float32(5))
        out[at + 3] = clipped(
            (read_float(row, base + ITEM_NUMBERS[0]) - own_x) * np.float32(0.01), np.float32(5)
        )
        out[at + 4] = clipped(
            (read_float(row, base + ITEM_NUMBERS[1]) - own_y) * np.float32(0.01), np.float32(5)
        )
        out[at + 5] = clipped(read_float(row, base + ITEM_NUMBERS[2]) * np.float32(0.1), np.float32(5))
        out[at + 6] = clipped(read_float(row, base + ITEM_NUMBERS[3]) * np.float32(0.1), np.float32(5))
        at += ITEM_VALUES
        found += 1
    for k in range((num_items - found) * ITEM_VALUES):
        out[at + k] = ZERO
    return at + (num_items - found) * ITEM_VALUES


class ObservationEncoder:
    """Encodes frames seen from their first seat.

    Attributes:
        name: name of the preset.
        space: ``Box`` of one observation.
        names: the name of every number, in order.
        one_hot: ``(first, behind the last)`` column of every block of which at most one number is 1.
        schema_hash: changes with any field, order, scale or id table.
    """

    def __init__(self, name: str, features: Sequence[Feature], with_nana: bool, num_items: int) -> None:
        """Build an encoder from its feature table."""
        self.name = name
        self._features = tuple(features)
        self._num_items = num_items
        parts = [("own", SEATS + LEADER), ("opponent", SEATS + SEAT_SIZE + LEADER)]
        if with_nana:
            parts += [("own.nana", SEATS + NANA), ("opponent.nana", SEATS + SEAT_SIZE + NANA)]
        fighters = np.array([offset for _, offset in parts], np.int64)
        offsets = np.array([feature.offset for feature in features], np.int64)
        self._views = ((offsets, fighters), (_seats_exchanged(offsets), _seats_exchanged(fighters)))
        kinds = {"f4": KIND_FLOAT, "u1": KIND_BYTE, "u2": KIND_SHORT}
        self._kinds = np.array([kinds[feature.kind] for feature in features], np.int64)
        self._masks = np.array([feature.mask for feature in features], np.int64)
        self._scales = np.array([feature.scale for feature in features], np.float32)
        self._limits = np.array([feature.limit for feature in features], np.float32)
        self.names = [feature.name for feature in features]
        limits = list(self._limits)
        ends = len(features) + np.cumsum([GROUPS, CHARACTERS] * len(parts) + [len(STAGE_ORDER)])
        begins = [len(features), *ends[:-1].tolist()]
        self.one_hot: list[tuple[int, int]] = list(zip(begins, ends.tolist(), strict=True))
        for label, _ in parts:
            self.names += [f"{label}.action.{group}" for group in ACTION_GROUP_NAMES]
            self.names += [f"{label}.character.{k}" for k in range(CHARACTERS)]
            limits += [1.0] * (GROUPS + CHARACTERS)
        self.names += [f"stage.{stage}" for stage in STAGE_ORDER]
        self.names += list(GLOBALS)
        limits += [1.0] * len(STAGE_ORDER) + [5.0, 5.0, 5.0, 5.0, 2.0]
        for k in range(num_items):
            self.names += [
                f"item{k}.{part}" for part in ("exists", "own", "type", "dx", "dy", "vel_x", "vel_y")
            ]
            limits += [1.0, 1.0, 5.0, 5.0, 5.0, 5.0, 5.0]
        high = np.array(limits, np.float32)
        self.space = spaces.Box(-high, high, dtype=np.float32)

    @property
    def size(self) -> int:
        """Numbers in one observation."""
        return len(self.names)

    @property
    def schema_hash(self) -> str:
        """A hex digest of everything that decides what the numbers mean."""
        tables = (ACTION_GROUP.tolist(), EDGES.tolist(), float(GAME_FRAMES))
        text = repr((schema_hash(), self._features, self.names, tables, self._num_items))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def encode(self, frames: Frames, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Encode frames ``[...]`` of ``FRAME_DTYPE``, own seat first, into ``[..., F] float32``.

        Args:
            frames: any leading shape.
            out: where to write (optional), ``[..., F]`` and contiguous.
        """
        shape = np.shape(frames)
        flat = np.ascontiguousarray(frames).reshape(-1)
        result = (
            np.empty((len(flat), self.size), np.float32) if out is None else out.reshape(len(flat), self.size)
        )
        self.encode_bytes(flat.view(np.uint8).reshape(len(flat), FRAME_DTYPE.itemsize), result)
        return result.reshape(*shape, self.size)

    def encode_bytes(self, data: NDArray[np.uint8], out: NDArray[np.float32], seat: int = 0) -> None:
        """Encode frames given as bytes ``[N, itemsize]`` into ``out [N, F]``: :meth:`encode` without its checks.

        Args:
            data: the frames.
            out: where to write.
            seat: whose view; 1 gives what frames with their seats exchanged give, without moving them.
        """
        offsets, fighters = self._views[seat]
        encode_rows(
            data,
            out,
            offsets,
            self._kinds,
            self._masks,
            self._scales,
            self._limits,
            fighters,
            self._num_items,
        )

    def __repr__(self) -> str:
        """Say which preset this is."""
        return f"ObservationEncoder({self.name!r}, {self.size} numbers, schema {self.schema_hash})"


def _seats_exchanged(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return byte offsets of a frame with those in one seat moved to the other."""
    seat = (offsets - SEATS) // SEAT_SIZE
    return offsets + SEAT_SIZE * ((seat == 0).astype(np.int64) - (seat == 1))


def compact() -> ObservationEncoder:
    """Both fighters without controllers, two items: what a drill or a first agent needs."""
    features = fighter_features(0, "leader", "own", False) + fighter_features(1, "leader", "opponent", False)
    return ObservationEncoder("compact", features, with_nana=False, num_items=2)


def full() -> ObservationEncoder:
    """Both fighters with their controllers, the Ice Climbers' partners, five items."""
    features = fighter_features(0, "leader", "own", True) + fighter_features(1, "leader", "opponent", True)
    features += fighter_features(0, "nana", "own.nana", False) + fighter_features(
        1, "nana", "opponent.nana", False
    )
    return ObservationEncoder("full", features, with_nana=True, num_items=5)
