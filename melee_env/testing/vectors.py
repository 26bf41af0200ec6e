"""Checks of native vector environments against Gymnasium's own."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode


def check_vector_env(
    env_id: str,
    autoreset_mode: AutoresetMode | str,
    num_envs: int = 3,
    steps: int = 200,
    seed: int = 0,
    **kwargs: Any,
) -> int:
    """Assert that an id's native vector environment equals ``SyncVectorEnv`` of the single one, bit for bit.

    Args:
        env_id: a registered id with a ``vector_entry_point``.
        autoreset_mode: ``NextStep``, ``SameStep`` or ``Disabled`` (finished lanes are reset by mask).
        num_envs: lanes.
        steps: steps to play with random actions.
        seed: seed of lane 0; lane i has ``seed + i``.
        **kwargs: arguments of the environment.

    Returns:
        How many episodes ended, so that the caller can assert that resets were covered.
    """
    mode = AutoresetMode(autoreset_mode)
    native = gym.make_vec(
        env_id, num_envs, vectorization_mode="vector_entry_point", autoreset_mode=mode, **kwargs
    )
    sync = gym.make_vec(
        env_id, num_envs, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **kwargs
    )
    try:
        return _play_both(native, sync, mode, steps, seed)
    finally:
        native.close()
        sync.close()


def _play_both(
    native: gym.vector.VectorEnv[Any, Any, Any],
    sync: gym.vector.VectorEnv[Any, Any, Any],
    mode: AutoresetMode,
    steps: int,
    seed: int,
) -> int:
    assert native.metadata["autoreset_mode"] == mode, "the metadata names another autoreset mode"
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(native, name) == getattr(sync, name), f"{name} differs"
    native.action_space.seed(seed)
    _same("reset", native.reset(seed=seed), sync.reset(seed=seed))
    ended = 0
    for step in range(steps):
        actions = native.action_space.sample()
        ours, theirs = native.step(actions), sync.step(actions)
        _same(f"step {step}", ours, theirs)
        over = ours[2] | ours[3]
        ended += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            # SyncVectorEnv takes the mask out of the mapping, so each gets its own.
            _same(
                f"masked reset after step {step}",
                native.reset(options={"reset_mask": over}),
                sync.reset(options={"reset_mask": over.copy()}),
            )
    return ended


def _same(where: str, ours: Any, theirs: Any, path: str = "") -> None:
    """Assert that two nested results are equal in type, dtype and every bit."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), f"{where}{path}: keys {sorted(ours)} instead of {sorted(theirs)}"
        for key in theirs:
            _same(where, ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(theirs, tuple):
        for k, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            _same(where, mine, other, f"{path}[{k}]")
    elif isinstance(theirs, np.ndarray) and theirs.dtype != object:
        assert ours.dtype == theirs.dtype, f"{where}{path}: dtype {ours.dtype} instead of {theirs.dtype}"
        assert np.array_equal(ours, theirs), f"{where}{path}: {ours} instead of {theirs}"
    elif isinstance(theirs, np.ndarray):
        for k, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            _same(where, mine, other, f"{path}[{k}]")
    else:
        assert ours is None if theirs is None else ours == theirs, (
            f"{where}{path}: {ours} instead of {theirs}"
        )
