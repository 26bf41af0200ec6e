"""What an episode starts with: checked, and drawn from the seed where it is left open."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from melee_env.backends.base import MatchOptions
from melee_env.engine.characters.figures import NEUTRAL, SIDE, STARTS, UP
from melee_env.errors import OptionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.ids import Character, Stage, parse
from melee_env.mirror import SYMMETRIC_STAGES
from melee_env.opponents import LEVELS, Opponent, OpponentPool, is_known_opponent, make_opponent

MAX_DELAY = 24
"""frames"""
MAX_COSTUME = 5


def _has(character: Character, *specials: int) -> bool:
    """Tell whether the engine plays these specials of a fighter, on the ground and in the air."""
    return character is not Character.NANA and bool(STARTS["state"][character.internal, specials, :].all())


MODELLED_CHARACTERS = tuple(who for who in Character if _has(who, NEUTRAL, SIDE, UP))
"""fighters that ``None`` draws from: those whose specials the engine plays, down specials perhaps excepted"""
RECOVERING_CHARACTERS = tuple(who for who in Character if _has(who, UP))
"""fighters whose up special the engine plays"""
MODELLED_STAGES = tuple(Stage)
"""stages that ``None`` draws from"""

DEFAULTS: dict[str, Any] = {
    "character": "FOX",
    "opponent_character": "FOX",
    "costume": 0,
    "opponent_costume": 0,
    "stage": "FINAL_DESTINATION",
    "stocks": 4,
    "opponent_stocks": 4,
    "percent": 0.0,
    "opponent_percent": 0.0,
    "position": None,
    "opponent_position": None,
    "time_limit": 28_800,
    "opponent": "scripted:fighter-3",
    "action_delay": 0,
    "seat": 0,
    "mirror": False,
}
"""Every option of an episode with its default; ``None`` draws from the seed, see :data:`MEANINGS`."""

MEANINGS: dict[str, str] = {
    "character": "own fighter: a name; None draws",
    "opponent_character": "the other fighter: a name; None draws",
    "costume": f"own costume, 0..{MAX_COSTUME}; None draws",
    "opponent_costume": "the other's costume",
    "stage": "stage: a name; None draws",
    "stocks": "own stocks, 1..99; None draws 1..4",
    "opponent_stocks": "the other's stocks, 1..99; None draws 1..4",
    "percent": "own damage at the start, 0..999; None draws 0..150",
    "opponent_percent": "the other's damage at the start",
    "position": "own start `(x, y)` in game units; None is where the entrance ends, or the drill's draw",
    "opponent_position": "the other's start",
    "time_limit": "frames from GO until the timer ends the game, 1..10,000,000; None draws 1,800..28,800",
    "opponent": "who plays the other seat: a name or an object; None draws a level of `scripted:fighter`",
    "action_delay": f"frames between an action and its effect, 0..{MAX_DELAY}; None draws",
    "seat": "seat that the learner plays, 0 or 1 (it always sees itself first); None draws",
    "mirror": "left and right exchanged, on symmetric stages only; None draws",
}
"""What every option means, for the reference pages."""

MATCH_KEYS = tuple(key for key in DEFAULTS if key not in ("opponent", "action_delay", "seat", "mirror"))
"""the options that a game without an opponent of its own (self-play) has too"""


@dataclass(frozen=True)
class Episode:
    """The start of one episode, seen from the learner."""

    match: MatchOptions
    """the game, the learner in seat 0"""
    opponent: str | Opponent
    """who plays the other seat"""
    action_delay: int
    """frames between an action and its effect"""
    seat: int
    """seat of the backend that the learner plays"""
    mirror: bool
    """left and right are exchanged"""

    def for_backend(self) -> MatchOptions:
        """Return the game in the backend's own seats and direction."""
        match = self.match
        positions = [match.positions[0], match.positions[1]]
        if self.mirror:
            positions = [None if place is None else (-place[0], place[1]) for place in positions]
        if self.seat == 0:
            return replace(match, positions=(positions[0], positions[1]))
        return replace(
            match,
            characters=match.characters[::-1],
            stocks=match.stocks[::-1],
            percents=match.percents[::-1],
            positions=(positions[1], positions[0]),
            costumes=match.costumes[::-1],
        )


def check_keys(options: Mapping[str, Any], known: Iterable[str] = tuple(DEFAULTS)) -> None:
    """Refuse unknown option names.

    Raises:
        OptionError: names the key and the nearest known ones.
    """
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping, got {type(options).__name__}")
    names = list(known)
    for key in options:
        if key not in names:
            near = difflib.get_close_matches(str(key), names, n=3) or names
            raise OptionError(f"unknown option {key!r}; did you mean {', '.join(near)}?")


