"""Rules of single environments, one function each; :func:`check_env` runs them all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from melee_env.errors import OptionError
from melee_env.testing.rules import absorb, content, require

Env = gym.Env[Any, Any]


def check_env(env: str | Env, steps: int = 300, seed: int = 0) -> None:
    """Assert that an environment keeps this package's rules: every function of :data:`ENV_RULES`.

    Args:
        env: an id, or an environment (it is reset and played, not closed).
        steps: steps to play with random actions, per rule.
        seed: seed of episodes and actions.

    Example:
        >>> from melee_env.testing import check_env
        >>> check_env("melee_env/Versus-v0", steps=50)
    """
    made = gym.make(env) if isinstance(env, str) else env
    try:
        for rule in ENV_RULES:
            rule(made, steps, seed)
    finally:
        if isinstance(env, str):
            made.close()


def rollout_digest(env: Env, steps: int, seed: int) -> str:
    """Play random actions and return a digest of every observation, reward, flag and info."""
    digest = hashlib.sha256()
    env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    absorb(digest, observation, info)
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        absorb(digest, observation, (float(reward), terminated, truncated, info))
        if terminated or truncated:
            observation, info = env.reset()
            absorb(digest, observation, info)
    return digest.hexdigest()


def check_spaces(env: Env, steps: int = 300, seed: int = 0) -> None:
    """K1: every observation lies in its space and is finite; the action space contains what it samples."""
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    for _ in range(steps):
        if not env.observation_space.contains(observation):
            require(
                False,
                f"an observation is outside its space: {_outside(env.observation_space, observation)}",
                "give the space the dtype, shape and limits of what is returned, or clip before returning",
            )
        parts = observation.values() if isinstance(observation, dict) else (observation,)
        require(
            all(np.isfinite(part).all() for part in parts),
            "an observation is not finite",
            "look for a division by zero, or replace what is not finite where the frame is read",
        )
        action = env.action_space.sample()
        require(
            env.action_space.contains(action),
            f"the action space sampled {action}, which it does not contain",
            "let sample() and contains() of the space agree on dtype and shape",
        )
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()


def _outside(space: gym.Space[Any], observation: Any) -> str:
    """Say in a few words what is wrong with an observation."""
    if isinstance(space, gym.spaces.Dict) and isinstance(observation, dict):
        wrong = [name for name, part in space.items() if not part.contains(observation.get(name))]
        return "; ".join(f"{name}: {_outside(space[name], observation.get(name))}" for name in wrong)
    if not isinstance(space, gym.spaces.Box) or not isinstance(observation, np.ndarray):
        return f"{type(observation).__name__} in {type(space).__name__}"
    if (observation.dtype, observation.shape) != (space.dtype, space.shape):
        return f"{observation.dtype} {observation.shape} instead of {space.dtype} {space.shape}"
    within = (observation >= space.low) & (observation <= space.high)
    place = tuple(np.argwhere(~within)[0].tolist())
    return f"number {place} is {observation[place]}, limits {space.low[place]} … {space.high[place]}"


def check_seeding(env: Env, steps: int = 300, seed: int = 0) -> None:
    """K2: a seed and the actions fix every observation, reward and info."""
    first, second = (rollout_digest(env, steps, seed) for _ in range(2))
    require(
        first == second,
        "the same seed and actions gave other observations, rewards or infos",
        "draw from env.np_random only, and forget at reset(seed=…) whatever an episode left behind",
    )


def check_fresh_results(env: Env, steps: int = 300, seed: int = 0) -> None:
    """K60: what was returned never changes later."""
    env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    kept: list[tuple[Any, dict[str, Any], bytes, str]] = []
    for _ in range(steps):
        kept.append((observation, info, content(observation), repr(info)))
        observation, _, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            observation, info = env.reset()
    for array, shown, before, text in kept:
        require(
            content(array) == before,
            "an observation that was returned earlier has changed",
            "return a copy instead of the array that the next step writes into",
        )
        require(
            repr(shown) == text,
            "an info that was returned earlier has changed",
            "make a new dictionary in every step",
        )


def check_rewards(env: Env, steps: int = 300, seed: int = 0) -> None:
    """K13, K62: rewards are finite, and the parts in the info add up to them."""
    env.action_space.seed(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        require(np.isfinite(float(reward)), f"the reward is {reward}", "limit the terms of the reward")
        parts = [value for name, value in info.items() if name.startswith("reward.")]
        require(
            not parts or np.isclose(sum(parts), float(reward), atol=1e-5),
            f"the parts {parts} are not the reward {reward}",
            "put every term into the info under its name, with its weight",
        )
        if terminated or truncated:
            env.reset()


def check_end(env: Env, steps: int = 20_000, seed: int = 0) -> None:
    """K3: an episode that is over refuses to go on. Plays to the end, where the options allow it to a near one."""
    try:
        env.reset(seed=seed, options={"time_limit": 60})
    except OptionError:
        env.reset(seed=seed)
    for _ in range(max(steps, 20_000)):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            break
    else:
        return
    try:
        env.step(env.action_space.sample())
    except gym.error.ResetNeeded:
        return
    require(False, "a finished episode went on", "raise gymnasium.error.ResetNeeded in step() until reset()")


def check_options(env: Env, steps: int = 1, seed: int = 0) -> None:
    """K10: an unknown option is named and does no harm."""
    try:
        env.reset(seed=seed, options={"no_such_option": 1})
    except OptionError as error:
        require(
            "no_such_option" in str(error),
            f"the error does not name the option: {error}",
            "put the key and the known ones into the message, as melee_env.envs.options.check_keys does",
        )
    else:
        require(
            False,
            "an unknown option was accepted",
            "pass the options of reset() on, or check their names with melee_env.envs.options.check_keys",
        )
    env.reset(seed=seed)
    env.step(env.action_space.sample())


def check_save_states(env: Env, steps: int = 40, seed: int = 0) -> None:
    """K42: ``set_state(get_state())`` continues bit for bit, where the environment has states."""
    inner: Any = env.unwrapped
    if not hasattr(inner, "get_state"):
        return
    steps = min(steps, 40)
    env.reset(seed=seed)
    for _ in range(steps):
        if any(env.step(env.action_space.sample())[2:4]):
            env.reset()
    state = inner.get_state()
    actions = [env.action_space.sample() for _ in range(steps)]
    runs = []
    for _ in range(2):
        digest = hashlib.sha256()
        inner.set_state(state)
        for action in actions:
            observation, reward, terminated, truncated, info = inner.step(action)
            absorb(digest, observation, (float(reward), terminated, truncated, info))
            if terminated or truncated:
                inner.reset()
        runs.append(digest.hexdigest())
    require(
        runs[0] == runs[1],
        "set_state() does not continue where get_state() was called",
        "save everything that the next steps depend on: game, generators, queues, counters, and copies of all of it",
    )


ENV_RULES: tuple[Callable[[Env, int, int], None], ...] = (
    check_spaces,
    check_fresh_results,
    check_rewards,
    check_seeding,
    check_end,
    check_options,
    check_save_states,
)
"""each takes ``(env, steps, seed)``"""
