"""K66: a file that is still written reads to its last whole frame, and fully once it is complete."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from melee_env.errors import ReplayError
from melee_env.slp import SlpRecorder, read, read_game, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


@pytest.mark.parametrize("stage", [31, 2])
def test_k66_every_prefix_reads_to_its_last_whole_frame(tmp_path, stage):
    game = GAMES.synthetic_game(stage, length=40)
    write_game(tmp_path / "whole.slp", game)
    data = (tmp_path / "whole.slp").read_bytes()
    growing, before = tmp_path / "growing.slp", 0
    for size in range(0, len(data), 97):
        growing.write_bytes(data[:size])
        try:
            reading = read(growing)
        except ReplayError as error:
            assert before == 0 and error.reason in ("not_slp", "no_frames", "no_start")
            continue
        assert reading.frames >= before
        before = reading.frames
        shown = reading.game.frames
        np.testing.assert_array_equal(shown["seats"], game.frames["seats"][: len(shown)])
        np.testing.assert_array_equal(shown["items"], game.frames["items"][: len(shown)])
    growing.write_bytes(data)
    assert read(growing).status == "read"
    np.testing.assert_array_equal(read_game(growing).frames, game.frames)


def test_k66_reader_beside_a_recorder_sees_each_frame(tmp_path):
    game, path = GAMES.synthetic_game(length=30), tmp_path / "game.slp"
    recorder = SlpRecorder(path, game.info)
    for count, frame in enumerate(game.frames, start=1):
        recorder.append(frame)
        assert read(path).frames == count
    recorder.close()
    assert (read(path).status, read(path).reason) == ("read", "")
