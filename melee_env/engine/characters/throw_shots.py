"""The shots that Fox and Falco send after the fighters they throw up or back.

Logic: doldecomp/melee ft/chara/ftFox ftFx_SpecialN.c; places and speeds by the throw's age, which heavier victims
change: data/throw_shots.csv.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.items import spawn_throw_shot
from melee_env.engine.kernel import kernel
from melee_env.engine.states import NUM_CHARACTERS
from melee_env.engine.tables import read_table

FOX, FALCO = 1, 22
THROW_BACK = 220
THROWS, SHOTS, AGES = 2, 3, 2

SHOT = np.dtype([("from_age", "f4"), ("age", "f4"), ("place", "f4", (4,))])
"""One measured shot: it goes off on the first frame from ``from_age`` on. ``place`` are forward, up and the speeds
after its first frame of flight, measured at ``age``."""


def _load_shots() -> np.ndarray:
    table = np.zeros((NUM_CHARACTERS, THROWS, SHOTS, AGES), SHOT)
    for character, row in read_table("throw_shots.csv"):
        throw = table[character, int(row["state"]) - THROW_BACK]
        from_age, age = float(row["shot"]), float(row["age"])
        place = [float(row[name]) for name in ("forward", "up", "vx", "vy")]
        known = [i for i in range(SHOTS) if throw[i, 0]["from_age"] == from_age]
        if known:
            throw[known[0], 1] = from_age, age, place
        else:
            throw[int(np.argmin(throw[:, 0]["from_age"]))] = from_age, age, place
    return table


THROW_SHOTS = _load_shots()
"""``[character, back or up, shot, first and last measured age]``"""


@kernel
def shoot_in_throw(g, f):
    """Shoot on the ages at which the throw does."""
    throw = f.action - THROW_BACK
    if throw < 0 or throw >= THROWS or (f.character != FOX and f.character != FALCO):
        return
    for i in range(SHOTS):
        early = THROW_SHOTS[f.character, throw, i, 0]
        if f.age < early.from_age or f.age - f.rate >= early.from_age:
            continue
        late = THROW_SHOTS[f.character, throw, i, 1]
        share = np.float32(0)
        if late.age > early.age:
            share = min(max((f.age - early.age) / (late.age - early.age), np.float32(0)), np.float32(1))
        forward = early.place[0] + share * (late.place[0] - early.place[0])
        up = early.place[1] + share * (late.place[1] - early.place[1])
        vx = early.place[2] + share * (late.place[2] - early.place[2])
        vy = early.place[3] + share * (late.place[3] - early.place[3])
        spawn_throw_shot(g, f, forward - vx, up - vy, vx, vy)
