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

from melee_env.engine.states import NUM_CHARACTERS, NUM_STATES, TableError
from melee_env.ids import Stage

DATA = Path(__file__).parent / "data"
NEVER = np.float32(9999)
MAX_LINES = 40
POSE_SLICES = 5

CHARACTER_NAMES = (
    "Mario Fox Falcon DK Kirby Bowser Link Sheik Ness Peach Popo Nana Pikachu Samus Yoshi Jigglypuff Mewtwo "
    "Luigi Marth Zelda YLink DrMario Falco Pichu GnW Ganon Roy"
).split()
"""Names in the tables, by internal id."""

FLOOR, CEILING, LEFT_WALL, RIGHT_WALL = 1, 2, 3, 4
_KINDS = {"FLOOR": FLOOR, "CEILING": CEILING, "WALL_LEFT": LEFT_WALL, "WALL_RIGHT": RIGHT_WALL}
NORMAL, FIRE, ELECTRIC, SLASH, DARK, CATCH = 0, 1, 2, 3, 4, 5
_ELEMENTS = {
    "normal": NORMAL,
    "fire": FIRE,
    "electric": ELECTRIC,
    "slash": SLASH,
    "darkness": DARK,
    "grab": CATCH,
}


def read_table(name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield ``(character id or -1, row)`` for every row of a table.

    Raises:
        TableError: names the file and line of an unknown character or a missing column.
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
            if "state" in row and not 0 <= int(row["state"]) < NUM_STATES:
                raise TableError(f"{name}, line {number}: state {row['state']} is out of range")
            yield character, row


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
    return table


def _load_moves() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    interruptible = np.full((NUM_CHARACTERS, NUM_STATES), NEVER, np.float32)
    autocancel = np.full((NUM_CHARACTERS, 5, 2), NEVER, np.float32)
    autocancel[:, :, 0] = 0
    charge = np.zeros((NUM_CHARACTERS, NUM_STATES), np.float32)
    for character, row in read_table("moves.csv"):
        state = int(row["state"])
        if row["interruptible"]:
            interruptible[character, state] = np.float32(row["interruptible"])
        if row["charge"]:
            charge[character, state] = np.float32(row["charge"])
        if 65 <= state <= 69:
            if row["autocancel_before"]:
                autocancel[character, state - 65, 0] = np.float32(row["autocancel_before"])
            if row["autocancel_after"]:
                autocancel[character, state - 65, 1] = np.float32(row["autocancel_after"])
    return interruptible, autocancel, charge


HITBOX = np.dtype(
    [
        ("x", "f4"),
        ("y", "f4"),
        ("size", "f4"),
        ("damage", "i2"),
        ("angle", "i2"),
        ("kbg", "i2"),
        ("bkb", "i2"),
        ("set_kb", "i2"),
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


def _load_hitboxes() -> tuple[np.ndarray, np.ndarray]:
    windows: dict[tuple[int, int], list[dict[str, str]]] = {}
    for character, row in read_table("hitboxes.csv"):
        windows.setdefault((character, int(row["state"])), []).append(row)
    places: dict[tuple[int, int], dict[int, dict[str, str]]] = {}
    for character, row in read_table("hitbox_positions.csv"):
        places.setdefault((character, int(row["state"])), {})[int(row["age"])] = row
    span = _spans()
    rows: list[np.ndarray] = [np.zeros(4, HITBOX)]
    for key, moves in sorted(windows.items()):
        positions = places.get(key, {})
        count = max((age for age in positions), default=-1) + 1
        span[key] = len(rows), count
        for age in range(count):
            boxes = np.zeros(4, HITBOX)
            live = [move for move in moves if int(move["first"]) <= age <= int(move["last"])]
            place = positions.get(age)
            if live and place:
                for index in range(4):
                    if place[f"size{index}"] and float(place[f"size{index}"]) > 0:
                        _fill_hitbox(boxes[index : index + 1], _attributes_of(live, index), place, index)
            rows.append(boxes)
    return span, np.stack(rows)


def _attributes_of(live: list[dict[str, str]], index: int) -> dict[str, str]:
    # The attribute source lists each distinct set once: an unlisted box shares the nearest lower one's.
    lower = [move for move in live if int(move["index"]) <= index]
    return max(lower, key=lambda move: int(move["index"])) if lower else live[0]


def _fill_hitbox(box: np.ndarray, move: dict[str, str], place: dict[str, str], index: int) -> None:
    box["x"], box["y"] = float(place[f"x{index}"]), float(place[f"y{index}"])
    box["size"] = float(place[f"size{index}"])
    for name in ("damage", "angle", "kbg", "bkb", "set_kb", "shield_damage", "window"):
        box[name] = int(move[name])
    box["element"] = _ELEMENTS[move["element"]]
    box["hits_air"], box["hits_ground"] = int(move["hits_air"]), int(move["hits_ground"])
    # Interaction flags: bit 0 rebounds, bit 1 clanks.
    box["clank"] = int(move["interaction"]) >> 1 & 1
    box["rebound"] = int(move["interaction"]) & 1
    box["active"] = 1


def _load_hurtboxes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    poses: dict[tuple[int, str], tuple[int, int]] = {}
    shapes: list[list[float]] = []
    step = np.ones(NUM_CHARACTERS, np.int32)
    for character, row in read_table("hurtboxes.csv"):
        first = len(shapes)
        shapes.extend(_numbers(shape) for shape in row["shapes"].split(";"))
        poses[character, row["animation"]] = first, len(shapes) - first
        step[character] = int(row["step"])
    span = _spans()
    for character, row in read_table("hurtbox_states.csv"):
        pose = poses.get((character, row["animation"]))
        if pose is not None:
            span[character, int(row["state"])] = pose
    for character in range(NUM_CHARACTERS):
        # A state without a pose of its own borrows the standing or falling one, a fighter without poses Fox's.
        standing = span[character, 14] if span[character, 14, 1] > 0 else span[1, 14]
        falling = span[character, 29] if span[character, 29, 1] > 0 else standing
        for state in range(NUM_STATES):
            if span[character, state, 1] == 0:
                span[character, state] = falling if 344 <= state <= 346 or 350 <= state <= 359 else standing
    return span, np.clip(shapes, -127, 127).astype(np.int8), step


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


def _load_throws() -> np.ndarray:
    table = np.zeros((NUM_CHARACTERS, 4), THROW)
    for character, row in read_table("throws.csv"):
        throw = table[character, ("F", "B", "Hi", "Lw").index(row["throw"])]
        for name in ("damage", "angle", "bkb", "kbg", "set_kb"):
            throw[name] = int(row[name])
        throw["weight_independent"] = int(row["weight_independent"] or 0)
        throw["release"] = float(row["release_age"] or 12)
    return table


def _load_root_motion() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    span = _spans()
    dx: list[float] = []
    dy: list[float] = []
    for character, row in read_table("root_motion.csv"):
        steps = _numbers(row["dx"])
        span[character, int(row["state"])] = len(dx), len(steps)
        dx.extend(steps)
        dy.extend(_numbers(row["dy"]) or [0.0] * len(steps))
    return span, np.asarray(dx, np.float32), np.asarray(dy, np.float32)


ECB_ROW = np.dtype([("bottom", "f4"), ("half_width", "f4"), ("top", "f4")])
"""The collision diamond on one frame, relative to the position."""


def _load_ecb() -> tuple[np.ndarray, np.ndarray]:
    span = _spans()
    rows: list[tuple[float, float, float]] = []
    for character, row in read_table("ecb.csv"):
        columns = [_numbers(row[name]) for name in ("bottom", "half_width", "top")]
        span[character, int(row["state"])] = len(rows), len(columns[0])
        rows.extend(zip(*columns, strict=True))
    for character in range(NUM_CHARACTERS):
        # Fighters and states without rows borrow the falling pose, fighters without any borrow Fox's.
        if not span[character, :, 1].any():
            span[character] = span[1]
        fallen = span[character, 29]
        for state in range(NUM_STATES):
            if span[character, state, 1] == 0:
                span[character, state] = fallen
    return span, np.asarray(rows, ECB_ROW)


LINE = np.dtype(
    [
        ("x0", "f4"),
        ("y0", "f4"),
        ("x1", "f4"),
        ("y1", "f4"),
        ("normal_x", "f4"),
        ("normal_y", "f4"),
        ("kind", "i4"),
        ("drop_through", "i4"),
        ("previous", "i4"),
        ("following", "i4"),
    ]
)
"""One line of a stage; floors run from left to right, ``previous``/``following`` are the lines they join."""

STAGE = np.dtype(
    [
        ("blast_left", "f4"),
        ("blast_right", "f4"),
        ("blast_top", "f4"),
        ("blast_bottom", "f4"),
        ("spawn_x", "f4", (2,)),
        ("spawn_y", "f4", (2,)),
        ("respawn_x", "f4", (2,)),
        ("respawn_y", "f4", (2,)),
        ("respawn_drop", "f4"),
        ("ledge_y", "f4"),
        ("ledge_left_x", "f4"),
        ("ledge_right_x", "f4"),
        ("ledge_left_line", "i4"),
        ("ledge_right_line", "i4"),
        ("highest_floor", "f4"),
        ("wall_top", "f4"),
        ("wall_left", "f4"),
        ("wall_right", "f4"),
    ]
)
"""One stage: blast zones, starts, ledges, and the box that holds all walls and ceilings."""


def _load_lines(slots: dict[str, int]) -> tuple[np.ndarray, np.ndarray, dict[int, list[int]]]:
    lines = np.zeros((len(slots), MAX_LINES), LINE)
    lines["previous"] = lines["following"] = -1
    count = np.zeros(len(slots), np.int32)
    ledges: dict[int, list[int]] = {slot: [] for slot in slots.values()}
    for _, row in read_table("stage_lines.csv"):
        slot, index = slots[row["stage"]], int(row["index"])
        line = lines[slot, index % MAX_LINES]
        for name in ("x0", "y0", "x1", "y1"):
            line[name] = np.float32(row[name])
        line["kind"] = _KINDS[row["kind"]]
        line["drop_through"] = int(row["drop_through"])
        count[slot] = max(count[slot], index % MAX_LINES + 1)
        if line["kind"] == FLOOR:
            dx, dy = float(line["x1"] - line["x0"]), float(line["y1"] - line["y0"])
            length = np.hypot(dx, dy)
            line["normal_x"] = -dy / length
            line["normal_y"] = np.float32(row["normal_y"]) if row["normal_y"] else dx / length
            if int(row["ledge"]):
                ledges[slot].append(index % MAX_LINES)
    for slot in slots.values():
        floors = [i for i in range(count[slot]) if lines[slot, i]["kind"] == FLOOR]
        for i in floors:
            for j in floors:
                a, b = lines[slot, i], lines[slot, j]
                if i != j and a["x1"] == b["x0"] and a["y1"] == b["y0"]:
                    a["following"], b["previous"] = j, i
    return lines, count, ledges


def _load_stages() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rows = [row for _, row in read_table("stages.csv")]
    slots = {row["stage"]: slot for slot, row in enumerate(rows)}
    lines, count, ledges = _load_lines(slots)
    stages = np.zeros(len(rows), STAGE)
    slot_of = np.full(256, -1, np.int32)
    for slot, row in enumerate(rows):
        stage = stages[slot]
        slot_of[Stage[row["stage"]].external] = slot
        for name in ("blast_left", "blast_right", "blast_top", "blast_bottom"):
            stage[name] = np.float32(row[name])
        for seat in range(2):
            for name in ("spawn", "respawn"):
                stage[f"{name}_x"][seat] = np.float32(row[f"{name}_x_{seat + 1}"])
                stage[f"{name}_y"][seat] = np.float32(row[f"{name}_y_{seat + 1}"])
        stage["respawn_drop"] = np.float32(row["respawn_start_y"]) - stage["respawn_y"][0]
        used = lines[slot, : count[slot]]
        floors = used[used["kind"] == FLOOR]
        stage["highest_floor"] = max(floors["y0"].max(), floors["y1"].max())
        left = min(ledges[slot], key=lambda i: used[i]["x0"])
        right = max(ledges[slot], key=lambda i: used[i]["x1"])
        stage["ledge_left_line"], stage["ledge_right_line"] = left, right
        stage["ledge_left_x"], stage["ledge_right_x"] = used[left]["x0"], used[right]["x1"]
        stage["ledge_y"] = used[left]["y0"]
        solid = used[(used["kind"] != FLOOR) & (used["kind"] != 0)]
        if len(solid):
            stage["wall_top"] = max(solid["y0"].max(), solid["y1"].max())
            stage["wall_left"] = min(solid["x0"].min(), solid["x1"].min()) - 20
            stage["wall_right"] = max(solid["x0"].max(), solid["x1"].max()) + 20
        else:
            stage["wall_top"] = stage["blast_bottom"]
    return stages, slot_of, lines, count


ATTRIBUTES = _load_attributes()
LENGTH = _load_lengths()
INTERRUPTIBLE, AUTOCANCEL, SMASH_CHARGE = _load_moves()
HITBOX_SPAN, HITBOXES = _load_hitboxes()
HURT_SPAN, HURT_POSES, HURT_STEP = _load_hurtboxes()
"""Silhouettes ``[rows, 2 + 2 * POSE_SLICES] int8`` in quarter units: bottom, top, then left and right of each
slice from the bottom up; ``HURT_STEP`` is the number of frames that share a row."""
THROWS = _load_throws()
ROOT_SPAN, ROOT_DX, ROOT_DY = _load_root_motion()
ECB_SPAN, ECB = _load_ecb()
STAGES, STAGE_SLOT, STAGE_LINES, STAGE_LINE_COUNT = _load_stages()
