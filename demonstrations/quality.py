"""How good a game is to learn from, 0 to 100: the parts and limits of ExPhil's replay scorer.

Source of every limit: ExPhil ``training/replay_quality.ex``. A part that looks at players takes the weaker one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demonstrations.leaders import leaders
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.game import Game

MIN_FRAMES, MAX_FRAMES = 1000, 15_000
"""Games outside are rejected."""
STICK_DEAD = 0.2875
"""Stick deflection that counts as input (the game's dead zone, 23 of 80 steps)."""
SELF_DESTRUCT_HITSTUN = 300
"""A stock that is lost with no hitstun in this many frames before was not taken by the opponent."""
DYING = 10
"""Action states up to this one are deaths."""


@dataclass(frozen=True)
class Quality:
    """Points of a game."""

    length: float
    """0..25 by the number of frames"""
    damage: float
    """0..20 by the damage that each player dealt"""
    activity: float
    """0..20 by the share of frames with input"""
    self_destructs: float
    """0..15 by the share of stocks that were lost without being hit"""
    variety: float
    """0..20 by the number of distinct action states"""
    rejected: str = ""
    """empty, or why the game is not to be used at all: ``too_short``, ``too_long``, ``cpu_player``, ``no_damage``"""

    @property
    def total(self) -> float:
        """The sum, 0 for a rejected game."""
        if self.rejected:
            return 0.0
        return self.length + self.damage + self.activity + self.self_destructs + self.variety


def score(game: Game, players: NDArray[np.void] | None = None) -> Quality:
    """Score a two-player game, on the frames on which input counts.

    Args:
        game: the game.
        players: :func:`demonstrations.leaders.leaders` of all its frames, if they are there already.
    """
    players = leaders(game.frames) if players is None else players
    players = players[np.searchsorted(game.numbers, FIRST_CONTROLLABLE_FRAME) :]
    count = len(players)
    action, percent, hitstun = (players[name] for name in ("action", "percent", "hitstun"))
    dealt = np.maximum(np.diff(percent, axis=0), 0).sum(0)[::-1] if count else np.zeros(2)
    share = _input_share(players)
    deaths = [_deaths(action[:, seat], hitstun[:, seat]) for seat in range(2)]
    lost = sum(total for total, _ in deaths)
    alone = sum(own for _, own in deaths) / lost if lost else 0.0
    distinct = min(len(np.unique(action[:, seat])) for seat in range(2))

    rejected = ""
    if count < MIN_FRAMES:
        rejected = "too_short"
    elif count > MAX_FRAMES:
        rejected = "too_long"
    elif any(seat.kind for seat in game.info.seats):
        rejected = "cpu_player"
    elif not dealt.any():
        rejected = "no_damage"
    length = 25.0 if 3000 <= count <= 8000 else 15.0 if 1000 <= count < 3000 else 20.0
    return Quality(
        length=length if MIN_FRAMES <= count <= MAX_FRAMES else 0.0,
        damage=20 * _step(float(dealt.min()), ((100, 1.0), (20, 0.5), (1e-6, 0.2))),
        activity=20 * _step(share, ((0.25, 1.0), (0.10, 0.6), (1e-9, 0.2))),
        self_destructs=15.0 if alone <= 0.05 else 7.5 if alone <= 0.15 else 0.0,
        variety=20 * _step(distinct, ((50, 1.0), (30, 0.7), (15, 0.4))),
        rejected=rejected,
    )


def _step(value: float, steps: tuple[tuple[float, float], ...]) -> float:
    """Return the share of the first step that ``value`` reaches, else 0."""
    return next((share for bound, share in steps if value >= bound), 0.0)


def _input_share(pads: NDArray[np.void]) -> float:
    """Return the smaller share of frames ``[T, 2]`` on which a player presses a button or moves a stick."""
    active = pads["buttons"] != 0
    for name in ("stick_x", "stick_y", "cstick_x", "cstick_y"):
        active |= np.abs(pads[name]) >= STICK_DEAD
    return float(active.mean(0).min()) if len(pads) else 0.0


def _deaths(action: NDArray[np.uint16], hitstun: NDArray[np.float32]) -> tuple[int, int]:
    """Return how often a player died, and how often of these with no hitstun shortly before."""
    dying = action <= DYING
    begins = np.flatnonzero(dying[1:] & ~dying[:-1]) + 1
    alone = [not hitstun[max(0, at - SELF_DESTRUCT_HITSTUN) : at].any() for at in begins]
    return len(begins), int(sum(alone))