def resolve(options: Mapping[str, Any], rng: np.random.Generator) -> Episode:
    """Turn options into a start, drawing what is ``None``.

    The generator is used for the same number of draws whatever is left open, so that fixing one option
    does not change the others.

    Raises:
        OptionError: an impossible value.
    """
    draws = dict(zip(DEFAULTS, rng.integers(0, 2**31, len(DEFAULTS)).tolist(), strict=True))
    characters = [
        _drawn(options, key, draws, MODELLED_CHARACTERS, Character)
        for key in ("character", "opponent_character")
    ]
    for character in characters:
        character.external  # noqa: B018 (Nana cannot be chosen)
    stage = _drawn(options, "stage", draws, MODELLED_STAGES, Stage)
    match = MatchOptions(
        characters=(characters[0], characters[1]),
        stage=stage,
        stocks=_pair(options, "stocks", draws, (1, 4), (1, 99)),
        percents=(
            _number(options, "percent", draws, (0, 150), (0, 999)),
            _number(options, "opponent_percent", draws, (0, 150), (0, 999)),
        ),
        positions=(_position(options, "position"), _position(options, "opponent_position")),
        costumes=_pair(options, "costume", draws, (0, MAX_COSTUME), (0, MAX_COSTUME)),
        time_limit=_whole(options, "time_limit", draws, (1_800, 28_800), (1, 10_000_000)),
        start_frame=FIRST_CONTROLLABLE_FRAME,
    )
    return Episode(
        match=match,
        opponent=_opponent(options["opponent"], draws["opponent"]),
        action_delay=_whole(options, "action_delay", draws, (0, MAX_DELAY), (0, MAX_DELAY)),
        seat=_whole(options, "seat", draws, (0, 1), (0, 1)),
        mirror=_mirror(options["mirror"], draws["mirror"], stage),
    )


def _drawn(options: Mapping[str, Any], key: str, draws: Mapping[str, int], among: Any, kind: Any) -> Any:
    return among[draws[key] % len(among)] if options[key] is None else parse(kind, options[key])


def _pair(
    options: Mapping[str, Any],
    key: str,
    draws: Mapping[str, int],
    drawn: tuple[int, int],
    allowed: tuple[int, int],
) -> tuple[int, int]:
    return (
        _whole(options, key, draws, drawn, allowed),
        _whole(options, f"opponent_{key}", draws, drawn, allowed),
    )


def _number(
    options: Mapping[str, Any],
    key: str,
    draws: Mapping[str, int],
    drawn: tuple[int, int],
    allowed: tuple[int, int],
) -> float:
    value, (low, high) = options[key], allowed
    if value is None:
        return float(drawn[0] + draws[key] % (drawn[1] - drawn[0] + 1))
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise OptionError(f"option {key!r} must be a number {low}..{high} or None, got {value!r}")
    if not low <= value <= high:
        raise OptionError(f"option {key!r} must be {low}..{high} or None, got {value!r}")
    return float(value)


def _whole(
    options: Mapping[str, Any],
    key: str,
    draws: Mapping[str, int],
    drawn: tuple[int, int],
    allowed: tuple[int, int],
) -> int:
    value = _number(options, key, draws, drawn, allowed)
    if not value.is_integer():
        raise OptionError(
            f"option {key!r} must be a whole number {allowed[0]}..{allowed[1]} or None, got {options[key]!r}"
        )
    return int(value)


def _position(options: Mapping[str, Any], key: str) -> tuple[float, float] | None:
    value = options[key]
    if value is None:
        return None
    try:
        x, y = (float(v) for v in value)
    except (TypeError, ValueError):
        raise OptionError(f"option {key!r} must be None or a pair (x, y), got {value!r}") from None
    if not (np.isfinite([x, y]).all() and abs(x) < 170 and -80 < y < 150):
        raise OptionError(f"option {key!r} must lie within ±170 × -80..150, got {value!r}")
    return x, y


def _opponent(value: Any, draw: int) -> str | Opponent:
    if value is None:
        return f"scripted:fighter-{LEVELS[draw % len(LEVELS)]}"
    if isinstance(value, OpponentPool):
        return value.choose(draw)
    if isinstance(value, str):
        if not is_known_opponent(value):
            make_opponent(value)  # names the nearest ones
        return value
    if not isinstance(value, Opponent):
        raise OptionError(f"opponent must be a name or have reset and act, got {value!r}")
    return value


def _mirror(value: Any, draw: int, stage: Stage) -> bool:
    if value is None:
        return stage in SYMMETRIC_STAGES and bool(draw % 2)
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"option 'mirror' must be True, False or None, got {value!r}")
    if value and stage not in SYMMETRIC_STAGES:
        names = ", ".join(stage.name for stage in SYMMETRIC_STAGES)
        raise OptionError(f"option 'mirror' needs a symmetric stage ({names}), got {stage.name}")
    return bool(value)
