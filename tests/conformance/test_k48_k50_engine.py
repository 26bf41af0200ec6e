"""K48–K50: the engine survives random play, is deterministic, and reproduces a recorded game."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.controller import Button, Controllers, make_controllers
from melee_env.engine.engine import Engine
from melee_env.engine.states import CAPTURED, NUM_STATES, STATES
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.ids import Stage

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
TEACHER = SHARED / "replays" / "v3.19.0_FD_fox-fox_973d4284_teacher_2min.slp"
STAGES = (Stage.FINAL_DESTINATION, Stage.BATTLEFIELD)


def random_controllers(rng: np.random.Generator, num_games: int) -> Controllers:
    """Random legal inputs, biased to full sticks and few buttons."""
    shape = (num_games, 2)
    buttons = np.zeros(shape, np.int64)
    for button in (Button.A, Button.B, Button.X, Button.Y, Button.Z, Button.L, Button.R):
        buttons |= np.where(rng.random(shape) < 0.1, int(button), 0)
    full = rng.integers(-1, 2, (2, *shape)).astype(float)
    soft = rng.uniform(-1, 1, (2, *shape))
    stick = np.where(rng.random(shape) < 0.6, full, soft)
    c_stick = np.where(rng.random(shape) < 0.05, full, 0.0)
    trigger = np.where(rng.random(shape) < 0.1, rng.random(shape), 0.0)
    return make_controllers(stick[0], stick[1], c_stick[0], c_stick[1], trigger, buttons)


def play(num_games: int, frames: int, seed: int, check: bool = False) -> bytes:
    """Play random games (game i depends on ``seed`` and i alone) and return a digest per game, joined."""
    engine = Engine(num_games)
    options = [MatchOptions(stage=STAGES[i % 2]) for i in range(num_games)]
    rngs = [np.random.default_rng((seed, i)) for i in range(num_games)]
    digests = [hashlib.sha256() for _ in range(num_games)]
    for i in range(num_games):
        engine.start(i, seed + i, options[i])
    controllers = None
    stocks = engine.games["fighters"]["stocks"].copy()
    for frame in range(frames):
        if frame % 3 == 0:
            controllers = np.concatenate([random_controllers(rng, 1) for rng in rngs])
        engine.step(controllers)
        for i in range(num_games):
            digests[i].update(engine.frames[i].tobytes())
            if engine.games["end_method"][i]:
                engine.start(i, seed + i + frame, options[i])
                stocks[i] = 4
        if check:
            check_frame(engine, stocks)
            stocks = engine.games["fighters"]["stocks"].copy()
    return b"".join(digest.digest() for digest in digests)


def check_frame(engine: Engine, stocks_before: np.ndarray) -> None:
    """Assert what must hold on every frame."""
    fighters = engine.games["fighters"]
    for name in ("x", "y", "vx", "vy", "kx", "ky", "gv", "age", "percent", "shield"):
        assert np.isfinite(fighters[name]).all(), name
    assert (fighters["action"] >= 0).all() and (fighters["action"] < NUM_STATES).all()
    assert (fighters["percent"] >= 0).all() and (fighters["percent"] <= 999).all()
    assert (fighters["stocks"] <= stocks_before).all() and (fighters["stocks"] >= 0).all()
    assert (fighters["hitlag"] >= 0).all() and (fighters["hitlag"] <= 20).all()
    held = (STATES[fighters["character"], fighters["action"]]["flags"] & CAPTURED) != 0
    standing = (fighters["airborne"] == 0) & ~held
    assert (np.abs(fighters["x"][standing]) < 100).all()
    assert (fighters["y"][standing] > -1).all()


def test_k48_random_play_stays_in_bounds() -> None:
    play(8, 4000, seed=11, check=True)


@pytest.mark.slow
def test_k48_ten_million_random_frames_and_no_state_gets_stuck() -> None:
    rng = np.random.default_rng(5)
    engine = Engine(256)
    for i in range(256):
        engine.start(i, i, MatchOptions(stage=STAGES[i % 2]))
    stocks = engine.games["fighters"]["stocks"].copy()
    same = np.zeros((256, 2), np.int64)
    before = engine.games["fighters"]["action"].copy()
    for frame in range(40_000):
        if frame % 3 == 0:
            controllers = random_controllers(rng, 256)
        engine.step(controllers)
        for i in np.flatnonzero(engine.games["end_method"]):
            engine.start(int(i), frame, MatchOptions(stage=STAGES[i % 2]))
            stocks[i] = 4
        check_frame(engine, stocks)
        stocks = engine.games["fighters"]["stocks"].copy()
        action = engine.games["fighters"]["action"].copy()
        same = np.where(action == before, same + 1, 0)
        before = action
        assert same.max() < 4000, f"state {before.ravel()[same.argmax()]} does not end"


def test_k49_batch_size_does_not_matter() -> None:
    together = play(7, 600, seed=3)
    alone = play(1, 600, seed=3)
    assert together[:32] == alone


def test_k49_another_process_gives_the_same_bytes() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "from test_k48_k50_engine import play; print(play(2, 400, seed=9).hex())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert run.stdout.strip() == play(2, 400, seed=9).hex()


def test_k49_a_loaded_state_goes_on_bit_for_bit() -> None:
    rng = np.random.default_rng(1)
    engine, copy = Engine(1), Engine(1)
    engine.start(0, 1, MatchOptions())
    inputs = [random_controllers(rng, 1) for _ in range(600)]
    for controllers in inputs[:300]:
        engine.step(controllers)
    copy.load(0, engine.save(0))
    for controllers in inputs[300:]:
        assert engine.step(controllers).tobytes() == copy.step(controllers).tobytes()


@pytest.mark.skipif(not TEACHER.exists(), reason="the recorded games (../shared) are not here")
def test_k50_the_teacher_recording_is_reproduced_from_its_inputs() -> None:
    from melee_env.slp.reader import read_game

    game = read_game(TEACHER)
    leaders = np.ascontiguousarray(game.frames["seats"]["leader"])
    engine = Engine(1)
    engine.start(0, game.info.seed, MatchOptions(start_frame=-122))
    controllers = np.ascontiguousarray(leaders["controller"])
    fields = (
        "action",
        "action_frame",
        "x",
        "y",
        "facing",
        "vel_air_x",
        "vel_y",
        "vel_ground_x",
        "airborne",
        "jumps",
        "hurtbox",
        "ground",
        "stocks",
        "percent",
    )
    compared = 0
    for t in range(1, len(leaders)):
        engine.step(controllers[t : t + 1])
        if game.frames["frame"][t] < FIRST_CONTROLLABLE_FRAME:
            continue
        made, recorded = engine.frames["seats"]["leader"][0, 0], leaders[t, 0]
        wrong = {name: (made[name], recorded[name]) for name in fields if made[name] != recorded[name]}
        assert not wrong, f"frame {game.frames['frame'][t]}: {wrong}"
        compared += 1
    assert compared == 8003
    assert engine.games["end_method"][0] == 2
