"""K19: every odd file gives the status and reason it should, and a folder job survives them all."""

import csv
import importlib.util
import struct
from pathlib import Path

import pytest

from demonstrations.convert import convert
from melee_env.errors import ReplayError
from melee_env.game import Game
from melee_env.slp import read, read_game, read_header, write_game
from melee_env.slp.container import wrap_header

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


RECORDED = {
    "_unfinished": ("repaired", "unfinished"),
    "noend": ("repaired", "unfinished"),
    "_cut": ("refused", "no_frames"),
    "_longframes": ("read", ""),
    "v1.0.0": ("read", ""),
    "v2.2.0": ("read", ""),
    "_ylink-falcon_40b0c379": ("read", ""),
    "_S36_": ("read", "not_versus"),
    "_S57_": ("read", "not_versus"),
    "_S84_": ("read", "not_versus"),
    "_S285_": ("read", "not_versus"),
    "fox-fox-fox-fox": ("read", "not_versus"),
    # Its name says that a frame lacks pieces; no event is missing, so it reads whole.
    "_severed_frame": ("read", "not_versus"),
    "_streamdump": ("refused", "bad_payload_table"),
    "_html": ("refused", "not_slp"),
    "_png": ("refused", "not_slp"),
    "_nottext": ("refused", "not_slp"),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    if not GAMES.REPLAYS.is_dir():
        pytest.skip("no recorded games in ../shared/replays")
    report = convert(GAMES.REPLAYS, tmp_path_factory.mktemp("store"), progress=False)
    return {outcome.file: outcome for outcome in report.files}


@pytest.mark.slow
@pytest.mark.parametrize("piece", RECORDED)
def test_k19_odd_file_has_its_status(outcomes, piece):
    found = [outcome for name, outcome in outcomes.items() if piece in name]
    assert found and {(outcome.status, outcome.reason) for outcome in found} == {RECORDED[piece]}


@pytest.mark.slow
def test_k19_every_file_is_reported_and_every_duel_is_stored(outcomes):
    assert len(outcomes) == len(GAMES.recorded_files())
    refused = [outcome for outcome in outcomes.values() if outcome.status == "refused"]
    assert len(refused) == 5
    assert all(
        outcome.stored or outcome.skipped or outcome.status == "refused" for outcome in outcomes.values()
    )


@pytest.mark.slow
def test_k19_every_outcome_agrees_with_the_manifest(outcomes):
    """Frames, and which files are readable, as the recordings' manifest counts them."""
    with open(GAMES.REPLAYS / "manifest.csv", newline="") as file:
        manifest = {row["file"]: row for row in csv.DictReader(file)}
    assert set(outcomes) <= set(manifest)
    for name, outcome in outcomes.items():
        row = manifest[name]
        flags = set(row["flags"].split())
        if outcome.status == "refused":
            assert "notslp" in flags or "cut_event" in flags or "streamdump" in name, name
            continue
        assert outcome.frames == int(row["frames"]), name
        unfinished = bool(flags & {"no_end", "rawlen0"})
        assert (outcome.status, outcome.reason == "unfinished") == (
            "repaired" if unfinished else "read",
            unfinished,
        ), name
        if row["clean_1v1"] == "1":
            assert outcome.stored and not outcome.skipped, name


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "game.slp"
    write_game(path, GAMES.synthetic_game(length=60))
    return path


def status(path):
    try:
        reading = read(path)
    except ReplayError as error:
        return "refused", error.reason
    return reading.status, reading.reason


def event_offset(data, command, number):
    """Return where the given event begins, by walking the file as the format says."""
    table = data[15 : 16 + data[16]]
    sizes = dict(struct.iter_unpack(">BH", table[2:]))
    position = 16 + data[16]
    while True:
        if data[position] == command:
            if number == 0:
                return position, sizes[command] + 1
            number -= 1
        position += sizes[data[position]] + 1


def test_k19_length_zero_is_unfinished(written):
    data = written.read_bytes()
    written.write_bytes(wrap_header(0) + data[15:])
    assert status(written) == ("repaired", "unfinished")


def test_k19_length_that_lies_loses_nothing(written):
    data = written.read_bytes()
    written.write_bytes(wrap_header(2**31 - 1) + data[15:])
    assert status(written) == ("repaired", "bad_length")
    assert len(read_game(written)) == 60


def test_k19_missing_end_is_unfinished(written):
    data = written.read_bytes()
    offset, size = event_offset(data, 0x39, 0)
    written.write_bytes(data[:offset] + data[offset + size :])
    assert status(written) == ("repaired", "unfinished")


def test_k19_doubled_end_is_fine(written):
    data = written.read_bytes()
    offset, size = event_offset(data, 0x39, 0)
    data = data[: offset + size] + data[offset:]
    written.write_bytes(wrap_header(len(data[15 : offset + 2 * size])) + data[15:])
    assert status(written) == ("read", "")


def test_k19_cut_inside_an_event_keeps_every_whole_frame(written):
    data = written.read_bytes()
    for frame in (5, 30, 59):
        offset, _ = event_offset(data, 0x38, 2 * frame)
        written.write_bytes(data[: offset + 10])
        reading = read(written)
        assert (reading.status, reading.reason) == ("partial", "cut_event")
        assert 1 <= reading.frames <= frame


def test_k19_severed_frame_is_marked_and_the_rest_read(written):
    data = written.read_bytes()
    whole = read_game(written).frames
    game = Game(read_game(written).info, whole.copy())
    game.frames["seats"]["nana"] = 0  # two post-frames a frame: number 20 is seat 0 on the eleventh frame
    write_game(written, game)
    data = written.read_bytes()
    offset, size = event_offset(data, 0x38, 20)
    written.write_bytes(data[:offset] + data[offset + size :])
    reading = read(written)
    assert (reading.status, reading.reason, reading.frames) == ("partial", "severed_frame", 60)
    present = reading.game.frames["seats"]["leader"]["present"]
    assert present[10].tolist() == [0, 1] and present.sum() == 119


def test_k19_missing_frames_are_told(written):
    game = read_game(written)
    game.frames = game.frames[[*range(20), *range(25, 60)]]
    write_game(written, game)
    reading = read(written)
    assert (reading.status, reading.reason, reading.frames) == ("partial", "missing_frames", 55)


def test_k19_unannounced_event_stops_the_reading(written):
    data = bytearray(written.read_bytes())
    offset, _ = event_offset(data, 0x3A, 40)
    data[offset] = 0x99
    written.write_bytes(data)
    assert status(written) == ("partial", "unknown_event")
    assert len(read_game(written)) == 40


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not_slp"),
        (b"<html>", "not_slp"),
        (b"{U\x03raw[$U#l\0\0\0\0", "no_frames"),
        (b"{U\x03raw[$U#l\0\0\0\0\x35\xe7" + bytes(300), "bad_payload_table"),
        (b"\x35\x07\x36\0\0\x38\0\x54", "bad_payload_table"),
        (b"\x35\x07\x36\x02\xf8\x38\0\x54", "no_start"),
    ],
)
def test_k19_hopeless_files_are_refused_with_a_code(tmp_path, data, reason):
    path = tmp_path / "file.slp"
    path.write_bytes(data)
    assert status(path) == ("refused", reason)


def test_k19_bare_stream_reads(written):
    data = written.read_bytes()
    offset, size = event_offset(data, 0x39, 0)
    written.write_bytes(data[15 : offset + size])
    assert status(written) == ("read", "")


def test_k19_vanished_file_is_refused(tmp_path):
    for function in (read, read_header):
        with pytest.raises(ReplayError, match="unreadable"):
            function(tmp_path / "nothing.slp")
