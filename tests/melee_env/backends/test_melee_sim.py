"""The melee_sim backend against a double of that engine's interface; the engine itself needs a disc and is not here."""

import importlib.util
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import melee_env  # noqa: F401 (registers the ids)
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Button, make_controllers, neutral
from melee_env.errors import BackendError, OptionError, StateVersionError
from melee_env.ids import Character, Stage

_SPEC = importlib.util.spec_from_file_location(
    "melee_sim_double", Path(__file__).with_name("melee_sim_double.py")
)
DOUBLE = importlib.util.module_from_spec(_SPEC)
sys.modules["melee_sim_double"] = DOUBLE
_SPEC.loader.exec_module(DOUBLE)
OPTIONS = MatchOptions(characters=(Character.FOX, Character.MARTH), stage=Stage.BATTLEFIELD)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    def install(**changes):
        monkeypatch.setitem(sys.modules, "melee_sim", DOUBLE.make_module(**changes))

    install()
    return install


def start(num_games: int = 1, seed: int = 7, options: MatchOptions = OPTIONS):
    backend = make_backend("melee_sim", num_games)
    return backend, backend.reset(np.full(num_games, seed, np.uint32), [options] * num_games)


def test_a_match_starts_on_the_frame_before_the_first_controllable_one(installed) -> None:
    _, frames = start()
    leaders = frames["seats"]["leader"][0]
    assert frames["frame"][0] == -40 and frames["stage"][0] == Stage.BATTLEFIELD.external
    assert leaders["character"].tolist() == [1, 18] and leaders["stocks"].tolist() == [4, 4]
    assert leaders["facing"].tolist() == [1, -1] and leaders["airborne"].tolist() == [0, 0]


def test_inputs_arrive_and_their_frame_shows_them(installed) -> None:
    backend, frames = start()
    pads = make_controllers(stick_x=[[-1, 0.5]], buttons=[[int(Button.B), 0]])
    before = frames["seats"]["leader"]["x"][0].copy()
    frames = backend.step(pads)
    leaders = frames["seats"]["leader"][0]
    assert leaders["x"].tolist() == [before[0] - 1, before[1] + 0.5]
    assert leaders["pre_x"].tolist() == before.tolist() and leaders["percent"].tolist() == [0, 10]
    assert leaders["controller"].tobytes() == pads[0].tobytes()
    assert frames["items"]["exists"][0].sum() == 1 and frames["items"]["misc"][0, 0].tolist() == [0, 7, 0, 0]
    old = pads.copy()
    for name in ("raw_x", "raw_y", "raw_cx", "raw_cy"):
        old[name] = 0  # a recording without raw bytes
    assert backend.step(old)["seats"]["leader"]["x"][0].tolist() == [before[0] - 2, before[1] + 1]


def test_many_steps_pass_the_end_of_the_buffers(installed) -> None:
    backend, _ = start(3)
    for _ in range(600):
        frames = backend.step(neutral(3, 2))
    assert frames["frame"].tolist() == [560] * 3


def test_a_masked_reset_leaves_the_other_matches_alone(installed) -> None:
    backend, _ = start(2)
    right = make_controllers(stick_x=np.full((2, 2), 1.0))
    for _ in range(5):
        backend.step(right)
    yoshi = MatchOptions(stage=Stage.YOSHIS_STORY)
    frames = backend.reset(np.array([9, 9], np.uint32), [yoshi, yoshi], np.array([True, False]))
    assert frames["frame"].tolist() == [-40, -35]
    assert frames["stage"].tolist() == [Stage.YOSHIS_STORY.external, Stage.BATTLEFIELD.external]
    assert frames["randall_y"].tolist() == [-13, 0]
    frames = backend.step(right)
    assert frames["frame"].tolist() == [-39, -34]
    assert frames["seats"]["leader"]["x"][:, 0].tolist() == [-29, -24]


def test_a_match_that_is_over_stays_at_its_last_frame(installed) -> None:
    backend, _ = start(2)
    suicide = make_controllers(stick_y=np.full((2, 2), [[-1], [0]]), buttons=np.full((2, 2), int(Button.A)))
    for _ in range(4):
        frames = backend.step(suicide)
    assert frames["end_method"].tolist() == [2, 0]
    frames = backend.step(neutral(2, 2))
    assert frames["frame"].tolist() == [-36, -35] and frames["end_method"].tolist() == [2, 0]


def test_the_clock_ends_a_match(installed) -> None:
    backend, _ = start(options=MatchOptions(time_limit=1))
    for _ in range(41):
        frames = backend.step(neutral(1, 2))
    assert (frames["end_method"][0], frames["frame"][0]) == (1, 1)


def test_a_saved_state_goes_on_the_same(installed) -> None:
    backend, _ = start()
    pads = make_controllers(stick_x=[[1.0, -1.0]])
    state = backend.save(0)
    expected = [backend.step(pads)[0].tobytes() for _ in range(5)]
    backend.load(0, state)
    assert [backend.step(pads)[0].tobytes() for _ in range(5)] == expected
    for wrong in (b"", b"melee_sim ", state[: len(state) - 30]):
        with pytest.raises(StateVersionError):
            backend.load(0, wrong)


def test_the_environments_run_on_it(installed) -> None:
    env = gym.make("melee_env/Versus-v0", backend="melee_sim", opponent="scripted:walk", ucf=False)
    observation, _ = env.reset(seed=3)
    for _ in range(60):
        assert env.observation_space.contains(observation)
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert np.isfinite(reward)
    env.close()
    envs = gym.make_vec("melee_env/Versus-v0", 4, backend="melee_sim", opponent="scripted:fighter-2")
    observations, _ = envs.reset(seed=3)
    assert observations.shape[0] == 4
    envs.step(envs.action_space.sample())
    envs.close()


def test_older_names_are_understood(installed) -> None:
    installed(MatchConfig=DOUBLE.OldMatchConfig)
    _, frames = start(seed=11)
    assert frames["seats"]["leader"]["stocks"][0].tolist() == [4, 4] and frames["frame"][0] == -40


def test_what_is_missing_is_named(installed, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(EnvBatch=None)
    with pytest.raises(BackendError, match="'EnvBatch'"):
        make_backend("melee_sim")
    installed(EnvBatch=type("EnvBatch", (DOUBLE.EnvBatch,), {"reset_cursor": property()}))
    backend = make_backend("melee_sim")
    with pytest.raises(BackendError, match="'reset_cursor'"):
        backend.reset(np.zeros(1, np.uint32), [OPTIONS])
    monkeypatch.setitem(sys.modules, "melee_sim", None)
    with pytest.raises(BackendError, match="is not installed .* MSL_DATA_DIR"):
        make_backend("melee_sim")


def test_data_fighters_and_starts_that_it_has_not_are_named(installed) -> None:
    with pytest.raises(BackendError, match="extract its data from your own disc"):
        make_backend("melee_sim", data_dir="missing")
    for options, message in (
        (MatchOptions(characters=(Character.FOX, Character.PICHU)), "no character PICHU; it has FOX"),
        (MatchOptions(stage=Stage.DREAM_LAND), "no stage DREAM_LAND"),
        (MatchOptions(percents=(10.0, 0.0)), "percents"),
        (MatchOptions(stocks=(4, 1)), "the same stocks"),
    ):
        with pytest.raises(OptionError, match=message):
            start(options=options)


def test_closing_twice_is_fine(installed) -> None:
    backend, _ = start()
    backend.close()
    backend.close()
