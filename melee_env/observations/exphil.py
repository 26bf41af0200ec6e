"""The observation layout of ExPhil's networks, 288 numbers wide by default, for models and data made for it.

Source: blasphemetheus/exphil, ``lib/exphil/embeddings/{game,player}.ex``. Where that layout has a constant (the
partner's last three numbers, the player's name) it is zero here. Ids stand in the last columns before the padding.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import re
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.actions.multidiscrete import BUTTONS
from melee_env.engine.kernel import entry_point, kernel
from melee_env.errors import OptionError
from melee_env.frame import CONTROLLER_DTYPE, FIGHTER_DTYPE, NUM_ITEMS
from melee_env.observations.encoder import ObservationEncoder
from melee_env.observations.kernels import (
    ACTION,
    CHARACTER,
    FRAME,
    ITEM_OWNER,
    ITEM_SIZE,
    ITEM_TYPE,
    ITEM_VEL_X,
    ITEM_VEL_Y,
    ITEM_X,
    ITEM_Y,
    ITEMS,
    LEADER,
    NANA,
    SEAT_SIZE,
    SEATS,
    STAGE,
    STATES,
    X,
    Y,
    read_float,
    read_number,
    read_short,
)

LEDGE = 85.0
"""half the width that the ledge distance is measured by, on every stage"""
CATEGORY_ENDS = (
    *(0x0A, 0x0D, 0x14, 0x18, 0x1E, 0x22, 0x2C, 0x36, 0x3C, 0x42, 0x54, 0x60),
    *(0x6B, 0x7F, 0x93, 0xA7, 0xBB, 0xC7, 0xD3, 0xDF, 0xED, 0xFF, 0x130, 0x160),
)
"""last action state of every category but the last"""
ATTACKING, GRABBING, CAN_ACT = (10, 11, 12), (17,), (2, 3, 4, 9)
"""categories behind the partner's flags"""
STAGES = (2, 3, 8, 28, 31, 32)
NAMES, DELAYS, PROJECTILES = 112, 9, 5
MAX_ACTION, MAX_CHARACTER = 398, 32
FAR = 100.0
"""limit of what the layout does not clamp, far outside of what a game reaches"""
ALIGNMENT = 8
"""the width is padded to a multiple of this"""
PLAYER = (
    *("percent", "facing", "x", "y", "invulnerable", "jumps", "shield", "on_ground"),
    *("vel_air_x", "vel_ground_x", "vel_y", "knockback_x", "knockback_y", "hitstun", "action_frame", "stock"),
    "ledge",
)
PARTNER = (
    "exists",
    "x",
    "y",
    "facing",
    "on_ground",
    "percent",
    "stock",
    "hitstun",
    "action_frame",
    "invulnerable",
)
FLAGS = ("attacking", "grabbing", "can_act", "synced")
ITEM = ("exists", "owner", "x", "y", "type", "vel_x", "vel_y")

CATEGORIES = np.searchsorted(CATEGORY_ENDS, np.arange(STATES))
NUM_CATEGORIES = len(CATEGORY_ENDS) + 1
CATEGORY_FLAGS = np.array(
    [np.isin(np.arange(NUM_CATEGORIES), among) for among in (ATTACKING, GRABBING, CAN_ACT)]
).T.copy()
MASKS = np.array([int(button) for button in BUTTONS], np.int64)
STAGE_IDS = np.array(STAGES, np.int64)
_FIGHTER: Any = FIGHTER_DTYPE.fields
_PAD: Any = CONTROLLER_DTYPE.fields
PRESENT, FACING, PERCENT, SHIELD, STOCKS, AGE, HITSTUN, AIRBORNE, JUMPS, HURTBOX = (
    np.uintp(_FIGHTER[name][1])
    for name in (
        *("present", "facing", "percent", "shield", "stocks"),
        *("action_frame", "hitstun", "airborne", "jumps", "hurtbox"),
    )
)
SPEEDS = np.array(
    [_FIGHTER[name][1] for name in ("vel_air_x", "vel_ground_x", "vel_y", "knockback_x", "knockback_y")],
    np.uint64,
)
STICKS = np.array([_PAD[name][1] for name in ("stick_x", "stick_y", "cstick_x", "cstick_y")], np.uint64)
TRIGGER, PRESSED = np.uintp(_PAD["trigger_l"][1]), np.uintp(_PAD["buttons"][1])
ZERO, ONE, FAR32 = np.float32(0), np.float32(1), np.float32(FAR)
TWENTIETH, HUNDREDTH, HALF = np.float32(0.05), np.float32(0.01), np.float32(0.5)


