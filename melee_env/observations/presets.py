"""Observations by name: presets, and the switches that change them.

``"full:previous=4,delay=on,items=0"`` is the preset ``full`` with four previous actions and the delay shown,
without items. The name is all that a checkpoint or a data set has to keep.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from melee_env.errors import OptionError
from melee_env.observations.encoder import ID_MODES, ObservationEncoder
from melee_env.observations.features import (
    CONDITION,
    KINEMATICS,
    NANA_COMPACT,
    Feature,
    fighter_features,
    stage_features,
)

VELOCITIES = ("vel_air_x", "vel_y", "vel_ground_x", "knockback_x", "knockback_y")
STUN = ("hitstun", "hitlag")
MAX_PREVIOUS = 25
MAX_ITEMS = 15
NANA = ("off", "compact", "enhanced", "full")
STAGE = ("off", "one_hot", "geometry")


@dataclass(frozen=True)
class Switches:
    """What an observation shows."""

    velocities: bool = True
    """the fighters' own and knockback speeds"""
    action_frame: bool = True
    """how long the action state lasts"""
    stocks: bool = True
    """stocks left"""
    stun: bool = True
    """hitlag and hitstun"""
    controllers: bool = False
    """the controllers that produced the frame, both seats"""
    stage: str = "one_hot"
    """off, one_hot, or geometry: with what moves (platforms, cloud, wind, transformations)"""
    ledge: bool = True
    """distance of both fighters to the edge"""
    nana: str = "off"
    """the Ice Climbers' partners: off, compact (seven numbers), enhanced (with action state), full"""
    items: int = 2
    """projectiles and items shown, 0..15"""
    previous: int = 0
    """committed actions shown, the latest first, 0..25; with a delay of d the first d are the pending ones"""
    delay: bool = False
    """the action delay as a one-hot of 25"""
    ids: str = "grouped"
    """action states and characters: grouped or one_hot, or integer in the last columns"""


PRESETS: dict[str, Switches] = {
    "compact": Switches(),
    "full": Switches(controllers=True, nana="full", items=5),
    "hal": Switches(velocities=False, stun=False, ledge=False, items=0, previous=1, ids="integer"),
    "slippi_ai": Switches(
        stun=False, ledge=False, items=0, previous=1, delay=True, nana="enhanced", ids="one_hot"
    ),
}
"""``hal`` and ``slippi_ai`` show what those projects' networks see, in this package's units."""
_CHOICES: Mapping[str, tuple[str, ...]] = {"stage": STAGE, "nana": NANA, "ids": tuple(ID_MODES)}
_HIGHEST = {"previous": MAX_PREVIOUS, "items": MAX_ITEMS}


def parse_switches(name: str) -> tuple[str, Switches]:
    """Split a name into its preset and its switches.

    Raises:
        OptionError: an unknown preset or switch, or an impossible value.

    >>> parse_switches("compact:items=0")[1].items
    0
    """
    preset, _, rest = str(name).partition(":")
    if preset not in PRESETS:
        near = difflib.get_close_matches(preset, PRESETS, n=1) or sorted(PRESETS)
        raise OptionError(f"unknown observation {name!r}; did you mean {', '.join(near)}?")
    switches = PRESETS[preset]
    changes: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.strip().partition("=")
        changes[key] = _value(name, key, value, switches)
    return preset, replace(switches, **changes)


def build(name: str) -> ObservationEncoder:
    """Return the encoder of a preset with switches."""
    preset, shown = parse_switches(name)
    changed = [
        f"{field.name}={_written(getattr(shown, field.name))}"
        for field in fields(Switches)
        if getattr(shown, field.name) != getattr(PRESETS[preset], field.name)
    ]
    return ObservationEncoder(
        preset + (":" + ",".join(changed) if changed else ""),
        _features(shown),
        with_nana=shown.nana in ("enhanced", "full"),
        num_items=shown.items,
        ids=shown.ids,
        with_stage=shown.stage != "off",
        with_ledge=shown.ledge,
        previous=shown.previous,
        shows_delay=shown.delay,
    )


def _features(shown: Switches) -> list[Feature]:
    hidden = set()
    for names, visible in (
        (VELOCITIES, shown.velocities),
        (("action_frame",), shown.action_frame),
        (("stocks",), shown.stocks),
        (STUN, shown.stun),
    ):
        hidden |= set() if visible else set(names)
    scalars = [scalar for scalar in KINEMATICS + CONDITION if scalar.field not in hidden]
    features: list[Feature] = []
    for seat, label in enumerate(("own", "opponent")):
        features += fighter_features(seat, "leader", label, shown.controllers, scalars)
    if shown.nana != "off":
        partner = scalars if shown.nana == "full" else NANA_COMPACT
        for seat, label in enumerate(("own.nana", "opponent.nana")):
            features += fighter_features(seat, "nana", label, False, partner)
    return features + (stage_features() if shown.stage == "geometry" else [])


def _value(name: str, key: str, text: str, switches: Switches) -> Any:
    known = [field.name for field in fields(Switches)]
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1) or known
        raise OptionError(f"unknown switch {key!r} in observation {name!r}; did you mean {', '.join(near)}?")
    if key in _CHOICES:
        if text not in _CHOICES[key]:
            raise OptionError(f"switch {key!r} of observation {name!r} must be {', '.join(_CHOICES[key])}")
        return text
    if key in _HIGHEST:
        if not text.isdecimal() or int(text) > _HIGHEST[key]:
            raise OptionError(
                f"switch {key!r} of observation {name!r} must be 0..{_HIGHEST[key]}, got {text!r}"
            )
        return int(text)
    if text not in ("on", "off"):
        raise OptionError(f"switch {key!r} of observation {name!r} must be on or off, got {text!r}")
    return text == "on"


def _written(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
