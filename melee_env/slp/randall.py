"""Randall, the cloud of Yoshi's Story: where it is on each frame of its 1,200-frame round.

Recordings do not hold it. It moves along straight lines between the knots below (libmelee's table,
exact to about 0.002 units), and its round starts with frame 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

PERIOD = 1200
_KNOTS = np.array(
    [
        (0, -51.5450, -33.2489),
        (415, 95.7136, -33.2489),
        (416, 95.7026, -33.1845),
        (419, 96.6811, -32.7652),
        (420, 96.8746, -32.4926),
        (423, 97.2940, -31.5139),
        (424, 97.3000, -31.1602),
        (468, 97.3000, -15.5473),
        (469, 97.2871, -15.1949),
        (472, 96.8678, -14.2165),
        (473, 96.6604, -13.9671),
        (476, 95.6368, -13.6747),
        (477, 95.2854, -13.6499),
        (1015, -95.6185, -13.6499),
        (1016, -95.9697, -13.6798),
        (1019, -96.9481, -14.0991),
        (1020, -97.1976, -14.3201),
        (1022, -97.5150, -14.9549),
        (1023, -97.6500, -15.2779),
        (1068, -97.6500, -31.2456),
        (1069, -97.6049, -31.5900),
        (1072, -97.1289, -32.5422),
        (1074, -96.5163, -32.8978),
        (1076, -95.9000, -33.2489),
        (1199, -52.2547, -33.2489),
    ]
)
"""Frame of the round, x of the middle, height."""


def randall_position(frames: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the middle and the height of the cloud on the given frame numbers.

    Args:
        frames: frame numbers, -123 first, any shape.

    Returns:
        Two arrays in game units, float32.
    """
    phase = np.mod(np.asarray(frames), PERIOD)
    x = np.interp(phase, _KNOTS[:, 0], _KNOTS[:, 1]).astype(np.float32)
    y = np.interp(phase, _KNOTS[:, 0], _KNOTS[:, 2]).astype(np.float32)
    return x, y
