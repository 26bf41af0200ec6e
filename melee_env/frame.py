"""The frame schema: one NumPy structured dtype for the whole visible game.

Engine, replays and emulator all produce :data:`FRAME_DTYPE`; observations, rewards, renderers, the
``.slp`` writer and data sets read nothing else. Conventions are normalised once, where a frame is
made: ``action_frame`` is the game's animation frame (state age as Slippi records it), ``facing`` is
-1 (left) or +1 (right), sticks are -1..1, frame -123 is the first and 0 is "GO".
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import CONTROLLER_DTYPE

SCHEMA_VERSION = 1
NUM_SEATS = 2
NUM_ITEMS = 15
FIRST_FRAME = -123
"""Number of a game's first frame."""
FIRST_CONTROLLABLE_FRAME = -39
"""First frame on which the game reads input (measured on recorded games)."""


@dataclass(frozen=True)
class Field:
    """One field of the schema: what it is called, how it is stored, what it means."""

    name: str
    dtype: object
    unit: str
    low: float
    high: float
    source: str
    meaning: str


_INF = float("inf")

FIGHTER_FIELDS: tuple[Field, ...] = (
    Field(
        "present", "u1", "bool", 0, 1, "pre/post-frame", "this fighter exists on this frame (Nana may not)"
    ),
    Field("character", "u1", "internal id", 0, 32, "post 0x07", "fighter, internal id"),
    Field("action", "u2", "state id", 0, 1023, "post 0x08", "action state"),
    Field("x", "f4", "game unit", -_INF, _INF, "post 0x0A", "horizontal position"),
    Field("y", "f4", "game unit", -_INF, _INF, "post 0x0E", "vertical position"),
    Field("facing", "f4", "sign", -1, 1, "post 0x12", "-1 left, +1 right"),
    Field("percent", "f4", "percent", 0, 999, "post 0x16", "damage taken"),
    Field("shield", "f4", "health", -60, 60, "post 0x1A", "shield health, 60 when full"),
    Field("last_attack", "u1", "attack id", 0, 255, "post 0x1E", "last attack that this fighter landed"),
    Field("combo", "u1", "hits", 0, 255, "post 0x1F", "hits in the running combo"),
    Field("last_hit_by", "u1", "port", 0, 6, "post 0x20", "port that hit last, 6 for none"),
    Field("stocks", "u1", "stocks", 0, 99, "post 0x21", "stocks left"),
    Field("action_frame", "f4", "frame", -2, _INF, "post 0x22", "state age: animation frame, fractional"),
    Field("flags", ("u1", (5,)), "bits", 0, 255, "post 0x26", "state flags 1..5"),
    Field("hitstun", "f4", "frame", 0, _INF, "post 0x2B", "hitstun left (0 outside hitstun)"),
    Field("airborne", "u1", "bool", 0, 1, "post 0x2F", "in the air"),
    Field("ground", "u2", "line", 0, 65535, "post 0x30", "floor line last touched, 65535 before the first"),
    Field("jumps", "u1", "jumps", 0, 6, "post 0x32", "jumps left"),
    Field("l_cancel", "u1", "code", 0, 2, "post 0x33", "0 none, 1 success, 2 failure"),
    Field("hurtbox", "u1", "code", 0, 2, "post 0x34", "0 vulnerable, 1 invincible, 2 intangible"),
    Field(
        "vel_air_x", "f4", "unit/frame", -_INF, _INF, "post 0x35", "own horizontal speed, also on the ground"
    ),
    Field("vel_y", "f4", "unit/frame", -_INF, _INF, "post 0x39", "own vertical speed"),
    Field("knockback_x", "f4", "unit/frame", -_INF, _INF, "post 0x3D", "knockback speed, horizontal"),
    Field("knockback_y", "f4", "unit/frame", -_INF, _INF, "post 0x41", "knockback speed, vertical"),
    Field("vel_ground_x", "f4", "unit/frame", -_INF, _INF, "post 0x45", "own speed along the floor"),
    Field("hitlag", "f4", "frame", 0, 20, "post 0x49", "hitlag left"),
    Field("animation", "u4", "index", 0, 4294967295, "post 0x4D", "animation index"),
    Field("hit_by_instance", "u2", "counter", 0, 65535, "post 0x51", "attack instance that hit last"),
    Field("instance", "u2", "counter", 0, 65535, "post 0x53", "own attack instance"),
    Field("pre_action", "u2", "state id", 0, 1023, "pre 0x0B", "action state when input is read"),
    Field("pre_x", "f4", "game unit", -_INF, _INF, "pre 0x0D", "position when input is read"),
    Field("pre_y", "f4", "game unit", -_INF, _INF, "pre 0x11", "position when input is read"),
    Field("pre_facing", "f4", "sign", -1, 1, "pre 0x15", "facing when input is read"),
    Field("pre_percent", "f4", "percent", 0, 999, "pre 0x3C", "damage when input is read"),
    Field("controller", CONTROLLER_DTYPE, "", 0, 0, "pre-frame", "the controller that produced this frame"),
)