class ExphilEncoder(ObservationEncoder):
    """``exphil``, with the switches ``previous`` (queue depth, 1 by default) and ``delay`` (one-hot of nine)."""

    def __init__(self, name: str = "exphil") -> None:
        """Build the encoder from its name.

        Raises:
            OptionError: another switch, or an impossible value.
        """
        switches = name.partition(":")[2]
        found = re.fullmatch(r"(?:previous=([1-9]|1\d|2[0-5]))?,?(delay=(?:on|off))?", switches)
        if found is None:
            raise OptionError(f"observation {name!r}: exphil knows previous=1..25 and delay=on or off")
        self.name = name
        self.packs = False
        self.previous = int(found[1] or 1)
        self.shows_delay = found[2] == "delay=on"
        self.names = _names(self.previous, self.shows_delay)
        self.one_hot = [
            (self.names.index(first), self.names.index(last) + 1)
            for first, last in (
                ("own.nana.category.0", f"own.nana.category.{len(CATEGORY_ENDS)}"),
                ("opponent.nana.category.0", f"opponent.nana.category.{len(CATEGORY_ENDS)}"),
                (f"stage.{STAGES[0]}", "stage.other"),
                ("name.0", f"name.{NAMES - 1}"),
            )
        ]
        self.id_columns = tuple(k for k, label in enumerate(self.names) if label.endswith("_id"))
        high = np.full(len(self.names), FAR, np.float32)
        high[list(self.id_columns)] = MAX_ACTION
        self.space = spaces.Box(-high, high, dtype=np.float32)

    def _identity(self) -> tuple[Any, ...]:
        return (self.names, CATEGORY_ENDS, ATTACKING, GRABBING, CAN_ACT, STAGES, LEDGE, FAR)

    def encode_bytes(
        self,
        data: NDArray[np.uint8],
        out: NDArray[np.float32],
        seat: int = 0,
        *,
        committed: NDArray[np.uint8] | None = None,
        delays: NDArray[np.int64] | None = None,
    ) -> None:
        """Encode frames given as bytes ``[N, itemsize]``, seen from ``seat``, into ``out [N, F]``."""
        encode_exphil(
            data,
            self._newest(data, seat) if committed is None else committed,
            np.zeros(len(data), np.int64) if delays is None else delays,
            out,
            np.array([SEATS + SEAT_SIZE * np.uintp(place) for place in (seat, 1 - seat)]),
            self.shows_delay,
        )


@kernel
def scaled(row, at, scale, low, high):
    """Return the float at byte ``at`` times a factor within limits; what is not finite counts as zero."""
    return min(max(sane(read_float(row, at)) * scale, low), high)


@kernel
def sane(value):
    """Return a finite number."""
    return value if abs(value) < np.float32(np.inf) else ZERO


@kernel
def near(value):
    """Return a number within the layout's outer limits."""
    return min(max(value, -FAR32), FAR32)


@kernel
def truth(value):
    """Return 1 or 0."""
    return ONE if value else ZERO


@kernel
def category_of(row, fighter):
    """Return the category of a fighter's action state."""
    return CATEGORIES[min(read_short(row, fighter + ACTION), STATES - 1)]


@kernel
def encode_player(row, out, at, f):
    """Write the 17 numbers of the fighter at byte ``f``; return the column after them."""
    out[at] = scaled(row, f + PERCENT, HUNDREDTH, ZERO, np.float32(5))
    out[at + 1] = np.sign(sane(read_float(row, f + FACING))) if row[f + PRESENT] != 0 else ZERO
    out[at + 2] = scaled(row, f + X, TWENTIETH, -FAR32, FAR32)
    out[at + 3] = scaled(row, f + Y, TWENTIETH, -FAR32, FAR32)
    out[at + 4] = truth(row[f + HURTBOX] != 0)
    out[at + 5] = min(np.float32(row[f + JUMPS]) / np.float32(6), ONE)
    out[at + 6] = scaled(row, f + SHIELD, HUNDREDTH, ZERO, ONE)
    out[at + 7] = truth(row[f + AIRBORNE] == 0)
    for k in range(SPEEDS.shape[0]):
        out[at + 8 + k] = scaled(row, f + SPEEDS[k], HALF, -FAR32, FAR32)
    out[at + 13] = scaled(row, f + HITSTUN, np.float32(1 / 120), ZERO, ONE)
    out[at + 14] = scaled(row, f + AGE, np.float32(1 / 60), ZERO, np.float32(2))
    out[at + 15] = min(np.float32(row[f + STOCKS]) / np.float32(4), ONE)
    half = np.float32(LEDGE)
    out[at + 16] = near((half - abs(sane(read_float(row, f + X)))) / half)
    return at + 17


@kernel
def encode_partner(row, out, at, f, leader):
    """Write the 39 numbers of the partner at byte ``f`` into zeroed columns; return the column after them."""
    if row[f + PRESENT] != 0:
        category = category_of(row, f)
        out[at] = ONE
        out[at + 1] = scaled(row, f + X, TWENTIETH, -FAR32, FAR32)
        out[at + 2] = scaled(row, f + Y, TWENTIETH, -FAR32, FAR32)
        out[at + 3] = np.sign(sane(read_float(row, f + FACING)))
        out[at + 4] = truth(row[f + AIRBORNE] == 0)
        out[at + 5] = scaled(row, f + PERCENT, HUNDREDTH, ZERO, np.float32(5))
        out[at + 6] = min(np.float32(row[f + STOCKS]) / np.float32(4), ONE)
        out[at + 10 + category] = ONE
        for k in range(3):
            out[at + 10 + NUM_CATEGORIES + k] = truth(CATEGORY_FLAGS[category, k])
        out[at + 13 + NUM_CATEGORIES] = truth(category == category_of(row, leader))
    return at + 14 + NUM_CATEGORIES


