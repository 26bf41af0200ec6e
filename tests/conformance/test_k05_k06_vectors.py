"""K5, K6, K60, K61, K63, K64: the native vector environment is Gymnasium's, lane by lane, bit by bit."""

from __future__ import annotations

import hashlib
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from melee_env.testing import check_vector_env

VERSUS = "melee_env/Versus-v0"
RECOVERY = "melee_env/Recovery-v0"
MODES = list(AutoresetMode)


def make_native(num_envs: int, mode: AutoresetMode = AutoresetMode.NEXT_STEP, **kwargs: Any) -> Any:
    return gym.make_vec(
        kwargs.pop("env_id", VERSUS),
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        **kwargs,
    )


@pytest.mark.parametrize("mode", MODES)
def test_k05_short_games_equal_sync_vector_env(mode: AutoresetMode) -> None:
    ended = check_vector_env(
        VERSUS, mode, 3, 300, seed=1, time_limit=8, opponent="scripted:random", action_delay=3
    )
    assert ended >= 10


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("frame_skip", [1, 3])
def test_k05_lanes_that_end_apart_equal_sync_vector_env(mode: AutoresetMode, frame_skip: int) -> None:
    ended = check_vector_env(RECOVERY, mode, 3, 300, seed=2, frame_skip=frame_skip)
    assert ended >= 5


@pytest.mark.parametrize("mode", MODES)
def test_k05_drill_counters_equal_sync_vector_env(mode: AutoresetMode) -> None:
    ended = check_vector_env("melee_env/Multishine-v0", mode, 2, 250, action="discrete", time_limit=30)
    assert ended >= 4


def test_k05_counters_of_a_finished_lane_stand_still_while_others_hold_their_action() -> None:
    """Lane 0 ends inside the held action, while shining; its counters are those of its last frame."""
    envs = make_native(2, AutoresetMode.SAME_STEP, env_id="melee_env/Multishine-v0", frame_skip=16)
    single = gym.make("melee_env/Multishine-v0", frame_skip=16).unwrapped
    for limit in range(1, 16):
        envs.reset(seed=0, options={"lanes": [{"time_limit": limit}, {}]})
        single.reset(seed=0, options={"time_limit": limit})
        down_b = single.games.codec.neutral()
        down_b[[1, 9]] = 1, 0
        over = False
        while not over:
            over, info = single.step(down_b)[3:]
            infos = envs.step(np.stack([down_b, down_b]))[4]
        assert {name: infos["final_info"][name][0] for name in info} == info


