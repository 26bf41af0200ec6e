"""A game that is written and read again is the same game."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from melee_env.errors import ReplayError
from melee_env.game import GameInfo, SeatInfo
from melee_env.slp import SlpRecorder, read, read_game, read_header, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[2] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)

STAGES = [2, 3, 8, 28, 31, 32]


@pytest.mark.parametrize("stage", STAGES)
def test_written_frames_read_back_equal(tmp_path, stage):
    game = GAMES.synthetic_game(stage)
    write_game(tmp_path / "game.slp", game)
    again = read_game(tmp_path / "game.slp")
    np.testing.assert_array_equal(again.frames, game.frames)


def test_description_survives(tmp_path):
    game = GAMES.synthetic_game()
    write_game(tmp_path / "game.slp", game)
    assert read_header(tmp_path / "game.slp") == game.info == read_game(tmp_path / "game.slp").info


def test_frames_may_begin_late(tmp_path):
    game = GAMES.synthetic_game(first=500)
    write_game(tmp_path / "game.slp", game)
    assert read_game(tmp_path / "game.slp").numbers[0] == 500


def test_recorder_in_pieces_equals_one_write(tmp_path):
    game = GAMES.synthetic_game(stage=28)
    write_game(tmp_path / "whole.slp", game)
    with SlpRecorder(tmp_path / "pieces.slp", game.info) as recorder:
        for frame in game.frames[:3]:
            recorder.append(frame)
        recorder.append(game.frames[3:60])
        recorder.append(game.frames[60:])
    assert (tmp_path / "pieces.slp").read_bytes() == (tmp_path / "whole.slp").read_bytes()


def test_killed_recorder_leaves_a_file_that_reads(tmp_path):
    game = GAMES.synthetic_game()
    recorder = SlpRecorder(tmp_path / "game.slp", game.info)
    recorder.append(game.frames[:50])
    reading = read(tmp_path / "game.slp")
    assert (reading.status, reading.reason, reading.frames) == ("repaired", "unfinished", 50)
    recorder.close()
    assert read(tmp_path / "game.slp").status == "read"


def test_failed_write_leaves_the_old_file(tmp_path):
    game = GAMES.synthetic_game()
    write_game(tmp_path / "game.slp", game)
    before = (tmp_path / "game.slp").read_bytes()
    game.frames["frame"][10] = 0
    with pytest.raises(ValueError, match="increase"):
        write_game(tmp_path / "game.slp", game)
    assert (tmp_path / "game.slp").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["game.slp"]


def test_writer_refuses_three_players(tmp_path):
    info = GameInfo(31, (*GAMES.SEATS, SeatInfo(port=0, character=2)))
    with pytest.raises(ReplayError) as caught:
        SlpRecorder(tmp_path / "game.slp", info)
    assert caught.value.reason == "not_versus"
    assert not list(tmp_path.iterdir())
