"""UMI: conversions lose nothing that UMI holds, our agents pass its conformance, our engine serves its bots."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

umi = pytest.importorskip("umi")

from umi.conform.arena import DummyArena, load_fixtures  # noqa: E402

from experiments.umi.arena import BotError, play_arena  # noqa: E402
from experiments.umi.layout import from_rows, from_umi, to_rows, to_umi, umi_name  # noqa: E402
from melee_env.actions import make_codec  # noqa: E402
from melee_env.backends.base import MatchOptions  # noqa: E402
from melee_env.errors import OptionError  # noqa: E402
from melee_env.frame import seen_from  # noqa: E402
from melee_env.ids import Character, Stage  # noqa: E402
from melee_env.testing import sample_frames  # noqa: E402

PROGRAM = "from experiments.cli import main; main()"
SHORT = MatchOptions(stage=Stage.BATTLEFIELD, stocks=(1, 1), time_limit=240)


def bot_command(agent: str, *options: str) -> str:
    return shlex.join([sys.executable, "-c", PROGRAM, "umi", "bot", agent, *options])


def test_names_are_umis() -> None:
    assert {umi_name(one) for one in Character if one is not Character.NANA} == set(umi.frame.CHARACTERS)
    assert {umi_name(stage) for stage in Stage} == set(umi.frame.STAGES)
    for one in Character:
        assert one is Character.NANA or umi.frame.CHARACTERS[umi_name(one)] == one.internal


def test_umis_own_frames_come_back() -> None:
    frames = load_fixtures()["frames"][..., 0].reshape(-1)[::7]
    back = to_umi(from_umi(frames, np.zeros(len(frames), int)))
    for name in umi.frame.FRAME.names:
        if name not in ("players", "nana"):
            np.testing.assert_array_equal(back[name], frames[name], err_msg=name)
    for part in ("players", "nana"):
        for name in set(umi.frame.FIGHTER.names) - {"controller", "invulnerable"}:
            shown = frames[part][name], back[part][name]
            for frame in shown:
                frame[frames[part]["exists"] == 0] = 0
            np.testing.assert_array_equal(*shown, err_msg=f"{part}.{name}")
    given, back_input = frames["players"]["controller"], back["players"]["controller"]
    np.testing.assert_array_equal(back_input["buttons"], given["buttons"])
    for x, y in (("main_x", "main_y"), ("c_x", "c_y")):
        inside = np.hypot(given[x] - 0.5, given[y] - 0.5) <= 0.5  # beyond is what the gate stops
        assert inside.mean() > 0.5
        for name in (x, y):
            np.testing.assert_allclose(back_input[name][inside], given[name][inside], atol=1 / 160 + 1e-6)


def test_each_side_sees_itself_first() -> None:
    frames = sample_frames(1, 40, seed=3)[-1]
    frames["items"]["exists"][:, 0], frames["items"]["owner"][:, 0] = 1, frames["seats"]["port"][:, 1]
    own, other = to_umi(frames), to_umi(seen_from(frames, 1))
    assert own["players"][0, 0] == other["players"][0, 1]
    assert (own["items"]["owner"][0, 0], other["items"]["owner"][0, 0]) == (1, 0)


def test_rows_and_controllers_are_one_to_one() -> None:
    codec = make_codec("multidiscrete")
    rng = np.random.default_rng(0)
    actions = rng.integers(0, codec.space.nvec, (500, len(codec.space.nvec)))
    controllers = codec.decode(actions)
    back = from_rows(to_rows(controllers))
    for name in controllers.dtype.names:
        if name != "trigger_r":
            np.testing.assert_array_equal(back[name], controllers[name], err_msg=name)


def test_what_is_not_in_0_1_is_neutral() -> None:
    rows = np.full((1, 13), np.nan, np.float32)
    assert from_rows(rows)[0] == from_rows(umi.frame.NEUTRAL_CTRL[None])[0]


@pytest.mark.parametrize("agent", ["scripted:fighter-5"])
def test_our_agents_pass_umi_conform(agent: str) -> None:
    checks = DummyArena(shlex.split(bot_command(agent)), steps=40, max_games=8, delay=18).run()
    assert [(one.name, one.detail) for one in checks if one.status in ("fail", "warn")] == []
    passed = {one.name for one in checks if one.status == "pass"}
    assert {"hello", "ready", "lanes and game churn", "characters", "determinism", "shutdown"} <= passed


def test_the_engine_serves_a_bot_as_it_serves_the_agent() -> None:
    direct = play_arena(("scripted:fighter-9", "scripted:walk"), SHORT, games=2, delay=3, seed=1)
    served = play_arena(
        (f"cmd:{bot_command('scripted:walk')}", "scripted:idle"), SHORT, games=2, delay=3, seed=1
    )
    again = play_arena(("scripted:walk", "scripted:idle"), SHORT, games=2, delay=3, seed=1)
    assert direct.win_rate.mean >= 0.5
    assert served.players == ("scripted:walk", "scripted:idle")
    np.testing.assert_array_equal(served.frames, again.frames)
    np.testing.assert_array_equal(served.outcomes, again.outcomes)


BAD_BOTS = {
    "import sys; sys.exit(3)": "ended with code 3",
    "import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['UMI_SOCKET'])": "broke off",
    "import socket,os,umi; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['UMI_SOCKET']);"
    "umi.protocol.send(s, {'t': 'hello', 'umi': '9', 'name': 'x', 'characters': 'ALL'}); s.recv(1)": "speaks UMI 9",
}


@pytest.mark.parametrize("program", BAD_BOTS, ids=["ends", "leaves", "version"])
def test_a_bad_bot_is_named(program: str) -> None:
    command = shlex.join([sys.executable, "-c", program])
    with pytest.raises(BotError, match=BAD_BOTS[program]):
        play_arena((f"cmd:{command}", "scripted:idle"), SHORT)


def test_an_impossible_delay_is_refused() -> None:
    with pytest.raises(OptionError, match="0..30"):
        play_arena(("scripted:idle", "scripted:idle"), SHORT, delay=31)


def test_the_commands(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "umi", "arena", "scripted:walk", "scripted:idle"]
    command += ["--games", "2", "--seconds", "2", "--json", str(tmp_path / "a.json")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    written = json.loads((tmp_path / "a.json").read_text())
    assert (written["games"], written["delay"], len(written["outcomes"])) == (2, 18, 2)
    environment = {k: v for k, v in os.environ.items() if k != "UMI_SOCKET"}
    command = [sys.executable, "-c", PROGRAM, "umi", "bot", "scripted:walk"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 2 and "UMI_SOCKET" in run.stderr
