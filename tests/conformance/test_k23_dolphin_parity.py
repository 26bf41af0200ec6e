"""K23 for the emulator: one script of inputs gives the same frames from the engine, over libmelee and from a replay."""

from pathlib import Path

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Controllers, make_controllers
from melee_env.ids import Character, Stage
from melee_env.slp import read_game

pytest.importorskip("melee")
SEED, FRAMES = 7, 400
OPTIONS = MatchOptions(stage=Stage.BATTLEFIELD, characters=(Character.FOX, Character.MARTH))


def script() -> list[Controllers]:
    """Two players who press what comes, holding it for a while."""
    rng = np.random.default_rng(3)
    shape = (FRAMES // 5, 2)
    buttons = rng.choice([0, 0, 0x100, 0x200, 0x400, 0x40, 0x10], shape)
    sticks = [rng.uniform(-1, 1, shape) for _ in range(4)]
    pads = make_controllers(*sticks, rng.choice([0, 0, 0.4, 1.0], shape), buttons)
    return [pads[number // 5][None] for number in range(FRAMES)]


def play(backend) -> np.ndarray:
    frames = [backend.reset(np.array([SEED], np.uint32), [OPTIONS])[0].copy()]
    for controllers in script():
        frames.append(backend.step(controllers)[0].copy())
    return np.array(frames)


def test_k23_engine_emulator_and_replay_agree(tmp_path: Path) -> None:
    expected = play(make_backend("embedded"))
    emulator = make_backend(
        "dolphin",
        dolphin="virtual",
        replays=tmp_path,
        environment={"VIRTUAL_DOLPHIN_SEED": str(SEED), "VIRTUAL_DOLPHIN_ROLLBACK": "40,2"},
        budgets={"start": 300, "menus": 300, "frame": 60},
        restarts=0,
    )
    shown = play(emulator)
    emulator.reset(np.zeros(1, np.uint32), [OPTIONS])  # leaves the game, which closes the replay
    emulator.close()
    recorded = read_game(sorted(tmp_path.glob("*.slp"))[0]).frames
    recorded = recorded[recorded["frame"] >= shown["frame"][0]][: len(shown)]
    # The game was left on the last of these frames, which is all that the replay tells beside the engine.
    assert recorded["end_method"][-1] == 7
    assert_same(expected[:-1], recorded[:-1])
    # A frame that a rollback corrects was shown as it was guessed: only those may differ.
    differing = [i for i in range(len(shown)) if shown[i].tobytes() != expected[i].tobytes()]
    assert 0 < len(differing) < FRAMES / 10
    kept = np.setdiff1d(np.arange(len(shown)), differing)
    assert_same(expected[kept], shown[kept])


def assert_same(left: np.ndarray, right: np.ndarray) -> None:
    assert len(left) == len(right)
    for name in left.dtype.names:
        assert left[name].tobytes() == right[name].tobytes(), name
