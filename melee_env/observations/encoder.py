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

from melee_env.controller import CONTROLLER_DTYPE, Controllers
from melee_env.engine.kernel import entry_point, kernel
from melee_env.errors import OptionError
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, SEAT_DTYPE, Frames, schema_hash
from melee_env.observations.features import (
    ACTION_GROUP,
    ACTION_GROUP_NAMES,
    EDGE_X,
    STAGE_ORDER,
    Feature,
    controller_features,
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
LEDGE_GLOBALS = ("own.edge", "opponent.edge")
ITEM_PARTS = ("exists", "own", "type", "dx", "dy", "vel_x", "vel_y")
STATES, EXACT_CHARACTERS = 400, 33
MAX_BLOCK = 255
DELAYS = 25
"""a delay's one-hot: 0..24 frames"""
IDS_GROUPED, IDS_EXACT, IDS_INTEGER = 0, 1, 2
ID_MODES = {"grouped": IDS_GROUPED, "one_hot": IDS_EXACT, "integer": IDS_INTEGER}
CONTROLLER_SIZE = CONTROLLER_DTYPE.itemsize
_OWN_CONTROLLER = SEATS + LEADER + int(_FIGHTER_FIELDS["controller"][1])


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


@kernel
def encode_features(row, out, at, offsets, kinds, masks, scales, limits):
    """Write plain features of one row of bytes; return the place after them."""
    for k in range(offsets.shape[0]):
        if kinds[k] == KIND_FLOAT:
            value = read_float(row, offsets[k])
        elif kinds[k] == KIND_BYTE:
            raw = np.int64(row[offsets[k]])
            value = np.float32(raw) if masks[k] == 0 else np.float32((raw & masks[k]) != 0)
        else:
            raw = read_short(row, offsets[k])
            value = np.float32(raw) if masks[k] == 0 else np.float32((raw & masks[k]) != 0)
        out[at] = clipped(value * scales[k], limits[k])
        at += 1
    return at


@kernel
def encode_ids(row, out, at, fighters, mode):
    """Write every fighter's action state and character as one-hots; return the place after them."""
    actions = GROUPS if mode == IDS_GROUPED else STATES
    characters = CHARACTERS if mode == IDS_GROUPED else EXACT_CHARACTERS
    for k in range(fighters.shape[0]):
        for j in range(actions + characters):
            out[at + j] = ZERO
        action = min(read_short(row, fighters[k] + ACTION), STATES - 1)
        out[at + (ACTION_GROUP[action] if mode == IDS_GROUPED else action)] = ONE
        out[at + actions + min(np.int64(row[fighters[k] + CHARACTER]), characters - 1)] = ONE
        at += actions + characters
    return at


@kernel
def encode_globals(row, out, at, own, other, with_stage, with_ledge):
    """Write the stage and what lies between the fighters; return the place after them."""
    stage = np.int64(row[STAGE])
    if with_stage:
        for k in range(STAGES.shape[0]):
            out[at + k] = ONE if stage == STAGES[k] else ZERO
        at += STAGES.shape[0]
    own_x = read_float(row, own + X)
    out[at] = clipped((read_float(row, other + X) - own_x) * np.float32(0.01), np.float32(5))
    out[at + 1] = clipped(
        (read_float(row, other + Y) - read_float(row, own + Y)) * np.float32(0.01), np.float32(5)
    )
    at += 2
    if with_ledge:
        edge = EDGES[stage]
        out[at] = clipped((edge - abs(own_x)) * np.float32(0.01), np.float32(5))
        out[at + 1] = clipped((edge - abs(read_float(row, other + X))) * np.float32(0.01), np.float32(5))
        at += 2
    frame = np.int64(row[FRAME]) | (np.int64(row[FRAME + 1]) << 8) | (np.int64(row[FRAME + 2]) << 16)
    frame -= (np.int64(row[FRAME + 3]) & 0x80) >> 7 << 24
    out[at] = clipped(np.float32(frame) / GAME_FRAMES, np.float32(2))
    return at + 1


@entry_point
def encode_rows(data, committed, delays, out, offsets, kinds, masks, scales, limits, fighters, layout):
    """Encode frames ``data [N, bytes]`` into ``out [N, F]``.

    The plain features come first, then for every fighter its action group and character, the stage, the
    globals, items, the ``K`` controllers of ``committed [N, K, bytes]``, the delay's one-hot, and ids that stay
    integers. ``layout`` is ``(number of plain frame features, mode of the ids, stage, ledge, items, delay)``; the
    tables go on after the frame's features with those of one controller.
    """
    plain, mode, with_stage, with_ledge, num_items, with_delay = layout
    places, pad_kinds, pad_masks = offsets[:plain], kinds[plain:], masks[plain:]
    pad_scales, pad_limits, pad_offsets = scales[plain:], limits[plain:], offsets[plain:]
    for n in range(data.shape[0]):
        row = data[n]
        to = out[n]
        at = encode_features(row, to, 0, places, kinds, masks, scales, limits)
        if mode != IDS_INTEGER:
            at = encode_ids(row, to, at, fighters, mode)
        at = encode_globals(row, to, at, fighters[0], fighters[1], with_stage != 0, with_ledge != 0)
        at = encode_items(row, to, at, fighters[0], num_items)
        for k in range(committed.shape[1]):
            pad = committed[n, k]
            at = encode_features(pad, to, at, pad_offsets, pad_kinds, pad_masks, pad_scales, pad_limits)
        if with_delay:
            for k in range(DELAYS):
                to[at + k] = ONE if k == delays[n] else ZERO
            at += DELAYS
        if mode == IDS_INTEGER:
            for k in range(fighters.shape[0]):
                to[at] = np.float32(min(read_short(row, fighters[k] + ACTION), STATES - 1))
                to[at + 1] = np.float32(min(np.int64(row[fighters[k] + CHARACTER]), EXACT_CHARACTERS - 1))
                at += 2


@kernel
def encode_items(row, out, at, own, num_items):
    """Write the first ``num_items`` live items relative to the fighter at byte ``own``; unused ones are zero."""
    port = np.int64(row[own - LEADER + PORT])
    own_x = read_float(row, own + X)
    own_y = read_float(row, own + Y)
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
        name: name of the preset, with its switches.
        space: ``Box`` of one observation.
        names: the name of every number, in order.
        previous: K, how many committed controllers are shown, the latest first.
        shows_delay: the delay is shown as a one-hot.
        id_columns: columns that hold ids as whole numbers (for learned embeddings), none with one-hots.
        one_hot: ``(first, behind the last)`` column of blocks of up to 255 of which at most one number is 1.
        schema_hash: changes with any field, order, scale or id table.
    """

    def __init__(
        self,
        name: str,
        features: Sequence[Feature],
        with_nana: bool,
        num_items: int,
        *,
        ids: str = "grouped",
        with_stage: bool = True,
        with_ledge: bool = True,
        previous: int = 0,
        shows_delay: bool = False,
    ) -> None:
        """Build an encoder from its feature table; ``with_nana`` gives the partners' ids too."""
        self.name = name
        self.previous, self.shows_delay = previous, shows_delay
        self._features = tuple(features)
        parts = [("own", SEATS + LEADER), ("opponent", SEATS + SEAT_SIZE + LEADER)]
        if with_nana:
            parts += [("own.nana", SEATS + NANA), ("opponent.nana", SEATS + SEAT_SIZE + NANA)]
        mode = ID_MODES[ids]
        fighters = np.array([offset for _, offset in parts], np.int64)
        self._layout = (len(features), mode, int(with_stage), int(with_ledge), num_items, int(shows_delay))
        pads = controller_features(0, "previous")
        rows = [*features, *pads]
        offsets = np.array([feature.offset for feature in features], np.int64)
        pad_offsets = np.array([feature.offset for feature in pads], np.int64)
        # A controller's own offsets do not depend on whose view it is.
        self._views = tuple(
            (np.concatenate([move(offsets), pad_offsets]), move(fighters))
            for move in (_as_they_are, _seats_exchanged)
        )
        kinds = {"f4": KIND_FLOAT, "u1": KIND_BYTE, "u2": KIND_SHORT}
        self._kinds = np.array([kinds[feature.kind] for feature in rows], np.int64)
        self._masks = np.array([feature.mask for feature in rows], np.int64)
        self._scales = np.array([feature.scale for feature in rows], np.float32)
        self._limits = np.array([feature.limit for feature in rows], np.float32)
        columns = [(feature.name, feature.limit) for feature in features]
        if mode != IDS_INTEGER:
            columns += _one_hots([label for label, _ in parts], mode)
        columns += _global_columns(with_stage, with_ledge)
        for k in range(num_items):
            columns += [(f"item{k}.{part}", 1.0 if part in ("exists", "own") else 5.0) for part in ITEM_PARTS]
        for k in range(previous):
            columns += [(f"previous{k}.{pad.name.partition('.')[2]}", pad.limit) for pad in pads]
        if shows_delay:
            columns += [(f"delay.{k}", 1.0) for k in range(DELAYS)]
        self.id_columns = tuple(len(columns) + k for k in range(2 * len(parts) * (mode == IDS_INTEGER)))
        if mode == IDS_INTEGER:
            for label, _ in parts:
                columns += [(f"{label}.action", STATES - 1.0), (f"{label}.character", EXACT_CHARACTERS - 1.0)]
        self.names = [column for column, _ in columns]
        self.one_hot = _one_hot_blocks(len(features), len(parts), mode, with_stage)
        high = np.array([limit for _, limit in columns], np.float32)
        self.space = spaces.Box(-high, high, dtype=np.float32)

    @property
    def size(self) -> int:
        """Numbers in one observation."""
        return len(self.names)

    @property
    def schema_hash(self) -> str:
        """A hex digest of everything that decides what the numbers mean."""
        return hashlib.sha256(repr((schema_hash(), *self._identity())).encode()).hexdigest()[:16]

    def _identity(self) -> tuple[Any, ...]:
        """Return everything besides the frame's schema that decides what the numbers mean."""
        tables = (ACTION_GROUP.tolist(), EDGES.tolist(), float(GAME_FRAMES))
        return (self._features, self.names, tables, self._layout[4])

    def encode(
        self,
        frames: Frames,
        out: NDArray[np.float32] | None = None,
        *,
        committed: Controllers | None = None,
        delays: NDArray[np.int64] | int = 0,
    ) -> NDArray[np.float32]:
        """Encode frames ``[...]`` of ``FRAME_DTYPE``, own seat first, into ``[..., F] float32``.

        Args:
            frames: any leading shape.
            out: where to write (optional), ``[..., F]`` and contiguous.
            committed: the last K controllers ``[..., K]``, the latest first; needed from ``previous=2`` on. For
                ``previous=1`` the controller of the frame itself stands in, which is the same without a delay.
            delays: frames between an action and its effect, ``[...]`` or one number.

        Raises:
            OptionError: ``committed`` is missing.
        """
        shape = np.shape(frames)
        flat = np.ascontiguousarray(frames).reshape(-1)
        rows = flat.view(np.uint8).reshape(len(flat), FRAME_DTYPE.itemsize)
        pads = None
        if committed is not None:
            pads = np.ascontiguousarray(committed[..., : self.previous]).view(np.uint8)
            pads = pads.reshape(len(flat), self.previous, CONTROLLER_SIZE)
        lags = np.ascontiguousarray(np.broadcast_to(delays, shape)).reshape(-1).astype(np.int64)
        result = (
            np.empty((len(flat), self.size), np.float32) if out is None else out.reshape(len(flat), self.size)
        )
        self.encode_bytes(rows, result, committed=pads, delays=lags)
        return result.reshape(*shape, self.size)

    def encode_bytes(
        self,
        data: NDArray[np.uint8],
        out: NDArray[np.float32],
        seat: int = 0,
        *,
        committed: NDArray[np.uint8] | None = None,
        delays: NDArray[np.int64] | None = None,
    ) -> None:
        """Do what :meth:`encode` does, without its checks.

        Args:
            data: frames as bytes ``[N, itemsize]``.
            out: ``[N, F]``.
            seat: whose view; 1 gives what frames with their seats exchanged give, without moving them.
            committed: controllers as bytes ``[N, K, 36]``; None is allowed up to ``K = 1``, see :meth:`encode`.
            delays: ``[N]``; None is no delay.

        Raises:
            OptionError: ``committed`` is missing.
        """
        offsets, fighters = self._views[seat]
        encode_rows(
            data,
            self._newest(data, seat) if committed is None else committed,
            np.zeros(len(data), np.int64) if delays is None else delays,
            out,
            offsets,
            self._kinds,
            self._masks,
            self._scales,
            self._limits,
            fighters,
            self._layout,
        )

    def _newest(self, data: NDArray[np.uint8], seat: int) -> NDArray[np.uint8]:
        """Return the controllers that produced frames, ``[N, K, 36]``, for ``K`` up to 1."""
        if self.previous > 1:
            raise OptionError(
                f"observation {self.name!r} shows {self.previous} previous actions: pass committed=[..., "
                f"{self.previous}], e.g. from melee_env.observations.controller_history"
            )
        at = _OWN_CONTROLLER + seat * SEAT_SIZE
        return np.ascontiguousarray(data[:, None, at : at + CONTROLLER_SIZE][:, : self.previous])

    def encode_torch(self, frames: Frames, **more: Any) -> Any:
        """Return :meth:`encode`'s numbers as a torch tensor ``[..., F] float32`` that shares their memory."""
        import torch

        return torch.from_numpy(self.encode(frames, **more))

    def __repr__(self) -> str:
        """Say which preset this is."""
        return f"ObservationEncoder({self.name!r}, {self.size} numbers, schema {self.schema_hash})"


def _as_they_are(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return offsets


def _seats_exchanged(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return byte offsets of a frame with those in one seat moved to the other."""
    seat = (offsets - SEATS) // SEAT_SIZE
    return offsets + SEAT_SIZE * ((seat == 0).astype(np.int64) - (seat == 1))


def controller_history(controllers: Controllers, depth: int) -> Controllers:
    """Return for every frame ``t`` of a game the controllers of ``t, t-1, …``: what was committed without a delay.

    Args:
        controllers: ``[T, ...]``, one per frame.
        depth: how many to show.

    Returns:
        ``[T, ..., depth]``; before the first frame nothing was pressed.
    """
    out = np.zeros((*controllers.shape, depth), CONTROLLER_DTYPE)
    for k in range(min(depth, len(controllers))):
        out[k:, ..., k] = controllers[: len(controllers) - k]
    return out


def _one_hots(labels: Sequence[str], mode: int) -> list[tuple[str, float]]:
    actions = ACTION_GROUP_NAMES if mode == IDS_GROUPED else [str(state) for state in range(STATES)]
    characters = CHARACTERS if mode == IDS_GROUPED else EXACT_CHARACTERS
    columns = []
    for label in labels:
        columns += [(f"{label}.action.{action}", 1.0) for action in actions]
        columns += [(f"{label}.character.{k}", 1.0) for k in range(characters)]
    return columns


def _one_hot_blocks(first: int, fighters: int, mode: int, with_stage: bool) -> list[tuple[int, int]]:
    """Return the blocks that a byte can index; the exact action states are too many."""
    widths = {IDS_GROUPED: [GROUPS, CHARACTERS], IDS_EXACT: [STATES, EXACT_CHARACTERS]}.get(
        mode, []
    ) * fighters
    ends = first + np.cumsum([*widths, *([len(STAGE_ORDER)] if with_stage else [])], dtype=np.int64)
    blocks = zip([first, *ends[:-1].tolist()], ends.tolist(), strict=False)
    return [(begin, end) for begin, end in blocks if end - begin <= MAX_BLOCK]


def _global_columns(with_stage: bool, with_ledge: bool) -> list[tuple[str, float]]:
    columns = [(f"stage.{stage}", 1.0) for stage in STAGE_ORDER] if with_stage else []
    shown = [name for name in GLOBALS if with_ledge or name not in LEDGE_GLOBALS]
    return columns + [(name, 2.0 if name == "clock" else 5.0) for name in shown]
