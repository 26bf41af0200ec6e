"""K51: files that the writer made read the same in peppi-py, libmelee and the own reader."""

import importlib.util
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demonstrations import peppi
from demonstrations.repair import repair
from melee_env.game import Game
from melee_env.slp import read, read_game, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


SPEEDS = {
    "speed_air_x_self": "vel_air_x",
    "speed_ground_x_self": "vel_ground_x",
    "speed_y_self": "vel_y",
    "speed_x_attack": "knockback_x",
    "speed_y_attack": "knockback_y",
    "percent": "percent",
    "shield_strength": "shield",
    "stock": "stocks",
    "jumps_left": "jumps",
}


def libmelee_states(path):
    """Return libmelee's view of every frame of a file."""
    melee = pytest.importorskip("melee", reason="libmelee is not installed")
    console = melee.Console(is_dolphin=False, path=str(path), allow_old_version=True)
    console.connect()
    states = []
    while (state := console.step()) is not None:
        states.append(state)
    return states, console.zero_indices


def check_fighter(player, fighter, zero_based):
    assert int(player.character.value) == fighter["character"]
    assert int(player.action.value) == fighter["action"]
    assert (player.position.x, player.position.y) == (fighter["x"], fighter["y"])
    assert player.facing == (fighter["facing"] > 0)
    assert player.on_ground == (not fighter["airborne"])
    assert player.hitlag_left == int(fighter["hitlag"])
    assert player.hitstun_frames_left == int(fighter["hitstun"])
    assert player.invulnerable == (fighter["hurtbox"] != 0)
    assert player.action_frame == int(fighter["action_frame"]) + (fighter["action"] in zero_based)
    for theirs, ours in SPEEDS.items():
        assert getattr(player, theirs) == fighter[ours], theirs


def check_controller(player, pad):
    assert player.controller_state.main_stick == (pad["stick_x"] / 2 + 0.5, pad["stick_y"] / 2 + 0.5)
    assert player.controller_state.c_stick == (pad["cstick_x"] / 2 + 0.5, pad["cstick_y"] / 2 + 0.5)
    assert player.controller_state.raw_main_stick == (pad["raw_x"], pad["raw_y"])
    assert player.controller_state.l_shoulder == pad["trigger"]


def check_game(path, game):
    states, zero_indices = libmelee_states(path)
    assert [state.frame for state in states] == game.numbers.tolist()
    for state, frame in zip(states, game.frames, strict=True):
        for seat in frame["seats"]:
            player = state.players[int(seat["port"]) + 1]
            check_controller(player, seat["leader"]["controller"])
            check_fighter(player, seat["leader"], zero_indices[int(seat["leader"]["character"])])
            assert (player.nana is not None) == bool(seat["nana"]["present"])
            if player.nana is not None:  # libmelee drops Nana's controller
                check_fighter(player.nana, seat["nana"], ())
        items = frame["items"][frame["items"]["exists"] != 0]
        assert [int(p.spawn_id) for p in state.projectiles] == items["spawn_id"].tolist()
        assert [int(p.owner) for p in state.projectiles] == [owner + 1 for owner in items["owner"].tolist()]
        assert [(p.position.x, p.position.y) for p in state.projectiles] == [
            (x, y) for x, y in zip(items["x"], items["y"], strict=True)
        ]


@pytest.mark.parametrize(("stage", "first"), [(31, -123), (2, -123), (28, -123), (8, 400)])
def test_k51_three_readers_agree_on_a_written_game(tmp_path, stage, first):
    game = GAMES.synthetic_game(stage, first=first, length=120)
    game.frames["items"]["owner"] %= 4
    path = tmp_path / "game.slp"
    write_game(path, game)
    np.testing.assert_array_equal(read_game(path).frames, game.frames)
    np.testing.assert_array_equal(peppi.read_game(path).frames, game.frames)
    check_game(path, game)


@GAMES.needs_replays
@pytest.mark.parametrize(
    "name",
    ["v3.12.0_DL_popo-falco", "v3.14.0_FD_fox-falcon", "v3.18.0_FoD", "v3.9.1_YS_fox-zelda", "v2.0.1_YS"],
)
def test_k51_recorded_written_and_read_again(tmp_path, name):
    game = read_game(next(iter(GAMES.REPLAYS.glob(f"{name}*.slp"))))
    path = tmp_path / "game.slp"
    write_game(path, game)
    np.testing.assert_array_equal(read_game(path).frames, game.frames)
    np.testing.assert_array_equal(peppi.read_game(path).frames, game.frames)
    game = Game(game.info, game.frames[-400:].copy())
    write_game(path, game)
    check_game(path, game)


@pytest.mark.slow
@GAMES.needs_replays
def test_k51_every_recorded_duel_survives_the_round_trip(tmp_path):
    games = 0
    for path in GAMES.recorded_files():
        try:
            reading = read(path)
        except Exception:
            continue
        if reading.game is None:
            continue
        write_game(tmp_path / "game.slp", reading.game)
        again = read(tmp_path / "game.slp")
        assert (again.status, again.reason) == ("read", ""), path.name
        ours, theirs = again.game.frames, reading.game.frames
        if reading.status == "read" and reading.info.end_method:
            assert ours.tobytes() == theirs.tobytes(), path.name
        assert ours["seats"].tobytes() == theirs["seats"].tobytes(), path.name
        assert ours["items"].tobytes() == theirs["items"].tobytes(), path.name
        games += 1
    assert games >= 115


RECORDING = """
import importlib.util, os, signal, sys
spec = importlib.util.spec_from_file_location("games", sys.argv[1])
games = importlib.util.module_from_spec(spec)
spec.loader.exec_module(games)
from melee_env.slp import SlpRecorder
game = games.synthetic_game(length=100)
recorder = SlpRecorder(sys.argv[2], game.info)
for frame in game.frames[:70]:
    recorder.append(frame)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_k51_killed_recorder_leaves_a_repairable_file(tmp_path):
    path, fixed = tmp_path / "game.slp", tmp_path / "fixed.slp"
    ended = subprocess.run([sys.executable, "-c", RECORDING, GAMES.__file__, path], check=False)
    assert ended.returncode == -signal.SIGKILL
    reading = repair(path, fixed)
    assert (reading.status, reading.reason, reading.frames) == ("repaired", "unfinished", 70)
    assert read(fixed).status == "read"
    expected = GAMES.synthetic_game(length=100).frames[:70]
    np.testing.assert_array_equal(read_game(fixed).frames["seats"], expected["seats"])
