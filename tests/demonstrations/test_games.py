"""Filters, headers, statistics and repair over small written games."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from demonstrations.convert import convert
from demonstrations.filters import GameFilter
from demonstrations.games import iterate_games
from demonstrations.headers import find_files, scan
from demonstrations.quality import score
from demonstrations.repair import repair
from demonstrations.statistics import describe
from melee_env.controller import Button
from melee_env.errors import OptionError, ReplayError
from melee_env.slp import read, read_game, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)

EVERYTHING = GameFilter(normal_ratios=False)


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "Wiedergabe größer"
    source.mkdir()
    for number, stage in enumerate((31, 2, 8)):
        write_game(source / f"{number}.slp", GAMES.synthetic_game(stage, length=130, seed=number))
    (source / "html.slp").write_bytes(b"<html>")
    return source


@pytest.mark.parametrize(
    ("conditions", "refusal"),
    [
        ({}, ""),
        ({"characters": ("fox",)}, ""),
        ({"characters": ("marth", "falco")}, "character"),
        ({"characters": ("fox",), "opponents": ("ice climbers",)}, ""),
        ({"characters": ("fox",), "opponents": ("fox",)}, "character"),
        ({"stages": ("BF",)}, ""),
        ({"stages": ("FD", "DL")}, "stage"),
        ({"min_version": (3, 20, 0)}, "version"),
        ({"min_frames": 131}, "too_short"),
        ({"humans_only": True}, "cpu_player"),
        ({"normal_ratios": True}, "ratios"),
    ],
)
def test_each_condition_has_its_code(conditions, refusal):
    game = GAMES.synthetic_game(length=130)
    assert GameFilter(**{"normal_ratios": False, **conditions}).refusal(game.info, len(game)) == refusal


def test_seats_are_those_of_the_wanted_fighter():
    info = GAMES.synthetic_game(length=2).info
    assert GameFilter(characters=("fox",)).seats(info) == [1]
    assert GameFilter(characters=("fox", "popo")).seats(info) == [0, 1]
    assert GameFilter(opponents=("fox",)).seats(info) == [0]
    assert GameFilter().seats(info) == [0, 1]


def test_scan_lists_good_and_bad_files(folder):
    headers = list(scan(folder))
    assert [(header.path.name, header.reason) for header in headers] == [
        ("0.slp", ""),
        ("1.slp", ""),
        ("2.slp", ""),
        ("html.slp", "not_slp"),
    ]
    assert [header.info.stage for header in headers[:3]] == [31, 2, 8]
    json.dumps([header.as_json() for header in headers])


def test_nothing_there_is_an_option_error(tmp_path):
    with pytest.raises(OptionError, match="does not exist"):
        find_files(tmp_path / "missing")


def test_games_of_a_folder_and_of_its_store_are_the_same(folder, tmp_path):
    convert(folder, tmp_path / "store", EVERYTHING, progress=False)
    skipped = []
    ours = list(
        iterate_games(folder, EVERYTHING, on_skip=lambda path, reason: skipped.append((path.name, reason)))
    )
    stored = {game.info.stage: game for game in iterate_games(tmp_path / "store", EVERYTHING)}
    assert skipped == [("html.slp", "not_slp")] and len(stored) == len(ours) == 3
    for game in ours:
        assert stored[game.info.stage].info == game.info
        np.testing.assert_array_equal(stored[game.info.stage].frames, game.frames)


def test_a_bad_file_that_is_named_is_an_error(folder):
    with pytest.raises(ReplayError, match="not_slp"):
        list(iterate_games(folder / "html.slp"))


def test_statistics_count_what_was_pressed():
    game = GAMES.synthetic_game(length=185)  # 101 frames on which input counts
    pads = game.frames["seats"]["leader"]["controller"]
    pads[:] = 0
    pads["buttons"][100:110, 1] = Button.A | Button.B
    pads["buttons"][120, 1] = Button.A
    pads["stick_x"][:, 1] = 1
    game.frames["seats"]["leader"]["action"][:, 1] = 14
    found = describe(game, character="FOX", filters=EVERYTHING)
    assert (found["games"], found["player_frames"]) == (1, 101)
    assert found["characters"] == {"FOX": 1} and found["stages"] == {"BATTLEFIELD": 1}
    assert found["held"]["A"] == pytest.approx(11 / 101) and found["held"]["X"] == 0
    assert found["presses_per_minute"]["A"] == pytest.approx(2 / 101 * 3600)
    assert found["states"] == [{"state": 14, "share": pytest.approx(1.0)}]
    assert found["stick"][16][8] == 101 and found["cstick"][8][8] == 101
    json.dumps(found)


def test_statistics_of_a_folder_count_duplicates_and_skipped(folder):
    (folder / "copy.slp").write_bytes((folder / "0.slp").read_bytes())
    found = describe(folder, filters=EVERYTHING)
    assert (found["games"], found["duplicates"], found["skipped"]) == (4, 1, {"not_slp": 1})
    assert describe(folder)["games"] == 0


def test_repair_makes_a_proper_file_in_place(folder):
    path = folder / "0.slp"
    path.write_bytes(path.read_bytes()[:60_000])
    before = read_game(path)
    assert repair(path, path).status == "partial"
    assert read(path).status == "read"
    np.testing.assert_array_equal(read_game(path).frames["seats"], before.frames["seats"])
    with pytest.raises(ReplayError):
        repair(folder / "html.slp", folder / "out.slp")
    assert not (folder / "out.slp").exists()


@GAMES.needs_replays
def test_the_closed_multishine_fixture_has_its_known_rates():
    """B 77.7 % and X 11.1 % over the 1,679 frames from GO to before the self-destruct (ExPhil's trainer)."""
    (path,) = GAMES.REPLAYS.glob("*fixture_closed*.slp")
    found = describe(path, port=1, practice=True)
    assert found["player_frames"] == 1679
    assert found["held"]["B"] == pytest.approx(0.777, abs=0.0005)
    assert found["held"]["X"] == pytest.approx(0.111, abs=0.0005)
    whole = describe(path, port=1)
    assert whole["player_frames"] == 2618 and whole["held"]["B"] < 0.52


def test_a_page_shows_every_figure(tmp_path):
    from experiments.report.data_page import write_data_page

    figures = describe(GAMES.synthetic_game(length=300), filters=EVERYTHING)
    text = write_data_page(tmp_path / "data.html", figures, "Games <of> mine").read_text()
    assert "Games &lt;of&gt; mine" in text and "rejected: too_short" in text and "ICE#123" in text
    assert text.count("<svg") == 3


def test_games_by_rank_in_their_names():
    ranked = GameFilter(ranks=("diamond", "Platinum"))
    names = {"diamond-platinum-1f.slp": "", "sub/master-diamond-2.slp": "rank", "game.slp": "rank"}
    assert {name: ranked.refusal_of_name(name) for name in names} == names
    assert GameFilter().refusal_of_name("game.slp") == ""


def good_game(length=4000):
    """A game that gets every point: both hit each other, press and move, lose stocks while in hitstun."""
    game = GAMES.synthetic_game(length=length)
    game.info = replace(
        game.info, seats=tuple(replace(s, kind=0, ratios=(1.0,) * 3) for s in game.info.seats)
    )
    leader = game.frames["seats"]["leader"]
    leader["action"] = (np.arange(length) // 20 % 60 + 11)[:, None]
    leader["percent"] = (np.arange(length) % 1000 / 5)[:, None]
    leader["hitstun"] = (np.arange(length) % 1000 > 800)[:, None] * 20
    leader["action"][999::1000] = 4
    return game


def test_quality_gives_every_part_and_takes_it_away():
    assert score(good_game()).total == 100
    game = good_game()
    game.frames["seats"]["leader"]["percent"][:, 0] = 0  # seat 1 deals nothing
    assert score(game).damage == 0 and score(game).total == 80
    game = good_game()
    game.frames["seats"]["leader"]["controller"][:, 1] = 0
    assert score(game).activity == 0
    game = good_game()
    game.frames["seats"]["leader"]["hitstun"] = 0
    assert score(game).self_destructs == 0
    game = good_game()
    game.frames["seats"]["leader"]["action"][:, 0] = 14
    assert score(game).variety == 0
    assert score(good_game(2500)).length == 15 and score(good_game(9000)).length == 20
    assert score(good_game(900)).rejected == "too_short" and score(good_game(16_000)).total == 0
    assert score(GAMES.synthetic_game(length=4000)).rejected == "cpu_player"
    assert GameFilter(normal_ratios=False, min_quality=60).refusal_of(good_game(900)) == "too_short"
    assert GameFilter(normal_ratios=False, min_quality=60).refusal_of(good_game()) == ""
