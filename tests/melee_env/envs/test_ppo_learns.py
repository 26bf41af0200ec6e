"""Stable-Baselines3's PPO learns a drill in seconds, on the native vector environment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO

from melee_env.sb3 import make_vec

DRILL = "melee_env/Recovery-v0"
LANES = 32
EPISODES = 256
Z_95 = 1.96


def success_rate(act: Callable[[NDArray[np.float32]], NDArray[np.int64]], seed: int) -> NDArray[np.bool_]:
    """Play episodes and return which succeeded, ``[EPISODES] bool``."""
    env = make_vec(DRILL, num_envs=LANES, seed=seed)
    observations = env.reset()
    done: list[bool] = []
    while len(done) < EPISODES:
        observations, _, over, infos = env.step(act(observations))
        done += [infos[i]["success"] for i in np.flatnonzero(over)]
    env.close()
    return np.array(done[:EPISODES])


def test_ppo_beats_random_play_with_an_interval_that_excludes_zero() -> None:
    torch.set_num_threads(1)
    env = make_vec(DRILL, num_envs=64, seed=0)
    env.action_space.seed(0)
    model = PPO(
        "MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=6, gamma=0.98, learning_rate=5e-4, seed=0
    )
    model.learn(98_304)

    learned = success_rate(lambda observations: model.predict(observations)[0], seed=1000)
    random = success_rate(lambda _: np.stack([env.action_space.sample() for _ in range(LANES)]), seed=1000)

    gain = learned.mean() - random.mean()
    error = np.sqrt((learned.var() + random.var()) / EPISODES)
    print(
        f"success: PPO {learned.mean():.3f}, random {random.mean():.3f}, gain {gain:.3f} ± {Z_95 * error:.3f}"
    )
    assert gain - Z_95 * error > 0.2
