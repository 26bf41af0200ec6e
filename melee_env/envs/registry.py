"""The ids of this package, registered with Gymnasium on import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym


@dataclass(frozen=True)
class Entry:
    """One id and where it lives."""

    env_id: str
    """``melee_env/Name-vN``"""
    single: str
    """entry point of the single environment"""
    vector: str
    """entry point of the native vector environment; names, not functions, so that a spec can be saved"""
    summary: str
    """one line for listings"""


ENTRIES = (
    Entry(
        "melee_env/Versus-v0",
        "melee_env.envs.versus:VersusEnv",
        "melee_env.envs.registry:versus_vector",
        "a game against an opponent",
    ),
    Entry(
        "melee_env/Multishine-v0",
        "melee_env.envs.drills.multishine.env:MultishineEnv",
        "melee_env.envs.registry:multishine_vector",
        "Fox's multishine: shine as often as possible",
    ),
    Entry(
        "melee_env/Recovery-v0",
        "melee_env.envs.drills.recovery.env:RecoveryEnv",
        "melee_env.envs.registry:recovery_vector",
        "come back to the stage from beside it",
    ),
)


def versus_vector(num_envs: int = 1, **kwargs: Any) -> gym.vector.VectorEnv[Any, Any, Any]:
    """Build the native vector environment of ``Versus``."""
    from melee_env.envs.task import Task

    return _make_vector(Task, num_envs, kwargs)


def multishine_vector(num_envs: int = 1, **kwargs: Any) -> gym.vector.VectorEnv[Any, Any, Any]:
    """Build the native vector environment of ``Multishine``."""
    from melee_env.envs.drills.multishine.env import MultishineTask

    return _make_vector(MultishineTask, num_envs, kwargs)


def recovery_vector(num_envs: int = 1, **kwargs: Any) -> gym.vector.VectorEnv[Any, Any, Any]:
    """Build the native vector environment of ``Recovery``."""
    from melee_env.envs.drills.recovery.env import RecoveryTask

    return _make_vector(RecoveryTask, num_envs, kwargs)


def _make_vector(
    task_type: Any, num_envs: int, kwargs: dict[str, Any]
) -> gym.vector.VectorEnv[Any, Any, Any]:
    from melee_env.envs.vector import VersusVectorEnv

    return VersusVectorEnv(num_envs, task_type=task_type, **kwargs)


def register_all() -> None:
    """Register every id; a second call changes nothing."""
    for entry in ENTRIES:
        if entry.env_id not in gym.registry:
            gym.register(entry.env_id, entry_point=entry.single, vector_entry_point=entry.vector)
