"""What long runs leave behind: memory and file handles."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

import melee_env  # noqa: F401 (registers the ids)
from experiments.benchmarks.memory import open_handles, resident_mb

ENV_ID = "melee_env/Versus-v0"
WARM_UP = 0.1
"""share of the work that is done before the first measurement"""
TIME_LIMIT = 600
"""frames of a game, so that thousands of episodes end"""


def soak_environments(
    *,
    steps: int = 1_000_000,
    single_steps: int = 100_000,
    cycles: int = 10_000,
    num_envs: int = 64,
    seed: int = 0,
) -> dict[str, Any]:
    """Play random actions in a vector environment, in a single one, then make and close environments.

    Args:
        steps: steps of all lanes of the vector environment together.
        single_steps: steps of the single environment.
        cycles: environments that are made, reset, stepped once and closed.
        num_envs: lanes of the vector environment.
        seed: of everything.

    Returns:
        ``rows`` with the growth of resident memory (MB) and of open file handles after a warm-up, and the largest of
        both.
    """
    rows = [
        {"part": "vector steps", "count": steps, **_grown(_vector(steps // num_envs, num_envs, seed))},
        {"part": "single steps", "count": single_steps, **_grown(_single(single_steps, seed))},
        {"part": "make and close", "count": cycles, **_grown(_cycles(cycles, seed))},
    ]
    return {
        "memory_growth_mb": max(row["memory_growth_mb"] for row in rows),
        "handles_growth": max(row["handles_growth"] for row in rows),
        "rows": rows,
        "seed": seed,
    }


def _grown(work: Any) -> dict[str, Any]:
    """Run a generator, which yields once after its warm-up, and measure from there to its end."""
    next(work)
    memory, handles = resident_mb(), open_handles()
    for _ in work:
        raise AssertionError("the work yields once")
    return {"memory_growth_mb": resident_mb() - memory, "handles_growth": open_handles() - handles}


def _vector(steps: int, num_envs: int, seed: int) -> Any:
    envs = gym.make_vec(
        ENV_ID,
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        time_limit=TIME_LIMIT,
    )
    envs.reset(seed=seed)
    envs.action_space.seed(seed)
    actions = [envs.action_space.sample() for _ in range(32)]
    warm = int(WARM_UP * steps)
    for number in range(steps):
        if number == warm:
            yield
        envs.step(actions[number % 32])
    envs.close()


def _single(steps: int, seed: int) -> Any:
    env = gym.make(ENV_ID, time_limit=TIME_LIMIT)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    warm = int(WARM_UP * steps)
    for number in range(steps):
        if number == warm:
            yield
        if any(env.step(env.action_space.sample())[2:4]):
            env.reset()
    env.close()


def _cycles(cycles: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    ids = [spec for spec in gym.registry if spec.startswith("melee_env/")]
    warm = int(WARM_UP * cycles)
    for number in range(cycles):
        if number == warm:
            yield
        env = gym.make(ids[number % len(ids)])
        env.reset(seed=int(rng.integers(2**31)))
        env.step(env.action_space.sample())
        env.close()
