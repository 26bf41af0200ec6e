"""Geometry of the stage: which line is under a point, what a moving diamond crosses."""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.stages import (
    CEILING_COUNT,
    CEILINGS,
    FLOOR_COUNT,
    FLOORS,
    JOINED,
    LEFT_WALL,
    STAGE_LINES,
    STAGES,
    WALL_COUNT,
    WALLS,
)
from melee_env.engine.state import NO_LINE

ZERO = np.float32(0)
ONE = np.float32(1)
TALLEST = np.float32(20)
"""units from a fighter's position to the top of any diamond, at most"""
SNAP = np.float32(0.0001)
LEAST_HALF_WIDTH = ONE
UNSURE_WIDTH = np.float32(1.5)
"""by how much half widths of fighters and states without measured ones may be too large"""
END_SLACK = np.float32(0.1)
"""how far past a line's end still counts as on it"""


@kernel
def floor_ends(g, line):
    """Return the left and right end of a floor line, where its moving part is now."""
    row = STAGE_LINES[g.slot, line]
    if row.part == 0:
        return row.x0, row.x1
    shift = g.part_x[row.part - 1]
    return np.float32(row.x0 + shift), np.float32(row.x1 + shift)


@kernel
def floor_height(g, line, x):
    """Return the height of a floor line at ``x``."""
    row = STAGE_LINES[g.slot, line]
    if row.part != 0:
        return np.float32(row.y0 + g.part_y[row.part - 1])
    if row.y0 == row.y1:
        return row.y0
    slope = np.float32(np.float32(row.y1 - row.y0) / np.float32(row.x1 - row.x0))
    return np.float32(np.float32(slope * np.float32(x - row.x0)) + row.y0)


@kernel
def carry(g, f):
    """Take a standing fighter along with its moving floor."""
    if f.airborne != 0 or f.ground == NO_LINE:
        return
    part = STAGE_LINES[g.slot, f.ground].part
    if part != 0:
        f.x = np.float32(f.x + g.part_dx[part - 1])
        f.y = np.float32(f.y + g.part_dy[part - 1])


@kernel
def line_under(g, line, x):
    """Follow connected floor lines to the one under ``x``.

    Returns:
        The line, the ``x`` of the floor's end, and 0 on the floor, -1/+1 past its left/right end.
    """
    while True:
        left, right = floor_ends(g, line)
        if x < left and JOINED[g.slot, g.form, line, 0] >= 0:
            line = int(JOINED[g.slot, g.form, line, 0])
        elif x > right and JOINED[g.slot, g.form, line, 1] >= 0:
            line = int(JOINED[g.slot, g.form, line, 1])
        else:
            break
    if x < np.float32(left - END_SLACK):
        return line, left, np.float32(-1)
    if x > np.float32(right + END_SLACK):
        return line, right, np.float32(1)
    return line, x, ZERO


@kernel
def set_floor(g, f):
    """Put the fighter on its floor line and take over the line's normal."""
    line, _, _ = line_under(g, f.ground, f.x)
    f.ground = line
    row = STAGE_LINES[g.slot, line]
    f.normal_x = row.normal_x
    f.normal_y = row.normal_y
    f.slide_friction = row.slide
    rise = np.float32(np.float32(floor_height(g, line, f.x) - f.y) + SNAP)
    f.y = np.float32(f.y + rise)


