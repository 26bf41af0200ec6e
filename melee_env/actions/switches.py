"""Switches of a codec, given with its name: ``"multidiscrete:clean=on,edges=on"``, ``"box:hysteresis=0.2"``."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.actions.cleaning import clean_actions, with_hysteresis
from melee_env.actions.multidiscrete import BUTTONS, NUM_BUTTONS
from melee_env.controller import Button, Controllers, fill_processed
from melee_env.errors import OptionError

if TYPE_CHECKING:
    from melee_env.actions import ActionCodec

EDGED = np.uint16(Button.A | Button.B | Button.X | Button.Y | Button.Z | Button.D_UP)
"""buttons that ``edges`` lets go; triggers stay, as a shield must be held"""
_MASKS = np.array([int(button) for button in BUTTONS], np.int64)


@dataclass(frozen=True)
class ActionSwitches:
    """What happens between an action and the controller."""

    clean: bool = False
    """combinations that mean the same are written one way (``multidiscrete`` only)"""
    edges: bool = False
    """a button other than a trigger that was down is let go, so that every press counts as one"""
    hysteresis: float = 0.0
    """a button goes down above this and comes up below its negative, 0..0.9 (``box`` only)"""


NEEDS = {"clean": "multidiscrete", "hysteresis": "box"}
"""the codec that a switch is for, where it is for one only"""


def parse_action(name: str) -> tuple[str, ActionSwitches]:
    """Split a name into codec and switches.

    Raises:
        OptionError: an unknown switch, an impossible value, or one for another codec.

    >>> parse_action("box:hysteresis=0.2")[1].hysteresis
    0.2
    """
    codec, _, rest = str(name).partition(":")
    switches = ActionSwitches()
    known = [field.name for field in fields(ActionSwitches)]
    for part in filter(None, rest.split(",")):
        key, _, value = part.strip().partition("=")
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1) or known
            raise OptionError(f"unknown switch {key!r} in action {name!r}; did you mean {', '.join(near)}?")
        if key in NEEDS and codec != NEEDS[key]:
            raise OptionError(f"switch {key!r} of action {name!r} is for {NEEDS[key]} only")
        switches = replace(switches, **{key: _value(name, key, value)})
    return codec, switches


def _value(name: str, key: str, text: str) -> Any:
    if key != "hysteresis":
        if text not in ("on", "off"):
            raise OptionError(f"switch {key!r} of action {name!r} must be on or off, got {text!r}")
        return text == "on"
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 0.9:
        raise OptionError(f"switch {key!r} of action {name!r} must be 0..0.9, got {text!r}")
    return value


class SwitchedCodec:
    """A codec with switches. :meth:`decode_after` knows what was held; :meth:`decode` starts from nothing held."""

    def __init__(self, inner: ActionCodec, switches: ActionSwitches, name: str) -> None:
        """Put switches on a codec."""
        self.inner, self.switches, self.name = inner, switches, name

    @property
    def space(self) -> spaces.Space[Any]:
        """The space of the actions."""
        return self.inner.space

    def neutral(self) -> NDArray[np.generic]:
        """Return the action that presses nothing."""
        return self.inner.neutral()

    def encode(self, controllers: Controllers) -> NDArray[Any]:
        """Return the nearest actions of controllers ``[...]``, cleaned if that is switched on."""
        actions = self.inner.encode(controllers)
        return clean_actions(actions) if self.switches.clean else actions

    def decode(self, actions: NDArray[Any]) -> Controllers:
        """Return the controllers ``[...]`` of actions when nothing was held before."""
        actions = np.asarray(actions)
        lanes = actions.shape[: actions.ndim - len(self.space.shape or ())]
        return self.decode_after(actions, np.zeros(lanes, np.uint16))

    def decode_after(self, actions: NDArray[Any], held: NDArray[np.uint16]) -> Controllers:
        """Return the controllers ``[...]`` of actions, given the buttons ``[...]`` that were down before."""
        if self.switches.hysteresis:
            actions = np.array(actions, np.float32)
            down = (held[..., None] & _MASKS) != 0
            limit = self.switches.hysteresis
            pressed = with_hysteresis(actions[..., :NUM_BUTTONS], down, press=limit, release=-limit)
            actions[..., :NUM_BUTTONS] = np.where(pressed, 1, -1)
        controllers = self.inner.decode(clean_actions(actions) if self.switches.clean else actions)
        if self.switches.edges:
            controllers = controllers.copy()
            controllers["buttons"] &= ~(held & EDGED)
            fill_processed(controllers)
        return controllers
