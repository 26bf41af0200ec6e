"""Drills: what an agent achieves at one technique, counted on the running game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation.intervals import describe
from experiments.evaluation.players import one_thread
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import neutral
from melee_env.envs.drills.multishine.chain import count_chains
from melee_env.errors import OptionError
from melee_env.frame import Frames, seen_from
from melee_env.ids import Character, Stage, parse

if TYPE_CHECKING:
    from agents import Agent

FRAMES_PER_MINUTE = 3600
LOOKBACK = 30
"""frames before an onset that must be free of hitstun for it to count as self-initiated"""
STOCKS = 99
"""so that no game of a drill ends before its time"""


def run_drill(
    name: str,
    agent: Agent,
    *,
    frames: int = 7200,
    games: int = 1,
    opponent: Agent,
    stage: str | Stage = Stage.FINAL_DESTINATION,
    seed: int = 0,
) -> dict[str, Any]:
    """Let ``agent`` do a drill in ``games`` games at once.

    Args:
        name: the drill, one of :data:`DRILLS`.
        agent: who does it, in seat 0.
        frames: length of a game; counted from the first frame on which input acts (39 before GO).
        games: how many.
        opponent: who stands on the other side.
        stage: the stage.
        seed: fixes what is drawn.

    Returns:
        The drill's figures by name: plain numbers for one game, else objects with ``mean``, ``median``, ``low``
        and ``high`` beside ``n_games`` and ``n_seeds``. ``figures`` repeats them as a group.
    """
    if name not in DRILLS:
        raise OptionError(f"unknown drill {name!r}; known: {', '.join(sorted(DRILLS))}")
    characters, count = DRILLS[name]
    options = MatchOptions(
        characters=characters, stage=parse(Stage, stage), stocks=(STOCKS, STOCKS), time_limit=2**30
    )
    seeds = np.random.SeedSequence(seed).generate_state(games + 2).astype(np.uint32)
    with one_thread():
        played = _play(agent, opponent, frames, seeds, options)
    rows = [count(played[:, n]) for n in range(games)]
    figures: dict[str, Any] = rows[0]
    if games > 1:
        figures = {key: describe([row[key] for row in rows], seed) for key in rows[0]}
    return {
        "drill": name,
        "agent": agent.name,
        "opponent": opponent.name,
        "stage": options.stage.name,
        "seed": seed,
        **figures,
        **({"n_games": games, "n_seeds": games} if games > 1 else {}),
        "figures": figures,
        "rows": rows,
    }


def _play(
    agent: Agent, opponent: Agent, frames: int, seeds: NDArray[np.uint32], options: MatchOptions
) -> Frames:
    """Return the agent's fighter on every frame ``[frames, games]`` of ``FIGHTER_DTYPE``."""
    games = len(seeds) - 2
    engine = make_backend("embedded", games)
    try:
        current = engine.reset(seeds[:games], [options] * games)
        agent.reset(games, int(seeds[games]))
        opponent.reset(games, int(seeds[games + 1]))
        start = np.ones(games, bool)
        controllers = neutral(games, 2)
        played = []
        for _ in range(frames):
            controllers[:, 0] = agent.act(current.copy(), start)
            controllers[:, 1] = opponent.act(seen_from(current, 1), start)
            start = np.zeros(games, bool)
            current = engine.step(controllers)
            played.append(current["seats"]["leader"][:, 0].copy())
        return np.array(played)
    finally:
        engine.close()


def multishine_figures(fighter: Frames) -> dict[str, float]:
    """Count shines and chains of one game, ``[T]`` of ``FIGHTER_DTYPE``.

    Returns:
        ``shines`` (in chains), ``max_chain``, ``shines_per_min`` and ``self_initiated_per_min`` (onsets of the
        grounded reflector, all and those without hitstun in the 30 frames before), ``frames``.
    """
    counted = count_chains(fighter["action"])
    onsets = np.flatnonzero(counted.onsets)
    stunned = np.concatenate([[0], np.cumsum(fighter["hitstun"] > 0)])
    own = [t for t in onsets.tolist() if stunned[t] == stunned[max(t - LOOKBACK, 0)]]
    minutes = len(fighter) / FRAMES_PER_MINUTE
    return {
        "shines": counted.shines,
        "max_chain": counted.max_chain,
        "shines_per_min": len(onsets) / minutes,
        "self_initiated_per_min": len(own) / minutes,
        "frames": len(fighter),
    }


DRILLS: dict[str, tuple[tuple[Character, Character], Callable[[Frames], dict[str, float]]]] = {
    "multishine": ((Character.FOX, Character.FOX), multishine_figures),
}
"""Fighters and counter of every drill."""
