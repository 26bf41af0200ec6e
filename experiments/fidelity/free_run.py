"""Free run: from a recorded frame on, the engine plays alone on the recorded inputs until it is wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from experiments.fidelity.one_step import HITS_RECORDED_SINCE, Start, recorded_inputs
from melee_env.engine.engine import Engine
from melee_env.game import Game

MAX_OFFSET = 0.5
"""game units by which a position may be off"""


def run_free(game: Game, starts: list[Start], trace: NDArray[np.void] | None = None) -> NDArray[np.int64]:
    """Return for each start how many frames ran before the first wrong one, ``[len(starts)]``.

    A frame is wrong if a fighter's action state differs or its position is off by more than
    :data:`MAX_OFFSET`. A run that reaches the end of the recording counts the frames that it had.
    ``trace [T, 2]`` receives the engine's fighters, of each run up to the next start or the first wrong frame.
    """
    lengths = np.zeros(len(starts), np.int64)
    if not starts:
        return lengths
    engine = Engine(len(starts))
    early = game.info.version < HITS_RECORDED_SINCE
    leaders = np.ascontiguousarray(game.frames["seats"]["leader"])
    inputs = recorded_inputs(game)
    places = np.array([start.index for start in starts])
    until = np.append(places[1:], len(leaders))
    for n, start in enumerate(starts):
        engine.games[n] = start.state
    running = np.arange(len(starts))
    while len(running):
        running = running[places[running] + 1 < len(leaders)]
        places[running] += 1
        controllers = inputs[np.minimum(places, len(leaders) - 1)]
        ours = engine.replay(controllers, early)["seats"]["leader"][running]
        theirs = leaders[places[running]]
        if trace is not None:
            shown = places[running] <= until[running]
            trace[places[running][shown]] = ours[shown]
        offset = np.maximum(np.abs(ours["x"] - theirs["x"]), np.abs(ours["y"] - theirs["y"]))
        right = ((ours["action"] == theirs["action"]) & (offset <= MAX_OFFSET)).all(axis=1)
        running = running[right]
        lengths[running] += 1
    return lengths
