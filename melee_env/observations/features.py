"""What an observation is made of: one declarative table per preset, read by the encoder and the docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from melee_env.frame import CONTROLLER_DTYPE, FIGHTER_DTYPE, FRAME_DTYPE, SEAT_DTYPE
from melee_env.ids import Stage


@dataclass(frozen=True)
class Feature:
    """One number of an observation, read from a field of the frame."""

    name: str
    """name in the documentation, e.g. ``own.x``"""
    offset: int
    """byte offset of the field in a frame"""
    kind: str
    """stored type: f4, u1, u2 or i4"""
    mask: int = 0
    """bits that count as true, 0 for the value itself"""
    scale: float = 1.0
    """factor"""
    limit: float = 5.0
    """the value is clipped to ± this"""


@dataclass(frozen=True)
class Scalar:
    """How one fighter field enters an observation."""

    field: str
    scale: float
    limit: float
    mask: int = 0
    byte: int = 0


KINEMATICS = (
    Scalar("x", 0.01, 4),
    Scalar("y", 0.01, 4),
    Scalar("facing", 1, 1),
    Scalar("vel_air_x", 0.25, 5),
    Scalar("vel_y", 0.25, 5),
    Scalar("vel_ground_x", 0.25, 5),
    Scalar("knockback_x", 0.25, 5),
    Scalar("knockback_y", 0.25, 5),
)
CONDITION = (
    Scalar("percent", 0.01, 10),
    Scalar("shield", 1 / 60, 1),
    Scalar("stocks", 0.25, 5),
    Scalar("jumps", 0.5, 3),
    Scalar("action_frame", 0.05, 5),
    Scalar("hitstun", 0.05, 5),
    Scalar("hitlag", 0.1, 2),
    Scalar("airborne", 1, 1),
    Scalar("hurtbox", 1, 1, mask=3),
    Scalar("flags", 1, 1, mask=0x08, byte=1),
    Scalar("flags", 1, 1, mask=0x80, byte=2),
)
CONTROLLER = (
    Scalar("stick_x", 1, 1),
    Scalar("stick_y", 1, 1),
    Scalar("cstick_x", 1, 1),
    Scalar("cstick_y", 1, 1),
    Scalar("trigger", 1, 1),
    Scalar("buttons", 1, 1, mask=0x0100),
    Scalar("buttons", 1, 1, mask=0x0200),
    Scalar("buttons", 1, 1, mask=0x0400),
    Scalar("buttons", 1, 1, mask=0x0800),
    Scalar("buttons", 1, 1, mask=0x0010),
    Scalar("buttons", 1, 1, mask=0x0040),
    Scalar("buttons", 1, 1, mask=0x0020),
    Scalar("buttons", 1, 1, mask=0x0008),
)
STAGE_PARTS = (
    Scalar("fod_left", 0.02, 5),
    Scalar("fod_right", 0.02, 5),
    Scalar("whispy", 0.5, 1),
    Scalar("stadium_type", 0.1, 5),
    Scalar("randall_x", 0.01, 5),
    Scalar("randall_y", 0.01, 5),
)
NANA_COMPACT = (
    Scalar("present", 1, 1),
    Scalar("x", 0.01, 4),
    Scalar("y", 0.01, 4),
    Scalar("facing", 1, 1),
    Scalar("percent", 0.01, 10),
    Scalar("airborne", 1, 1),
    Scalar("hitstun", 0.05, 5),
)
"""a partner in seven numbers"""
_BITS = {
    ("flags", 0x08): "fast_fall",
    ("flags", 0x80): "shielding",
    ("hurtbox", 3): "protected",
    ("buttons", 0x0100): "A",
    ("buttons", 0x0200): "B",
    ("buttons", 0x0400): "X",
    ("buttons", 0x0800): "Y",
    ("buttons", 0x0010): "Z",
    ("buttons", 0x0040): "L",
    ("buttons", 0x0020): "R",
    ("buttons", 0x0008): "D_UP",
}


def _offset(dtype: np.dtype, name: str) -> int:
    fields: Any = dtype.fields
    return int(fields[name][1])


def fighter_features(
    seat: int,
    part: str,
    label: str,
    with_controller: bool,
    scalars: Sequence[Scalar] = KINEMATICS + CONDITION,
) -> list[Feature]:
    """Return the features of one fighter.

    Args:
        seat: 0 own, 1 opponent.
        part: ``leader`` or ``nana``.
        label: prefix of the names.
        with_controller: add the controller that produced the frame.
        scalars: what is shown of the fighter.
    """
    base = _offset(FRAME_DTYPE, "seats") + seat * SEAT_DTYPE.itemsize + _offset(SEAT_DTYPE, part)
    features = _features(FIGHTER_DTYPE, base, label, scalars)
    if with_controller:
        features += controller_features(base + _offset(FIGHTER_DTYPE, "controller"), label)
    return features


def controller_features(base: int, label: str) -> list[Feature]:
    """Return the features of the controller that is stored at byte ``base``."""
    return _features(CONTROLLER_DTYPE, base, label, CONTROLLER)


def stage_features() -> list[Feature]:
    """Return what moves on the stages: platforms, cloud, wind, transformations."""
    return _features(FRAME_DTYPE, 0, "stage", STAGE_PARTS)


def _features(dtype: np.dtype, base: int, label: str, scalars: Sequence[Scalar]) -> list[Feature]:
    out = []
    for scalar in scalars:
        kind = dtype[scalar.field]
        kind = kind.subdtype[0] if kind.subdtype else kind
        name = _BITS.get((scalar.field, scalar.mask), scalar.field)
        offset = base + _offset(dtype, scalar.field) + scalar.byte * kind.itemsize
        stored = kind.str[1:].replace("i1", "u1")
        out.append(Feature(f"{label}.{name}", offset, stored, scalar.mask, scalar.scale, scalar.limit))
    return out


# Action states by group: the states that play alike share an input of the network.
_SINGLE: tuple[int, ...] = (
    14,
    18,
    19,
    20,
    23,
    24,
    35,
    38,
    39,
    40,
    41,
    42,
    43,
    44,
    45,
    46,
    48,
    50,
    56,
    57,
    63,
    64,
)
_SINGLE += (65, 66, 67, 68, 69, 178, 179, 180, 181, 182, 199, 200, 201, 212, 214, 216, 217)
_SINGLE += (219, 220, 221, 222, 233, 234, 235, 236, 244, 252, 253)
_RANGES = (
    (0, 13),
    (15, 17),
    (21, 22),
    (25, 26),
    (27, 28),
    (29, 34),
    (36, 37),
    (47, 49),
    (51, 55),
    (58, 62),
    (70, 74),
    (75, 86),
    (87, 91),
    (183, 183),
    (184, 184),
    (185, 190),
    (191, 191),
    (192, 192),
    (193, 198),
    (202, 204),
    (205, 211),
    (213, 215),
    (218, 218),
    (223, 232),
    (237, 238),
    (239, 243),
    (245, 246),
    (247, 251),
    (254, 259),
    (260, 263),
    (264, 265),
)
FIRST_OWN_STATE = 341
OWN_STATES = 35
"""A fighter's own states (specials) have an input each, up to this many; later ones share the last."""


def action_groups() -> tuple[np.ndarray, list[str]]:
    """Return ``(group of every action state [1024] int16, names of the groups)``; group 0 is the rest."""
    group = np.zeros(1024, np.int16)
    names = ["other"]
    for first, last in _RANGES:
        group[first : last + 1] = len(names)
        names.append(f"{first}-{last}" if last > first else str(first))
    for state in _SINGLE:
        group[state] = len(names)
        names.append(str(state))
    for k in range(OWN_STATES):
        group[FIRST_OWN_STATE + k] = len(names)
        names.append(str(FIRST_OWN_STATE + k))
    group[FIRST_OWN_STATE + OWN_STATES :] = len(names) - 1
    return group, names


ACTION_GROUP, ACTION_GROUP_NAMES = action_groups()

STAGE_ORDER = tuple(stage.external for stage in Stage)
EDGE_X = {2: 63.35, 3: 87.75, 8: 56.0, 28: 77.27, 31: 68.4, 32: 85.57}
"""Half width of the main floor by external stage id (vladfi1/libmelee stages.py, rounded)."""
