"""libmelee, unmodified and used as its documentation shows, plays a best of three: menus, games, replays."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from melee_env.engine.engine import warm_up
from melee_env.slp import read

melee = pytest.importorskip("melee")
PROGRAM = Path(sys.executable).with_name("virtual-dolphin")
STAGES = [melee.Stage.BATTLEFIELD, melee.Stage.FINAL_DESTINATION, melee.Stage.POKEMON_STADIUM]


@pytest.fixture
def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def console(free_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[melee.Console]:
    warm_up()
    monkeypatch.setenv("VIRTUAL_DOLPHIN_SEED", "5")
    monkeypatch.setenv("VIRTUAL_DOLPHIN_ROLLBACK", "50,3")
    console = melee.Console(
        path=str(PROGRAM),
        slippi_port=free_port,
        blocking_input=True,
        emulation_speed=0,
        replay_dir=str(tmp_path / "replays"),
        replay_monthly_folders=True,
    )
    yield console
    console.stop()


def test_best_of_three(console: melee.Console, tmp_path: Path) -> None:
    controllers = [melee.Controller(console=console, port=port) for port in (1, 2)]
    console.run(iso_path="no.iso", platform="headless")
    assert console.connect()
    for controller in controllers:
        controller.connect()
    helper = melee.MenuHelper()
    games: list[list[melee.GameState]] = []
    menus = 0
    while len(games) <= 3:
        state = console.step()
        if state.menu_state is not melee.Menu.IN_GAME:
            if not games or games[-1]:
                games.append([])
                menus = 0
            menus += 1
            assert menus < 400, f"stuck in {state.menu_state}"
            for controller in controllers:
                helper.menu_helper_simple(
                    state,
                    controller,
                    melee.Character.FOX,
                    STAGES[(len(games) - 1) % 3],
                    autostart=controller.port == 1,
                )
            continue
        games[-1].append(state)
        controllers[0].tilt_analog(melee.Button.BUTTON_MAIN, 0, 0.5)  # walks off, four times
        melee.techskill.multishine(ai_state=state.players[2], controller=controllers[1])

    for game, stage in zip(games[:3], STAGES, strict=True):
        numbers = [state.frame for state in game]
        assert numbers == list(range(-123, -123 + len(game)))  # frames that were sent again are dropped
        assert game[-1].stage is stage and game[-1].players[1].stock == 0 and game[-1].players[2].stock == 4
        shines = {melee.Action.DOWN_B_GROUND_START, melee.Action.DOWN_B_GROUND, melee.Action.DOWN_B_STUN}
        assert any(state.players[2].action in shines for state in game)
        # What is pressed after one frame acts on the next.
        reactions = [
            s.frame for s in game if s.frame > -39 and s.players[1].controller_state.main_stick[0] == 0
        ]
        assert reactions[0] == -38
    assert console.is_frozen_ps

    files = sorted((tmp_path / "replays").rglob("Game_*.slp"))
    assert len(files) == 3 and all(file.parent.name[4] == "-" for file in files)
    for file in files:
        reading = read(file)
        assert (reading.status, reading.game.info.end_method) == ("read", 2)
    lengths = sorted(len(read(file).game) for file in files)
    assert lengths == sorted(len(game) for game in games[:3])
    assert any(not np.array_equal(read(f).game.frames, read(f, rollback="first").game.frames) for f in files)
