"""Reward terms: what happened between two frames, from the first seat's point of view."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import OptionError
from melee_env.frame import Frames

Values = NDArray[np.float32]


def damage_taken(previous: Frames, frames: Frames, seat: int) -> Values:
    """Return the percent that ``seat`` gained; the reset at a respawn is no healing, Nana counts for herself."""
    total = np.zeros(np.shape(frames), np.float32)
    for part in ("leader", "nana"):
        before, after = previous["seats"][..., seat][part], frames["seats"][..., seat][part]
        gained = np.maximum(after["percent"] - before["percent"], 0)
        total += np.where((before["present"] != 0) & (after["present"] != 0), gained, 0)
    return total


def stocks_lost(previous: Frames, frames: Frames, seat: int) -> Values:
    """Return the stocks that ``seat`` lost on this frame."""
    before = previous["seats"][..., seat]["leader"]["stocks"].astype(np.float32)
    after = frames["seats"][..., seat]["leader"]["stocks"].astype(np.float32)
    return np.maximum(before - after, 0)


def damage(previous: Frames, frames: Frames) -> Values:
    """Percent dealt minus percent taken, in hundreds."""
    return (damage_taken(previous, frames, 1) - damage_taken(previous, frames, 0)) * np.float32(0.01)


def stock(previous: Frames, frames: Frames) -> Values:
    """Stocks taken minus stocks lost, each on its death frame."""
    return stocks_lost(previous, frames, 1) - stocks_lost(previous, frames, 0)


def win(previous: Frames, frames: Frames) -> Values:
    """+1 when the game ends with the opponent out of stocks or behind, -1 the other way round."""
    ended = (frames["end_method"] != 0) & (previous["end_method"] == 0)
    own, other = frames["seats"][..., 0]["leader"], frames["seats"][..., 1]["leader"]
    lead = np.sign(own["stocks"].astype(np.float32) - other["stocks"].astype(np.float32))
    lead = np.where(lead == 0, np.sign(other["percent"] - own["percent"]), lead)
    return np.where(ended, lead, 0).astype(np.float32)


def approach(previous: Frames, frames: Frames) -> Values:
    """How much closer the two fighters came, in units of a hundredth; symmetric, so not zero-sum."""
    return (_distance(previous) - _distance(frames)) * np.float32(0.01)


def _distance(frames: Frames) -> Values:
    own, other = frames["seats"][..., 0]["leader"], frames["seats"][..., 1]["leader"]
    return np.hypot(own["x"] - other["x"], own["y"] - other["y"]).astype(np.float32)


@dataclass(frozen=True)
class RewardTerm:
    """One named reward."""

    name: str
    """name in presets and infos"""
    function: Callable[[Frames, Frames], Values]
    """(previous frames, frames) → float32 per game, seen from the first seat"""
    zero_sum: bool
    """the two seats' values add up to nothing"""


TERMS: dict[str, RewardTerm] = {
    term.name: term
    for term in (
        RewardTerm("damage", damage, True),
        RewardTerm("stock", stock, True),
        RewardTerm("win", win, True),
        RewardTerm("approach", approach, False),
    )
}


class RewardSum:
    """A weighted sum of terms."""

    def __init__(self, terms: Sequence[tuple[RewardTerm, float]]) -> None:
        """Sum ``(term, weight)`` pairs."""
        self.terms = tuple(terms)

    def step(self, previous: Frames, frames: Frames) -> Values:
        """Return the rewards of one step, float32 ``[...]``, seen from the first seat."""
        total, _ = self.ledger(previous, frames)
        return total

    def ledger(self, previous: Frames, frames: Frames) -> tuple[Values, Mapping[str, Values]]:
        """Return the rewards and the weighted value of every term, which add up to them."""
        values = {
            term.name: (term.function(previous, frames) * np.float32(weight)).astype(np.float32)
            for term, weight in self.terms
        }
        total = np.zeros(np.shape(frames), np.float32)
        for value in values.values():
            total = total + value
        return total.astype(np.float32), values


def make_reward(spec: str) -> RewardSum:
    """Parse ``"damage+stock"`` or ``"damage*0.5+win"`` into a sum.

    Raises:
        OptionError: unknown term or weight that is no number.
    """
    terms = []
    for part in str(spec).split("+"):
        name, _, weight = part.strip().partition("*")
        if name not in TERMS:
            near = difflib.get_close_matches(name, TERMS, n=1) or sorted(TERMS)
            raise OptionError(f"unknown reward term {name!r}; did you mean {', '.join(near)}?")
        try:
            terms.append((TERMS[name], float(weight) if weight else 1.0))
        except ValueError:
            raise OptionError(f"reward weight {weight!r} of {name!r} is no number") from None
    return RewardSum(terms)
