"""The Slippi events, declared once: reader and writer are both driven by these tables.

Every event is a command byte and a fixed number of payload bytes that the file itself announces. A
shorter payload than the newest one only means that later fields are absent, so one list of fields per
event, with offsets from the command byte, describes all versions. Field names are those of
:mod:`melee_env.frame`, which lets rows be copied into frames by name.

Source: project-slippi's format notes and ``hohav/peppi``, compared with recordings field by field.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

WRITTEN_VERSION = (3, 19, 0)
"""Slippi version that the writer claims; :attr:`Event.size` is the payload size of that version."""

PAYLOADS = 0x35
START = 0x36
PRE = 0x37
POST = 0x38
END = 0x39
FRAME_START = 0x3A
ITEM = 0x3B
BOOKEND = 0x3C
GECKO = 0x3D
SPLIT = 0x10
FOD_PLATFORM = 0x3F
WHISPY = 0x40
STADIUM = 0x41
COMBINED = 0x138
"""Not a command: 0.1 recorders packed pre- and post-frame into one 0x38 event of 71 bytes."""
COMBINED_SIZE = 71
SHORT_ITEM = 0x13B
"""Not a command: the item event of 2.2, 35 bytes, with integers for timer and spawn id."""
SHORT_ITEM_SIZE = 35


@dataclass(frozen=True)
class Event:
    """One kind of event.

    ``fields`` are ``(name, offset from the command byte, big-endian type)``; ``size`` is the payload
    size in :data:`WRITTEN_VERSION`, ``least`` the smallest payload that makes sense.
    """

    command: int
    name: str
    size: int
    least: int
    fields: tuple[tuple[str, int, object], ...]


_KEY = (("frame", 0x01, ">i4"), ("port", 0x05, "u1"), ("follower", 0x06, "u1"))

_PRE_FIELDS = (
    *_KEY,
    ("seed", 0x07, ">u4"),
    ("pre_action", 0x0B, ">u2"),
    ("pre_x", 0x0D, ">f4"),
    ("pre_y", 0x11, ">f4"),
    ("pre_facing", 0x15, ">f4"),
    ("stick_x", 0x19, ">f4"),
    ("stick_y", 0x1D, ">f4"),
    ("cstick_x", 0x21, ">f4"),
    ("cstick_y", 0x25, ">f4"),
    ("trigger", 0x29, ">f4"),
    ("processed_buttons", 0x2D, ">u4"),
    ("buttons", 0x31, ">u2"),
    ("trigger_l", 0x33, ">f4"),
    ("trigger_r", 0x37, ">f4"),
    ("raw_x", 0x3B, "i1"),
    ("pre_percent", 0x3C, ">f4"),
    ("raw_y", 0x40, "i1"),
    ("raw_cx", 0x41, "i1"),
    ("raw_cy", 0x42, "i1"),
)

_POST_FIELDS = (
    *_KEY,
    ("character", 0x07, "u1"),
    ("action", 0x08, ">u2"),
    ("x", 0x0A, ">f4"),
    ("y", 0x0E, ">f4"),
    ("facing", 0x12, ">f4"),
    ("percent", 0x16, ">f4"),
    ("shield", 0x1A, ">f4"),
    ("last_attack", 0x1E, "u1"),
    ("combo", 0x1F, "u1"),
    ("last_hit_by", 0x20, "u1"),
    ("stocks", 0x21, "u1"),
    ("action_frame", 0x22, ">f4"),
    ("flags", 0x26, ("u1", (5,))),
    ("hitstun", 0x2B, ">f4"),
    ("airborne", 0x2F, "u1"),
    ("ground", 0x30, ">u2"),
    ("jumps", 0x32, "u1"),
    ("l_cancel", 0x33, "u1"),
    ("hurtbox", 0x34, "u1"),
    ("vel_air_x", 0x35, ">f4"),
    ("vel_y", 0x39, ">f4"),
    ("knockback_x", 0x3D, ">f4"),
    ("knockback_y", 0x41, ">f4"),
    ("vel_ground_x", 0x45, ">f4"),
    ("hitlag", 0x49, ">f4"),
    ("animation", 0x4D, ">u4"),
    ("hit_by_instance", 0x51, ">u2"),
    ("instance", 0x53, ">u2"),
)

_COMBINED_FIELDS = (
    ("frame", 0x01, ">i4"),
    ("seed", 0x05, ">u4"),
    ("port", 0x09, "u1"),
    ("follower", 0x0A, "u1"),
    ("character", 0x0B, "u1"),
    ("action", 0x0C, ">u2"),
    ("x", 0x0E, ">f4"),
    ("y", 0x12, ">f4"),
    ("facing", 0x16, ">f4"),
    ("stick_x", 0x1A, ">f4"),
    ("stick_y", 0x1E, ">f4"),
    ("cstick_x", 0x22, ">f4"),
    ("cstick_y", 0x26, ">f4"),
    ("trigger", 0x2A, ">f4"),
    ("processed_buttons", 0x2E, ">u4"),
    ("percent", 0x32, ">f4"),
    ("shield", 0x36, ">f4"),
    ("last_attack", 0x3A, "u1"),
    ("combo", 0x3B, "u1"),
    ("last_hit_by", 0x3C, "u1"),
    ("stocks", 0x3D, "u1"),
    ("buttons", 0x3E, ">u2"),
)

_ITEM_HEAD = (
    ("frame", 0x01, ">i4"),
    ("type", 0x05, ">u2"),
    ("state", 0x07, "u1"),
    ("facing", 0x08, ">f4"),
    ("vel_x", 0x0C, ">f4"),
    ("vel_y", 0x10, ">f4"),
    ("x", 0x14, ">f4"),
    ("y", 0x18, ">f4"),
    ("damage", 0x1C, ">u2"),
)
_ITEM_FIELDS = (
    *_ITEM_HEAD,
    ("timer", 0x1E, ">f4"),
    ("spawn_id", 0x22, ">u4"),
    ("misc", 0x26, ("u1", (4,))),
    ("owner", 0x2A, "i1"),
    ("instance", 0x2B, ">u2"),
)
_SHORT_ITEM_FIELDS = (*_ITEM_HEAD, ("timer", 0x1E, ">u2"), ("spawn_id", 0x20, ">u4"))

_START_FIELDS = (
    ("version", 0x01, ("u1", (4,))),
    ("match_flags", 0x05, ("u1", (5,))),
    ("teams", 0x0D, "u1"),
    ("item_spawn", 0x10, "i1"),
    ("self_destruct_score", 0x11, "i1"),
    ("unknown", 0x12, "u1"),
    ("stage", 0x13, ">u2"),
    ("timer", 0x15, ">u4"),
    ("item_mask", 0x25, ("u1", (8,))),
    ("ratios", 0x31, (">f4", (3,))),
    (
        "players",
        0x65,
        (
            {
                "names": ["character", "kind", "stocks", "costume", "spawn", "shade", "handicap", "team",
                          "tag", "flags", "unknown", "cpu_level", "percents", "ratios"],
                "formats": ["u1", "u1", "u1", "u1", "u1", "u1", "u1", "u1",
                            "u1", "u1", "u1", "u1", (">u2", (4,)), (">f4", (3,))],
                "offsets": [0x0, 0x1, 0x2, 0x3, 0x5, 0x7, 0x8, 0x9, 0xA, 0xC, 0xE, 0xF, 0x10, 0x18],
                "itemsize": 0x24,
            },
            (6,),
        ),
    ),
    ("seed", 0x13D, ">u4"),
    ("ucf", 0x141, (">u4", (4, 2))),
    ("tags", 0x161, ("S16", (4,))),
    ("pal", 0x1A1, "u1"),
    ("frozen_stadium", 0x1A2, "u1"),
    ("scene", 0x1A3, ("u1", (2,))),
    ("names", 0x1A5, ("S31", (4,))),
    ("codes", 0x221, ("S10", (4,))),
    ("uids", 0x249, ("S29", (4,))),
    ("language", 0x2BD, "u1"),
    ("match_id", 0x2BE, "S51"),
    ("game_number", 0x2F1, ">u4"),
    ("tiebreaker", 0x2F5, ">u4"),
)  # fmt: skip

EVENTS: dict[int, Event] = {
    event.command: event
    for event in (
        Event(START, "game start", 760, 320, _START_FIELDS),
        Event(PRE, "pre-frame", 66, 58, _PRE_FIELDS),
        Event(POST, "post-frame", 84, 33, _POST_FIELDS),
        Event(END, "game end", 6, 1,
              (("method", 0x01, "u1"), ("lras", 0x02, "i1"), ("places", 0x03, ("i1", (4,))))),
        Event(FRAME_START, "frame start", 12, 8,
              (("frame", 0x01, ">i4"), ("seed", 0x05, ">u4"), ("scene_frame", 0x09, ">u4"))),
        Event(ITEM, "item", 44, 35, _ITEM_FIELDS),
        Event(BOOKEND, "frame bookend", 8, 4, (("frame", 0x01, ">i4"), ("finalized", 0x05, ">i4"))),
        Event(FOD_PLATFORM, "Fountain platform", 9, 9,
              (("frame", 0x01, ">i4"), ("platform", 0x05, "u1"), ("height", 0x06, ">f4"))),
        Event(WHISPY, "Whispy", 5, 5, (("frame", 0x01, ">i4"), ("direction", 0x05, "u1"))),
        Event(STADIUM, "Stadium", 8, 8,
              (("frame", 0x01, ">i4"), ("event", 0x05, ">u2"), ("type", 0x07, ">u2"))),
        Event(COMBINED, "combined frame", COMBINED_SIZE, COMBINED_SIZE, _COMBINED_FIELDS),
        Event(SHORT_ITEM, "short item", SHORT_ITEM_SIZE, SHORT_ITEM_SIZE, _SHORT_ITEM_FIELDS),
    )
}  # fmt: skip
"""Every event by command byte (and the two historical layouts under numbers above 255)."""

FOD_RIGHT, FOD_LEFT = 0, 1
"""Platform numbers of the Fountain event."""
FOD_FIRST_HEIGHTS = (20.0, 28.0)
"""Heights of the Fountain's left and right platform until their first event (libmelee; recordings agree)."""
FLAG_HITSTUN = 0x02
"""Bit of the fourth state flag byte: the value at 0x2B of a post-frame is hitstun."""
NO_PLAYER = 3
"""Player type of an empty slot in the game start."""


def layout_of(command: int, size: int) -> Event:
    """Return the event that describes ``command`` when the file announces ``size`` payload bytes."""
    if command == POST and size == COMBINED_SIZE:
        return EVENTS[COMBINED]
    if command == ITEM and size == SHORT_ITEM_SIZE:
        return EVENTS[SHORT_ITEM]
    return EVENTS[command]


@lru_cache(maxsize=256)
def row_dtype(command: int, size: int) -> np.dtype:
    """Return the dtype of one event of ``size`` payload bytes, command byte included.

    Only the fields that fit are part of it, so ``name in dtype.names`` says what a version recorded.
    """
    names: list[str] = []
    formats: list[np.dtype] = []
    offsets: list[int] = []
    for name, offset, kind in layout_of(command, size).fields:
        dtype: np.dtype = np.dtype(kind)  # type: ignore[call-overload]
        if offset + dtype.itemsize <= size + 1:
            names.append(name)
            formats.append(dtype)
            offsets.append(offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size + 1})
