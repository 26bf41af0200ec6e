"""The game's own trigonometry."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from melee_env.engine.trig import atan2f, cosf, sinf
from melee_env.errors import ReplayError
from melee_env.slp import read_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[2] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)

f32 = np.float32
AIR_DODGE = 236


@pytest.mark.parametrize("angle", np.linspace(-9, 9, 61, dtype=np.float32))
def test_close_to_the_exact_value(angle):
    assert abs(float(cosf(angle)) - np.cos(float(angle))) < 3e-7
    assert abs(float(sinf(angle)) - np.sin(float(angle))) < 3e-7


def test_every_sector_of_the_circle():
    for angle in np.linspace(-3.1, 3.1, 101):
        x, y = f32(2.5 * np.cos(angle)), f32(2.5 * np.sin(angle))
        assert abs(float(atan2f(y, x)) - np.arctan2(float(y), float(x))) < 5e-7


def test_axes():
    assert atan2f(f32(0), f32(1)) == 0
    assert atan2f(f32(1), f32(0)) == f32(np.pi / 2)
    assert atan2f(f32(-1), f32(0)) == -f32(np.pi / 2)
    assert atan2f(f32(0), f32(-1)) == f32(np.pi)


@GAMES.needs_replays
def test_recorded_air_dodges_agree_bit_for_bit():
    seen = exact = 0
    for path in GAMES.recorded_files():
        try:
            leaders = read_game(path).frames["seats"]["leader"]
        except ReplayError:
            continue
        if not leaders["hitlag"].max() > 0:  # too old a format to hold speeds
            continue
        for fighter in (leaders[:, 0], leaders[:, 1]):
            dodging = fighter["action"] == AIR_DODGE
            for i in np.flatnonzero(dodging[1:] & ~dodging[:-1]) + 1:
                x, y = fighter["controller"]["stick_x"][i], fighter["controller"]["stick_y"][i]
                if (abs(x) < 0.25 and abs(y) < 0.25) or not fighter["airborne"][i]:
                    continue
                angle = f32(atan2f(f32(y), f32(x)))
                expected = [f32(f32(f32(3.1) * f32(part(angle))) * f32(0.9)) for part in (cosf, sinf)]
                seen += 1
                exact += expected == [fighter["vel_air_x"][i], fighter["vel_y"][i]]
        if seen > 100:
            break
    assert seen > 20
    assert exact == seen
