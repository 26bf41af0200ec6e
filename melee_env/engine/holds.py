"""Where a holder's hands put the fighter it holds, pulls in or throws.

In the game a held fighter's body bone is moved to the holder's hand bone on every frame (doldecomp/melee
ft/chara/ftCommon/ftCo_CapturePulled.c). Neither skeleton is at hand, so ``data/holds.csv`` keeps the places
that recorded games show. On a standing fighter they depend on the holder alone. In a throw the hand's path is
the holder's and the distance of root and body bone the victim's, the same in every throw: ``data/bodies.csv``.
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


def _load_bodies() -> np.ndarray:
    """Return where each fighter's root is while its body bone is where Fox's would be, ``[fighter, 2]``."""
    bodies = np.zeros((NUM_CHARACTERS, 2))
    for character, row in read_table("bodies.csv"):
        bodies[character] = float(row["forward"]), float(row["up"])
    return bodies


def _places(row: dict[str, str]) -> np.ndarray:
    """Return a row's ages and places, ``[N, 3]``."""
    columns = [[float(word) for word in row[name].split()] for name in ("ages", "forward", "up")]
    if len({len(column) for column in columns}) != 1:
        raise TableError(f"holds.csv: ages and places differ in number in {row['character']}, {row['state']}")
    return np.array(columns).T


def _load_holds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows ``[N, 3]`` (age, forward, up), their spans and shifts ``[holder, state - 213, victim, hanging, 2]``.

    A shift is what the rows' places miss of the victim's. A victim that was not seen in a throw has the path of
    all that were, by its own body; one that was not seen hanging has another's place.
    """
    states = LAST_HOLD_STATE - FIRST_HOLD_STATE + 1
    span = np.zeros((NUM_CHARACTERS, states, NUM_CHARACTERS + 1, 2, 2), np.int32)
    shift = np.zeros(span.shape, np.float32)
    bodies = _load_bodies()
    seen: dict[tuple[int, int, int], dict[int, np.ndarray]] = {}
    for holder, row in read_table("holds.csv"):
        victim = CHARACTER_NAMES.index(row["victim"]) if row["victim"] else ANYBODY
        key = holder, int(row["state"]) - FIRST_HOLD_STATE, int(row["held"] == "hanging")
        seen.setdefault(key, {})[victim] = _places(row)
    tables: list[np.ndarray] = []
    count = 0
    for (holder, state, hanging), paths in seen.items():
        shared = next(iter(paths.values()))
        if state >= THROW_F - FIRST_HOLD_STATE:
            shared = np.concatenate([path - [0, *bodies[victim]] for victim, path in paths.items()])
            shared = shared[np.unique(shared[:, 0], return_index=True)[1]]
            shift[holder, state, :NUM_CHARACTERS, hanging] = bodies
        span[holder, state, :, hanging] = count, len(shared)
        tables.append(shared)
        count += len(shared)
        for victim, path in paths.items():
            shift[holder, state, victim, hanging] = 0
            span[holder, state, victim, hanging] = count, len(path)
            tables.append(path)
            count += len(path)
    return np.concatenate(tables).astype(np.float32), span, shift


HOLDS, HOLD_SPAN, HOLD_SHIFT = _load_holds()


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
    forward = HOLDS[i, 1]
    up = HOLDS[i, 2]
    if i < last and age > HOLDS[i, 0]:
        share = (age - HOLDS[i, 0]) / (HOLDS[i + 1, 0] - HOLDS[i, 0])
        forward = forward + share * (HOLDS[i + 1, 1] - forward)
        up = up + share * (HOLDS[i + 1, 2] - up)
    forward = forward + HOLD_SHIFT[holder, action - FIRST_HOLD_STATE, victim, hanging, 0]
    return True, forward, up + HOLD_SHIFT[holder, action - FIRST_HOLD_STATE, victim, hanging, 1]


@kernel
def shares_path(holder, action, victim):
    """Tell whether a victim has the path of all victims of a throw, by its own body."""
    start = HOLD_SPAN[holder, action - FIRST_HOLD_STATE, victim, 0, 0]
    shared = HOLD_SPAN[holder, action - FIRST_HOLD_STATE, ANYBODY, 0, 0]
    return start == shared and HOLD_SPAN[holder, action - FIRST_HOLD_STATE, victim, 0, 1] != 0


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
