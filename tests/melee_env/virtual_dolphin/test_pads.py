"""Pipe lines become the pads that libmelee meant."""

import os
from pathlib import Path

import numpy as np
import pytest

from melee_env.controller import CONTROLLER_DTYPE, make_controllers
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, Pipe, controller_bytes, stick_byte, trigger_byte


@pytest.fixture
def pipe(tmp_path: Path):
    path = tmp_path / "slippibot1"
    os.mkfifo(path)
    pipe = Pipe(path)
    writer = open(path, "wb", buffering=0)  # noqa: SIM115
    yield pipe, writer
    writer.close()
    pipe.close()


def test_nothing_counts_before_flush(pipe) -> None:
    reader, writer = pipe
    writer.write(b"PRESS A\nSET MAIN 1 .5\nFLU")
    reader.read()
    assert not reader.flushed
    writer.write(b"SH\nRELEASE A\nFLUSH\n")
    reader.read()
    first, second = reader.flushed
    assert first.buttons == 0x100 and second.buttons == 0
    assert first.x == second.x == 127


def test_writer_that_left_is_noticed_only_after_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "slippibot1"
    os.mkfifo(path)
    reader = Pipe(path)
    reader.read()
    assert not reader.closed
    with open(path, "wb", buffering=0) as writer:
        writer.write(b"FLUSH\n")
    reader.read()
    reader.read()
    assert reader.closed and list(reader.flushed) == [NEUTRAL]
    reader.close()


def test_libmelee_reaches_every_stick_and_trigger_step() -> None:
    controller = pytest.importorskip("melee.controller")
    sticks = [
        stick_byte(float(str(controller.fix_analog_stick(step / 160 + 0.5)))) for step in range(-80, 81)
    ]
    triggers = [trigger_byte(float(str(controller.fix_analog_trigger(step / 140)))) for step in range(141)]
    assert sticks == list(range(-80, 81)) and triggers == list(range(141))
    assert stick_byte(0.5) == 0


def test_pad_is_the_controller_of_the_engine() -> None:
    pad = Pad(x=-60, y=24, cx=80, cy=0, left=70, right=0, buttons=0x0200)
    made = make_controllers(-60 / 80, 24 / 80, 1, 0, 0.5, 0x0200)
    assert np.frombuffer(controller_bytes(pad), CONTROLLER_DTYPE)[0] == made
