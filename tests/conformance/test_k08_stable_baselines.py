"""K8, K65: the native VecEnv is SB3's ``DummyVecEnv`` of the single environment."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from melee_env.envs.drills.recovery import RecoveryTask
from melee_env.envs.vector import VersusVectorEnv
from melee_env.sb3 import NativeVecEnv, make_vec

VERSUS = "melee_env/Versus-v0"


def make_both(env_id: str, num_envs: int, **kwargs: Any) -> tuple[NativeVecEnv, DummyVecEnv]:
    dummy = DummyVecEnv([lambda: gym.make(env_id, **kwargs) for _ in range(num_envs)])
    return make_vec(env_id, num_envs, **kwargs), dummy


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for name in theirs:
            assert_same(ours[name], theirs[name])
    elif isinstance(theirs, list | tuple):
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(mine, other)
    else:
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("env_id", [VERSUS, "melee_env/Recovery-v0", "melee_env/Multishine-v0"])
def test_k08_side_by_side(env_id: str) -> None:
    native, dummy = make_both(env_id, 3, time_limit=25)
    native.action_space.seed(0)
    assert native.seed(5) == dummy.seed(5)
    assert_same(native.reset(), dummy.reset())
    assert_same(native.reset_infos, dummy.reset_infos)
    ended = 0
    for _ in range(200):
        actions = np.stack([native.action_space.sample() for _ in range(3)])
        ours, theirs = native.step(actions), dummy.step(actions)
        assert_same(ours, theirs)
        assert_same(native.reset_infos, dummy.reset_infos)
        ended += int(ours[2].sum())
    assert ended >= 6


def test_k08_options_are_used_once_and_per_lane() -> None:
    native, dummy = make_both(VERSUS, 2)
    results = []
    for env in (native, dummy):
        env.seed(1)
        env.set_options([{"stage": "BATTLEFIELD"}, {"stocks": 1, "percent": 50.0}])
        results.append([env.reset(), env.reset()])
    assert_same(results[0], results[1])
    assert not np.array_equal(results[0][0], results[0][1])


def test_k08_one_mapping_of_options_is_for_all_lanes() -> None:
    native, dummy = make_both(VERSUS, 2)
    for env in (native, dummy):
        env.seed(1)
        env.set_options({"stocks": 2})
    assert_same(native.reset(), dummy.reset())


@pytest.mark.parametrize("name", ["observation_space", "action_space", "render_mode", "spec"])
def test_k08_attributes_are_those_of_a_lane(name: str) -> None:
    native, dummy = make_both(VERSUS, 2)
    ours, theirs = native.get_attr(name), dummy.get_attr(name)
    assert len(ours) == 2
    if name == "spec":
        assert [spec.id for spec in ours] == [spec.id for spec in theirs]
    else:
        assert ours == theirs
    assert len(native.get_attr(name, indices=[1])) == 1


def test_k08_nothing_is_wrapped() -> None:
    assert make_vec(VERSUS, 2).env_is_wrapped(Monitor) == [False, False]


def test_k08_sb3_finds_nothing_in_the_single_environment() -> None:
    check_env(gym.make(VERSUS, action="box").unwrapped, warn=False)


def test_k08_wrappers_of_sb3_go_around_it() -> None:
    env = VecNormalize(VecMonitor(make_vec("melee_env/Recovery-v0", 2, seed=0)))
    env.reset()
    episodes = []
    for _ in range(150):
        actions = np.stack([env.action_space.sample() for _ in range(2)])
        observations, rewards, _, infos = env.step(actions)
        episodes += [info["episode"] for info in infos if "episode" in info]
    assert (observations.dtype, rewards.dtype) == (np.float32, np.float32)
    assert episodes and all(episode["l"] <= 120 for episode in episodes)


def test_k65_an_end_on_the_limits_step_is_no_truncation() -> None:
    """The drill succeeds on the very frame that its limit cuts."""
    options = {"position": (0.0, 5.0)}
    env = gym.make("melee_env/Recovery-v0", frame_skip=1).unwrapped
    env.reset(seed=0, options=options)
    still = env.games.codec.neutral()
    frames = 1
    while not env.step(still)[2]:
        frames += 1

    class LimitedTask(RecoveryTask):
        max_frames = frames

    native = NativeVecEnv(
        VersusVectorEnv(1, task_type=LimitedTask, frame_skip=1, autoreset_mode="SameStep", **{})
    )
    native.set_options(options)
    native.reset()
    done = False
    while not done:
        _, _, dones, infos = native.step(still[None])
        done = bool(dones[0])
    assert native.env.games.task.max_frames == frames
    assert infos[0]["success"] and infos[0]["TimeLimit.truncated"] is False


def test_k65_a_plain_limit_is_a_truncation() -> None:
    native = make_vec(VERSUS, 1, time_limit=1)
    native.reset()
    done = False
    while not done:
        observations, _, dones, infos = native.step(native.env.games.codec.neutral()[None])
        done = bool(dones[0])
    assert infos[0]["TimeLimit.truncated"] is True
    assert not np.array_equal(infos[0]["terminal_observation"], observations[0])
