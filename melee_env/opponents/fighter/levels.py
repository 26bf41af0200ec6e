"""What the nine levels are: how old their picture of the other is, how often they err, what they know."""

from __future__ import annotations

import numpy as np

LEVELS = range(1, 10)

SKILL_DTYPE = np.dtype([("delay", "i4"), ("error", "f4"), ("pause", "f4"), ("skill", "f4")])
"""Reaction delay (frames), chance that a decision is a wrong one (0..1), mean hesitation after a decision
(frames), and the chance with which an option is known when it is needed (techs, L-cancels, shields, DI; 0..1)."""

SKILLS = np.array(
    [
        (26, 0.55, 40.0, 0.02),
        (23, 0.48, 32.0, 0.10),
        (20, 0.41, 25.0, 0.20),
        (17, 0.34, 19.0, 0.32),
        (14, 0.27, 14.0, 0.45),
        (11, 0.20, 10.0, 0.58),
        (8, 0.14, 6.5, 0.72),
        (5, 0.08, 3.5, 0.86),
        (2, 0.02, 1.0, 1.00),
    ],
    SKILL_DTYPE,
)
"""Row ``level - 1``."""
LONGEST_DELAY = 32
"""frames of the other fighter that are kept; more than any level's delay"""
