"""The academy's order: which drill comes after which, and when to move on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from melee_env.envs.options import RECOVERING_CHARACTERS


@dataclass(frozen=True)
class Lesson:
    """One step of the curriculum."""

    env_id: str
    """id for ``gym.make``"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """keyword arguments for ``gym.make``"""
    pass_mark: float = 0.8
    """share of successful episodes at which the next lesson begins"""


CURRICULUM: tuple[Lesson, ...] = (
    Lesson("melee_env/Wavedash-v0"),
    Lesson("melee_env/LCancel-v0"),
    *(
        Lesson("melee_env/Recovery-v0", {"character": character.name}, pass_mark=0.7)
        for character in RECOVERING_CHARACTERS
    ),
    Lesson("melee_env/DI-v0", pass_mark=0.5),
    Lesson("melee_env/Ledgedash-v0"),
    Lesson("melee_env/Juggle-v0", pass_mark=0.6),
    Lesson("melee_env/TechChase-v0", pass_mark=0.6),
    Lesson("melee_env/ShieldPressure-v0", pass_mark=0.6),
    Lesson("melee_env/EdgeGuard-v0", pass_mark=0.5),
)
"""Movement, survival, offence; ``Multishine`` scores by rate and has no pass mark, so it is not here."""


def next_lesson(success_rates: Mapping[int, float]) -> int | None:
    """Return the place in :data:`CURRICULUM` of the first lesson that is not passed, None when all are.

    Args:
        success_rates: share of successes (0..1) by place; a missing one counts as not tried.

    >>> next_lesson({0: 0.9, 1: 0.5})
    1
    """
    for place, lesson in enumerate(CURRICULUM):
        if success_rates.get(place, 0.0) < lesson.pass_mark:
            return place
    return None
