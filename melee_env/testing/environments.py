"""Checks of single environments."""

from __future__ import annotations

import hashlib
from typing import Any

import gymnasium as gym
import numpy as np

from melee_env.errors import OptionError


def check_env(env: str | gym.Env[Any, Any], steps: int = 300, seed: int = 0) -> None:
    """Assert that an environment keeps this package's rules.

    Observations are finite and lie in the space; a seed fixes everything; what was returned never changes
    later; the parts of the reward in the info add up to it; a finished episode refuses to go on; a bad option
    is named and does no harm; a saved state continues bit for bit.

    Args:
        env: an id, or an environment (it is reset and played, not closed).
        steps: steps to play with random actions.
        seed: seed of episodes and actions.

    Example:
        >>> from melee_env.testing import check_env
        >>> check_env("melee_env/Versus-v0", steps=50)
    """
    made = gym.make(env) if isinstance(env, str) else env
    try:
        _check_rollout(made, steps, seed)
        first, second = (rollout_digest(made, steps, seed) for _ in range(2))
        assert first == second, "the same seed and actions gave other observations, rewards or infos"
        _check_end(made, seed)
        _check_options(made, seed)
        if hasattr(made.unwrapped, "get_state"):
            _check_state(made, seed)
    finally:
        if isinstance(env, str):
            made.close()


def rollout_digest(env: gym.Env[Any, Any], steps: int, seed: int) -> str:
    """Play random actions and return a digest of every observation, reward, flag and info."""
    digest = hashlib.sha256()
    env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    _absorb(digest, observation, info)
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        _absorb(digest, observation, (float(reward), terminated, truncated, info))
        if terminated or truncated:
            observation, info = env.reset()
            _absorb(digest, observation, info)
    return digest.hexdigest()


def _absorb(digest: Any, observation: Any, rest: object) -> None:
    digest.update(np.ascontiguousarray(observation).tobytes())
    digest.update(repr(rest).encode())


def _check_rollout(env: gym.Env[Any, Any], steps: int, seed: int) -> None:
    env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    kept: list[tuple[Any, dict[str, Any], bytes, str]] = []
    for _ in range(steps):
        assert env.observation_space.contains(observation), f"observation outside its space: {observation}"
        assert np.isfinite(observation).all(), "an observation is not finite"
        kept.append((observation, info, observation.tobytes(), repr(info)))
        action = env.action_space.sample()
        assert env.action_space.contains(action), (
            "the action space sampled an action that it does not contain"
        )
        observation, reward, terminated, truncated, info = env.step(action)
        assert np.isfinite(float(reward)), f"the reward is {reward}"
        parts = [value for name, value in info.items() if name.startswith("reward.")]
        if parts:
            assert np.isclose(sum(parts), float(reward), atol=1e-5), f"the parts {parts} are not {reward}"
        if terminated or truncated:
            observation, info = env.reset()
    for array, shown, content, text in kept:
        assert array.tobytes() == content, "an observation that was returned earlier has changed"
        assert repr(shown) == text, "an info that was returned earlier has changed"


def _check_end(env: gym.Env[Any, Any], seed: int, most: int = 20_000) -> None:
    """Play to the end; where the episode's options allow it, to a near one."""
    try:
        env.reset(seed=seed, options={"time_limit": 60})
    except OptionError:
        env.reset(seed=seed)
    for _ in range(most):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            break
    else:
        return
    try:
        env.step(env.action_space.sample())
    except gym.error.ResetNeeded:
        return
    raise AssertionError("a finished episode went on: step() must raise ResetNeeded")


def _check_options(env: gym.Env[Any, Any], seed: int) -> None:
    try:
        env.reset(seed=seed, options={"no_such_option": 1})
    except OptionError as error:
        assert "no_such_option" in str(error), f"the error does not name the option: {error}"
    else:
        raise AssertionError("an unknown option was accepted")
    env.reset(seed=seed)
    env.step(env.action_space.sample())


def _check_state(env: gym.Env[Any, Any], seed: int, frames: int = 40) -> None:
    inner: Any = env.unwrapped
    env.reset(seed=seed)
    for _ in range(frames):
        if any(env.step(env.action_space.sample())[2:4]):
            env.reset()
    state = inner.get_state()
    actions = [env.action_space.sample() for _ in range(frames)]
    runs = []
    for _ in range(2):
        digest = hashlib.sha256()
        inner.set_state(state)
        for action in actions:
            observation, reward, terminated, truncated, info = inner.step(action)
            _absorb(digest, observation, (float(reward), terminated, truncated, info))
            if terminated or truncated:
                inner.reset()
        runs.append(digest.hexdigest())
    assert runs[0] == runs[1], "set_state() does not continue where get_state() was called"
