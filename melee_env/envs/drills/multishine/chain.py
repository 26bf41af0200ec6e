"""Counting shines and chains from action states alone.

Definition ("chain v3" of blasphemetheus/exphil, ``eval/shine_chain.ex``): a chain is a run of grounded
reflectors joined by jump squats and by air reflectors that land within eight frames; an air time without a
reflector, a longer one, or any other state ends it. A landing of the air reflector is an onset. Turning in the
reflector (364, 369) belongs to it here; left out as there, every turn would make another onset and pay for itself.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from melee_env.engine.kernel import entry_point, kernel

OTHER, GROUND, AIR, SQUAT, JUMP = 0, 1, 2, 3, 4
MAX_AIR = 8
"""frames that an air reflector may take to land inside a chain"""

CHAIN = np.dtype(
    [
        ("family", "i4"),
        ("current", "i4"),  # shines of the running chain
        ("air", "i4"),  # frames in the air since the last ground contact
        ("shine", "i4"),  # a reflector was out in that time
        ("shines", "i4"),  # shines of closed chains
        ("chains", "i4"),
        ("max_chain", "i4"),  # longest chain, the running one included
        ("onsets", "i4"),
    ]
)
"""The counter of one game."""


@kernel
def family_of(action):
    """Return the family of an action state."""
    if 360 <= action <= 364:
        return GROUND
    if 365 <= action <= 369:
        return AIR
    if action == 24:
        return SQUAT
    if action == 25:
        return JUMP
    return OTHER


@kernel
def close(c):
    """End the running chain."""
    if c.current > 0:
        c.chains += 1
        c.shines += c.current
    c.current = 0
    c.air = 0
    c.shine = 0


@kernel
def land(c):
    """Touch the ground: the air time decides whether the chain goes on."""
    if c.air == 0:
        return
    if c.shine != 0 and c.air <= MAX_AIR:
        c.air = 0
        c.shine = 0
    else:
        close(c)


@kernel
def advance(c, action):
    """Count one frame; return whether it is an onset."""
    family = family_of(action)
    onset = family == GROUND and c.family != GROUND
    if family == GROUND:
        if onset:
            land(c)
            c.current += 1
            c.onsets += 1
            c.max_chain = max(c.max_chain, c.current)
    elif family == SQUAT:
        if c.family != SQUAT:
            land(c)
    elif family == AIR:
        c.air += 1
        c.shine = 1
    elif family == JUMP:
        c.air += 1
    elif c.family != OTHER:
        close(c)
    c.family = family
    return onset


@entry_point
def advance_all(chains, actions, onsets):
    """Count one frame of every game: chains ``[N]``, actions ``[N]``, onsets ``[N]`` (written)."""
    for n in range(chains.shape[0]):
        onsets[n] = advance(chains[n], int(actions[n]))


@entry_point
def advance_along(chains, actions, onsets):
    """Count all frames of one game: chains ``[1]``, actions ``[T]``, onsets ``[T]`` (written)."""
    for t in range(actions.shape[0]):
        onsets[t] = advance(chains[0], int(actions[t]))


@dataclass(frozen=True)
class ChainCount:
    """What one game's action states hold."""

    shines: int
    """onsets inside chains"""
    chains: int
    """chains of at least one shine"""
    max_chain: int
    """shines of the longest chain"""
    onsets: np.ndarray
    """frames on which a grounded reflector began ``[T] bool``"""


def count_chains(actions: ArrayLike) -> ChainCount:
    """Count the chains of a game's action states ``[T]``."""
    states = np.asarray(actions, np.int64)
    counter = np.zeros(1, CHAIN)
    onsets = np.zeros(len(states), np.bool_)
    advance_along(counter, states, onsets)
    running = int(counter["current"][0])
    return ChainCount(
        shines=int(counter["shines"][0]) + running,
        chains=int(counter["chains"][0]) + (running > 0),
        max_chain=int(counter["max_chain"][0]),
        onsets=onsets,
    )
