"""Actions made playable: combinations with one meaning written one way, press edges, thresholds with hysteresis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.actions.multidiscrete import BUTTONS, NUM_BUTTONS, SHOULDER_CLASSES
from melee_env.controller import Button

_A, _X, _Y, _Z, _L, _R, _D_UP = (
    BUTTONS.index(button)
    for button in (Button.A, Button.X, Button.Y, Button.Z, Button.L, Button.R, Button.D_UP)
)
_SHOULDER = NUM_BUTTONS + 4


def clean_actions(actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return multidiscrete actions ``[..., 13]`` of which no two mean the same.

    X stands for either jump button and L for either trigger; Z contains A; a digital trigger is a full pull, so
    the analog one rests; nobody taunts while another button is down. Cleaning twice changes nothing more.

    >>> from melee_env.actions import make_codec
    >>> action = make_codec("multidiscrete").neutral()
    >>> action[3] = 1  # Y
    >>> clean_actions(action)[:4].tolist()
    [0, 0, 1, 0]
    """
    out = np.array(actions, np.int64)
    out[..., _X] |= out[..., _Y]
    out[..., _Y] = 0
    out[..., _L] |= out[..., _R]
    out[..., _R] = 0
    out[..., _A] &= 1 - out[..., _Z]
    out[..., _SHOULDER] = np.where(out[..., _L] != 0, 0, out[..., _SHOULDER].clip(0, SHOULDER_CLASSES - 1))
    others = np.delete(out[..., :NUM_BUTTONS], _D_UP, axis=-1).any(-1)
    out[..., _D_UP] &= ~others
    return out


def press_edges(actions: NDArray[np.int64], before: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which buttons ``[..., 8]`` go down with ``actions [..., 13]``, given those of the frame before."""
    return (actions[..., :NUM_BUTTONS] != 0) & (before[..., :NUM_BUTTONS] == 0)


def released_first(actions: NDArray[np.int64], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return actions ``[..., 13]`` in which a button that was down before is let go.

    The game starts jumps and attacks on the press, not on the holding: this makes every press count.
    """
    out = np.array(actions, np.int64)
    out[..., :NUM_BUTTONS] &= before[..., :NUM_BUTTONS] == 0
    return out


def with_hysteresis(
    values: NDArray[np.floating], held: NDArray[np.bool_], press: float = 0.6, release: float = 0.4
) -> NDArray[np.bool_]:
    """Return which buttons are down: those above ``press``, and those held before that are still above ``release``.

    Args:
        values: probabilities or box actions of buttons, any shape.
        held: which were down before, of the same shape.
        press: threshold to go down.
        release: threshold to come up, not above ``press``.

    Raises:
        ValueError: ``release`` above ``press``.

    >>> with_hysteresis(np.array([0.5, 0.5, 0.7]), np.array([False, True, False])).tolist()
    [False, True, True]
    """
    if release > press:
        raise ValueError(f"release {release} must not be above press {press}")
    return np.asarray(np.where(held, values > release, values > press))