@kernel
def find_landing(g, f, before_x, before_bottom, pass_platforms):
    """Return the floor line that the ECB's bottom point crossed downward on this frame, or ``NO_LINE``."""
    bottom = np.float32(f.y + f.ecb_bottom)
    if bottom > before_bottom or bottom > STAGES[g.slot].highest_floor:
        return NO_LINE
    best = NO_LINE
    best_height = np.float32(-1e9)
    for n in range(FLOOR_COUNT[g.slot, g.form]):
        i = int(FLOORS[g.slot, g.form, n])
        row = STAGE_LINES[g.slot, i]
        if i == f.floor_skip or (pass_platforms and row.drop_through != 0):
            continue
        left, right = floor_ends(g, i)
        if row.y0 == row.y1:
            height = floor_height(g, i, left)
            rise = ZERO
            if row.part != 0:
                rise = g.part_dy[row.part - 1]
            start_bottom = np.float32(before_bottom + rise)  # the point of before moves with the line
            if start_bottom < height or bottom >= height:
                continue
            share = np.float32(np.float32(start_bottom - height) / np.float32(start_bottom - bottom))
            x = np.float32(before_x + np.float32(share * np.float32(f.x - before_x)))
        else:
            x = f.x
            start = floor_height(g, i, min(max(before_x, left), right))
            height = floor_height(g, i, min(max(x, left), right))
            if np.float32(before_bottom + SNAP) < start or bottom >= height:
                continue
        if x < np.float32(left - END_SLACK) or x > np.float32(right + END_SLACK):
            continue
        if height > best_height:
            best = i
            best_height = height
    return best


@kernel
def wall_at(row, y):
    """Return where a wall, or the line that it lies on, is at height ``y``."""
    if row.y0 == row.y1:
        return row.x0
    share = np.float32(np.float32(y - row.y0) / np.float32(row.y1 - row.y0))
    return np.float32(row.x0 + np.float32(share * np.float32(row.x1 - row.x0)))


@kernel
def depth_before(g, row, outward, x, y):
    """Return how deep inside a point was, next to the wall that covers its height, else to the line of ``row``."""
    wall = wall_at(row, y)
    for n in range(WALL_COUNT[g.slot, g.form]):
        other = STAGE_LINES[g.slot, int(WALLS[g.slot, g.form, n])]
        if other.kind == row.kind and y >= min(other.y0, other.y1) and y <= max(other.y0, other.y1):
            wall = wall_at(other, y)
    return np.float32(outward * np.float32(wall - x))


@kernel
def push_out_of_walls(g, f, before_half, before_side):
    """Push the fighter out of walls that its side points crossed; return the wall's normal (0: none).

    ``before_half`` and ``before_side`` are half width and height of the side points of the frame before. No fighter
    stands inside a wall: a point that reads as a little inside had a narrower diamond than the tables know, and keeps
    that difference; one far inside crosses nothing.
    """
    stage = STAGES[g.slot]
    middle = np.float32(f.y + f.ecb_side)
    if middle > stage.wall_top or f.x < stage.wall_left or f.x > stage.wall_right:
        return ZERO
    normal = ZERO
    for n in range(WALL_COUNT[g.slot, g.form]):
        row = STAGE_LINES[g.slot, int(WALLS[g.slot, g.form, n])]
        if middle < min(row.y0, row.y1) or middle > max(row.y0, row.y1):
            continue
        outward = np.float32(-1) if row.kind == LEFT_WALL else ONE
        wall = wall_at(row, middle)
        if outward * np.float32(f.x - wall) >= f.ecb_half:
            continue
        side = np.float32(f.prev_x - outward * before_half)
        depth = depth_before(g, row, outward, side, np.float32(f.prev_y + before_side))
        if depth > UNSURE_WIDTH:
            continue
        half = max(np.float32(f.ecb_half - max(depth - SNAP, ZERO)), min(f.ecb_half, LEAST_HALF_WIDTH))
        if outward * np.float32(f.x - wall) < half:
            f.x = np.float32(wall + outward * half)
            normal = outward
    return normal


@kernel
def reach(half, bottom, side, top, height):
    """Return how far a diamond reaches sideways at ``height``; all heights count from the fighter's position."""
    if height <= bottom or height >= top:
        return ZERO
    if height <= side:
        return np.float32(half * np.float32(np.float32(height - bottom) / np.float32(side - bottom)))
    return np.float32(half * np.float32(np.float32(top - height) / np.float32(top - side)))


