"""K20: `last` is what finally happened, `first` what was shown; numbers increase strictly."""

import importlib.util
import struct
from pathlib import Path

import numpy as np
import pytest

from melee_env.slp import read_game
from melee_env.slp.container import wrap_header
from melee_env.slp.start import write_start
from melee_env.slp.writer import _before_first, encode_frames, payload_table

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


@pytest.fixture
def resent(tmp_path):
    """A game whose frames 10..14 were sent twice, first with other percents, and Nana gone the second time."""
    game = GAMES.synthetic_game(length=30)
    wrong = game.frames[10:15].copy()
    wrong["seats"]["leader"]["percent"] += 1000
    wrong["seats"]["nana"]["present"][:, 0] = 1
    wrong["seats"]["nana"]["flags"][:, 0, 3] |= 2
    wrong["items"]["exists"] = 1
    game.frames["seats"]["nana"][10:15] = 0
    game.frames["items"][10:15] = 0
    before = _before_first(game.info)
    pieces = [encode_frames(part, game.info, before) for part in (game.frames[:10], wrong, game.frames[10:])]
    events = payload_table() + write_start(game.info) + b"".join(pieces)
    events += struct.pack(">BBb4b", 0x39, 2, -1, -1, 0, -1, 1)
    path = tmp_path / "game.slp"
    path.write_bytes(wrap_header(len(events)) + events)
    return path, game.frames, wrong


def test_k20_last_is_what_happened(resent):
    path, happened, _ = resent
    np.testing.assert_array_equal(read_game(path, "last").frames, happened)


def test_k20_first_is_what_was_shown(resent):
    path, happened, shown = resent
    frames = read_game(path, "first").frames
    np.testing.assert_array_equal(frames[10:15], shown)
    np.testing.assert_array_equal(frames[15:], happened[15:])


def test_k20_unknown_choice_is_refused(resent):
    with pytest.raises(ValueError, match="rollback"):
        read_game(resent[0], "middle")


@GAMES.needs_replays
def test_k20_recorded_rollbacks_leave_strictly_increasing_numbers():
    names = ("v3.9.0_DL_fox-marth", "v3.14.0_DL_falcon-popo", "v3.14.0_PS_falco-falco")
    for name in names:
        path = next(iter(GAMES.REPLAYS.glob(f"{name}*.slp")))
        last, first = read_game(path, "last"), read_game(path, "first")
        for game in (last, first):
            assert (np.diff(game.numbers) == 1).all()
        np.testing.assert_array_equal(last.numbers, first.numbers)
        assert (last.frames != first.frames).any()
