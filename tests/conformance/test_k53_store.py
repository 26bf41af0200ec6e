"""K53: a store made otherwise is refused; a killed conversion goes on to the same bytes."""

import importlib.util
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demonstrations import store as store_module
from demonstrations.convert import convert
from demonstrations.encode import source_digests
from demonstrations.filters import GameFilter
from demonstrations.store import Store
from melee_env.errors import OptionError
from melee_env.frame import schema_hash
from melee_env.slp import read_game, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "source" / "sub folder"
    source.mkdir(parents=True)
    for number in range(6):
        write_game(
            source / f"{number}.slp", GAMES.synthetic_game(length=80, seed=number, stage=(31, 2)[number % 2])
        )
    (source / "copy.slp").write_bytes((source / "0.slp").read_bytes())
    (source / "html.slp").write_bytes(b"<html>")
    (source / "cut.slp").write_bytes((source / "1.slp").read_bytes()[:30_000])
    (source / "other.txt").write_bytes(b"not a replay")
    return source.parent


EVERYTHING = GameFilter(normal_ratios=False)


def contents(root):
    return {path.relative_to(root): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_k53_every_file_has_an_outcome(folder, tmp_path):
    report = convert(folder, tmp_path / "store", EVERYTHING, progress=False)
    found = {outcome.file: (outcome.status, outcome.reason, outcome.skipped) for outcome in report.files}
    assert found["sub folder/1.slp"] == ("read", "", "")
    assert found["sub folder/copy.slp"] == ("read", "", "duplicate")
    assert found["sub folder/html.slp"] == ("refused", "not_slp", "")
    assert found["sub folder/cut.slp"] == ("partial", "cut_event", "")
    assert report.as_json() == json.loads((tmp_path / "store" / "report.json").read_text())
    assert sum(outcome.skipped == "duplicate" for outcome in report.files) == 1


def test_k53_stored_games_equal_the_recorded(folder, tmp_path):
    report = convert(folder, tmp_path / "store", EVERYTHING, progress=False)
    store = Store(tmp_path / "store")
    assert len(store) == 7
    for outcome in report.files:
        if outcome.stored:
            game, original = (
                store_module.load_game(store.path_of(outcome.stored)),
                read_game(folder / outcome.file),
            )
            assert game.info == original.info
            np.testing.assert_array_equal(game.frames, original.frames)


def test_k53_ratios_are_left_out_by_default(folder, tmp_path):
    report = convert(folder, tmp_path / "store", progress=False)
    assert {outcome.skipped for outcome in report.files if outcome.status == "read"} == {"ratios"}


def test_k53_other_settings_schema_or_source_are_refused(folder, tmp_path, monkeypatch):
    out = tmp_path / "store"
    convert(folder, out, EVERYTHING, progress=False)
    before = contents(out)
    with pytest.raises(OptionError, match="settings"):
        convert(folder, out, EVERYTHING, rollback="first", progress=False)
    with pytest.raises(OptionError, match="settings"):
        convert(folder / "sub folder", out, EVERYTHING, progress=False)
    monkeypatch.setattr(store_module, "schema_hash", lambda: "another")
    with pytest.raises(OptionError, match="schema"):
        Store(out)
    assert contents(out) == before


def test_k53_an_unfinished_short_or_stale_store_is_refused(folder, tmp_path):
    out = tmp_path / "store"
    convert(folder, out, EVERYTHING, progress=False)
    store = Store(out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["schema"] == schema_hash() and manifest["frames"] == store.frames
    assert store.frames == sum(len(game) for game in store.games())
    store.check_source(source_digests(folder))
    (folder / "sub folder" / "3.slp").write_bytes((folder / "sub folder" / "2.slp").read_bytes())
    with pytest.raises(OptionError, match="older than its source"):
        store.check_source(source_digests(folder))
    victim = store.paths()[0]
    victim.write_bytes(victim.read_bytes()[:-64])
    with pytest.raises(OptionError, match="bytes"):
        Store(out)
    victim.unlink()
    with pytest.raises(OptionError, match="0 bytes"):
        Store(out)
    (out / "manifest.json").unlink()
    with pytest.raises(OptionError, match="unfinished"):
        Store(out)


def test_k53_one_game_in_two_recordings_is_stored_once(folder, tmp_path):
    data = (folder / "sub folder" / "4.slp").read_bytes()
    (folder / "sub folder" / "renamed.slp").write_bytes(data + b" ")  # other bytes, the same game
    for _ in range(2):
        report = convert(folder, tmp_path / "store", EVERYTHING, progress=False)
        found = {outcome.file: outcome.skipped for outcome in report.files}
        assert found["sub folder/renamed.slp"] == "duplicate" and found["sub folder/4.slp"] == ""


def test_k53_a_damaged_game_is_made_again(folder, tmp_path):
    out = tmp_path / "store"
    convert(folder, out, EVERYTHING, progress=False)
    before = contents(out)
    victim = Store(out).paths()[0]
    victim.write_bytes(victim.read_bytes()[:100])
    convert(folder, out, EVERYTHING, progress=False)
    assert contents(out) == before


CONVERSION = """
import os, signal, sys
from demonstrations.convert import convert
from demonstrations.filters import GameFilter
from demonstrations import store
count = 0
def stop(outcome):
    global count
    count += 1
    if count == 4:
        (store.Path(sys.argv[2]) / "games" / ".half.arrow").write_bytes(b"half")
        os.kill(os.getpid(), signal.SIGKILL)
convert(sys.argv[1], sys.argv[2], GameFilter(normal_ratios=False), progress=False, on_outcome=stop)
"""


def test_k53_killed_conversion_resumes_to_the_same_bytes(folder, tmp_path):
    convert(folder, tmp_path / "whole", EVERYTHING, progress=False)
    killed = tmp_path / "killed"
    ended = subprocess.run([sys.executable, "-c", CONVERSION, folder, killed], check=False)
    assert ended.returncode == -signal.SIGKILL and not (killed / "report.json").exists()
    convert(folder, killed, EVERYTHING, progress=False)
    assert contents(killed) == contents(tmp_path / "whole")


def test_k53_the_number_of_processes_changes_no_byte(folder, tmp_path):
    (folder / "sub folder" / "renamed.slp").write_bytes((folder / "sub folder" / "4.slp").read_bytes() + b" ")
    for jobs in (1, 3):
        convert(folder, tmp_path / f"store{jobs}", EVERYTHING, jobs=jobs, progress=False)
    assert contents(tmp_path / "store1") == contents(tmp_path / "store3")


def test_k53_two_runs_in_one_folder_are_refused(folder, tmp_path):
    def second(outcome):
        with pytest.raises(OptionError, match="another run"):
            convert(folder, tmp_path / "store", EVERYTHING, progress=False)

    convert(folder, tmp_path / "store", EVERYTHING, progress=False, on_outcome=second)


def test_k53_no_progress_bar_without_a_terminal(folder, tmp_path, capfd):
    convert(folder, tmp_path / "store", EVERYTHING)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
