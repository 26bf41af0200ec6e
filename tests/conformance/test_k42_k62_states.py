"""K42, K62: saved states continue bit for bit, and nothing is ever beyond the numbers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from melee_env.envs.options import DEFAULTS
from melee_env.errors import OptionError, StateVersionError
from melee_env.ids import Character, Stage

VERSUS = "melee_env/Versus-v0"


def play(env: Any, actions: list[Any]) -> list[bytes]:
    results = []
    for action in actions:
        result = env.step(action)
        results.append(result[0].tobytes() + repr(result[1:]).encode())
        if result[2] or result[3]:
            results.append(env.reset()[0].tobytes())
    return results


def actions_of(env: Any, count: int, seed: int) -> list[Any]:
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(count)]


@pytest.mark.parametrize(
    ("env_id", "opponent"),
    [
        (VERSUS, "scripted:fighter-5"),
        (VERSUS, "scripted:random"),
        ("melee_env/Multishine-v0", "scripted:idle"),
        ("melee_env/Recovery-v0", "scripted:random"),
    ],
)
@pytest.mark.parametrize("at", [0, 1, 57, 130])
def test_k42_a_state_continues_here_and_elsewhere(env_id: str, opponent: str, at: int) -> None:
    kwargs = {"opponent": opponent, "action_delay": 5, "time_limit": 120, "sticky_actions": 0.2, "seat": None}
    env = gym.make(env_id, **kwargs).unwrapped
    env.reset(seed=at)
    play(env, actions_of(env, at, seed=1))
    state = env.get_state()
    actions = actions_of(env, 120, seed=2)
    wanted = play(env, actions)
    env.set_state(state)
    assert play(env, actions) == wanted
    other = gym.make(env_id, **kwargs).unwrapped
    other.set_state(pickle.loads(pickle.dumps(state)))
    assert play(other, actions) == wanted


def test_k42_a_state_is_not_changed_by_what_follows() -> None:
    env = gym.make(VERSUS, opponent="scripted:random", action_delay=3).unwrapped
    env.reset(seed=0)
    state = env.get_state()
    before = pickle.dumps(state)
    play(env, actions_of(env, 50, seed=0))
    env.set_state(state)
    play(env, actions_of(env, 50, seed=1))
    assert pickle.dumps(state) == before


def test_k42_an_ended_episode_stays_ended() -> None:
    env = gym.make(VERSUS, time_limit=1).unwrapped
    env.reset(seed=0)
    over = False
    while not over:
        over = env.step(env.action_space.sample())[3]
    state = env.get_state()
    env.reset()
    env.set_state(state)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(env.action_space.sample())


def older_package(state: dict[str, Any]) -> None:
    state["games"]["version"] = ("0.0.1", state["games"]["version"][1])


def other_schema(state: dict[str, Any]) -> None:
    state["games"]["version"] = (state["games"]["version"][0], "0" * 16)


def other_engine(state: dict[str, Any]) -> None:
    saved = bytearray(state["games"]["backend"])
    saved[8] ^= 1
    state["games"]["backend"] = bytes(saved)


def cut_short(state: dict[str, Any]) -> None:
    state["games"]["backend"] = state["games"]["backend"][:-1]


@pytest.mark.parametrize("change", [older_package, other_schema, other_engine, cut_short])
def test_k42_a_state_of_another_version_is_refused_and_does_no_harm(change: Any) -> None:
    env = gym.make(VERSUS).unwrapped
    env.reset(seed=0)
    play(env, actions_of(env, 10, seed=0))
    good = env.get_state()
    bad = copy.deepcopy(good)
    change(bad)
    with pytest.raises(StateVersionError, match="saved by"):
        env.set_state(bad)
    assert pickle.dumps(env.get_state()) == pickle.dumps(good)


def test_k42_lanes_of_a_vector_have_states_of_their_own() -> None:
    envs = gym.make_vec(VERSUS, 2, opponent="scripted:random").unwrapped
    envs.reset(seed=0)
    states = envs.call("get_state")
    actions = [envs.action_space.sample() for _ in range(40)]
    first = [envs.step(action)[0] for action in actions]
    envs.games.set_state(1, states[0])
    envs.games.set_state(0, states[1])
    second = [envs.step(action[::-1].copy())[0][::-1] for action in actions]
    np.testing.assert_array_equal(first, second)


EXTREMES: list[dict[str, Any]] = [
    {"percent": 999, "opponent_percent": 999},
    {"stocks": 99, "opponent_stocks": 1},
    {"position": (169, 149), "opponent_position": (-169, -79)},
    {"position": (0, 0), "opponent_position": (0, 0)},
    {"time_limit": 1},
    {"time_limit": 10_000_000},
    {"frame_skip": 60, "action_delay": 24, "sticky_actions": 0.5},
    {"costume": 5, "opponent_costume": 5, "opponent": "scripted:idle", "seat": 1, "mirror": True},
    *({"stage": stage.name} for stage in Stage),
    *({"character": c.name, "opponent_character": c.name} for c in Character if c is not Character.NANA),
]


@pytest.mark.parametrize("options", EXTREMES, ids=str)
def test_k62_numbers_are_finite_whatever_the_options(options: dict[str, Any]) -> None:
    env = gym.make(
        VERSUS,
        observation="full",
        reward="damage+stock+win+approach",
        **{"opponent": "scripted:random", **options},
    ).unwrapped
    env.action_space.seed(0)
    observation, _ = env.reset(seed=0)
    for _ in range(150):
        assert observation.dtype == np.float32 and env.observation_space.contains(observation)
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert isinstance(reward, float) and abs(reward) < 100
        if terminated or truncated:
            observation, _ = env.reset()


def test_k62_every_episode_option_is_covered_above() -> None:
    assert set(DEFAULTS) <= {key for options in EXTREMES for key in options}


def test_k62_normalising_wrappers_keep_the_type() -> None:
    env = gym.wrappers.NormalizeReward(gym.wrappers.NormalizeObservation(gym.make(VERSUS)))
    observation, _ = env.reset(seed=0)
    for _ in range(20):
        observation, reward, *_ = env.step(env.action_space.sample())
    assert observation.dtype == env.observation_space.dtype == np.float32
    assert np.isfinite(observation).all() and np.isfinite(reward)


def test_k62_vector_types() -> None:
    envs = gym.make_vec(VERSUS, 3)
    observations, _ = envs.reset(seed=0)
    stepped, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
    assert {observations.dtype, stepped.dtype} == {np.dtype(np.float32)}
    assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)


def test_k62_a_reward_that_could_overflow_is_refused() -> None:
    with pytest.raises(OptionError, match="weight"):
        gym.make(VERSUS, reward="damage*1e39")
