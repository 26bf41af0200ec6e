"""A game in a window, without a screen: the keyboard and a gamepad move the fighter, an agent answers."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pygame
import pytest

from experiments.gamepad import BUTTONS, gamepad_number, read_pad
from experiments.live import HUMAN, Match, human_controller
from melee_env.controller import Button, make_controllers
from melee_env.errors import OptionError
from melee_env.slp import read_game

PROGRAM = "from experiments.cli import main; main()"


def play(*options: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, "play", "--fps", "0", *options]
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def test_a_game_is_played_recorded_and_shown_again(tmp_path: Path) -> None:
    run = play("--p2", "scripted:walk", "--frames", "200", "--record", "game.slp", folder=tmp_path)
    assert run.returncode == 0, run.stderr
    game = read_game(tmp_path / "game.slp")
    assert len(game) == 200
    x = game.frames["seats"]["leader"]["x"]
    assert np.ptp(x[:, 0]) == 0 and np.ptp(x[:, 1]) > 1  # nobody at the keys, the other walks
    run = play("--backend", "replay", "--replay", "game.slp", "--frames", "30", folder=tmp_path)
    assert (run.returncode, run.stdout.splitlines()[-1]) == (0, "30 frames")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--p1", "gamepad"], "gamepad 1 is not there (none is connected)"),
        (["--p1", "gamepad:0"], "numbered from 1"),
        (["--p1", "nobody"], "nobody"),
    ],
)
def test_who_cannot_play_is_named(options: list[str], message: str, tmp_path: Path) -> None:
    run = play(*options, folder=tmp_path)
    assert run.returncode in (1, 2)
    assert message in run.stderr and len(run.stderr.splitlines()) == 1


def test_hands_move_the_fighter() -> None:
    held = [frozenset({"right"}), frozenset({"left"})]
    ends = []
    for keys in held:
        match = Match(
            (HUMAN, "scripted:idle"),
            ("FOX", "FOX"),
            hands={HUMAN: lambda keys=keys: human_controller(keys)},
        )
        frames = match.frames()
        for _ in range(160):
            frame = next(frames)
        ends.append(float(frame["seats"]["leader"]["x"][0]))
    assert ends[1] < ends[0] - 20


@pytest.mark.parametrize(
    ("keys", "controller"),
    [
        ({"up", "left"}, make_controllers(stick_x=-1, stick_y=1)),
        ({"right", "left shift"}, make_controllers(stick_x=0.5)),
        ({"d", "s"}, make_controllers(cstick_x=1, cstick_y=-1)),
        ({"j", "k", "space", "i"}, make_controllers(buttons=Button.A | Button.B | Button.X | Button.L)),
    ],
)
def test_keys_are_a_controller(keys: set[str], controller: np.ndarray) -> None:
    assert human_controller(frozenset(keys)) == controller


class Pad:
    """Answers like an SDL pad."""

    def __init__(self, axes: dict[int, int], buttons: set[int]) -> None:
        self.axes, self.buttons = axes, buttons

    def get_axis(self, axis: int) -> int:
        return self.axes.get(axis, 0)

    def get_button(self, button: int) -> bool:
        return button in self.buttons


def test_a_gamepad_is_a_controller() -> None:
    up_right = {pygame.CONTROLLER_AXIS_LEFTX: 32767, pygame.CONTROLLER_AXIS_LEFTY: -32768}
    assert read_pad(pygame, Pad(up_right, set())) == make_controllers(stick_x=1, stick_y=1)
    light = {pygame.CONTROLLER_AXIS_TRIGGERLEFT: 16384}
    assert read_pad(pygame, Pad(light, set())) == make_controllers(trigger=16384 / 32767)
    full = {pygame.CONTROLLER_AXIS_TRIGGERRIGHT: 32767}
    assert read_pad(pygame, Pad(full, set())) == make_controllers(trigger=1, buttons=Button.R)
    for name, button in BUTTONS.items():
        pad = Pad({}, {getattr(pygame, f"CONTROLLER_BUTTON_{name}")})
        assert read_pad(pygame, pad) == make_controllers(buttons=button), name


def test_gamepads_are_numbered_from_one() -> None:
    assert [gamepad_number(name) for name in ("gamepad", "gamepad:2", "human", "runs/x")] == [
        0,
        1,
        None,
        None,
    ]
    with pytest.raises(OptionError, match="gamepad:2"):
        gamepad_number("gamepad:x")
