"""K1 to K4: spaces, determinism, how episodes end, and what is seen last."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from gymnasium.vector import AutoresetMode

import melee_env.testing
from melee_env.envs.registry import ENTRIES

IDS = [entry.env_id for entry in ENTRIES]
VERSUS = "melee_env/Versus-v0"


@pytest.mark.parametrize("env_id", IDS)
def test_k01_the_kit_accepts_every_id(env_id: str) -> None:
    melee_env.testing.check_env(env_id, steps=120)


@pytest.mark.parametrize("env_id", IDS)
def test_k01_gymnasium_finds_nothing(env_id: str) -> None:
    env = gym.make(env_id)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium_check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("observation", ["compact", "full"])
@pytest.mark.parametrize("action", ["multidiscrete", "box", "discrete"])
def test_k01_two_thousand_random_steps_stay_in_the_space(observation: str, action: str) -> None:
    env = gym.make(VERSUS, observation=observation, action=action, opponent="scripted:random").unwrapped
    env.action_space.seed(0)
    seen = [env.reset(seed=0)[0]]
    for _ in range(2000):
        seen.append(env.step(env.action_space.sample())[0])
    assert {o.dtype for o in seen} == {np.dtype(np.float32)}
    assert all(env.observation_space.contains(o) for o in seen)
    env.close()


@pytest.mark.parametrize("observation", ["compact", "full"])
@pytest.mark.parametrize("action", ["multidiscrete", "box", "discrete"])
def test_k01_spaces_survive_pickling(observation: str, action: str) -> None:
    env = gym.make(VERSUS, observation=observation, action=action)
    spaces = (env.observation_space, env.action_space)
    assert pickle.loads(pickle.dumps(spaces)) == spaces
    env.close()


def test_k01_environments_do_not_share_a_space() -> None:
    first, second = gym.make(VERSUS), gym.make(VERSUS)
    first.observation_space.seed(0)
    before = second.observation_space.np_random.bit_generator.state
    first.observation_space.sample()
    assert second.observation_space.np_random.bit_generator.state == before


PROGRAM = """
import sys, gymnasium as gym
import melee_env
from melee_env.testing import rollout_digest
if sys.argv[1] == "after others":
    for env_id in ("melee_env/Recovery-v0", "melee_env/Versus-v0"):
        rollout_digest(gym.make(env_id), 50, seed=99)
for env_id in ("melee_env/Versus-v0", "melee_env/Recovery-v0"):
    print(rollout_digest(gym.make(env_id, opponent="scripted:random"), 600, seed=5))
"""


def test_k02_processes_and_histories_agree() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, history], capture_output=True, text=True, check=True, timeout=300
        ).stdout
        for history in ("first", "after others")
    ]
    assert outputs[0].count("\n") == 2
    assert outputs[0] == outputs[1]


def test_k02_another_seed_is_another_game() -> None:
    env = gym.make("melee_env/Recovery-v0")
    digests = {melee_env.testing.rollout_digest(env, 30, seed) for seed in range(3)}
    assert len(digests) == 3


def test_k02_reset_without_seed_continues() -> None:
    env = gym.make("melee_env/Recovery-v0")
    runs = []
    for _ in range(2):
        env.reset(seed=3)
        runs.append([env.reset()[0].tobytes() for _ in range(4)])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 4


def fall_off(env: gym.Env) -> int:
    """Walk off the stage until the episode ends; return the steps that took."""
    left = env.action_space.nvec // 2
    left[:8] = 0
    left[12] = 0
    left[8] = 0
    for step in range(3000):
        _, _, terminated, truncated, _ = env.step(left)
        if terminated or truncated:
            assert (terminated, truncated) == (True, False)
            return step + 1
    raise AssertionError("nobody fell off")


def test_k03_the_last_stock_terminates() -> None:
    env = gym.make(VERSUS, opponent="scripted:idle")
    env.reset(seed=0, options={"stocks": 1})
    assert fall_off(env) > 30
    assert env.unwrapped.frame["seats"]["leader"]["stocks"][0] == 0


@pytest.mark.parametrize("env_id", [VERSUS, "melee_env/Multishine-v0"])
def test_k03_the_clock_truncates(env_id: str) -> None:
    env = gym.make(env_id, opponent="scripted:idle")
    env.reset(seed=0, options={"time_limit": 20})
    still = env.unwrapped.games.codec.neutral()
    ends = [env.step(still)[2:4] for _ in range(60)]
    assert env.unwrapped.frame["frame"] == 20
    assert ends == [(False, False)] * 59 + [(False, True)]


def test_k03_a_drill_ends_by_success() -> None:
    env = gym.make("melee_env/Recovery-v0")
    env.reset(seed=0, options={"position": (0.0, 5.0)})
    for _ in range(20):
        _, reward, terminated, truncated, info = env.step(env.unwrapped.games.codec.neutral())
        if terminated or truncated:
            break
    assert (terminated, truncated, info["success"]) == (True, False, True)
    assert reward == pytest.approx(1, abs=0.2)


def test_k03_a_drill_ends_by_failure() -> None:
    env = gym.make("melee_env/Recovery-v0")
    env.reset(seed=0, options={"position": (160.0, -70.0)})
    for _ in range(120):
        _, reward, terminated, truncated, info = env.step(env.unwrapped.games.codec.neutral())
        if terminated or truncated:
            break
    assert (terminated, truncated, info["success"]) == (True, False, False)
    assert reward == pytest.approx(-1, abs=0.2)


@pytest.mark.parametrize("end", ["before the first reset", "after the end"])
def test_k03_stepping_without_an_episode_raises(end: str) -> None:
    env = gym.make(VERSUS, time_limit=1).unwrapped
    if end == "after the end":
        env.reset(seed=0)
        while not any(env.step(env.games.codec.neutral())[2:4]):
            pass
    with pytest.raises(gym.error.ResetNeeded, match="reset"):
        env.step(env.games.codec.neutral())


def test_k03_a_vector_without_autoreset_raises_and_names_the_lanes() -> None:
    envs = gym.make_vec(VERSUS, 2, autoreset_mode=AutoresetMode.DISABLED, time_limit=1)
    envs.reset(seed=0, options={"lanes": [{}, {"time_limit": 100}]})
    while not envs.step(envs.action_space.sample())[3].any():
        pass
    with pytest.raises(gym.error.ResetNeeded, match=r"\[0\]"):
        envs.step(envs.action_space.sample())


def test_k04_the_final_observation_is_the_old_episodes_last() -> None:
    single = gym.make(VERSUS, time_limit=5, opponent="scripted:random").unwrapped
    single.reset(seed=4)
    still = single.games.codec.neutral()
    last, over = None, False
    while not over:
        last, _, _, over, _ = single.step(still)
    envs = gym.make_vec(
        VERSUS, 1, autoreset_mode=AutoresetMode.SAME_STEP, time_limit=5, opponent="scripted:random"
    )
    envs.reset(seed=4)
    over = np.zeros(1, bool)
    while not over.any():
        observations, _, _, over, infos = envs.step(still[None])
    np.testing.assert_array_equal(infos["final_obs"][0], last)
    np.testing.assert_array_equal(observations[0], single.reset()[0])
    assert hashlib.sha256(observations[0]).digest() != hashlib.sha256(last).digest()
