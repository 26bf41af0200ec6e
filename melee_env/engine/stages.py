"""The stages' collision lines, blast zones, starts and ledges, packed from ``data/stage_lines.csv`` and ``stages.csv``.

A stage may have several forms (Pokémon Stadium's transformations), of which one is there at a time, and parts that
move (Fountain of Dreams' platforms, Randall). A line of form 0 is always there.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.tables import TableError, read_table
from melee_env.ids import Stage

FLOOR, CEILING, LEFT_WALL, RIGHT_WALL = 1, 2, 3, 4
_KINDS = {"FLOOR": FLOOR, "CEILING": CEILING, "WALL_LEFT": LEFT_WALL, "WALL_RIGHT": RIGHT_WALL}
MAX_LINES = 112
NUM_FORMS = 6
"""forms 1 to 5; every stage starts in form 1"""
NUM_PARTS = 2

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
        ("form", "i4"),
        ("part", "i4"),
        ("slide", "f4"),
    ]
)
"""One line of a stage; floors run from left to right. ``part`` is the number of the moving part,
0 for none; ``slide`` multiplies the friction of knockback along the floor."""

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
        ("camera_side", "f4"),
        ("camera_top", "f4"),
        ("camera_bottom", "f4"),
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
"""One stage: blast zones, starts, limits of the camera, ledges, and the box that holds all walls and ceilings."""

HIGHEST_PART = np.float32(60)
"""game units above which no moving part carries a floor"""


def _load_lines(slots: dict[str, int]) -> tuple[np.ndarray, np.ndarray, dict[int, list[int]]]:
    lines = np.zeros((len(slots), MAX_LINES), LINE)
    count = np.zeros(len(slots), np.int32)
    ledges: dict[int, list[int]] = {slot: [] for slot in slots.values()}
    for _, row in read_table("stage_lines.csv"):
        index, form, part = int(row["index"]), int(row["form"]), int(row["part"])
        known = row["stage"] in slots and row["kind"] in _KINDS and 0 <= index < MAX_LINES
        if not known or not 0 <= form < NUM_FORMS or not 0 <= part <= NUM_PARTS:
            raise TableError(f"stage_lines.csv: unknown stage, kind or number in {','.join(row.values())}")
        slot = slots[row["stage"]]
        line = lines[slot, index]
        for name in ("x0", "y0", "x1", "y1"):
            line[name] = np.float32(row[name])
        line["kind"] = _KINDS[row["kind"]]
        line["drop_through"] = int(row["drop_through"])
        line["form"], line["part"] = form, part
        line["slide"] = np.float32(row["slide"] or 1)
        count[slot] = max(count[slot], index + 1)
        if line["kind"] == FLOOR:
            dx, dy = float(line["x1"] - line["x0"]), float(line["y1"] - line["y0"])
            length = np.hypot(dx, dy)
            line["normal_x"] = np.float32(row["normal_x"]) if row["normal_x"] else -dy / length
            line["normal_y"] = np.float32(row["normal_y"]) if row["normal_y"] else dx / length
            if int(row["ledge"]) and form <= 1:
                ledges[slot].append(index)
    return lines, count, ledges


def _there(lines: np.ndarray, form: int) -> list[int]:
    return [i for i in range(len(lines)) if lines[i]["kind"] and lines[i]["form"] in (0, form)]


def _join(lines: np.ndarray) -> np.ndarray:
    """Return the floor lines left and right of each, ``[slots, forms, lines, 2]``, -1 for none."""
    joined = np.full((len(lines), NUM_FORMS, MAX_LINES, 2), -1, np.int16)
    for slot, form in np.ndindex(len(lines), NUM_FORMS):
        floors = [i for i in _there(lines[slot], form) if lines[slot, i]["kind"] == FLOOR]
        for i in floors:
            for j in floors:
                a, b = lines[slot, i], lines[slot, j]
                if i != j and a["part"] == b["part"] and a["x1"] == b["x0"] and a["y1"] == b["y0"]:
                    joined[slot, form, i, 1], joined[slot, form, j, 0] = j, i
    return joined


def _select(lines: np.ndarray, kinds: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the lines of some kinds by slot and form, and how many there are."""
    numbers = np.zeros((len(lines), NUM_FORMS, MAX_LINES), np.int16)
    count = np.zeros((len(lines), NUM_FORMS), np.int32)
    for slot, form in np.ndindex(len(lines), NUM_FORMS):
        chosen = [i for i in _there(lines[slot], form) if lines[slot, i]["kind"] in kinds]
        numbers[slot, form, : len(chosen)], count[slot, form] = chosen, len(chosen)
    return numbers, count


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
        # Platforms of respawn come down from the camera's upper limit.
        stage["camera_top"] = np.float32(row["respawn_start_y"])
        stage["camera_side"] = np.float32(row["camera_side"] or row["blast_right"])
        stage["camera_bottom"] = np.float32(row["camera_bottom"] or row["blast_bottom"])
        used = lines[slot, : count[slot]]
        floors = used[used["kind"] == FLOOR]
        stage["highest_floor"] = max(floors["y0"].max(), floors["y1"].max())
        if floors["part"].any():
            stage["highest_floor"] = max(stage["highest_floor"], HIGHEST_PART)
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


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split()]


RANDALL_PERIOD = 1200


def _load_moving() -> tuple[np.ndarray, dict[str, np.float32]]:
    rows = [row for _, row in read_table("moving.csv")]
    knots = np.array([_numbers(f"{r['frame']} {r['x']} {r['y']}") for r in rows if r["part"] == "randall"])
    frames = np.arange(RANDALL_PERIOD)
    places = [np.interp(frames, knots[:, 0], knots[:, column]) for column in (1, 2)]
    figures = {row["part"]: np.float32(row["y"]) for row in rows if row["part"] != "randall"}
    return np.stack(places, axis=1).astype(np.float32), figures


STAGES, STAGE_SLOT, STAGE_LINES, STAGE_LINE_COUNT = _load_stages()
JOINED = _join(STAGE_LINES)
FLOORS, FLOOR_COUNT = _select(STAGE_LINES, (FLOOR,))
WALLS, WALL_COUNT = _select(STAGE_LINES, (LEFT_WALL, RIGHT_WALL))
CEILINGS, CEILING_COUNT = _select(STAGE_LINES, (CEILING,))
RANDALL, MOVING = _load_moving()
"""The cloud's middle ``[1200, 2]`` (x, y) by frame of its round; figures of Fountain's platforms and of the wind."""
