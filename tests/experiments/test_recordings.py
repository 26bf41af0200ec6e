"""Recorded players as a yardstick: every frame once, the player's inputs fed back, nothing skipped in silence."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest
import torch

from demonstrations.games import iterate_games
from demonstrations.trajectories import observe, stretches
from experiments.evaluation import recordings as module
from experiments.evaluation.intervals import ratio_interval
from experiments.evaluation.recordings import (
    WINDOW,
    compare_recordings,
    evaluate_recordings,
    follow,
    require_networks,
)
from experiments.families import FAMILIES, families
from melee_env.errors import OptionError, ReplayError
from melee_env.ids import Action

sys.path.insert(0, str(Path(__file__).parent))
from toy_network import toy_network  # noqa: E402

Run = Callable[..., tuple[int, str, str]]
without_baseline = run_path(str(Path(__file__).parents[1] / "conformance" / "test_k40_baselines.py"))[
    "without_baseline"
]


@pytest.mark.parametrize("delay", [0, 2])
def test_windows_predict_what_the_agent_would_choose_frame_by_frame(recordings: Path, delay: int) -> None:
    agent = toy_network(delay=delay)
    correct = frames = 0
    for game in iterate_games(recordings / "0.slp"):
        for stretch in stretches(game, (0, 1)):
            _, obs, acts = observe(stretch.frames, agent.encoder, agent.codec, delay)
            agent.reset(1)
            for seen, action in zip(obs[:-1], acts, strict=True):
                correct += int((agent.act_on(seen[None])[0] == action).sum())
                agent.previous = torch.from_numpy(action[None].astype(np.int64))
            frames += len(acts)
    found = evaluate_recordings(agent, recordings / "0.slp").summary()
    assert found["frames"] == frames > 2 * WINDOW
    assert found["accuracy"] == pytest.approx(correct / frames / 13, abs=1e-9)
    assert 0.02 < found["accuracy"] < 0.98


def test_every_file_is_counted_or_named_and_every_frame_has_one_family(recordings: Path) -> None:
    results = evaluate_recordings(toy_network(), recordings)
    found = results.summary()
    assert found["games"] == 2
    assert {entry["file"]: entry["reason"] for entry in found["skipped"]} == {
        "again.slp": "duplicate",
        "bad.slp": "not_slp",
        "empty.slp": "not_slp",
    }
    assert set(found["families"]) == {"walking, running", "airborne"}
    assert sum(row["frames"] for row in found["families"].values()) == found["frames"]
    low, high = found["heads"]["B"]["interval"]
    assert low <= found["heads"]["B"]["accuracy"] <= high
    pressed = found["buttons"]["B"]
    assert pressed["press_ratio"]["mean"] == pytest.approx(pressed["predicted"] / pressed["human"])
    assert sum(row["share"] for row in found["reliability"]) == pytest.approx(1)


def test_only_players_of_a_fighter(recordings: Path) -> None:
    everyone = evaluate_recordings(toy_network(), recordings).whole.frames
    assert evaluate_recordings(toy_network(), recordings, character="FALCO").whole.frames == everyone // 2
    with pytest.raises(OptionError, match=r"no player of MARTH \(3 character, 2 not_slp\)"):
        evaluate_recordings(toy_network(), recordings, character="MARTH")


def test_agents_are_compared_on_the_same_games(recordings: Path) -> None:
    ours, other = (
        evaluate_recordings(toy_network(), recordings),
        evaluate_recordings(toy_network(1, observation="full"), recordings),
    )
    found = compare_recordings(ours, other)
    assert found["accuracy"]["mean"] == pytest.approx(
        np.mean(ours.per_game("accuracy") - other.per_game("accuracy"))
    )
    assert compare_recordings(ours, ours)["accuracy"] == {
        "mean": 0.0,
        "low": 0.0,
        "high": 0.0,
        "games_needed": None,
    }
    with pytest.raises(OptionError, match="same games"):
        compare_recordings(ours, evaluate_recordings(toy_network(), recordings / "0.slp"))


def test_agents_that_cannot_be_shown_frames_are_refused(recordings: Path) -> None:
    held, other = toy_network(), toy_network()
    held.frame_skip = 3
    with pytest.raises(OptionError, match="holds an action for 3 frames"):
        evaluate_recordings(held, recordings)
    other.codec.name = "another"
    with pytest.raises(OptionError, match="another, multidiscrete"):
        require_networks([toy_network(), other])


def test_interrupted_evaluation_leaves_what_was_there(
    recordings: Path, checkpoint: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's Ctrl-C arrives while the second player is predicted."""
    players: list[int] = []

    def follow_and_interrupt(*arguments: Any) -> Any:
        players.append(1)
        if len(players) == 2:
            signal.raise_signal(signal.SIGINT)
        return follow(*arguments)

    monkeypatch.setattr(module, "follow", follow_and_interrupt)
    (tmp_path / "f.json").write_text("earlier")
    files = ("--json", tmp_path / "f.json", "--html", tmp_path / "f.html")
    assert run("eval", checkpoint, "--data", recordings, *files) == (130, "", "interrupted\n")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("f.json", "earlier")]


