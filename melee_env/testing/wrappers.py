"""Rules of wrappers around this package's environments, one function each; :func:`check_wrapper` runs them all."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium as gym

from melee_env.errors import OptionError
from melee_env.testing.environments import check_fresh_results, check_seeding, check_spaces
from melee_env.testing.rules import require

Wrap = Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]


def check_wrapper(wrap: Wrap, env_id: str = "melee_env/Versus-v0", steps: int = 60, seed: int = 0) -> None:
    """Assert that a wrapper leaves the rules of environments whole: every function of :data:`WRAPPER_RULES`.

    Its own observations must lie in its own space, be fixed by the seed and never change later.

    Args:
        wrap: environment → wrapped environment, e.g. the wrapper's class.
        env_id: what is wrapped; its games end after 60 frames.
        steps: steps to play, per rule.
        seed: of episodes and actions.

    Example:
        >>> from melee_env.testing import check_wrapper
        >>> from melee_env.wrappers import GameStatistics
        >>> check_wrapper(GameStatistics)
    """
    for rule in WRAPPER_RULES:
        rule(wrap, env_id, steps, seed)
    env = wrap(_make(env_id))
    for environment_rule in (check_spaces, check_seeding, check_fresh_results):
        environment_rule(env, steps, seed)
    env.close()


def check_wrapper_passes_options(wrap: Wrap, env_id: str, steps: int = 60, seed: int = 0) -> None:
    """K61: options of ``reset`` reach the environment unchanged, and its errors come back."""
    env = wrap(_make(env_id))
    env.reset(seed=seed, options={"percent": 77.0})
    inner: Any = env.unwrapped
    require(
        inner.frame["seats"]["leader"]["percent"][0] == 77,
        "an option of reset() did not reach the environment",
        "call self.env.reset(seed=seed, options=options) with what was given",
    )
    try:
        env.reset(options={"no_such_option": 1})
    except OptionError:
        env.close()
        return
    require(False, "an unknown option was accepted", "let the environment's OptionError through")


def check_wrapper_keeps_infos(wrap: Wrap, env_id: str, steps: int = 60, seed: int = 0) -> None:
    """What the environment says in its infos is still there, and is the same."""
    plain, env = _make(env_id), wrap(_make(env_id))
    env.action_space.seed(seed)
    _same_infos(plain.reset(seed=seed)[1], env.reset(seed=seed)[1])
    for _ in range(steps):
        action = plain.action_space.sample()
        if not env.action_space.contains(action):
            break  # it translates actions, so the games differ
        ours, theirs = env.step(action), plain.step(action)
        _same_infos(theirs[4], ours[4])
        require(
            ours[2:4] == theirs[2:4],
            "the wrapper changed terminated or truncated",
            "return the environment's flags, or wrap with gymnasium.wrappers.TimeLimit for another limit",
        )
        if any(theirs[2:4]):
            break
    plain.close()
    env.close()


def _same_infos(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    for name, value in theirs.items():
        require(
            name in ours and repr(ours[name]) == repr(value),
            f"the wrapper lost or changed info[{name!r}]",
            "add to the info that the environment returned instead of making a new one",
        )


def check_wrapper_survives_closing(wrap: Wrap, env_id: str, steps: int = 60, seed: int = 0) -> None:
    """K32: closing twice, and closing before the first reset, is fine."""
    for reset in (False, True):
        env = wrap(_make(env_id))
        if reset:
            env.reset(seed=seed)
        for _ in range(2):
            try:
                env.close()
            except Exception as error:
                require(
                    False,
                    f"closing failed: {error!r}",
                    "let close() look at what is open, and call self.env.close()",
                )


def check_wrapper_pickles(wrap: Wrap, env_id: str, steps: int = 60, seed: int = 0) -> None:
    """K34: it can be sent to another process, and plays the same there."""
    env = wrap(_make(env_id))
    env.reset(seed=seed)
    try:
        copy = pickle.loads(pickle.dumps(env))
    except Exception as error:
        require(
            False,
            f"the wrapper cannot be pickled: {error!r}",
            "keep no open files, windows or local functions in it, or leave them out in __getstate__",
        )
    action = env.action_space.sample()
    require(
        repr(copy.step(action)[1:]) == repr(env.step(action)[1:]),
        "a pickled copy plays differently",
        "pickle all that the next step depends on",
    )
    env.close()


def _make(env_id: str) -> gym.Env[Any, Any]:
    return gym.make(env_id, time_limit=60)


WRAPPER_RULES: tuple[Callable[[Wrap, str, int, int], None], ...] = (
    check_wrapper_passes_options,
    check_wrapper_keeps_infos,
    check_wrapper_survives_closing,
    check_wrapper_pickles,
)
"""each takes ``(wrap, env_id, steps, seed)``"""