@kernel
def encode_pad(row, out, at):
    """Write the 13 numbers of a controller; return the column after them."""
    buttons = read_short(row, PRESSED)
    for k in range(MASKS.shape[0]):
        out[at + k] = truth((buttons & MASKS[k]) != 0)
    at += MASKS.shape[0]
    for k in range(STICKS.shape[0]):
        out[at + k] = scaled(row, STICKS[k], ONE, -ONE, ONE)
    out[at + 4] = scaled(row, TRIGGER, ONE, ZERO, ONE)
    return at + 5


@kernel
def encode_projectiles(row, out, at):
    """Write the first live items into zeroed columns; return the column after them."""
    found = 0
    for i in range(NUM_ITEMS):
        base = ITEMS + np.uintp(i) * ITEM_SIZE
        if row[base] == 0 or found >= PROJECTILES:
            continue
        to = at + 7 * found
        out[to] = ONE
        out[to + 1] = (np.float32(np.int8(row[base + ITEM_OWNER])) + ONE) * HALF
        out[to + 2] = scaled(row, base + ITEM_X, TWENTIETH, -FAR32, FAR32)
        out[to + 3] = scaled(row, base + ITEM_Y, TWENTIETH, -FAR32, FAR32)
        out[to + 4] = near(np.float32(read_short(row, base + ITEM_TYPE)) * HUNDREDTH)
        out[to + 5] = scaled(row, base + ITEM_VEL_X, HALF, -FAR32, FAR32)
        out[to + 6] = scaled(row, base + ITEM_VEL_Y, HALF, -FAR32, FAR32)
        found += 1
    return at + 7 * PROJECTILES


@entry_point
def encode_exphil(data, committed, delays, out, seats, with_delay):
    """Encode frames ``data [N, bytes]`` into ``out [N, F]``; ``seats [2]`` are the bytes of both, own first."""
    for n in range(data.shape[0]):
        row = data[n]
        to = out[n]
        to[:] = ZERO
        at = 0
        for place in range(2):
            leader = seats[place] + LEADER
            at = encode_player(row, to, at, leader)
            at = encode_partner(row, to, at, seats[place] + NANA, leader)
        stage = STAGE_IDS.shape[0]
        for k in range(STAGE_IDS.shape[0]):
            if np.int64(row[STAGE]) == STAGE_IDS[k]:
                stage = k
        to[at + stage] = ONE
        at += STAGE_IDS.shape[0] + 1
        for k in range(committed.shape[1]):
            at = encode_pad(committed[n, k], to, at)
        if with_delay:
            to[at + min(delays[n], DELAYS - 1)] = ONE
            at += DELAYS
        at += NAMES
        own, other = seats[0] + LEADER, seats[1] + LEADER
        dx = sane(read_float(row, other + X)) - sane(read_float(row, own + X))
        dy = sane(read_float(row, other + Y)) - sane(read_float(row, own + Y))
        distance = np.float32(np.sqrt(np.float64(dx) * np.float64(dx) + np.float64(dy) * np.float64(dy)))
        to[at] = min(distance / np.float32(200), np.float32(1.5))
        to[at + 1] = near(dx / np.float32(200))
        to[at + 2] = near(dy / np.float32(100))
        to[at + 3] = np.float32(min(max(read_number(row, FRAME) / 28_800, 0.0), 1.0))
        at = encode_projectiles(row, to, at + 4)
        to[at] = np.float32(min(read_short(row, own + ACTION), MAX_ACTION))
        to[at + 1] = np.float32(min(read_short(row, other + ACTION), MAX_ACTION))
        to[at + 2] = np.float32(min(np.int64(row[own + CHARACTER]), MAX_CHARACTER))
        to[at + 3] = np.float32(min(np.int64(row[other + CHARACTER]), MAX_CHARACTER))


def _names(previous: int, delay: bool) -> list[str]:
    names = []
    for label in ("own", "opponent"):
        names += [f"{label}.{part}" for part in PLAYER]
        names += [f"{label}.nana.{part}" for part in PARTNER]
        names += [f"{label}.nana.category.{k}" for k in range(len(CATEGORY_ENDS) + 1)]
        names += [f"{label}.nana.{flag}" for flag in FLAGS]
    names += [f"stage.{stage}" for stage in (*STAGES, "other")]
    for k in range(previous):
        names += [f"previous{k}.{button.name}" for button in BUTTONS]
        names += [f"previous{k}.{part}" for part in ("stick_x", "stick_y", "cstick_x", "cstick_y", "trigger")]
    names += [f"delay.{k}" for k in range(DELAYS)] if delay else []
    names += [f"name.{k}" for k in range(NAMES)]
    names += ["distance", "dx", "dy", "clock"]
    names += [f"item{k}.{part}" for k in range(PROJECTILES) for part in ITEM]
    names += ["own.action_id", "opponent.action_id", "own.character_id", "opponent.character_id"]
    return names + [f"padding.{k}" for k in range(-len(names) % ALIGNMENT)]
