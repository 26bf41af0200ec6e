"""The engine against recordings: a recording of the engine itself is right everywhere; K47 nothing leaks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.cli.app import main
from experiments.fidelity.formulas import count
from experiments.fidelity.free_run import run_free
from experiments.fidelity.one_step import compare
from experiments.fidelity.summary import Summary, summarise
from experiments.fidelity.trace_page import trace_page
from melee_env.backends.base import MatchOptions
from melee_env.controller import Controllers, make_controllers
from melee_env.engine.engine import Engine
from melee_env.engine.states import NUM_STATES
from melee_env.frame import empty_frames
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import Character
from melee_env.slp.writer import write_game

FRAMES = 900


def walk_and_jump(t: int) -> Controllers:
    """Both walk to and fro and jump; they start far enough apart never to meet."""
    x = 0.6 if t % 60 < 30 else -0.6
    return make_controllers(
        stick_x=np.array([x, -x]),
        buttons=np.array([0x400 if t % 100 < 3 else 0, 0x400 if t % 90 < 20 else 0]),
    )


def record(frames: int = FRAMES) -> Game:
    """A game of two Foxes on the embedded engine."""
    engine = Engine(1)
    engine.start(0, 5, MatchOptions(start_frame=-122))
    out = empty_frames(frames + 1)
    out[0] = engine.frames[0]
    for t in range(frames):
        out[t + 1] = engine.step(walk_and_jump(t)[None])[0]
    seats = tuple(SeatInfo(port=p, character=Character.FOX.external) for p in (0, 1))
    return Game(GameInfo(stage=int(out["stage"][0]), seats=seats, seed=5), out)


def record_hit() -> Game:
    """A short game in which seat 0 jabs seat 1, which stands."""
    engine = Engine(1)
    engine.start(0, 5, MatchOptions(start_frame=0, positions=((-4.0, 0.0), (4.0, 0.0))))
    out = empty_frames(40)
    out[0] = engine.frames[0]
    for t in range(1, len(out)):
        out[t] = engine.step(make_controllers(buttons=np.array([0x100 if t == 20 else 0, 0]))[None])[0]
    seats = tuple(SeatInfo(port=p, character=Character.FOX.external) for p in (0, 1))
    return Game(GameInfo(stage=int(out["stage"][0]), seats=seats, seed=5), out)


@pytest.fixture(scope="module")
def game() -> Game:
    return record()


def test_the_engine_agrees_with_itself(game: Game) -> None:
    result = compare(game)
    assert len(result.frames) == FRAMES - 84 + 1
    wrong = {name: int((~passed).sum()) for name, passed in result.passed.items() if not passed.all()}
    assert wrong == {}
    assert result.bit_exact.all()
    lengths = run_free(game, result.starts)
    assert list(lengths) == [len(game) - 1 - start.index for start in result.starts]


def test_a_changed_recording_is_found(game: Game) -> None:
    changed = Game(game.info, game.frames.copy())
    changed.frames["seats"]["leader"]["x"][500:, 0] += np.float32(0.75)
    summary = summarise([("changed", changed)]).as_json()
    assert summary["games"] == 1
    assert summary["one_step"]["state"] == 1.0
    assert summary["by_field"]["x"] < 1.0
    assert min(summary["by_field"].values()) == summary["by_field"]["x"]
    assert summary["top_misses"][0]["frame"] == changed.frames["frame"][500]
    assert list(summary["top_misses"][0]["diff"]) == ["x"]
    starts = compare(changed).starts
    first = run_free(changed, starts)[0]
    assert first == 499 - starts[0].index


def test_the_page_marks_the_first_difference(game: Game) -> None:
    changed = Game(game.info, game.frames.copy())
    changed.frames["seats"]["leader"]["x"][500:, 0] += np.float32(0.75)
    starts = compare(changed).starts[:1]
    page = trace_page("<changed>", changed, starts)
    frame = changed.frames["frame"][500]
    assert page.count('<circle class="first"') == 4 == page.count(f"<title>{frame}</title>")
    assert f"<td>{frame}</td><td>0</td><td>x</td>" in page
    assert "&lt;changed&gt;" in page and "<script" not in page and "http" not in page
    engine = np.zeros((len(game), 2), game.frames["seats"]["leader"].dtype)
    run_free(changed, starts, engine)
    ran = np.flatnonzero(engine["present"][:, 0])
    assert (ran[0], ran[-1]) == (starts[0].index + 1, 500)


def test_hits_are_counted_by_the_state_of_the_victim() -> None:
    scene = record_hit()
    figures = summarise([("hit", scene)]).as_json()
    assert figures["hits"] == {
        "recorded": 1,
        "predicted": 1,
        "precision": 1.0,
        "recall": 1.0,
        "exact_precision": 1.0,
        "exact_recall": 1.0,
    }
    assert list(figures["hits_by_victim_state"]) == ["14"]
    late = Game(scene.info, scene.frames.copy())
    leaders = late.frames["seats"]["leader"]
    leaders[1:, 1] = leaders[:-1, 1].copy()  # the victim shows everything a frame late
    figures = summarise([("late", late)]).as_json()["hits"]
    assert (figures["recall"], figures["exact_recall"]) == (1.0, 0.0)


def test_fields_that_a_version_lacks_are_left_out(game: Game) -> None:
    info = GameInfo(**{**game.info.__dict__, "absent": frozenset({"hitlag", "vel_y"})})
    frames = game.frames.copy()
    frames["seats"]["leader"]["hitlag"] = 9
    result = compare(Game(info, frames[:200]))
    assert "hitlag" not in result.passed
    assert "vel_y" not in result.passed


@settings(max_examples=25, deadline=None)
@given(k=st.integers(90, 220), seed=st.integers(0, 2**32 - 1))
def test_k47_nothing_of_the_next_frame_is_read_but_inputs_and_seed(k: int, seed: int) -> None:
    game = record(240)
    frames = game.frames.copy()
    rng = np.random.default_rng(seed)
    leaders = frames["seats"]["leader"]
    for name in leaders.dtype.names:
        if name not in ("controller", "character"):
            noise = np.frombuffer(rng.bytes(leaders[name][k:].nbytes), leaders.dtype[name].base)
            leaders[name][k:] = noise.reshape(leaders[name][k:].shape)
    # Later frames are scrambled too, but only frame k may be predicted from what is left.
    scrambled = compare(Game(game.info, frames[: k + 1]))
    clean = compare(Game(game.info, game.frames[: k + 1]))
    assert scrambled.predicted.tobytes() == clean.predicted.tobytes()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_states_and_floors_that_the_engine_lacks_are_misses_and_no_crash(seed: int) -> None:
    game = record(150)
    rng = np.random.default_rng(seed)
    leaders = game.frames["seats"]["leader"]
    strange = rng.random(leaders.shape) < 0.3
    leaders["action"][strange] = rng.integers(0, 2**16, int(strange.sum()))
    leaders["ground"][strange] = rng.integers(0, 2**16, int(strange.sum()))
    result = compare(game)
    unknown = leaders["action"][1:][-len(result.frames) :] >= NUM_STATES
    assert not result.passed["action"][unknown].any()


def test_the_command_reports_and_skips(
    game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_game(tmp_path / "good.slp", game)
    (tmp_path / "bad.slp").write_bytes(b"no recording")
    with pytest.raises(SystemExit) as stopped:
        main(["fidelity", str(tmp_path), "--json", str(tmp_path / "f.json")])
    assert not stopped.value.code
    result = json.loads((tmp_path / "f.json").read_text())
    assert result["games"] == 1
    assert result["one_step"]["all_fields"] == 1.0
    assert result["by_character"]["FOX"]["fighter_frames"] == result["fighter_frames"]
    assert [entry["file"] for entry in result["skipped"]] == ["bad.slp"]
    assert "FINAL_DESTINATION" in capsys.readouterr().out


def test_nothing_to_check_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["fidelity", str(tmp_path)])
    assert stopped.value.code == 2
    assert "no game to check" in capsys.readouterr().err


def test_speeds_are_bit_exact_only_where_they_are_recorded_so(game: Game) -> None:
    name = "all five speeds in movement without contact, bit for bit"
    before = count(compare(game))[name]
    assert before[0] == before[1] > 300
    changed = Game(game.info, game.frames.copy())
    speeds = changed.frames["seats"]["leader"]["vel_air_x"]
    speeds[500, 0] = np.nextafter(speeds[500, 0], np.float32(9))
    right, of = count(compare(changed))[name]
    assert (right, of) == (before[0] - 1, before[1])
    summary = Summary()
    summary.add("changed", changed)
    shares = summary.as_json()["one_step"]
    assert shares["velocities_bit_exact"] < shares["all_fields"] == 1
    old = Game(replace(game.info, absent=frozenset({"vel_ground_x", "vel_air_x"})), game.frames)
    assert compare(old).speeds_exact is None
    assert count(compare(old))[name] == (0, 0)
