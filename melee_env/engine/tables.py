"""The engine's figures: every table of ``data/`` read, checked and packed once into contiguous arrays.

All arrays are indexed by internal character id (0..26) and action state; per-frame tables by a span
``(first row, number of rows)`` and the integer part of the state's age. Units: game units, frames,
degrees, percent. Sources and trust of every table: ``data/SOURCES.md``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from melee_env.engine.states import CHARACTER_NAMES, NUM_CHARACTERS, NUM_STATES, TableError

DATA = Path(__file__).parent / "data"
NEVER = np.float32(9999)
POSE_SLICES = 8

NORMAL, FIRE, ELECTRIC, SLASH, DARK, CATCH, COIN, ICE, SLEEP, CAPE, BURY = range(11)
_ELEMENTS = {
    "normal": NORMAL,
    "fire": FIRE,
    "electric": ELECTRIC,
    "slash": SLASH,
    "darkness": DARK,
    "grab": CATCH,
    "coin": COIN,
    "ice": ICE,
    "sleep": SLEEP,
    "cape": CAPE,
    "bury": BURY,
}


def read_table(name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield ``(character id or -1, row)`` for every row of a table.

    Raises:
        TableError: names the file and line of an unknown character, a missing column or a bad number.
    """
    with (DATA / name).open(newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            if None in row or None in row.values():
                raise TableError(f"{name}, line {number}: wrong number of columns")
            character = -1
            if "character" in row:
                if row["character"] not in CHARACTER_NAMES:
                    raise TableError(f"{name}, line {number}: unknown character {row['character']!r}")
                character = CHARACTER_NAMES.index(row["character"])
            if not _is_numeric(" ".join(value for column, value in row.items() if column not in _TEXT)):
                raise TableError(f"{name}, line {number}: not a number where one belongs")
            if "state" in row and not 0 <= int(row["state"]) < NUM_STATES:
                raise TableError(f"{name}, line {number}: state {row['state']} is out of range")
            yield character, row


_TEXT = frozenset(
    "character animation shapes throw element stage kind name offset type part victim held source".split()
)
"""columns that hold words; all others hold numbers, several apart by spaces, or nothing"""


def _is_numeric(text: str) -> bool:
    try:
        list(map(float, text.split()))
    except ValueError:
        return False
    return True


def _numbers(text: str) -> list[float]:
    return [float(value) for value in text.split()]


def _spans() -> np.ndarray:
    return np.zeros((NUM_CHARACTERS, NUM_STATES, 2), np.int32)


def _load_attributes() -> np.ndarray:
    rows = list(read_table("attributes.csv"))
    names = [name for name in rows[0][1] if name != "character"]
    table = np.zeros(NUM_CHARACTERS, np.dtype([(name, "f4") for name in names]))
    for character, row in rows:
        for name in names:
            table[name][character] = np.float32(row[name])
    return table


def _load_lengths() -> np.ndarray:
    table = np.zeros((NUM_CHARACTERS, NUM_STATES), np.float32)
    for character, row in read_table("lengths.csv"):
        table[character, int(row["state"])] = np.float32(row["length"])
    for state, name in ((15, "walk_slow_length"), (16, "walk_middle_length"), (17, "walk_fast_length")):
        table[:, state] = ATTRIBUTES[name]
    return table


def _load_moves() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    interruptible = np.full((NUM_CHARACTERS, NUM_STATES), NEVER, np.float32)
    autocancel = np.full((NUM_CHARACTERS, 5, 2), NEVER, np.float32)
    autocancel[:, :, 0] = 0
    charge = np.zeros((NUM_CHARACTERS, NUM_STATES), np.float32)
    turn = np.full((NUM_CHARACTERS, NUM_STATES), NEVER, np.float32)
    for character, row in read_table("moves.csv"):
        state = int(row["state"])
        if row["interruptible"]:
            interruptible[character, state] = np.float32(row["interruptible"])
        if row["charge"]:
            charge[character, state] = np.float32(row["charge"])
        if row["turn"]:
            turn[character, state] = np.float32(row["turn"])
        if 65 <= state <= 69:
            if row["autocancel_before"]:
                autocancel[character, state - 65, 0] = np.float32(row["autocancel_before"])
            if row["autocancel_after"]:
                autocancel[character, state - 65, 1] = np.float32(row["autocancel_after"])
    return interruptible, autocancel, charge, turn


HITBOX = np.dtype(
    [
        ("x", "f4"),
        ("y", "f4"),
        ("size", "f4"),
        ("angle", "i2"),
        ("damage", "u1"),
        ("kbg", "u1"),
        ("bkb", "u1"),
        ("set_kb", "u1"),
        ("shield_damage", "i1"),
        ("window", "i1"),
        ("element", "i1"),
        ("group", "i1"),
        ("clank", "u1"),
        ("rebound", "u1"),
        ("hits_air", "u1"),
        ("hits_ground", "u1"),
        ("active", "u1"),
    ]
)
"""One hitbox on one frame; ``x`` forward, ``y`` up from the fighter's position."""

BOXES = 4
_NO_BOX = tuple([0] * len(HITBOX.names or ()))


def _hitbox_effects() -> dict[tuple[int, int], list[tuple[int, int, int, tuple[int, ...]]]]:
    """Read ``hitboxes.csv``: ``(first age, last age, box, fields after size)`` of every state."""
    effects: dict[tuple[int, int], list[tuple[int, int, int, tuple[int, ...]]]] = {}
    for character, row in read_table("hitboxes.csv"):
        # Interaction flags: bit 0 rebounds, bit 1 clanks.
        flags = int(row["interaction"])
        if row["element"] not in _ELEMENTS:
            raise TableError(f"hitboxes.csv: unknown element {row['element']!r} in {','.join(row.values())}")
        names = ("angle", "damage", "kbg", "bkb", "set_kb", "shield_damage", "window")
        fields = tuple(int(row[name]) for name in names)
        fields += (_ELEMENTS[row["element"]], 0, flags >> 1 & 1, flags & 1)
        fields += (int(row["hits_air"]), int(row["hits_ground"]), 1)
        ages = int(row["first"]), int(row["last"]), int(row["index"])
        effects.setdefault((character, int(row["state"])), []).append((*ages, fields))
    return effects


def _hitbox_places() -> dict[tuple[int, int], dict[int, list[tuple[float, float, float] | None]]]:
    """Read ``hitbox_positions.csv``: x, y and size of up to four boxes by age, of every state."""
    places: dict[tuple[int, int], dict[int, list[tuple[float, float, float] | None]]] = {}
    for character, row in read_table("hitbox_positions.csv"):
        boxes: list[tuple[float, float, float] | None] = [None] * BOXES
        for i in range(BOXES):
            if row[f"size{i}"] and float(row[f"size{i}"]) > 0:
                boxes[i] = float(row[f"x{i}"]), float(row[f"y{i}"]), float(row[f"size{i}"])
        places.setdefault((character, int(row["state"])), {})[int(row["age"])] = boxes
    return places


def _load_hitboxes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    places = _hitbox_places()
    span = _spans()
    index: list[int] = []
    nothing = (_NO_BOX,) * BOXES
    numbers: dict[tuple[tuple[float, ...], ...], int] = {nothing: 0}
    for key, effects in sorted(_hitbox_effects().items()):
        ages = places.get(key, {})
        rows: list[list[tuple[float, ...]]] = [[_NO_BOX] * BOXES for _ in range(max(ages, default=-1) + 1)]
        for first, last, box, fields in effects:
            for age in range(first, min(last, len(rows) - 1) + 1):
                place = ages[age][box] if age in ages else None
                if place is not None:
                    rows[age][box] = (*place, *fields)
        span[key] = len(index), len(rows)
        index.extend(numbers.setdefault(tuple(row), len(numbers)) for row in rows)
    return span, np.array(index, np.int32), np.array([list(row) for row in numbers], HITBOX)


SILHOUETTE_UNIT = 0.25
"""game units per stored unit of a silhouette"""
STAND_INS = {
    "Bowser": ("Fox", 1.4),
    "DK": ("Fox", 1.4),
    "Ganon": ("Falcon", 1.08),
    "Mewtwo": ("Fox", 1.2),
    "Nana": ("Popo", 1.0),
    "Roy": ("Marth", 0.96),
    "Samus": ("Falcon", 1.0),
}
"""whose silhouettes, at which scale, a fighter without any of its own has (estimates)"""


def _load_hurtboxes() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    with np.load(DATA / "hurtboxes.npz") as file:
        names, counts, rows, shapes = (file[name] for name in ("animations", "counts", "rows", "shapes"))
    first = np.cumsum(counts) - counts
    poses = {str(name): (int(f), int(n)) for name, f, n in zip(names, first, counts, strict=True)}
    span = _spans()
    for character, row in read_table("hurtbox_states.csv"):
        pose = poses.get(f"{row['character']}/{row['animation']}")
        if pose is None:
            raise TableError(f"hurtbox_states.csv: no silhouettes of {row['character']}'s {row['animation']}")
        span[character, int(row["state"])] = pose
    for character in range(NUM_CHARACTERS):
        # A state without a pose of its own borrows the standing or falling one.
        standing = span[character, 14]
        falling = span[character, 29] if span[character, 29, 1] > 0 else standing
        for state in range(NUM_STATES):
            if span[character, state, 1] == 0:
                span[character, state] = falling if 344 <= state <= 346 or 350 <= state <= 359 else standing
    scale = np.full(NUM_CHARACTERS, SILHOUETTE_UNIT, np.float32)
    for name, (other, size) in STAND_INS.items():
        span[CHARACTER_NAMES.index(name)] = span[CHARACTER_NAMES.index(other)]
        scale[CHARACTER_NAMES.index(name)] = SILHOUETTE_UNIT * size
    return span, rows, shapes, scale


THROW = np.dtype(
    [
        ("damage", "i2"),
        ("angle", "i2"),
        ("bkb", "i2"),
        ("kbg", "i2"),
        ("set_kb", "i2"),
        ("weight_independent", "i2"),
        ("release", "f4"),
    ]
)
"""One throw; ``release`` is the animation frame on which the victim flies."""


FIRST_THROW = 219
RELEASE_SHARE = 0.5
"""when a throw whose release was not seen lets go, as share of its length: 0.48 is the median of 34 that were"""


def _load_throws() -> np.ndarray:
    table = np.zeros((NUM_CHARACTERS, 4), THROW)
    for character, row in read_table("throws.csv"):
        throw = table[character, ("F", "B", "Hi", "Lw").index(row["throw"])]
        for name in ("damage", "angle", "bkb", "kbg", "set_kb"):
            throw[name] = int(row[name])
        throw["weight_independent"] = int(row["weight_independent"] or 0)
        length = LENGTH[character, FIRST_THROW + ("F", "B", "Hi", "Lw").index(row["throw"])]
        throw["release"] = float(row["release_age"] or RELEASE_SHARE * length)
    return table


STRAIGHT_ATTACKS = {53: (51, 52, 54, 55), 60: (58, 59, 61, 62)}
"""straight side tilt and smash, whose steps the angled ones share where they have none of their own"""


def _load_root_motion() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    span = _spans()
    dx: list[float] = []
    dy: list[float] = []
    for character, row in read_table("root_motion.csv"):
        steps = _numbers(row["dx"])
        span[character, int(row["state"])] = len(dx), len(steps)
        dx.extend(steps)
        dy.extend(_numbers(row["dy"]) or [0.0] * len(steps))
    for straight, angled in STRAIGHT_ATTACKS.items():
        for state in angled:
            bare = span[:, state, 1] == 0
            span[bare, state] = span[bare, straight]
    return span, np.asarray(dx, np.float32), np.asarray(dy, np.float32)


FIRST_JAB, JABS = 44, 2
JAB_REST = 2
"""ages from a jab's last hit to the next jab, where none is known"""


def _load_jabs() -> np.ndarray:
    """Read ``jabs.csv``: the age ``[characters, 2]`` from which the first and the second jab lead on."""
    ages = HITBOX_SPAN[:, FIRST_JAB : FIRST_JAB + JABS, 1] + JAB_REST
    for character, row in read_table("jabs.csv"):
        ages[character, int(row["state"]) - FIRST_JAB] = int(row["age"])
    return ages


FIRST_LEDGE_STATE, LEDGE_STATES, LEDGE_AGES = 252, 11, 64
HANG = 253


def _load_ledge_poses() -> np.ndarray:
    poses = np.full((NUM_CHARACTERS, LEDGE_STATES, LEDGE_AGES, 2), np.nan, np.float32)
    for character, row in read_table("ledge_poses.csv"):
        poses[character, int(row["state"]) - FIRST_LEDGE_STATE, int(row["age"])] = row["out"], row["up"]
    # A hang stays at the last place that was measured.
    hangs = poses[:, HANG - FIRST_LEDGE_STATE]
    for age in range(1, LEDGE_AGES):
        bare = np.isnan(hangs[:, age, 0])
        hangs[bare, age] = hangs[bare, age - 1]
    # Fox and Falco move alike, in proportion to their model scales.
    for one, other in ((1, 22), (22, 1)):
        scale = ATTRIBUTES["model_scale"][one] / ATTRIBUTES["model_scale"][other]
        for state in range(LEDGE_STATES):
            if np.isnan(poses[one, state]).all():
                poses[one, state] = poses[other, state] * scale
    return poses


ECB_ROW = np.dtype([("bottom", "f4"), ("half_width", "f4"), ("top", "f4")])
"""The collision diamond on one frame, relative to the position."""
FALL = 29
FLINCHES, FLINCH = range(75, 84), 79
"""hit high, in the middle and low on the ground, three strengths each; the one of middle strength in the middle"""


def _load_ecb() -> tuple[np.ndarray, np.ndarray]:
    span = _spans()
    rows: list[tuple[float, float, float]] = []
    for character, row in read_table("ecb.csv"):
        columns = [_numbers(row[name]) for name in ("bottom", "half_width", "top")]
        span[character, int(row["state"])] = len(rows), len(columns[0])
        rows.extend(zip(*columns, strict=True))
    for character in range(NUM_CHARACTERS):
        # Flinches without rows borrow the middle one's, other states the falling pose; who has none borrows Fox's.
        if not span[character, :, 1].any():
            span[character] = span[1]
        for state in range(NUM_STATES):
            if span[character, state, 1] == 0:
                flinches = state in FLINCHES and span[character, FLINCH, 1] > 0
                span[character, state] = span[character, FLINCH if flinches else FALL]
    return span, np.asarray(rows, ECB_ROW)


ATTRIBUTES = _load_attributes()
LENGTH = _load_lengths()
INTERRUPTIBLE, AUTOCANCEL, SMASH_CHARGE, TURN_AGE = _load_moves()
"""``TURN_AGE`` is the age on which a state's animation turns the fighter round"""
HITBOX_SPAN, HITBOX_ROWS, HITBOXES = _load_hitboxes()
"""``HITBOXES[HITBOX_ROWS[first + age]]`` are the four boxes of an age; row 0 has none."""
HURT_SPAN, HURT_ROWS, HURT_POSES, HURT_SCALE = _load_hurtboxes()
"""``HURT_POSES[HURT_ROWS[first + age // 2]] [2 + 2 * POSE_SLICES] int8`` is a silhouette: bottom, top, then left and
right of each slice from the bottom up, in units of ``HURT_SCALE`` of the fighter. Numba caches no code with a table of
more than a million bytes, hence each pose once."""
NEXT_JAB = _load_jabs()
THROWS = _load_throws()
ROOT_SPAN, ROOT_DX, ROOT_DY = _load_root_motion()
LEDGE_POSE = _load_ledge_poses()
"""``[character, state - 252, age, 2]`` place in a ledge state: outward from the corner, up; NaN where unknown"""
ECB_SPAN, ECB = _load_ecb()
