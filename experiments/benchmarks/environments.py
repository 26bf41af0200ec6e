"""Steps per second of ``Versus-v0``: one environment, the native vector environment, Stable-Baselines3's."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

import melee_env  # noqa: F401 (registers the ids)
from experiments.benchmarks.timing import Rate, measure_rate

ENV_ID = "melee_env/Versus-v0"


def bench_environments(
    *, num_envs: int = 256, steps: int = 300, repeats: int = 5, seed: int = 0
) -> dict[str, Any]:
    """Step with random actions; episodes that end are reset inside the measured time.

    Returns:
        ``single_steps_per_s``, ``vector_steps_per_s_per_core``, ``sb3_steps_per_s_per_core`` and ``rows``; one
        lane's step is one step, and everything runs on one thread.
    """
    kinds = (
        ("single", 1, _single(steps, repeats, seed)),
        ("vector", num_envs, _vector(num_envs, steps, repeats, seed)),
        ("sb3", num_envs, _sb3(num_envs, steps, repeats, seed)),
    )
    rows = [{"kind": kind, "num_envs": lanes, **rate.row("steps_per_s")} for kind, lanes, rate in kinds]
    return {
        "single_steps_per_s": rows[0]["steps_per_s"],
        "vector_steps_per_s_per_core": rows[1]["steps_per_s"],
        "sb3_steps_per_s_per_core": rows[2]["steps_per_s"],
        "rows": rows,
        "env": ENV_ID,
        "repeats": repeats,
        "seed": seed,
    }


def _single(steps: int, repeats: int, seed: int) -> Rate:
    env = gymnasium.make(ENV_ID)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    actions = [env.action_space.sample() for _ in range(64)]

    def run() -> int:
        for number in range(steps):
            _, _, terminated, truncated, _ = env.step(actions[number % 64])
            if terminated or truncated:
                env.reset()
        return steps

    rate = measure_rate(run, repeats)
    env.close()
    return rate


def _vector(num_envs: int, steps: int, repeats: int, seed: int) -> Rate:
    envs = gymnasium.make_vec(ENV_ID, num_envs=num_envs, vectorization_mode="vector_entry_point")
    envs.reset(seed=seed)
    envs.action_space.seed(seed)
    actions = [envs.action_space.sample() for _ in range(16)]

    def run() -> int:
        for number in range(steps):
            envs.step(actions[number % 16])
        return steps * num_envs

    rate = measure_rate(run, repeats)
    envs.close()
    return rate


def _sb3(num_envs: int, steps: int, repeats: int, seed: int) -> Rate:
    from melee_env.sb3 import make_vec

    envs = make_vec(ENV_ID, num_envs=num_envs, seed=seed)
    envs.reset()
    envs.action_space.seed(seed)
    actions = [np.stack([envs.action_space.sample() for _ in range(num_envs)]) for _ in range(4)]

    def run() -> int:
        for number in range(steps):
            envs.step(actions[number % 4])
        return steps * num_envs

    rate = measure_rate(run, repeats)
    envs.close()
    return rate
