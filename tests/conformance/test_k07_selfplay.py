"""K7: the self-play environment is what PettingZoo expects."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test

from melee_env.errors import OptionError
from melee_env.selfplay import aec_env, parallel_env


def play(env: Any, steps: int, seed: int = 0) -> list[tuple]:
    """Play random actions until the end, at most ``steps``."""
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    results = []
    for _ in range(steps):
        results.append(env.step({agent: env.action_space(agent).sample() for agent in env.agents}))
        if not env.agents:
            break
    return results


@pytest.mark.parametrize("action", ["multidiscrete", "box", "discrete"])
def test_k07_parallel_api(action: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        parallel_api_test(parallel_env(time_limit=10, action=action), num_cycles=300)


def test_k07_parallel_seed() -> None:
    parallel_seed_test(lambda: parallel_env(stage=None, time_limit=60), num_cycles=150)


@pytest.mark.parametrize("action", ["multidiscrete", "box", "discrete"])
def test_k07_turn_based_api(action: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", "Action space for each agent probably should be")
        warnings.filterwarnings("ignore", "We recommend agents to be named")
        api_test(aec_env(time_limit=10, action=action), num_cycles=300)


def test_k07_both_seats_end_together_and_agents_empties() -> None:
    env = parallel_env(time_limit=5)
    env.reset(seed=0)
    _, _, terminated, truncated, _ = play(env, 200)[-1]
    assert terminated == {"p1": False, "p2": False}
    assert truncated == {"p1": True, "p2": True}
    assert env.agents == []


def test_k07_a_finished_game_refuses_to_go_on() -> None:
    env = parallel_env(time_limit=5)
    env.reset(seed=0)
    play(env, 200)
    with pytest.raises(gym.error.ResetNeeded, match="reset"):
        env.step({agent: env.action_space(agent).sample() for agent in env.possible_agents})


@pytest.mark.parametrize("reward", ["damage+stock", "damage*0.5+stock*2+win"])
def test_k07_rewards_of_zero_sum_presets_cancel(reward: str) -> None:
    env = parallel_env(reward=reward, time_limit=600, position=(-5, 0), opponent_position=(5, 0))
    env.reset(seed=0)
    rewards = [result[1] for result in play(env, 1000, seed=3)]
    assert any(values["p1"] for values in rewards)
    assert all(values["p1"] + values["p2"] == 0 for values in rewards)


def test_k07_characters_and_options_arrive() -> None:
    env = parallel_env(characters=("FOX", "MARTH"), stage="BATTLEFIELD")
    env.reset(seed=3, options={"opponent_stocks": 2})
    seats = env._frames["seats"]["leader"][0]
    assert (seats["character"].tolist(), seats["stocks"].tolist()) == ([1, 18], [4, 2])


def test_k07_bad_options_are_named() -> None:
    with pytest.raises(OptionError, match="'stokcs'.*stocks"):
        parallel_env(stokcs=1)
    env = parallel_env()
    with pytest.raises(OptionError, match="'stocks'"):
        env.reset(options={"stocks": 0})
    env.reset(seed=0)
    assert len(play(env, 3)) == 3


def test_k07_the_seats_see_the_same_game_from_their_sides() -> None:
    env = parallel_env(observation="full")
    env.reset(seed=0)
    observations = play(env, 80)[-1][0]
    names = env._encoder.names
    own = [k for k, name in enumerate(names) if name.startswith("own.")]
    theirs = [names.index(name.replace("own.", "opponent.", 1)) for name in np.array(names)[own]]
    np.testing.assert_array_equal(observations["p1"][own], observations["p2"][theirs])
