"""What the camera no longer shows loses a percent a second."""

from __future__ import annotations

import numpy as np
import pytest

FALL = 29


def hang(game, x, y, frames):
    """Keep the first fighter in the air at one place; return its percent frame by frame."""
    shown = []
    for _ in range(frames):
        fighter = game.fighter()
        fighter["action"], fighter["airborne"] = FALL, 1
        fighter["x"], fighter["y"], fighter["vy"] = np.float32(x), np.float32(y), 0
        game.step(1)
        shown.append(float(game.seen()["percent"]))
    return shown


@pytest.mark.parametrize(("x", "y"), [(171, 50), (-171, 50), (0, 115), (100, -90)])
def test_every_sixtieth_frame_beyond_each_limit_hurts(scene, x, y):
    shown = hang(scene(), x, y, 121)
    assert shown[:59] == [0] * 59 and shown[59:119] == [1] * 60 and shown[119:] == [2] * 2


def test_a_frame_inside_starts_the_count_anew(scene):
    game = scene()
    hang(game, 171, 50, 40)
    hang(game, 169, 50, 1)
    assert hang(game, 171, 50, 59) == [0] * 59


def test_from_150_percent_on_nothing_is_added(scene):
    game = scene()
    game.fighter()["percent"] = 150
    assert hang(game, 171, 50, 130)[-1] == 150