@kernel
def push_off_corners(g, f, before_half, before_bottom, before_side, before_top):
    """Push a fighter in the air off ends of walls inside the diamond, its bottom point off walls that it crossed.

    The ``before`` values are the diamond of the frame before; what it reached into a corner then was narrower than the
    tables know, as in ``push_out_of_walls``.
    """
    stage = STAGES[g.slot]
    bottom = np.float32(f.y + f.ecb_bottom)
    bottom_before = np.float32(f.prev_y + before_bottom)
    if min(bottom, bottom_before) > stage.wall_top or f.x < stage.wall_left or f.x > stage.wall_right:
        return
    for n in range(WALL_COUNT[g.slot, g.form]):
        row = STAGE_LINES[g.slot, int(WALLS[g.slot, g.form, n])]
        outward = np.float32(-1) if row.kind == LEFT_WALL else ONE
        low = min(row.y0, row.y1)
        high = max(row.y0, row.y1)
        start = np.float32(outward * np.float32(f.prev_x - wall_at(row, bottom_before)))
        end = np.float32(outward * np.float32(f.x - wall_at(row, bottom)))
        if end < ZERO and start >= -SNAP:
            share = np.float32(start / np.float32(start - end))
            crossing = np.float32(bottom_before + np.float32(share * np.float32(bottom - bottom_before)))
            if low <= crossing <= high:
                f.x = wall_at(row, min(max(bottom, low), high))
        for k in range(2):
            corner_x = row.x0 if k == 0 else row.x1
            corner_y = row.y0 if k == 0 else row.y1
            width = reach(f.ecb_half, f.ecb_bottom, f.ecb_side, f.ecb_top, np.float32(corner_y - f.y))
            outside = np.float32(outward * np.float32(f.x - corner_x))
            if outside < -SNAP or outside >= width:
                continue
            before = reach(
                before_half, before_bottom, before_side, before_top, np.float32(corner_y - f.prev_y)
            )
            depth = np.float32(before - outward * np.float32(f.prev_x - corner_x))
            width = np.float32(width - max(np.float32(depth - SNAP), ZERO))
            if depth <= UNSURE_WIDTH and outside < width:
                f.x = np.float32(corner_x + outward * width)


@kernel
def beside_wall(g, x, y, half):
    """Tell whether a wall is within reach of a fighter's side, whose half width is known to a unit."""
    for n in range(WALL_COUNT[g.slot, g.form]):
        row = STAGE_LINES[g.slot, int(WALLS[g.slot, g.form, n])]
        near_x = x > min(row.x0, row.x1) - half - ONE and x < max(row.x0, row.x1) + half + ONE
        if near_x and y + TALLEST > min(row.y0, row.y1) and y < max(row.y0, row.y1):
            return True
    return False


@kernel
def push_out_of_ceilings(g, f):
    """Stop the top point at ceilings that it crossed upward; tell whether it did."""
    stage = STAGES[g.slot]
    top = np.float32(f.y + f.ecb_top)
    before = np.float32(f.prev_y + f.ecb_top)
    if top <= before or before > stage.wall_top or f.x < stage.wall_left or f.x > stage.wall_right:
        return False
    for n in range(CEILING_COUNT[g.slot, g.form]):
        row = STAGE_LINES[g.slot, int(CEILINGS[g.slot, g.form, n])]
        left = min(row.x0, row.x1)
        right = max(row.x0, row.x1)
        if f.x < left or f.x > right:
            continue
        height = row.y0
        if row.x0 != row.x1:
            share = np.float32(np.float32(f.x - row.x0) / np.float32(row.x1 - row.x0))
            height = np.float32(row.y0 + np.float32(share * np.float32(row.y1 - row.y0)))
        if before <= height and top > height:
            f.y = np.float32(height - f.ecb_top)
            return True
    return False