ITEM_FIELDS: tuple[Field, ...] = (
    Field("exists", "u1", "bool", 0, 1, "item", "this slot is in use"),
    Field("type", "u2", "item id", 0, 65535, "item 0x05", "item type"),
    Field("state", "u1", "code", 0, 255, "item 0x07", "item state"),
    Field("facing", "f4", "sign", -1, 1, "item 0x08", "direction"),
    Field("vel_x", "f4", "unit/frame", -_INF, _INF, "item 0x0C", "horizontal speed"),
    Field("vel_y", "f4", "unit/frame", -_INF, _INF, "item 0x10", "vertical speed"),
    Field("x", "f4", "game unit", -_INF, _INF, "item 0x14", "horizontal position"),
    Field("y", "f4", "game unit", -_INF, _INF, "item 0x18", "vertical position"),
    Field("damage", "u2", "percent", 0, 65535, "item 0x1C", "damage taken by the item"),
    Field("timer", "f4", "frame", -_INF, _INF, "item 0x1E", "frames until it expires"),
    Field("spawn_id", "u4", "counter", 0, 4294967295, "item 0x22", "number of the item in this game"),
    Field("misc", ("u1", (4,)), "bytes", 0, 255, "item 0x26", "item's own bytes"),
    Field("owner", "i1", "port", -1, 3, "item 0x2A", "port of the owner, -1 for none"),
    Field("instance", "u2", "counter", 0, 65535, "item 0x2B", "attack instance"),
)


def _dtype(fields: tuple[Field, ...]) -> np.dtype:
    parts = []
    for field in fields:
        spec = field.dtype
        parts.append((field.name, *spec) if isinstance(spec, tuple) else (field.name, spec))
    return np.dtype(parts)


FIGHTER_DTYPE = _dtype(FIGHTER_FIELDS)
ITEM_DTYPE = _dtype(ITEM_FIELDS)

SEAT_FIELDS: tuple[Field, ...] = (
    Field("port", "u1", "port", 0, 3, "pre 0x05", "controller port, 0-based"),
    Field("kind", "u1", "code", 0, 3, "start g+0x61", "0 human, 1 CPU"),
    Field("leader", FIGHTER_DTYPE, "", 0, 0, "pre/post-frame", "the fighter"),
    Field("nana", FIGHTER_DTYPE, "", 0, 0, "pre/post-frame", "the Ice Climbers' second fighter"),
)
SEAT_DTYPE = _dtype(SEAT_FIELDS)

