"""Frames → observation vectors: one implementation for play, training data and batches of any shape."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.controller import CONTROLLER_DTYPE, Controllers
from melee_env.errors import OptionError
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, Frames, schema_hash
from melee_env.observations.features import (
    ACTION_GROUP,
    ACTION_GROUP_NAMES,
    EDGE_X,
    STAGE_ORDER,
    Feature,
    controller_features,
)
from melee_env.observations.kernels import (
    DELAYS,
    EXACT_CHARACTERS,
    GROUPED_CHARACTERS,
    IDS_EXACT,
    IDS_GROUPED,
    IDS_INTEGER,
    LEADER,
    NANA,
    SEAT_SIZE,
    SEATS,
    STATES,
    Columns,
    encode_rows,
)

GROUPS = len(ACTION_GROUP_NAMES)
STAGES = np.array(STAGE_ORDER, np.int64)
EDGES = np.array([EDGE_X.get(stage, 80.0) for stage in range(256)], np.float32)
GAME_FRAMES = np.float32(28_800)
GLOBALS = ("dx", "dy", "own.edge", "opponent.edge", "clock")
LEDGE_GLOBALS = ("own.edge", "opponent.edge")
ITEM_PARTS = ("exists", "own", "type", "dx", "dy", "vel_x", "vel_y")
MAX_BLOCK = 255
ID_MODES = {"grouped": IDS_GROUPED, "one_hot": IDS_EXACT, "integer": IDS_INTEGER}
CONTROLLER_SIZE = CONTROLLER_DTYPE.itemsize
_FIGHTER_FIELDS: Any = FIGHTER_DTYPE.fields
_OWN_CONTROLLER = int(SEATS + LEADER) + int(_FIGHTER_FIELDS["controller"][1])


class ObservationEncoder:
    """Encodes frames seen from their first seat.

    Attributes:
        name: name of the preset, with its switches.
        space: ``Box`` of one observation.
        names: the name of every number, in order.
        previous: K, how many committed controllers are shown, the latest first.
        shows_delay: the delay is shown as a one-hot.
        id_columns: columns that hold ids as whole numbers (for learned embeddings), none with one-hots.
        packs: :meth:`pack_bytes` is there: the ids are grouped one-hots.
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
        fighters = np.array([offset for _, offset in parts], np.uint64)
        pads = controller_features(0, "previous")
        self._layout = (len(features), len(pads), GROUPS, mode, int(with_ledge), num_items, int(shows_delay))
        self._stages = STAGES if with_stage else STAGES[:0]
        self._pads = _columns(pads)
        table = _columns(features)
        self._views = (
            (table, fighters),
            (_with_seats_exchanged(table), _seats_exchanged(fighters)),
        )
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
        self.packs = mode == IDS_GROUPED
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
        return (self._features, self.names, tables, self._layout[5])

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
        self._encode_rows(data, out, np.empty((len(data), 0), np.uint8), seat, committed, delays)

    def pack_bytes(
        self,
        data: NDArray[np.uint8],
        numbers: NDArray[np.float32],
        ids: NDArray[np.uint8],
        seat: int = 0,
        *,
        committed: NDArray[np.uint8] | None = None,
    ) -> None:
        """Do what :meth:`encode_bytes` does, with every block of :attr:`one_hot` as one byte; see :attr:`packs`.

        Args:
            data: frames as bytes ``[N, itemsize]``.
            numbers: ``[N, F - columns in blocks]``, the rest in order.
            ids: ``[N, blocks]``: which number of a block is 1, 255 for none.
            seat: whose view.
            committed: see :meth:`encode_bytes`.
        """
        self._encode_rows(data, numbers, ids, seat, committed, None)

    def _encode_rows(
        self,
        data: NDArray[np.uint8],
        out: NDArray[np.float32],
        ids: NDArray[np.uint8],
        seat: int,
        committed: NDArray[np.uint8] | None,
        delays: NDArray[np.int64] | None,
    ) -> None:
        columns, fighters = self._views[seat]
        encode_rows(
            data,
            self._newest(data, seat) if committed is None else committed,
            np.zeros(len(data), np.int64) if delays is None else delays,
            out,
            ids,
            columns,
            self._pads,
            fighters,
            ACTION_GROUP,
            self._stages,
            EDGES,
            GAME_FRAMES,
            self._layout,
        )

    def _newest(self, data: NDArray[np.uint8], seat: int) -> NDArray[np.uint8]:
        """Return the controllers that produced frames, ``[N, K, 36]``, for ``K`` up to 1."""
        if self.previous > 1:
            raise OptionError(
                f"observation {self.name!r} shows {self.previous} previous actions: pass committed=[..., "
                f"{self.previous}], e.g. from melee_env.observations.controller_history"
            )
        at = _OWN_CONTROLLER + seat * int(SEAT_SIZE)
        return np.ascontiguousarray(data[:, None, at : at + CONTROLLER_SIZE][:, : self.previous])

    def encode_torch(self, frames: Frames, **more: Any) -> Any:
        """Return :meth:`encode`'s numbers as a torch tensor ``[..., F] float32`` that shares their memory."""
        import torch

        return torch.from_numpy(self.encode(frames, **more))

    def __repr__(self) -> str:
        """Say which preset this is."""
        return f"ObservationEncoder({self.name!r}, {self.size} numbers, schema {self.schema_hash})"