def test_one_refused_file_is_an_error(recordings: Path) -> None:
    with pytest.raises(ReplayError):
        evaluate_recordings(toy_network(), recordings / "bad.slp")


def test_families_cover_all_states() -> None:
    names = [FAMILIES[k] for k in families([0, 14, 20, 24, 29, 57, 65, 179, 253, 341, 382])]
    assert names[:4] == ["dead", "standing", "walking, running", "jump squat"]
    assert names[4:] == [
        "airborne",
        "ground attack",
        "aerial attack",
        "shield",
        "ledge",
        "special",
        "special",
    ]
    assert len(families(range(len(Action)))) == len(Action)


def test_interval_over_games_covers_the_truth_as_often_as_it_says() -> None:
    """Games differ more than their frames do: an interval that counted frames would be far too narrow."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        frames = rng.integers(500, 1500, 12)
        share = np.clip(rng.normal(0.7, 0.08, 12), 0, 1)
        interval = ratio_interval(rng.binomial(frames, share), frames)
        assert interval.low is not None and interval.high is not None
        covered += interval.low <= 0.7 <= interval.high
    assert covered / 400 == pytest.approx(0.95, abs=0.03)


def test_command_prints_tables_and_writes_json(
    recordings: Path, checkpoint: Path, tmp_path: Path, run: Run
) -> None:
    words = (
        "eval",
        checkpoint,
        "--data",
        recordings,
        "--baseline",
        checkpoint,
        "--json",
        tmp_path / "f.json",
    )
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert "2 games" in out and "3 files skipped: 2 not_slp, 1 duplicate" in out
    assert "majority" in out and "walking, running" in out and "games needed" in out
    found = json.loads((tmp_path / "f.json").read_text())
    assert without_baseline(found) == []
    assert {"heads", "buttons", "families", "baseline", "difference", "command", "machine"} <= found.keys()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--data", "missing"), "missing"),
        (("--data", ".", "--games", "3"), "--games has no effect with --data"),
        (("--data", ".", "--fixture", __file__), "--fixture has no effect with --data"),
        (("--fixture-seat", "1"), "--fixture-seat needs --fixture"),
        (("--data", "."), "no two-player game"),
        (("--data", ".", "--character", "NOBODY"), "unknown character 'NOBODY'; known: MARIO, "),
        (("--data", ".", "--json", "missing/f.json"), "there is no folder missing"),
        (("--data", ".", "--html", "missing/f.html"), "there is no folder missing"),
        (("--record", "missing/f.slp"), "there is no folder missing"),
        (("--json", "."), ". is a folder"),
        (("--data", ".", "--baseline", "scripted:idle"), "'scripted:idle' has no network"),
        (("--expert", "teacher:multishine"), "--expert needs --seen"),
        (("--opponent", "teacher:multishine", "--opponent-character", "MARTH"), "plays FOX, not MARTH"),
    ],
)
def test_wrong_calls_are_refused_in_one_line(
    words: tuple[str, ...], message: str, checkpoint: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, run: Run,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    code, _, err = run("eval", checkpoint, *words)
    assert code == 2 and err.startswith("error: ") and err.count("\n") == 1
    assert message in err
