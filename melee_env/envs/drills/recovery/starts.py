"""Where a recovery begins: beside the stage, about level with it, with or without a jump left."""

from __future__ import annotations

import numpy as np

EDGE_DISTANCE = (12.0, 45.0)
"""units between the start and the edge"""
HEIGHT = (-20.0, 35.0)
"""units above the floor"""


def draw_position(rng: np.random.Generator, edge: float) -> tuple[float, float]:
    """Draw a start on either side of a floor that ends at ``±edge``."""
    side = 1.0 if rng.random() < 0.5 else -1.0
    return side * (edge + rng.uniform(*EDGE_DISTANCE)), float(rng.uniform(*HEIGHT))
