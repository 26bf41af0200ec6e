"""What an episode starts with: checked, and drawn from the seed where it is left open."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np

from melee_env.backends.base import MatchOptions
from melee_env.errors import OptionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.ids import Character, Stage, parse

MODELLED_CHARACTERS = (Character.FOX,)
"""fighters that ``None`` draws from: those whose specials the engine plays in full"""
MODELLED_STAGES = (Stage.FINAL_DESTINATION, Stage.BATTLEFIELD)
"""stages that ``None`` draws from"""

DEFAULTS: dict[str, Any] = {
    "character": "FOX",
    "opponent_character": "FOX",
    "stage": "FINAL_DESTINATION",
    "stocks": 4,
    "opponent_stocks": 4,
    "percent": 0.0,
    "opponent_percent": 0.0,
    "position": None,
    "opponent_position": None,
    "time_limit": 28_800,
}
"""Every option of an episode with its default; ``None`` draws characters and stage from the seed."""


def check_keys(options: Mapping[str, Any]) -> None:
    """Refuse unknown option names.

    Raises:
        OptionError: names the key and the nearest known ones.
    """
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping, got {type(options).__name__}")
    for key in options:
        if key not in DEFAULTS:
            near = difflib.get_close_matches(str(key), DEFAULTS, n=3) or list(DEFAULTS)
            raise OptionError(f"unknown option {key!r}; did you mean {', '.join(near)}?")


def _number(options: Mapping[str, Any], key: str, low: float, high: float) -> float:
    value = options[key]
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise OptionError(f"option {key!r} must be a number {low:g}..{high:g}, got {value!r}")
    if not low <= value <= high:
        raise OptionError(f"option {key!r} must be {low:g}..{high:g}, got {value!r}")
    return float(value)


def _whole(options: Mapping[str, Any], key: str, low: int, high: int) -> int:
    value = _number(options, key, low, high)
    if not value.is_integer():
        raise OptionError(f"option {key!r} must be a whole number {low}..{high}, got {options[key]!r}")
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


def resolve(options: Mapping[str, Any], rng: np.random.Generator) -> MatchOptions:
    """Turn checked options into a start, drawing what is ``None``.

    The generator is used for the same number of draws whatever is left open, so that fixing one option
    does not change the others.

    Raises:
        OptionError: an impossible value.
    """
    draws = rng.integers(0, 2**31, 3)
    characters = []
    for draw, key in zip(draws[:2], ("character", "opponent_character"), strict=True):
        if options[key] is None:
            characters.append(MODELLED_CHARACTERS[draw % len(MODELLED_CHARACTERS)])
        else:
            characters.append(parse(Character, options[key]))
    for character in characters:
        character.external  # noqa: B018 (Nana cannot be chosen)
    stage = options["stage"]
    stage = MODELLED_STAGES[draws[2] % len(MODELLED_STAGES)] if stage is None else parse(Stage, stage)
    return MatchOptions(
        characters=(characters[0], characters[1]),
        stage=stage,
        stocks=(_whole(options, "stocks", 1, 99), _whole(options, "opponent_stocks", 1, 99)),
        percents=(_number(options, "percent", 0, 999), _number(options, "opponent_percent", 0, 999)),
        positions=(_position(options, "position"), _position(options, "opponent_position")),
        time_limit=_whole(options, "time_limit", 1, 10_000_000),
        start_frame=FIRST_CONTROLLABLE_FRAME,
    )
