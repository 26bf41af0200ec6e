"""The compiled half of the encoders: frames as rows of bytes → numbers.

Every table comes in as an argument, so that nothing of it is frozen into the compiled code. Places are unsigned: an
index that may be negative costs a branch per byte, and four bytes then are no longer read as one float.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.kernel import entry_point, kernel
from melee_env.frame import FIGHTER_DTYPE, FRAME_DTYPE, ITEM_DTYPE, NUM_ITEMS, SEAT_DTYPE

_FIELDS: Any = FRAME_DTYPE.fields
_SEAT_FIELDS: Any = SEAT_DTYPE.fields
_FIGHTER_FIELDS: Any = FIGHTER_DTYPE.fields
_ITEM_FIELDS: Any = ITEM_DTYPE.fields
SEATS, ITEMS, STAGE, FRAME = (np.uintp(_FIELDS[name][1]) for name in ("seats", "items", "stage", "frame"))
SEAT_SIZE, ITEM_SIZE = np.uintp(SEAT_DTYPE.itemsize), np.uintp(ITEM_DTYPE.itemsize)
LEADER, NANA, PORT = (np.uintp(_SEAT_FIELDS[name][1]) for name in ("leader", "nana", "port"))
ACTION, CHARACTER, X, Y = (np.uintp(_FIGHTER_FIELDS[name][1]) for name in ("action", "character", "x", "y"))
ITEM_OWNER, ITEM_TYPE, ITEM_X, ITEM_Y, ITEM_VEL_X, ITEM_VEL_Y = (
    np.uintp(_ITEM_FIELDS[name][1]) for name in ("owner", "type", "x", "y", "vel_x", "vel_y")
)
I0, I1, I2, I3 = np.uintp(0), np.uintp(1), np.uintp(2), np.uintp(3)


class Columns(NamedTuple):
    """Numbers that are read as they stand. Few arrays, as each one costs at every call."""

    places: NDArray[np.uint32]
    """byte in the row, column, and the bits that count as true, ``[K, 3]``: floats first, then octets, shorts, bits"""
    behind: tuple[int, int, int]
    """rows behind the last float (f4), octet (u1) and short (u2)"""
    factors: NDArray[np.float32]
    """factor of every column, and what it is clipped to both ways, ``[2, K]``"""


STATES, EXACT_CHARACTERS, GROUPED_CHARACTERS = 400, 33, 27
IDS_GROUPED, IDS_EXACT, IDS_INTEGER = 0, 1, 2
ITEM_VALUES = 7
DELAYS = 25
"""a delay's one-hot: 0..24 frames"""
ZERO, ONE, LIMIT = np.float32(0), np.float32(1), np.float32(5)
HUNDREDTH, TENTH = np.float32(0.01), np.float32(0.1)


@kernel
def read_float(row, at):
    """Return the float32 stored at byte ``at``."""
    low = np.uint32(row[at]) | (np.uint32(row[at + I1]) << np.uint32(8))
    high = (np.uint32(row[at + I2]) << np.uint32(16)) | (np.uint32(row[at + I3]) << np.uint32(24))
    return np.uint32(low | high).view(np.float32)


@kernel
def read_short(row, at):
    """Return the uint16 stored at byte ``at``."""
    return np.int64(row[at]) | (np.int64(row[at + I1]) << 8)


@kernel
def read_number(row, at):
    """Return the int32 stored at byte ``at``."""
    high = (read_short(row, at + I2) << 16) - ((np.int64(row[at + I3]) & 0x80) << 25)
    return high | read_short(row, at)


@kernel
def clipped(value, limit):
    """Clip to ± limit; what is not finite becomes zero."""
    return min(max(value, -limit), limit) if abs(value) < np.float32(np.inf) else ZERO


@kernel
def encode_columns(row, out, columns):
    """Write the numbers that are read as they stand: first what is stored, then all scaled and clipped at once."""
    places, factors = columns.places, columns.factors
    floats, octets, shorts = columns.behind
    for k in range(np.uintp(floats)):
        out[np.uintp(places[k, I1])] = read_float(row, np.uintp(places[k, I0]))
    for k in range(np.uintp(floats), np.uintp(octets)):
        out[np.uintp(places[k, I1])] = np.float32(row[np.uintp(places[k, I0])])
    for k in range(np.uintp(octets), np.uintp(shorts)):
        out[np.uintp(places[k, I1])] = np.float32(read_short(row, np.uintp(places[k, I0])))
    for k in range(np.uintp(shorts), np.uintp(places.shape[0])):
        bit = np.uint32(row[np.uintp(places[k, I0])]) & places[k, I2]
        out[np.uintp(places[k, I1])] = ONE if bit != 0 else ZERO
    for k in range(np.uintp(factors.shape[1])):
        value = out[k] * factors[I0, k]
        limit = factors[I1, k]
        # Plain comparisons, unlike min and max, become vector instructions.
        value = value if abs(value) < np.float32(np.inf) else ZERO
        value = value if value < limit else limit
        out[k] = value if value > -limit else -limit


@kernel
def mark_ids(row, out, at, fighters, groups, num_groups, mode):
    """Set every fighter's action state and character in its zeroed one-hots; return the column after them."""
    actions = num_groups if mode == IDS_GROUPED else STATES
    characters = GROUPED_CHARACTERS if mode == IDS_GROUPED else EXACT_CHARACTERS
    for k in range(fighters.shape[0]):
        action = min(read_short(row, fighters[k] + ACTION), STATES - 1)
        out[at + (np.int64(groups[action]) if mode == IDS_GROUPED else action)] = ONE
        at += actions
        out[at + min(np.int64(row[fighters[k] + CHARACTER]), characters - 1)] = ONE
        at += characters
    return at


