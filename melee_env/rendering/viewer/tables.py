"""What the scripts of the page need to know, taken from the modules that own it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from melee_env.controller import Button
from melee_env.engine.states import STATE_NAMES
from melee_env.engine.tables import HITBOX_ROWS, HITBOX_SPAN, HITBOXES
from melee_env.ids import Action, Character, Item
from melee_env.rendering.fighter import DEFAULT_LOOK, LOOKS, PORT_COLOURS, Look
from melee_env.rendering.poses import ANIMATIONS, STAND, Pose, joints
from melee_env.rendering.stages import STAGE_PICTURES
from melee_env.slp import events
from melee_env.slp.randall import PERIOD, randall_position

LONGEST_CYCLE = 180
"""frames after which an animation may repeat"""


def viewer_tables() -> dict[str, Any]:
    """Return every table of the page in JSON's types."""
    return {
        "events": {
            name: {"command": event.command & 0xFF, "size": event.size, "fields": _layout(event)}
            for name, event in _EVENTS.items()
        },
        "noPlayer": events.NO_PLAYER,
        "flagHitstun": events.FLAG_HITSTUN,
        "fodFirst": events.FOD_FIRST_HEIGHTS,
        "characters": {
            one.value: {"name": _title(one.name), **_look(LOOKS.get(one.value, DEFAULT_LOOK))}
            for one in Character
        },
        "external": {one.external: one.value for one in Character if one is not Character.NANA},
        "items": {item.value: _title(item.name) for item in Item},
        "states": [action.name for action in Action],
        "specialStates": _special_states(),
        "stages": {str(number): _stage(number) for number in STAGE_PICTURES},
        "randall": _randall(),
        "hitboxes": _hitboxes(),
        "poses": _poses(),
        "buttons": {button.name: int(button) for button in Button},
        "portColours": PORT_COLOURS,
    }


_EVENTS = {
    "start": events.EVENTS[events.START],
    "pre": events.EVENTS[events.PRE],
    "post": events.EVENTS[events.POST],
    "end": events.EVENTS[events.END],
    "frameStart": events.EVENTS[events.FRAME_START],
    "item": events.EVENTS[events.ITEM],
    "bookend": events.EVENTS[events.BOOKEND],
    "fod": events.EVENTS[events.FOD_PLATFORM],
    "whispy": events.EVENTS[events.WHISPY],
    "combined": events.EVENTS[events.COMBINED],
    "shortItem": events.EVENTS[events.SHORT_ITEM],
}


def _layout(event: events.Event) -> list[tuple[str, int, Any]]:
    return [(name, offset, _type(np.dtype(kind))) for name, offset, kind in event.fields]  # type: ignore[call-overload]


def _type(dtype: np.dtype) -> Any:
    """Describe a dtype: ``"f4"``, ``["array", count, bytes, type]`` or ``["record", [[name, offset, type]…]]``."""
    if dtype.subdtype is not None:
        inner, (count, *rest) = dtype.subdtype
        if rest:
            inner = np.dtype((inner, tuple(rest)))
        return ["array", count, inner.itemsize, _type(inner)]
    if dtype.fields is not None:
        return ["record", [(name, at, _type(kind)) for name, (kind, at, *_) in dtype.fields.items()]]
    return f"{dtype.kind}{dtype.itemsize}"


def _title(name: str) -> str:
    return name.replace("_", " ").title()


def _look(look: Look) -> dict[str, Any]:
    return {
        "height": look.height,
        "fur": look.fur,
        "bulk": look.bulk,
        "ears": look.ears,
        "tail": look.tail,
        "beak": look.beak,
    }


def _special_states() -> dict[int, dict[int, str]]:
    """Return the names of the states that belong to one fighter, by internal id and state."""
    return {
        character: {state: str(names[state]) for state in range(len(Action), len(names)) if str(names[state])}
        for character, names in enumerate(STATE_NAMES)
    }


def _stage(number: int) -> dict[str, Any]:
    picture = STAGE_PICTURES[number]
    return {
        "name": picture.name,
        "outline": picture.outline,
        "tops": picture.tops,
        "platforms": picture.platforms,
        "blast": (picture.left, picture.right, picture.top, picture.bottom),
        "sky": picture.sky,
        "body": picture.body,
        "edge": picture.edge,
    }


def _randall() -> list[list[float]]:
    x, y = randall_position(np.arange(PERIOD))
    return [[round(float(a), 1), round(float(b), 1)] for a, b in zip(x, y, strict=True)]


def _hitboxes() -> dict[str, list[list[int]]]:
    """Return circles by ``"character-state"`` and age: x, y, radius in hundredths of a unit, facing right."""
    found = {}
    for character, state in zip(*np.nonzero(HITBOX_SPAN[..., 1]), strict=True):
        first, count = HITBOX_SPAN[character, state]
        ages = []
        for row in HITBOX_ROWS[first : first + count]:
            boxes = HITBOXES[row][HITBOXES[row]["active"] != 0]
            circles = np.stack([boxes["x"], boxes["y"], boxes["size"]], -1)
            ages.append(np.rint(circles * 100).astype(int).reshape(-1).tolist())
        if any(ages):
            found[f"{character}-{state}"] = ages
    return found


_PARTS = ("torso", "head", "near_arm", "far_arm", "near_leg", "far_leg")


def _poses() -> dict[str, Any]:
    """Return the puppet's points per state and age.

    ``pool`` holds poses as x, y in thousandths of the height, part by part; ``states`` rows ``[first, last,
    repeats, numbers of poses…]``, where an animation that does not repeat holds its last pose.
    """
    pool: dict[tuple[int, ...], int] = {}

    def number(pose: Pose) -> int:
        lines = joints(pose, 1000.0)
        points = tuple(round(value) for part in _PARTS for point in lines[part] for value in point)
        return pool.setdefault(points, len(pool))

    stand = number(STAND)
    rows = []
    for first, last, animation in ANIMATIONS:
        repeats, ages = _cycle(number, animation)
        rows.append([first, last, repeats, *ages])
    return {"pool": list(pool), "stand": stand, "states": rows}


def _cycle(number: Callable[[Pose], int], animation: Callable[[float], Pose]) -> tuple[bool, list[int]]:
    ages = [number(animation(float(age))) for age in range(2 * LONGEST_CYCLE)]
    held = len(ages)
    while held > 1 and ages[held - 2] == ages[-1]:
        held -= 1
    if held < LONGEST_CYCLE:
        return False, ages[:held]
    for period in range(2, LONGEST_CYCLE):
        if ages[:-period] == ages[period:]:
            return True, ages[:period]
    return True, ages[:LONGEST_CYCLE]
