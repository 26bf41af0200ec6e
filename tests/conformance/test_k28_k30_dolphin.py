"""K28 to K30: the emulator's failures have names and budgets, and nothing of it stays behind."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import neutral
from melee_env.engine.engine import warm_up
from melee_env.errors import BackendError, DolphinExited, MenuStuck, NoProgress, OptionError, PipeTimeout

pytest.importorskip("melee")
PATIENT = {"start": 300.0, "menus": 300.0, "frame": 60.0}
SEEDS, OPTIONS = np.zeros(1, np.uint32), [MatchOptions()]


def virtual(fault: str, restarts: int = 0, **budgets: float):
    warm_up()
    environment = {"VIRTUAL_DOLPHIN_FAULT": fault}
    return make_backend(
        "dolphin",
        dolphin="virtual",
        environment=environment,
        budgets={**PATIENT, **budgets},
        restarts=restarts,
    )


def leftovers() -> list[psutil.Process]:
    """Processes that we started, or that those started."""
    return psutil.Process().children(recursive=True)


@pytest.mark.parametrize(
    ("fault", "error", "budgets"),
    [
        ("exit:127", DolphinExited, {}),
        ("no-pipe", PipeTimeout, {"start": 1.0}),
        ("no-server", NoProgress, {"start": 3.0}),
        ("stuck-menu", MenuStuck, {"menus": 1.0}),
    ],
)
def test_k28_failures_before_a_game_are_named(fault: str, error: type[Exception], budgets: dict) -> None:
    backend = virtual(fault, **budgets)
    with pytest.raises(error):
        backend.reset(SEEDS, OPTIONS)
    backend.close()
    assert leftovers() == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("die:150,stderr-flood:400,ignore-sigterm", DolphinExited),
        ("stop-reading:150", NoProgress),
        ("stop-sending:150", NoProgress),
    ],
)
def test_k28_failures_in_a_game_are_named(fault: str, error: type[Exception]) -> None:
    backend = virtual(fault, frame=2.0)
    backend.reset(SEEDS, OPTIONS)
    with pytest.raises(error) as raised:
        for _ in range(200):
            backend.step(neutral(1, 2))
    assert len(str(raised.value).splitlines()) == 1
    backend.close()
    assert leftovers() == []


def test_k28_a_repeated_frame_and_slow_ones_change_nothing() -> None:
    backend = virtual("repeat-frame:90,slow:1")
    frames = backend.reset(SEEDS, OPTIONS)
    numbers = [int(backend.step(neutral(1, 2))["frame"][0]) for _ in range(30)]
    assert frames["end_method"][0] == 0 and numbers == list(range(-39, -9))
    backend.close()


def test_k28_a_failed_emulator_is_started_again() -> None:
    backend = virtual("die:100", restarts=1, frame=20.0)
    backend.reset(SEEDS, OPTIONS)
    with pytest.warns(UserWarning, match="started again"):
        for _ in range(40):
            frames = backend.step(neutral(1, 2))
    assert frames["end_method"][0] == 7 and backend.restarts[0] == 1
    assert backend.reset(SEEDS, OPTIONS)["frame"][0] == -40
    backend.close()


def test_k28_what_the_menus_cannot_set_is_refused() -> None:
    backend = virtual("exit:1")
    with pytest.raises(OptionError, match="percents"):
        backend.reset(SEEDS, [MatchOptions(percents=(50.0, 0.0))])
    for wrong in (
        {"dolphin": None},
        {"dolphin": "/nowhere"},
        {"dolphin": sys.executable},
        {"player2": "cpu-10"},
    ):
        with pytest.raises(OptionError):
            make_backend("dolphin", **{"dolphin": "virtual", **wrong})
    with pytest.raises(BackendError, match="save states"):
        backend.save(0)


def test_k29_cycles_leave_nothing() -> None:
    from experiments.benchmarks.dolphin_cycles import bench_dolphin_cycles, left

    warm_up()
    result = bench_dolphin_cycles(3)  # melee-env bench dolphin-cycles runs two hundred
    assert result["cycles"] == 3 and left(result) == 0, result


def test_k29_closing_twice_is_fine() -> None:
    from melee_env.backends.dolphin.game import DolphinGame
    from melee_env.backends.dolphin.launch import make_launch

    game = DolphinGame(make_launch("virtual", None))
    game.start()
    assert game.emulator is not None
    folder = game.emulator.folder
    assert folder.is_dir()
    game.close()
    game.close()
    assert not folder.exists() and leftovers() == []


PARENT = """
import sys, time
from melee_env.backends.base import make_backend
backend = make_backend("dolphin", 2, dolphin="virtual", budgets={"start": 300})
for game in backend._games:
    game.start()
for game in backend._games:
    game.connect()
print("folders", *[game._process.folder for game in backend._games], flush=True)
time.sleep(600)
"""


def test_k30_a_killed_parent_takes_everything_along() -> None:
    warm_up()
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    folders = [Path(name) for name in parent.stdout.readline().split()[1:]]
    children = psutil.Process(parent.pid).children(recursive=True)
    assert len(folders) == 2 and len(children) >= 6  # emulator, guard and reader of each
    parent.kill()
    parent.wait()
    end = time.monotonic() + 2
    while time.monotonic() < end and (any(map(alive, children)) or any(map(Path.exists, folders))):
        time.sleep(0.02)
    assert not [child for child in children if alive(child)]
    assert not [folder for folder in folders if folder.exists()]


def alive(process: psutil.Process) -> bool:
    """Tell whether a process runs; one that only waits to be counted by its new parent does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
