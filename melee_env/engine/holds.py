"""Where a holder's hands put the fighter it holds, pulls in or throws.

In the game a held fighter's body bone is moved to the holder's hand bone on every frame (doldecomp/melee
ft/chara/ftCommon/ftCo_CapturePulled.c). Neither skeleton is at hand, so ``data/holds.csv`` keeps the places
that recorded games show: on a standing fighter they depend on the holder alone, in a throw on both.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import kernel
from melee_env.engine.states import CHARACTER_NAMES, NUM_CHARACTERS, TableError
from melee_env.engine.tables import read_table

ZERO = np.float32(0)
ONE = np.float32(1)
FIRST_HOLD_STATE, LAST_HOLD_STATE = 213, 222
CATCH_WAIT = 216
THROW_F = 219
ANYBODY = NUM_CHARACTERS
"""place of rows that hold for every victim"""
HOLD_DISTANCE = np.float32(8)
"""how far before its holder a fighter is held where no recorded hold was seen: about the mean of those that were"""
RELEASE_PLACE = np.array([[7.4, 0.4], [-7.2, 3.1], [1, 11], [8, 2]], np.float32)
"""where a throw lets go, forward and up, by throw (Fox's, measured; fighters without rows borrow it)"""


def _load_holds() -> tuple[np.ndarray, np.ndarray]:
    """Return rows ``[N, 3]`` (age, forward, up) and their spans ``[holder, state - 213, victim, hanging, 2]``.

    Where a pair was not seen, the span of any victim that was stands in.
    """
    states = LAST_HOLD_STATE - FIRST_HOLD_STATE + 1
    span = np.zeros((NUM_CHARACTERS, states, NUM_CHARACTERS + 1, 2, 2), np.int32)
    rows: list[tuple[float, float, float]] = []
    for holder, row in read_table("holds.csv"):
        columns = [[float(word) for word in row[name].split()] for name in ("ages", "forward", "up")]
        if len({len(column) for column in columns}) != 1:
            raise TableError(
                f"holds.csv: ages and places differ in number in {row['character']}, {row['state']}"
            )
        victim = CHARACTER_NAMES.index(row["victim"]) if row["victim"] else ANYBODY
        place = span[holder, int(row["state"]) - FIRST_HOLD_STATE, :, int(row["held"] == "hanging")]
        place[victim] = len(rows), len(columns[0])
        place[place[:, 1] == 0] = place[victim]
        rows.extend(zip(*columns, strict=True))
    return np.array(rows, np.float32), span


HOLDS, HOLD_SPAN = _load_holds()


@kernel
def measured_place(holder, action, victim, hanging, age):
    """Return ``(known, forward, up)`` of a held fighter at the holder's animation age."""
    start = HOLD_SPAN[holder, action - FIRST_HOLD_STATE, victim, hanging, 0]
    count = HOLD_SPAN[holder, action - FIRST_HOLD_STATE, victim, hanging, 1]
    if count == 0:
        return False, HOLD_DISTANCE, ZERO
    last = start + count - 1
    i = start
    while i < last and HOLDS[i + 1, 0] <= age:
        i += 1
    if i == last or age <= HOLDS[i, 0]:
        return True, HOLDS[i, 1], HOLDS[i, 2]
    share = (age - HOLDS[i, 0]) / (HOLDS[i + 1, 0] - HOLDS[i, 0])
    return (
        True,
        HOLDS[i, 1] + share * (HOLDS[i + 1, 1] - HOLDS[i, 1]),
        HOLDS[i, 2] + share * (HOLDS[i + 1, 2] - HOLDS[i, 2]),
    )


@kernel
def held_place(holder, action, victim, hanging, age, release):
    """Return ``(forward, up)`` of a held fighter; ``release`` is the age on which a throw lets go."""
    if action >= THROW_F:
        known, forward, up = measured_place(holder, action, victim, 0, age)
        if known:
            return forward, up
        _, forward, up = measured_place(holder, CATCH_WAIT, victim, 0, ZERO)
        share = min(age / release, ONE)
        which = action - THROW_F
        forward = forward + share * (RELEASE_PLACE[which, 0] - forward)
        return forward, share * RELEASE_PLACE[which, 1]
    known, forward, up = measured_place(holder, action, victim, hanging, age)
    if not known and hanging != 0:
        known, forward, up = measured_place(holder, action, victim, 0, age)
    if not known:
        _, forward, up = measured_place(holder, CATCH_WAIT, victim, 0, age)
    return forward, up
