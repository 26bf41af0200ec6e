"""K15 on the emulator: an action takes effect after its delay, and lanes keep their own queues over resets."""

import gymnasium as gym
import numpy as np
import pytest

import melee_env  # noqa: F401 (registers the ids)
from melee_env.engine.engine import warm_up

pytest.importorskip("melee")
DELAY, STEPS = 4, 24


def marker(t: int) -> np.ndarray:
    """A box action whose C-stick tells when it was chosen."""
    action = np.zeros(13, np.float32)
    action[:8] = -1
    action[10] = (30 + t) / 80
    return action


def test_k15_delay_and_queues_on_the_emulator() -> None:
    warm_up()
    envs = gym.make_vec(
        "melee_env/Versus-v0",
        2,
        backend="dolphin",
        dolphin="virtual",
        budgets={"start": 300, "menus": 300, "frame": 60},
        action="box",
        action_delay=DELAY,
        opponent="scripted:idle",
    ).unwrapped
    try:
        envs.reset(seed=0)
        shown = []
        for t in range(STEPS):
            if t == STEPS // 2:
                envs.reset(seed=1, options={"reset_mask": np.array([True, False])})
            envs.step(np.stack([marker(t), marker(t)]))
            shown.append(envs.games.frames["seats"]["leader"]["controller"]["raw_cx"][:, 0].tolist())
    finally:
        envs.close()
    first, second = zip(*shown, strict=True)
    assert list(second) == [0] * DELAY + [30 + t for t in range(STEPS - DELAY)]
    half = STEPS // 2
    assert list(first[:half]) == list(second[:half])
    assert list(first[half:]) == [0] * DELAY + [30 + t for t in range(half, STEPS - DELAY)]
