"""Reward terms: what happened between two frames, from the first seat's point of view."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.kernel import entry_point
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.observations.features import EDGE_X

Values = NDArray[np.float32]
MAX_WEIGHT = 1e6
"""largest weight of a term; beyond it float32 sums lose the small terms"""

OWN_DAMAGE, OTHER_DAMAGE, OWN_STOCKS, OTHER_STOCKS = range(4)
OWN_COMBO, OTHER_COMBO, OWN_EDGE, OTHER_EDGE, OWN_OFF, OTHER_OFF = range(4, 10)
LEAD, CLOSER, APART = range(10, 13)
NUM_EVENTS = 13
"""Columns of the events.

By seat: percent taken, stocks lost, percent taken while in hitstun, percent taken beside the stage, being there.
Of the game: +1/-1 at its end, units that the fighters came closer, being far apart without coming closer.
"""
LAST_HELPLESS, BELOW = 13, np.float32(-8)
"""last state of deaths and entries; height below which a fighter is off the stage"""
FAR = np.float32(70)
"""units between the fighters from which on keeping away counts as stalling"""
_EDGES = np.array([EDGE_X.get(stage, 80.0) for stage in range(256)], np.float32)


@entry_point
def collect_events(before, after, ended_before, ended_after, stages, edges, events):
    """Fill events ``[N, 13]`` from seats ``[N, 2]`` of two successive frames.

    Percent that is reset at a respawn is no healing; Nana counts for herself, on frames where she is there.
    """
    for n in range(before.shape[0]):
        edge = edges[np.int64(stages[n])]
        for seat in range(2):
            b = before[n, seat]
            a = after[n, seat]
            taken = max(a.leader.percent - b.leader.percent, np.float32(0))
            beside = a.leader.action > LAST_HELPLESS and (abs(a.leader.x) > edge or a.leader.y < BELOW)
            events[n, OWN_COMBO + seat] = taken if b.leader.hitstun > 0 else np.float32(0)
            events[n, OWN_EDGE + seat] = taken if beside else np.float32(0)
            events[n, OWN_OFF + seat] = np.float32(beside)
            if b.nana.present != 0 and a.nana.present != 0:
                taken += max(a.nana.percent - b.nana.percent, np.float32(0))
            events[n, OWN_DAMAGE + seat] = taken
            # int() of an unsigned field stays unsigned in a kernel, and a difference would wrap around.
            events[n, OWN_STOCKS + seat] = max(np.int64(b.leader.stocks) - np.int64(a.leader.stocks), 0)
        own = after[n, 0].leader
        other = after[n, 1].leader
        lead = np.float32(0)
        if ended_after[n] != 0 and ended_before[n] == 0:
            lead = np.float32(np.sign(np.int64(own.stocks) - np.int64(other.stocks)))
            if lead == 0:
                lead = np.sign(other.percent - own.percent)
        events[n, LEAD] = lead
        dx = before[n, 0].leader.x - before[n, 1].leader.x
        dy = before[n, 0].leader.y - before[n, 1].leader.y
        was = np.sqrt(dx * dx + dy * dy)
        dx = own.x - other.x
        dy = own.y - other.y
        distance = np.sqrt(dx * dx + dy * dy)
        events[n, CLOSER] = was - distance
        events[n, APART] = np.float32(distance > FAR and distance >= was)


@entry_point
def weigh_events(events, plus, minus, scales, weights, values, total):
    """Fill the values ``[T, N]`` of terms and their sum: a difference of two events each, or one (``minus`` < 0)."""
    total[:] = np.float32(0)
    for t in range(plus.shape[0]):
        for n in range(events.shape[0]):
            value = events[n, plus[t]]
            if minus[t] >= 0:
                value -= events[n, minus[t]]
            value = value * scales[t] * weights[t]
            values[t, n] = value
            total[n] += value


def events_between(previous: Frames, frames: Frames) -> Values:
    """Return events ``[N, 13] float32`` of frames ``[N]`` that follow ``previous``."""
    events = np.empty((len(frames), NUM_EVENTS), np.float32)
    ends = previous["end_method"], frames["end_method"]
    collect_events(previous["seats"], frames["seats"], *ends, frames["stage"], _EDGES, events)
    return events


@dataclass(frozen=True)
class RewardTerm:
    """One named reward, seen from the first seat: a difference of two events times a factor."""

    name: str
    """name in presets and infos"""
    plus: int
    """column of the events that pays"""
    minus: int
    """column that is subtracted, -1 for none"""
    scale: float
    """factor, rounded to float32"""
    zero_sum: bool
    """the two seats' values add up to nothing"""
    meaning: str
    """one sentence for the reference pages"""