def _columns(features: Sequence[Feature]) -> Columns:
    """Return the tables of what is read as it stands."""
    kinds: list[list[tuple[int, int, int]]] = [[], [], [], []]
    for to, feature in enumerate(features):
        offset, mask = feature.offset, feature.mask
        if mask > 0xFF:
            # A bit lies in one of the two bytes.
            offset, mask = offset + 1, mask >> 8
        kinds[3 if mask else ("f4", "u1", "u2").index(feature.kind)].append((offset, to, mask))
    places = np.array([place for kind in kinds for place in kind], np.uint32).reshape(-1, 3)
    floats, octets, shorts, _ = np.cumsum([len(kind) for kind in kinds]).tolist()
    scales = [1.0 if feature.mask else feature.scale for feature in features]
    factors = np.array([scales, [feature.limit for feature in features]], np.float32)
    return Columns(places, (floats, octets, shorts), factors)


def _with_seats_exchanged(columns: Columns) -> Columns:
    """Return the tables for frames whose seats have not been exchanged, seen from the second."""
    places = columns.places.copy()
    places[:, 0] = _seats_exchanged(places[:, 0])
    return columns._replace(places=places)


def _seats_exchanged(offsets: NDArray[Any]) -> NDArray[np.uint64]:
    """Return byte offsets of a frame with those in one seat moved to the other."""
    places = offsets.astype(np.int64)
    seat = (places - int(SEATS)) // int(SEAT_SIZE)
    return (places + int(SEAT_SIZE) * ((seat == 0).astype(np.int64) - (seat == 1))).astype(np.uint64)


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
    characters = GROUPED_CHARACTERS if mode == IDS_GROUPED else EXACT_CHARACTERS
    columns = []
    for label in labels:
        columns += [(f"{label}.action.{action}", 1.0) for action in actions]
        columns += [(f"{label}.character.{k}", 1.0) for k in range(characters)]
    return columns


def _one_hot_blocks(first: int, fighters: int, mode: int, with_stage: bool) -> list[tuple[int, int]]:
    """Return the blocks that a byte can index; the exact action states are too many."""
    widths = {IDS_GROUPED: [GROUPS, GROUPED_CHARACTERS], IDS_EXACT: [STATES, EXACT_CHARACTERS]}.get(
        mode, []
    ) * fighters
    ends = first + np.cumsum([*widths, *([len(STAGE_ORDER)] if with_stage else [])], dtype=np.int64)
    blocks = zip([first, *ends[:-1].tolist()], ends.tolist(), strict=False)
    return [(begin, end) for begin, end in blocks if end - begin <= MAX_BLOCK]


def _global_columns(with_stage: bool, with_ledge: bool) -> list[tuple[str, float]]:
    columns = [(f"stage.{stage}", 1.0) for stage in STAGE_ORDER] if with_stage else []
    shown = [name for name in GLOBALS if with_ledge or name not in LEDGE_GLOBALS]
    return columns + [(name, 2.0 if name == "clock" else 5.0) for name in shown]
