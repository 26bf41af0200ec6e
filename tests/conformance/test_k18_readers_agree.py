"""K18: both readers give equal frames on every file that both read."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from demonstrations import peppi
from demonstrations.readers import read
from melee_env.errors import OptionError, ReplayError
from melee_env.slp import read_game, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


pytest.importorskip("peppi_py", reason="peppi-py is not installed")


def difference(path, rollback):
    """Return "equal", "refused" (by peppi) or the fields that differ."""
    try:
        theirs = peppi.read_game(path, rollback)
    except ReplayError:
        return "refused"
    ours = read_game(path, rollback)
    if theirs.info != ours.info or len(theirs) != len(ours):
        return f"{path.name}: description or length"
    if theirs.frames.tobytes() == ours.frames.tobytes():
        return "equal"
    names = [n for n in ours.frames.dtype.names if theirs.frames[n].tobytes() != ours.frames[n].tobytes()]
    return f"{path.name}: {names}"


@pytest.mark.slow
@GAMES.needs_replays
@pytest.mark.parametrize("rollback", ["last", "first"])
def test_k18_recorded_games_are_equal(rollback):
    found = [difference(path, rollback) for path in GAMES.recorded_files()]
    assert [result for result in found if result not in ("equal", "refused")] == []
    assert found.count("equal") >= 110


def test_k18_written_games_are_equal(tmp_path):
    for stage in (2, 3, 8, 28, 31):
        path = tmp_path / f"{stage}.slp"
        write_game(path, GAMES.synthetic_game(stage))
        assert difference(path, "last") == "equal"


def test_k18_a_difference_is_found(tmp_path, monkeypatch):
    write_game(tmp_path / "game.slp", GAMES.synthetic_game())
    monkeypatch.setitem(peppi._POST, "hitlag", "shield")
    assert "seats" in difference(tmp_path / "game.slp", "last")


def test_k18_what_peppi_refuses_the_own_reader_reads(tmp_path):
    path = tmp_path / "game.slp"
    write_game(path, GAMES.synthetic_game())
    path.write_bytes(path.read_bytes()[:40_000])
    reading = read(path, "peppi")
    assert reading.status == "partial" and reading.frames > 20
    np.testing.assert_array_equal(reading.game.frames, read(path, "own").game.frames)


@GAMES.needs_replays
def test_k18_a_panic_is_an_error_and_leaves_nothing_on_stderr(capfd):
    path = next(iter(GAMES.REPLAYS.glob("v2.2.0*.slp")))
    with pytest.raises(ReplayError, match="PanicException"):
        peppi.read_game(path)
    assert capfd.readouterr().err == ""


def test_k18_unknown_reader_names_the_known(tmp_path):
    with pytest.raises(OptionError, match="own, peppi"):
        read(tmp_path, "js")