@kernel
def pack_ids(row, ids, fighters, groups, stages):
    """Write what :func:`mark_ids` (grouped) and the stage's one-hot set: a byte per block, 255 for none."""
    for k in range(fighters.shape[0]):
        action = min(read_short(row, fighters[k] + ACTION), STATES - 1)
        ids[2 * k] = np.uint8(groups[action])
        ids[2 * k + 1] = min(row[fighters[k] + CHARACTER], np.uint8(GROUPED_CHARACTERS - 1))
    for k in range(stages.shape[0]):
        if k == 0:
            ids[2 * fighters.shape[0]] = np.uint8(255)
        if np.int64(row[STAGE]) == stages[k]:
            ids[2 * fighters.shape[0]] = np.uint8(k)


@kernel
def encode_globals(row, out, at, own, other, stages, edges, clock, with_ledge):
    """Write the stage (where ``stages`` are given) and what lies between the fighters; return the column after."""
    stage = np.int64(row[STAGE])
    for k in range(stages.shape[0]):
        out[at + k] = ONE if stage == stages[k] else ZERO
    at += stages.shape[0]
    own_x = read_float(row, own + X)
    other_x = read_float(row, other + X)
    out[at] = clipped((other_x - own_x) * HUNDREDTH, LIMIT)
    out[at + 1] = clipped((read_float(row, other + Y) - read_float(row, own + Y)) * HUNDREDTH, LIMIT)
    at += 2
    if with_ledge:
        edge = edges[stage]
        out[at] = clipped((edge - abs(own_x)) * HUNDREDTH, LIMIT)
        out[at + 1] = clipped((edge - abs(other_x)) * HUNDREDTH, LIMIT)
        at += 2
    out[at] = clipped(np.float32(read_number(row, FRAME)) / clock, np.float32(2))
    return at + 1


@kernel
def encode_items(row, out, at, own, num_items):
    """Write the first live items relative to the fighter at byte ``own``, the rest being zero already."""
    port = row[own - LEADER + PORT]
    own_x = read_float(row, own + X)
    own_y = read_float(row, own + Y)
    found = 0
    for i in range(NUM_ITEMS):
        base = ITEMS + np.uintp(i) * ITEM_SIZE
        if row[base] == 0 or found >= num_items:
            continue
        to = at + found * ITEM_VALUES
        out[to] = ONE
        out[to + 1] = ONE if row[base + ITEM_OWNER] == port else ZERO
        out[to + 2] = clipped(np.float32(read_short(row, base + ITEM_TYPE)) * HUNDREDTH, LIMIT)
        out[to + 3] = clipped((read_float(row, base + ITEM_X) - own_x) * HUNDREDTH, LIMIT)
        out[to + 4] = clipped((read_float(row, base + ITEM_Y) - own_y) * HUNDREDTH, LIMIT)
        out[to + 5] = clipped(read_float(row, base + ITEM_VEL_X) * TENTH, LIMIT)
        out[to + 6] = clipped(read_float(row, base + ITEM_VEL_Y) * TENTH, LIMIT)
        found += 1
    return at + num_items * ITEM_VALUES


@entry_point
def encode_rows(
    data,
    committed,
    delays,
    out,
    ids,
    columns,
    pads,
    fighters,
    groups,
    stages,
    edges,
    clock,
    layout,
):
    """Encode frames ``data [N, bytes]`` into ``out [N, F]``.

    The plain numbers come first, then for every fighter its action group and character, the stage, the globals,
    items, the ``K`` controllers of ``committed [N, K, bytes]``, the delay's one-hot, and ids that stay integers.

    Args:
        data: frames.
        committed: controllers, the latest first.
        delays: frames between an action and its effect ``[N]``.
        out: written.
        ids: written, ``[N, blocks]``: grouped ids and the stage as a byte per one-hot, which ``out`` then leaves out;
            no blocks to have the one-hots in ``out``.
        columns: the plain numbers.
        pads: those of one controller.
        fighters: byte of every fighter that is shown; own and opponent first.
        groups: group of every action state.
        stages: external ids of the stages' one-hot, none to leave it out.
        edges: half width of the main floor by stage id.
        clock: frames that count as 1.
        layout: ``(plain numbers, numbers of a controller, groups, mode of the ids, ledge, items, delay)``.
    """
    plain, pad_size, num_groups, mode, with_ledge, num_items, with_delay = layout
    packed = ids.shape[1] > 0
    shown_stages = stages[:0] if packed else stages
    for n in range(data.shape[0]):
        row = data[n]
        to = out[n]
        to[plain:] = ZERO
        encode_columns(row, to, columns)
        at = plain
        if packed:
            pack_ids(row, ids[n], fighters, groups, stages)
        elif mode != IDS_INTEGER:
            at = mark_ids(row, to, at, fighters, groups, num_groups, mode)
        at = encode_globals(
            row, to, at, fighters[0], fighters[1], shown_stages, edges, clock, with_ledge != 0
        )
        if num_items > 0:
            at = encode_items(row, to, at, fighters[0], num_items)
        for k in range(committed.shape[1]):
            encode_columns(committed[n, k], to[at:], pads)
            at += pad_size
        if with_delay != 0:
            if delays[n] >= 0 and delays[n] < DELAYS:
                to[at + delays[n]] = ONE
            at += DELAYS
        if mode == IDS_INTEGER:
            for k in range(fighters.shape[0]):
                to[at] = np.float32(min(read_short(row, fighters[k] + ACTION), STATES - 1))
                to[at + 1] = np.float32(min(np.int64(row[fighters[k] + CHARACTER]), EXACT_CHARACTERS - 1))
                at += 2
