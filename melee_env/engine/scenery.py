"""What moves on a stage by itself: Fountain's platforms, Randall, Whispy's wind.

In free play they follow the best known timing; while a recording is checked they are told by it, see ``sync.py``.
Sources: doldecomp/melee gr/grizumi.c and gr/groldpupupu.c for the rules, measured speeds, times and zones
(``data/moving.csv``).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.rng import randf, randi
from melee_env.engine.stages import MOVING, RANDALL, RANDALL_PERIOD

ZERO = np.float32(0)
FOUNTAIN, YOSHI, DREAM_LAND = 2, 8, 28
FOUNTAIN_START = (MOVING["fountain_left"], MOVING["fountain_right"])
FOUNTAIN_HOME = MOVING["fountain_home"]
FOUNTAIN_RISE = MOVING["fountain_rise"]
FOUNTAIN_SINK = MOVING["fountain_sink"]
FOUNTAIN_LOW = MOVING["fountain_low"]
FOUNTAIN_HIGH = MOVING["fountain_high"]
FOUNTAIN_GONE = MOVING["fountain_gone"]
STILL_SHORTEST, STILL_SPREAD = int(MOVING["fountain_still"]), int(MOVING["fountain_still_spread"])
GONE_SHORTEST, GONE_SPREAD = int(MOVING["fountain_hidden"]), int(MOVING["fountain_hidden_spread"])
HIDE_CHANCE = MOVING["fountain_hide_chance"]
CALM_FRAMES, BLOW_FRAMES = int(MOVING["wind_calm"]), int(MOVING["wind_blow"])
WIND_SPEED = MOVING["wind_speed"]
NEAR_RIGHT, WIND_RIGHT = MOVING["wind_near_right"], MOVING["wind_right"]
NEAR_LEFT, WIND_LEFT = MOVING["wind_near_left"], MOVING["wind_left"]
WIND_LOW, WIND_HIGH = MOVING["wind_low"], MOVING["wind_high"]


@kernel
def place_part(g, part, x, y):
    """Move a part to ``(x, y)`` and remember by how much."""
    g.part_dx[part] = np.float32(x - g.part_x[part])
    g.part_dy[part] = np.float32(y - g.part_y[part])
    g.part_x[part] = x
    g.part_y[part] = y


@kernel
def setup_scenery(g):
    """Put everything where a game starts."""
    g.form = 1
    if g.stage == FOUNTAIN:
        for side in range(2):
            g.part_y[side] = FOUNTAIN_START[side]
            g.part_goal[side] = FOUNTAIN_START[side]
            g.part_timer[side] = STILL_SHORTEST
    elif g.stage == YOSHI:
        g.part_x[0] = RANDALL[g.frame % RANDALL_PERIOD, 0]
        g.part_y[0] = RANDALL[g.frame % RANDALL_PERIOD, 1]
    elif g.stage == DREAM_LAND:
        g.part_timer[0] = CALM_FRAMES


@kernel
def move_scenery(g):
    """Move the parts of this stage by one frame."""
    if g.stage == YOSHI:
        phase = g.frame % RANDALL_PERIOD
        place_part(g, 0, RANDALL[phase, 0], RANDALL[phase, 1])
    elif g.told != 0:
        return
    elif g.stage == FOUNTAIN:
        move_platform(g, 0)
        move_platform(g, 1)
    elif g.stage == DREAM_LAND:
        turn_wind(g)


@kernel
def move_platform(g, side):
    """Rest, then go to a new height or sink away for a while."""
    y = g.part_y[side]
    goal = g.part_goal[side]
    if y < goal:
        place_part(g, side, ZERO, min(np.float32(y + FOUNTAIN_RISE), goal))
        return
    if y > goal:
        place_part(g, side, ZERO, max(np.float32(y - FOUNTAIN_SINK), goal))
        if g.part_y[side] <= FOUNTAIN_GONE:
            g.part_timer[side] = GONE_SHORTEST + randi(g, GONE_SPREAD)
        return
    place_part(g, side, ZERO, y)
    g.part_timer[side] -= 1
    if g.part_timer[side] > 0:
        return
    g.part_timer[side] = STILL_SHORTEST + randi(g, STILL_SPREAD)
    if y <= FOUNTAIN_GONE:
        g.part_goal[side] = FOUNTAIN_HOME
    elif randf(g) < HIDE_CHANCE:
        g.part_goal[side] = FOUNTAIN_GONE
    else:
        g.part_goal[side] = np.float32(
            FOUNTAIN_LOW + np.float32(randf(g) * np.float32(FOUNTAIN_HIGH - FOUNTAIN_LOW))
        )


@kernel
def turn_wind(g):
    """Calm and wind take turns; the side changes each time."""
    g.part_timer[0] -= 1
    if g.part_timer[0] > 0:
        return
    if g.wind == 0:
        g.wind = 1 if g.part_timer[1] == 0 else -1
        g.part_timer[1] = 1 - g.part_timer[1]
        g.part_timer[0] = BLOW_FRAMES
    else:
        g.wind = 0
        g.part_timer[0] = CALM_FRAMES


@kernel
def blow(g, f):
    """Let the wind shift a fighter that stands or flies in front of Whispy."""
    if g.wind == 0 or f.y <= WIND_LOW or f.y >= WIND_HIGH:
        return
    if g.wind > 0 and f.x > NEAR_RIGHT and f.x < WIND_RIGHT:
        f.x = np.float32(f.x + WIND_SPEED)
    elif g.wind < 0 and f.x < NEAR_LEFT and f.x > WIND_LEFT:
        f.x = np.float32(f.x - WIND_SPEED)
