"""Geometry of the stage: which line is under a point, what a moving diamond crosses."""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.state import NO_LINE
from melee_env.engine.tables import (
    CEILING,
    FLOOR,
    LEFT_WALL,
    RIGHT_WALL,
    STAGE_LINE_COUNT,
    STAGE_LINES,
    STAGES,
)

ZERO = np.float32(0)
SNAP = np.float32(0.0001)
END_SLACK = np.float32(0.1)
"""how far past a line's end still counts as on it"""


@kernel
def floor_height(g, line, x):
    """Return the height of a floor line at ``x``."""
    row = STAGE_LINES[g.slot, line]
    if row.y0 == row.y1:
        return row.y0
    slope = np.float32(np.float32(row.y1 - row.y0) / np.float32(row.x1 - row.x0))
    return np.float32(np.float32(slope * np.float32(x - row.x0)) + row.y0)


@kernel
def line_under(g, line, x):
    """Follow connected floor lines to the one under ``x``.

    Returns:
        The line, the ``x`` of the floor's end, and 0 on the floor, -1/+1 past its left/right end.
    """
    while True:
        row = STAGE_LINES[g.slot, line]
        if x < row.x0 and row.previous != NO_LINE:
            line = row.previous
        elif x > row.x1 and row.following != NO_LINE:
            line = row.following
        else:
            break
    row = STAGE_LINES[g.slot, line]
    if x < np.float32(row.x0 - END_SLACK):
        return line, row.x0, np.float32(-1)
    if x > np.float32(row.x1 + END_SLACK):
        return line, row.x1, np.float32(1)
    return line, x, ZERO


@kernel
def set_floor(g, f):
    """Put the fighter on its floor line and take over the line's normal."""
    line, _, _ = line_under(g, f.ground, f.x)
    f.ground = line
    row = STAGE_LINES[g.slot, line]
    f.normal_x = row.normal_x
    f.normal_y = row.normal_y
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
    for i in range(STAGE_LINE_COUNT[g.slot]):
        row = STAGE_LINES[g.slot, i]
        if row.kind != FLOOR or i == f.floor_skip or (pass_platforms and row.drop_through != 0):
            continue
        if row.y0 == row.y1:
            height = row.y0
            if before_bottom < height or bottom >= height:
                continue
            share = np.float32(np.float32(before_bottom - height) / np.float32(before_bottom - bottom))
            x = np.float32(before_x + np.float32(share * np.float32(f.x - before_x)))
        else:
            x = f.x
            start = floor_height(g, i, min(max(before_x, row.x0), row.x1))
            height = floor_height(g, i, min(max(x, row.x0), row.x1))
            if np.float32(before_bottom + SNAP) < start or bottom >= height:
                continue
        if x < np.float32(row.x0 - END_SLACK) or x > np.float32(row.x1 + END_SLACK):
            continue
        if height > best_height:
            best = i
            best_height = height
    return best


@kernel
def push_out_of_walls(g, f):
    """Push the fighter out of walls that its side points crossed; return the wall's normal (0: none)."""
    stage = STAGES[g.slot]
    middle = np.float32(f.y + np.float32(np.float32(f.ecb_bottom + f.ecb_top) * np.float32(0.5)))
    if middle > stage.wall_top or f.x < stage.wall_left or f.x > stage.wall_right:
        return ZERO
    normal = ZERO
    for i in range(STAGE_LINE_COUNT[g.slot]):
        row = STAGE_LINES[g.slot, i]
        if row.kind != LEFT_WALL and row.kind != RIGHT_WALL:
            continue
        low = min(row.y0, row.y1)
        high = max(row.y0, row.y1)
        if middle < low or middle > high:
            continue
        wall = row.x0
        if row.y0 != row.y1:
            share = np.float32(np.float32(middle - row.y0) / np.float32(row.y1 - row.y0))
            wall = np.float32(row.x0 + np.float32(share * np.float32(row.x1 - row.x0)))
        if row.kind == LEFT_WALL:  # faces left: stops the right point
            side = np.float32(f.x + f.ecb_half)
            if np.float32(f.prev_x) <= wall and side > wall:
                f.x = np.float32(wall - f.ecb_half)
                normal = np.float32(-1)
        else:
            side = np.float32(f.x - f.ecb_half)
            if np.float32(f.prev_x) >= wall and side < wall:
                f.x = np.float32(wall + f.ecb_half)
                normal = np.float32(1)
    return normal


@kernel
def push_out_of_ceilings(g, f):
    """Stop the top point at ceilings that it crossed upward; tell whether it did."""
    stage = STAGES[g.slot]
    top = np.float32(f.y + f.ecb_top)
    before = np.float32(f.prev_y + f.ecb_top)
    if top <= before or before > stage.wall_top or f.x < stage.wall_left or f.x > stage.wall_right:
        return False
    for i in range(STAGE_LINE_COUNT[g.slot]):
        row = STAGE_LINES[g.slot, i]
        if row.kind != CEILING:
            continue
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