FRAME_FIELDS: tuple[Field, ...] = (
    Field("frame", "i4", "frame", -123, 2**20, "frame start 0x01", "frame number, -123 first, 0 is GO"),
    Field("stage", "u1", "external id", 0, 255, "start g+0x0E", "stage, external id"),
    Field("end_method", "u1", "code", 0, 7, "game end 0x01", "0 running, 1 time, 2 stock-out, 7 no contest"),
    Field("seed", "u4", "", 0, 4294967295, "frame start 0x05", "RNG seed at the start of the frame"),
    Field("scene_frame", "u4", "frame", 0, 4294967295, "frame start 0x09", "scene frame counter"),
    Field("fod_left", "f4", "game unit", -_INF, _INF, "0x3F", "Fountain of Dreams, left platform height"),
    Field("fod_right", "f4", "game unit", -_INF, _INF, "0x3F", "Fountain of Dreams, right platform height"),
    Field("whispy", "i1", "code", 0, 2, "0x40", "Dream Land wind: 0 none, 1 left, 2 right"),
    Field("stadium_event", "u2", "code", 0, 65535, "0x41", "Stadium transformation event"),
    Field("stadium_type", "u2", "code", 0, 65535, "0x41", "Stadium transformation type"),
    Field("randall_x", "f4", "game unit", -_INF, _INF, "derived", "Yoshi's Story cloud, middle"),
    Field("randall_y", "f4", "game unit", -_INF, _INF, "derived", "Yoshi's Story cloud, height"),
    Field("seats", (SEAT_DTYPE, (NUM_SEATS,)), "", 0, 0, "", "the two players; an agent sees itself first"),
    Field("items", (ITEM_DTYPE, (NUM_ITEMS,)), "", 0, 0, "item", "live items, unused slots zero"),
)
FRAME_DTYPE = _dtype(FRAME_FIELDS)
_FIELDS = FRAME_DTYPE.fields
assert _FIELDS is not None
_SEATS = _FIELDS["seats"][1]
_SEAT = SEAT_DTYPE.itemsize

Frames = NDArray[np.void]
"""An array of :data:`FRAME_DTYPE` with any leading shape."""


def empty_frames(*shape: int) -> Frames:
    """Return zeroed frames of the given leading shape."""
    return np.zeros(shape, FRAME_DTYPE)


def seen_from(frames: Frames, seat: int) -> Frames:
    """Return ``frames`` with ``seat`` first, so that ``seats[0]`` is the viewer.

    Args:
        frames: ``[...]`` of :data:`FRAME_DTYPE`.
        seat: 0 returns the frames as they are, 1 a copy with the seats exchanged.
    """
    if seat == 0:
        return frames
    source = np.ascontiguousarray(frames).reshape(-1).view(np.uint8).reshape(-1, FRAME_DTYPE.itemsize)
    rows = np.empty_like(source)
    swap_seats(source, rows)
    return rows.view(FRAME_DTYPE).reshape(np.shape(frames))


def swap_seats(source: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    """Copy frames given as bytes ``[N, itemsize]`` with the two seats exchanged.

    NumPy copies nested records one field at a time; moving bytes is thirty times faster.
    """
    out[...] = source
    out[:, _SEATS : _SEATS + _SEAT] = source[:, _SEATS + _SEAT : _SEATS + 2 * _SEAT]
    out[:, _SEATS + _SEAT : _SEATS + 2 * _SEAT] = source[:, _SEATS : _SEATS + _SEAT]


def schema_hash() -> str:
    """Return a hex digest of version, names, order, types, units and ranges of every field."""
    text = repr((SCHEMA_VERSION, FIGHTER_FIELDS, SEAT_FIELDS, ITEM_FIELDS, FRAME_FIELDS))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def frame_field_table() -> list[tuple[str, Field]]:
    """Return ``(dotted path, field)`` for every leaf of the schema, in order of storage."""
    groups = {"seats": SEAT_FIELDS, "leader": FIGHTER_FIELDS, "nana": FIGHTER_FIELDS, "items": ITEM_FIELDS}
    rows: list[tuple[str, Field]] = []

    def walk(prefix: str, fields: tuple[Field, ...]) -> None:
        for field in fields:
            if field.name in groups:
                walk(f"{prefix}{field.name}.", groups[field.name])
            else:
                rows.append((prefix + field.name, field))

    walk("", FRAME_FIELDS)
    return rows
