"""Starting a game."""

from __future__ import annotations

import numpy as np

from melee_env.engine.floors import floor_height, line_under, set_floor
from melee_env.engine.input import reset_input
from melee_env.engine.kernel import kernel
from melee_env.engine.scenery import setup_scenery
from melee_env.engine.stages import FLOOR_COUNT, FLOORS, STAGE_SLOT, STAGES
from melee_env.engine.state import NO_LINE
from melee_env.engine.transitions import FALL, WAIT, enter

ENTRY = 322
ENTRY_FRAMES = 5
"""frames that the first seat waits for its entrance; each further seat waits as many more"""
FIRST = -123
ZERO = np.float32(0)
NO_PORT = 6


@kernel
def setup_fighter(f, seat, port, character, stocks, percent, x, y, facing):
    """Put a fighter at its start, about to make its entrance."""
    f.seat = seat
    f.port = port
    f.character = character
    f.stocks = stocks
    f.percent = percent
    f.action = ENTRY
    f.age = np.float32(-1)
    f.rate = ZERO
    f.facing = facing
    f.x = x
    f.y = y
    f.prev_x = x
    f.prev_y = y
    f.airborne = 1
    f.ground = NO_LINE
    f.floor_skip = NO_LINE
    f.normal_y = np.float32(1)
    f.jumps_used = 1
    f.ecb_top = np.float32(12)
    f.ecb_half = np.float32(3)
    f.ecb_side = np.float32(6)
    f.shield = np.float32(60)
    f.light = np.float32(1)
    f.last_hit_by = NO_PORT
    f.hit_window = -1
    f.stale_factor = np.float32(1)
    f.since_hit = 1000
    f.ucf = 1
    f.var_i[0] = ENTRY_FRAMES * (seat + 1)
    reset_input(f)


@kernel
def setup_game(g, seed, stage, time_limit):
    """Reset everything but the fighters of a zeroed game."""
    g.frame = FIRST - 1
    g.stage = stage
    g.slot = STAGE_SLOT[stage]
    g.seed = seed
    g.frame_seed = seed
    g.end_method = 0
    g.time_limit = time_limit
    g.cardinals = 1
    setup_scenery(g)


@kernel
def spawn_point(g, seat):
    """Return a seat's start: x, y and facing."""
    stage = STAGES[g.slot]
    facing = np.float32(1) if seat == 0 else np.float32(-1)
    return stage.spawn_x[seat], stage.spawn_y[seat], facing


@kernel
def place_fighter(g, f, x, y):
    """Put a fighter somewhere, at rest: standing on a floor within one unit below, else falling."""
    f.x = x
    f.y = y
    f.prev_x = x
    f.prev_y = y
    f.vx = ZERO
    f.vy = ZERO
    f.gv = ZERO
    f.facing = np.float32(1) if x <= ZERO else np.float32(-1)
    for n in range(FLOOR_COUNT[g.slot, g.form]):
        line, _, outward = line_under(g, int(FLOORS[g.slot, g.form, n]), x)
        if outward == ZERO and abs(floor_height(g, line, x) - y) <= np.float32(1):
            f.airborne = 0
            f.jumps_used = 0
            f.ground = line
            enter(f, WAIT)
            set_floor(g, f)
            f.prev_y = f.y
            return
    f.airborne = 1
    f.jumps_used = 1
    enter(f, FALL)
