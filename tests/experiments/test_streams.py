"""Streams of the same game are equal; what differs is named by field, seat, frame and action."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from experiments.dolphin.trace import write_trace
from experiments.streams.compare import compare_streams
from experiments.streams.sources import load_stream
from melee_env.errors import OptionError, ReplayError
from melee_env.slp import write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


@pytest.fixture
def game():
    game = GAMES.synthetic_game(length=60)
    game.frames["seats"]["leader"]["action_frame"] = np.arange(60)[:, None]
    return game


def difference(tmp_path: Path, first, second):
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path, frames in zip(paths, (first, second), strict=True):
        write_trace(path, frames, {})
    return compare_streams(*(load_stream(str(path)) for path in paths))


def test_a_trace_and_itself_are_equal(tmp_path: Path, game) -> None:
    result = difference(tmp_path, game.frames, game.frames)
    assert result["equal"] and result["frames"] == 60 and result["fields"] == []
    assert result["first_input_difference"] is None


def test_what_differs_is_named(tmp_path: Path, game) -> None:
    other = game.frames[5:].copy()
    other["seats"]["leader"]["x"][10, 1] += 2
    other["seats"]["leader"]["controller"]["buttons"][20:, 0] ^= 0x100
    result = difference(tmp_path, game.frames, other)
    assert not result["equal"] and (result["only_first"], result["only_second"]) == (5, 0)
    moved = next(row for row in result["fields"] if row["field"] == "seats.leader.x")
    assert (moved["seat"], moved["frames"], moved["largest"]) == (2, 1, 2.0)
    assert moved["first_frame"] == int(other["frame"][10])
    assert result["first_input_difference"] == int(other["frame"][20])


def test_action_frames_are_told_apart_by_action(tmp_path: Path, game) -> None:
    first, other = game.frames.copy(), game.frames.copy()
    for frames in (first, other):
        frames["seats"]["leader"]["action"][:, 0] = np.repeat([14, 20, 24], 20)
    other["seats"]["leader"]["action_frame"][20:40, 0] += 1
    other["seats"]["leader"]["action_frame"][45:, 0] += 1
    rows = {row["action"]: row for row in difference(tmp_path, first, other)["actions"] if row["seat"] == 1}
    assert [rows[action]["action_frame"] for action in (14, 20, 24)] == [0, 1, "not constant"]
    assert rows[20]["frames"] == 20 and rows[20]["name"] == "Dash"


def test_libmelee_counts_some_actions_from_one(tmp_path: Path, game) -> None:
    pytest.importorskip("melee")
    game.frames["seats"]["leader"]["action"] = np.repeat([14, 20], 30)[:, None]
    path = tmp_path / "game.slp"
    write_game(path, game)
    result = compare_streams(load_stream(str(path)), load_stream(f"libmelee:{path}"))
    rows = {(row["seat"], row["action"]): row["action_frame"] for row in result["actions"]}
    assert rows[1, 14] == 1 and rows[1, 20] == 0
    fields = {row["field"] for row in result["fields"]}
    assert "seats.leader.action_frame" in fields and "seats.leader.stocks" not in fields


def test_what_is_no_stream_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"no archive")
    with pytest.raises(ReplayError, match="not_a_trace"):
        load_stream(str(tmp_path / "a.npz"))
    (tmp_path / "a.txt").write_text("")
    for name in (tmp_path / "a.txt", tmp_path / "missing.slp"):
        with pytest.raises(OptionError):
            load_stream(str(name))