NOTHING = -1
HUNDREDTH, PER_SECOND = 0.01, 1 / 60
TERMS: dict[str, RewardTerm] = {
    term.name: term
    for term in (
        RewardTerm(
            "damage",
            OTHER_DAMAGE,
            OWN_DAMAGE,
            HUNDREDTH,
            True,
            "Percent dealt minus percent taken, in hundreds.",
        ),
        RewardTerm(
            "stock",
            OTHER_STOCKS,
            OWN_STOCKS,
            1,
            True,
            "Stocks taken minus stocks lost, each on its death frame.",
        ),
        RewardTerm(
            "win",
            LEAD,
            NOTHING,
            1,
            True,
            "+1 when the game ends with the opponent out of stocks or behind, -1 the other way round.",
        ),
        RewardTerm(
            "approach",
            CLOSER,
            NOTHING,
            HUNDREDTH,
            False,
            "How much closer the two fighters came, in hundreds of units; symmetric, so not zero-sum.",
        ),
        RewardTerm("damage_dealt", OTHER_DAMAGE, NOTHING, HUNDREDTH, False, "Percent dealt, in hundreds."),
        RewardTerm(
            "damage_taken", OWN_DAMAGE, NOTHING, -HUNDREDTH, False, "Percent taken, in hundreds, negative."
        ),
        RewardTerm(
            "combo",
            OTHER_COMBO,
            OWN_COMBO,
            HUNDREDTH,
            True,
            "Percent dealt to a fighter that was in hitstun minus percent so taken, in hundreds.",
        ),
        RewardTerm(
            "edge_guard",
            OTHER_EDGE,
            OWN_EDGE,
            HUNDREDTH,
            True,
            "Percent dealt beside the stage minus percent taken there, in hundreds.",
        ),
        RewardTerm(
            "recovery_risk",
            OTHER_OFF,
            OWN_OFF,
            PER_SECOND,
            True,
            "Seconds that the other is beside the stage minus seconds that the own fighter is.",
        ),
        RewardTerm(
            "stalling",
            APART,
            NOTHING,
            -PER_SECOND,
            False,
            "Seconds spent far apart without coming closer, negative for both seats, so not zero-sum.",
        ),
    )
}


class RewardSum:
    """A weighted sum of terms."""

    def __init__(self, terms: Sequence[tuple[RewardTerm, float]]) -> None:
        """Sum ``(term, weight)`` pairs."""
        self.terms = tuple(terms)
        self._plus = np.array([term.plus for term, _ in terms], np.int64)
        self._minus = np.array([term.minus for term, _ in terms], np.int64)
        self._scales = np.array([term.scale for term, _ in terms], np.float32)
        self._weights = np.array([weight for _, weight in terms], np.float32)

    def step(self, previous: Frames, frames: Frames) -> Values:
        """Return the rewards of one step, float32 ``[N]``, seen from the first seat."""
        return self.ledger(previous, frames)[0]

    def ledger(self, previous: Frames, frames: Frames) -> tuple[Values, dict[str, Values]]:
        """Return the rewards ``[N]`` and the weighted value of every term, which add up to them."""
        events = events_between(previous, frames)
        values = np.empty((len(self.terms), len(events)), np.float32)
        total = np.empty(len(events), np.float32)
        weigh_events(events, self._plus, self._minus, self._scales, self._weights, values, total)
        return total, {term.name: row for (term, _), row in zip(self.terms, values, strict=True)}


def make_reward(spec: str) -> RewardSum:
    """Parse ``"damage+stock"`` or ``"damage*0.5+win"`` into a sum.

    Raises:
        OptionError: unknown or repeated term, or a weight that is no number within reason.
    """
    terms: list[tuple[RewardTerm, float]] = []
    for part in str(spec).split("+"):
        name, _, weight = part.strip().partition("*")
        if name not in TERMS:
            near = difflib.get_close_matches(name, TERMS, n=1) or sorted(TERMS)
            raise OptionError(f"unknown reward term {name!r}; did you mean {', '.join(near)}?")
        if any(term.name == name for term, _ in terms):
            raise OptionError(f"reward term {name!r} stands twice in {spec!r}")
        try:
            value = float(weight) if weight else 1.0
        except ValueError:
            value = float("nan")
        if not abs(value) <= MAX_WEIGHT:
            raise OptionError(f"reward weight {weight!r} of {name!r} is no number within ±{MAX_WEIGHT:g}")
        terms.append((TERMS[name], value))
    return RewardSum(terms)