@pytest.mark.parametrize("opponent", ["scripted:fighter-5", "scripted:random"])
@pytest.mark.parametrize("num_envs", [1, 7, 64])
def test_k06_a_lane_is_the_single_environment(opponent: str, num_envs: int) -> None:
    options = {"opponent": opponent, "character": None, "stage": None, "position": (-20, 0)}
    envs = make_native(num_envs, **options)
    lanes = sorted({0, num_envs // 2, num_envs - 1})
    singles = {i: gym.make(VERSUS, **options) for i in lanes}
    observations, _ = envs.reset(seed=11)
    for i, env in singles.items():
        np.testing.assert_array_equal(observations[i], env.reset(seed=11 + i)[0])
    envs.action_space.seed(0)
    for _ in range(150):
        actions = envs.action_space.sample()
        observations, rewards, *_ = envs.step(actions)
        for i, env in singles.items():
            observation, reward, *_ = env.step(actions[i])
            assert observation.tobytes() == observations[i].tobytes()
            assert env.unwrapped.frame.tobytes() == envs.unwrapped.games.frames[i].tobytes()
            assert reward == rewards[i]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_k60_what_was_returned_never_changes(mode: AutoresetMode) -> None:
    envs = make_native(2, mode, env_id=RECOVERY)
    envs.action_space.seed(0)
    kept = [envs.reset(seed=0)] + [envs.step(envs.action_space.sample()) for _ in range(100)]
    before = [hashlib.sha256(repr(result).encode()).digest() for result in kept]
    for _ in range(50):
        envs.step(envs.action_space.sample())
    envs.reset()
    assert [hashlib.sha256(repr(result).encode()).digest() for result in kept] == before


def test_k60_async_same_step_keeps_its_results() -> None:
    envs = gym.make_vec(
        RECOVERY, 2, vectorization_mode="async", vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}
    )
    envs.action_space.seed(0)
    kept = [envs.reset(seed=0)] + [envs.step(envs.action_space.sample()) for _ in range(60)]
    before = [repr(result) for result in kept]
    for _ in range(20):
        envs.step(envs.action_space.sample())
    assert [repr(result) for result in kept] == before
    envs.close()


def stocks(envs: Any) -> list[int]:
    return envs.games.frames["seats"]["leader"]["stocks"][:, 0].tolist()


def test_k61_options_of_all_lanes() -> None:
    envs = make_native(3)
    envs.reset(seed=0, options={"stocks": 2})
    assert stocks(envs) == [2, 2, 2]


def test_k61_options_of_each_lane() -> None:
    envs = make_native(3)
    envs.reset(seed=0, options={"stocks": 2, "lanes": [{"stocks": 1}, None, {"stocks": 3}]})
    assert stocks(envs) == [1, 2, 3]


def test_k61_options_go_through_wrappers() -> None:
    env = gym.wrappers.NormalizeObservation(gym.wrappers.TimeLimit(gym.make(VERSUS), 100))
    env.reset(seed=0, options={"stocks": 2, "stage": "BATTLEFIELD"})
    frame = env.unwrapped.frame
    assert (frame["seats"]["leader"]["stocks"][0], frame["stage"]) == (2, 31)


def test_k61_options_of_one_reset_do_not_outlive_it() -> None:
    envs = make_native(2)
    envs.reset(seed=0, options={"stocks": 2})
    envs.reset()
    assert stocks(envs) == [4, 4]


def test_k61_a_masked_reset_touches_only_its_lanes() -> None:
    envs = make_native(3, AutoresetMode.DISABLED)
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())
    frames, states = envs.games.frames.copy(), [envs.games.get_state(i) for i in (0, 2)]
    mask = np.array([False, True, False])
    envs.reset(options={"reset_mask": mask, "stocks": 1})
    assert envs.games.frames[[0, 2]].tobytes() == frames[[0, 2]].tobytes()
    assert [repr(envs.games.get_state(i)) for i in (0, 2)] == [repr(state) for state in states]
    assert stocks(envs) == [4, 1, 4]


def test_k61_a_mask_is_forgotten_after_its_call() -> None:
    envs = make_native(2, AutoresetMode.DISABLED)
    envs.reset(seed=0)
    envs.reset(options={"reset_mask": np.array([True, False])})
    envs.step(envs.action_space.sample())
    envs.reset(options={"stocks": 2})
    assert stocks(envs) == [2, 2]


def test_k63_infos_have_masks_and_final_parts() -> None:
    envs = make_native(2, AutoresetMode.SAME_STEP)
    envs.reset(seed=0, options={"lanes": [{"time_limit": 1}, {}]})
    over = np.zeros(2, bool)
    while not over.any():
        infos = envs.step(envs.action_space.sample())[4]
        over = infos.get("_final_obs", over)
    assert over.tolist() == [True, False]
    assert infos["final_obs"][1] is None and infos["final_obs"][0].shape == (envs.games.encoder.size,)
    assert infos["final_info"]["_frame"].tolist() == [True, False]
    assert infos["final_info"]["frame"][0] == 1
    assert infos["_reward.damage"].tolist() == [False, True]
    assert infos["frame"].tolist() == [-40, 1]


def test_k64_the_reset_step_ignores_its_action() -> None:
    traces = []
    for action in ("neutral", "wild"):
        envs = make_native(1, time_limit=3, action="box", action_delay=2, opponent="scripted:random")
        still = envs.games.codec.neutral()[None]
        wild = np.ones_like(still)
        envs.reset(seed=0)
        while not envs.step(still)[3].any():
            pass
        observations, rewards, terminated, truncated, infos = envs.step(wild if action == "wild" else still)
        assert (rewards[0], terminated[0], truncated[0]) == (0, False, False)
        assert infos["frame"][0] == -40 and "reward.damage" not in infos
        following = [envs.step(still)[0].tobytes() for _ in range(10)]
        traces.append([observations.tobytes(), *following])
    assert traces[0] == traces[1]
