"""How often each rule of the game holds on its own: frames picked by state, and the fields that the rule decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.families import is_movement
from experiments.fidelity.one_step import SPEEDS, OneStep

Mask = NDArray[np.bool_]

DAMAGE = range(75, 92)
THROWN = range(239, 243)
FALLS_AND_JUMPS = range(25, 35)
WALK_TO_RUN = range(15, 22)
STANDING = (14, 39, 40, 41, 42)
LANDINGS = (42, 43, *range(70, 75))
SHIELDS = range(178, 183)
ROLLS = (188, 189, 196, 197, 200, 201, 233, 234)
LEDGE = range(252, 264)
HELD = (*range(223, 229), *THROWN)
AIR_DODGE = 236
FULL_SHIELD = 60


def _in(actions: NDArray[np.uint16], states: range | tuple[int, ...]) -> Mask:
    return np.isin(actions, tuple(states))


def _stays(step: OneStep, states: range | tuple[int, ...]) -> Mask:
    """Frames on which a fighter goes on in one of some states, out of hitlag."""
    before, after = step.before, step.recorded
    moving = np.ones(before.shape, np.bool_)
    if "hitlag" in step.passed:
        moving = (before["hitlag"] == 0) & (after["hitlag"] == 0)
    return (before["action"] == after["action"]) & _in(after["action"], states) & moving


def _enters(step: OneStep, states: range | tuple[int, ...]) -> Mask:
    """Frames on which a fighter begins one of some states, as the engine says too."""
    before, after = step.before, step.recorded
    begun = (before["action"] != after["action"]) & _in(after["action"], states)
    return begun & (step.predicted["action"] == after["action"])


def _airborne(step: OneStep, airborne: bool) -> Mask:
    return (step.before["airborne"] == airborne) & (step.recorded["airborne"] == airborne)


def _struck(step: OneStep) -> Mask:
    """Hits that hurt a free fighter, in the engine and in the recording."""
    hurt = (step.predicted["percent"] > step.before["percent"]) & (
        step.recorded["percent"] > step.before["percent"]
    )
    reel = _in(step.predicted["action"], DAMAGE) & _in(step.recorded["action"], DAMAGE)
    return hurt & reel & ~_in(step.before["action"], THROWN) & (step.recorded["action_frame"] == 1)


def _thrown(step: OneStep) -> Mask:
    return _enters(step, DAMAGE) & _in(step.before["action"], THROWN)


def _in_hitlag(step: OneStep) -> Mask:
    if "hitlag" not in step.passed:
        return np.zeros(step.before.shape, np.bool_)
    reel = _in(step.before["action"], DAMAGE) & (step.before["action"] == step.recorded["action"])
    return reel & (step.before["hitlag"] > 1) & (step.recorded["hitlag"] > 0)


def _shielded(step: OneStep) -> Mask:
    spent = (step.before["shield"] < FULL_SHIELD) | _in(step.recorded["action"], SHIELDS)
    return spent & (step.before["action"] == step.recorded["action"])


def _moves_alone(step: OneStep) -> Mask:
    """Frames on which a fighter moves by itself: no knockback, no hitlag, before and after."""
    alone = np.ones(step.before.shape, np.bool_)
    for fighters in (step.before, step.recorded):
        pushed = (fighters["knockback_x"] != 0) | (fighters["knockback_y"] != 0)
        moves = is_movement(fighters["action"]) | (fighters["action"] == AIR_DODGE)
        alone &= moves & ~pushed & (fighters["hitlag"] == 0)
    return alone


@dataclass(frozen=True)
class Formula:
    """A rule: the frames on which it decides, and the fields that it decides there."""

    name: str
    fields: tuple[str, ...]
    frames: Callable[[OneStep], Mask]
    bit_for_bit: bool = False
    """whether only equal bits are right, where it is within the tolerance otherwise"""


FORMULAS = (
    Formula(
        "all five speeds in movement without contact, bit for bit", SPEEDS, _moves_alone, bit_for_bit=True
    ),
    Formula(
        "gravity, fast fall, terminal velocity",
        ("vel_y",),
        lambda s: _stays(s, FALLS_AND_JUMPS) & _airborne(s, True),
    ),
    Formula(
        "air drift and friction", ("vel_air_x",), lambda s: _stays(s, FALLS_AND_JUMPS) & _airborne(s, True)
    ),
    Formula("walk, dash, turn, run", ("vel_ground_x",), lambda s: _stays(s, WALK_TO_RUN)),
    Formula("friction at rest", ("vel_ground_x",), lambda s: _stays(s, STANDING)),
    Formula("jumps off the ground", ("vel_air_x", "vel_y"), lambda s: _enters(s, (25, 26))),
    Formula("jumps in the air", ("vel_air_x", "vel_y"), lambda s: _enters(s, (27, 28))),
    Formula("air dodge speeds", ("vel_air_x", "vel_y"), lambda s: _enters(s, (AIR_DODGE,))),
    Formula("rolls and tech rolls", ("x",), lambda s: _stays(s, ROLLS)),
    Formula("landing lag", ("action", "action_frame"), lambda s: _in(s.before["action"], LANDINGS)),
    Formula(
        "knockback decay in the air",
        ("knockback_x", "knockback_y"),
        lambda s: _stays(s, DAMAGE) & _airborne(s, True),
    ),
    Formula(
        "knockback decay on the floor",
        ("knockback_x", "knockback_y"),
        lambda s: _stays(s, DAMAGE) & _airborne(s, False),
    ),
    Formula("found hits: damage, staled", ("percent",), _struck),
    Formula("found hits: launch speed with DI", ("knockback_x", "knockback_y"), _struck),
    Formula("found hits: hitstun", ("hitstun",), _struck),
    Formula("found hits: hitlag", ("hitlag",), _struck),
    Formula("found hits: flinch or flight", ("action",), _struck),
    Formula("places in hitlag (SDI)", ("x", "y"), _in_hitlag),
    Formula("throws: launch speed", ("knockback_x", "knockback_y"), _thrown),
    Formula("places of the held and thrown", ("x", "y"), lambda s: _stays(s, HELD)),
    Formula("shield health", ("shield",), _shielded),
    Formula("places on ledges", ("x", "y"), lambda s: _stays(s, LEDGE)),
    Formula(
        "end of intangibility",
        ("hurtbox",),
        lambda s: (s.before["hurtbox"] != 0) & (s.recorded["hurtbox"] == 0),
    ),
)


def count(step: OneStep) -> dict[str, tuple[int, int]]:
    """Return for each rule on how many frames its fields are right, and of how many; without its fields it has none."""
    counts = {}
    for formula in FORMULAS:
        judged = step.exact if formula.bit_for_bit else step.passed
        if not set(formula.fields) <= set(judged):
            counts[formula.name] = 0, 0
            continue
        frames = formula.frames(step)
        right = np.logical_and.reduce([judged[name] for name in formula.fields])
        counts[formula.name] = int((frames & right).sum()), int(frames.sum())
    return counts
