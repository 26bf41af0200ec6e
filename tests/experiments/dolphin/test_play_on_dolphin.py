"""``melee-env play --backend dolphin`` on the virtual Dolphin: replay, trace and figures agree."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.cli import main
from experiments.dolphin.trace import read_trace
from experiments.streams.compare import compare_streams
from experiments.streams.sources import load_stream
from melee_env.engine.engine import warm_up
from melee_env.slp import read_game

pytest.importorskip("melee")


def play(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    warm_up()
    program = "from experiments.cli import main; main()"
    command = [sys.executable, "-c", program, "play", "--backend", "dolphin", *options]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def test_sync_leaves_a_whole_replay_and_a_trace_of_the_same_frames(tmp_path: Path) -> None:
    run = play(
        tmp_path,
        *("--dolphin", "virtual", "--agent", "scripted:fighter-5", "--opponent", "cpu-3", "--fps", "0"),
        *("--seconds", "0.5", "--replays", "replays", "--traces", "traces", "--json", "out.json"),
    )
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    assert (result["mode"], result["first_input_frames"]) == ("sync", 1)
    (game,) = result["games"]
    (replay,) = result["replays"]
    recorded = read_game(tmp_path / replay)
    assert game["left"] and recorded.info.end_method == 7
    assert recorded.info.seats[1].kind == 1 and recorded.info.seats[1].cpu_level == 3
    assert len(read_trace(tmp_path / game["trace"])) == game["frames"] + 1
    difference = compare_streams(
        load_stream(str(tmp_path / game["trace"])), load_stream(str(tmp_path / replay))
    )
    # The trace ends where the game is left; only the replay knows that it was.
    assert [row["field"] for row in difference["fields"]] in ([], ["end_method"])
    assert difference["only_first"] == 0 and difference["frames"] == game["frames"] + 1
    assert all(row["action_frame"] == 0 for row in difference["actions"])


def test_async_plays_at_sixty_frames_and_tells_how_stale_its_actions_were(tmp_path: Path) -> None:
    run = play(
        tmp_path,
        *("--dolphin", "virtual", "--agent", "scripted:fighter-5", "--mode", "async", "--opponent", "human"),
        *("--seconds", "1", "--json", "out.json"),
        VIRTUAL_DOLPHIN_HUMAN="scripted:walk",
    )
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    player = result["players"]["1"]
    assert result["mode"] == "async" and 30 < result["frames_per_s"] < 70
    assert player["actions"] == result["games"][0]["frames"] and player["stale_frames"] <= player["actions"]
    assert "longest run" in run.stdout and "inference" in run.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent", "scripted:idle"], "option 'dolphin' is missing"),
        (["--dolphin", "virtual"], "--agent must be an agent"),
        (["--dolphin", "virtual", "--agent", "scripted:idle", "--mode", "slow"], "sync or async"),
        (["--dolphin", "virtual", "--agent", "scripted:idle", "--record", "a.slp"], "--replays"),
    ],
)
def test_wrong_calls_are_named(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["play", "--backend", "dolphin", *options])
    told = capsys.readouterr().err
    assert end.value.code == 2 and message in told and len(told.splitlines()) == 1
