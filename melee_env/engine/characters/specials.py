"""Special-move input: which special the stick asks for, and whose code answers.

Conditions: doldecomp/melee ft/chara/ftCommon/ftCo_Special*.c. A fighter without a module here has no
specials yet: the input does nothing (listed as a gap in docs/fidelity.md).
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters import fox
from melee_env.engine.input import B
from melee_env.engine.kernel import kernel

ZERO = np.float32(0)
SIDE_STICK = np.float32(0.6)  # x218
VERTICAL_STICK = np.float32(0.55)  # x21C
FOX, FALCO = 1, 22
NEUTRAL, SIDE, UP, DOWN = 0, 1, 2, 3


@kernel
def has_module(f):
    """Tell whether the fighter's specials are modelled."""
    return f.character == FOX or f.character == FALCO


@kernel
def face_stick(f):
    """Turn to the stick's side."""
    if f.stick_x * f.facing < ZERO:
        f.facing = np.float32(-f.facing)


@kernel
def try_side(g, f):
    """B with the stick to a side, on the ground."""
    if (f.pressed & B) == 0 or abs(f.stick_x) < SIDE_STICK or not has_module(f):
        return False
    face_stick(f)
    fox.start_ground(g, f, SIDE)
    return True


@kernel
def try_up(g, f):
    """B with the stick up, on the ground."""
    if (f.pressed & B) == 0 or f.stick_y < VERTICAL_STICK or not has_module(f):
        return False
    fox.start_ground(g, f, UP)
    return True


@kernel
def try_air_up(g, f):
    """B with the stick up, in the air."""
    if (f.pressed & B) == 0 or f.stick_y < VERTICAL_STICK or not has_module(f):
        return False
    fox.start_air(g, f, UP)
    return True


@kernel
def try_ground(g, f):
    """Side, up, neutral or down special on the ground."""
    if (f.pressed & B) == 0 or not has_module(f):
        return False
    if abs(f.stick_x) >= SIDE_STICK:
        return try_side(g, f)
    if f.stick_y >= VERTICAL_STICK:
        fox.start_ground(g, f, UP)
    elif f.stick_y <= -VERTICAL_STICK:
        fox.start_ground(g, f, DOWN)
    else:
        fox.start_ground(g, f, NEUTRAL)
    return True


@kernel
def try_air(g, f):
    """Up, down, side or neutral special in the air; vertical ones come first."""
    if (f.pressed & B) == 0 or not has_module(f):
        return False
    if f.stick_y >= VERTICAL_STICK:
        fox.start_air(g, f, UP)
    elif f.stick_y <= -VERTICAL_STICK:
        fox.start_air(g, f, DOWN)
    elif abs(f.stick_x) >= SIDE_STICK:
        face_stick(f)
        fox.start_air(g, f, SIDE)
    else:
        fox.start_air(g, f, NEUTRAL)
    return True
