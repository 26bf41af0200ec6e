"""The ids of this package, registered with Gymnasium on import."""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium as gym


@dataclass(frozen=True)
class Entry:
    """One id and where it lives."""

    env_id: str
    """``melee_env/Name-vN``"""
    single: str
    """entry point of the single environment"""
    task: str
    """entry point of its task"""
    summary: str
    """one line for listings"""


ENTRIES = (
    Entry(
        "melee_env/Versus-v0",
        "melee_env.envs.versus:VersusEnv",
        "melee_env.envs.task:Task",
        "a game against an opponent",
    ),
    Entry(
        "melee_env/Multishine-v0",
        "melee_env.envs.drills.multishine.env:MultishineEnv",
        "melee_env.envs.drills.multishine.env:MultishineTask",
        "Fox's multishine: shine as often as possible",
    ),
    Entry(
        "melee_env/Recovery-v0",
        "melee_env.envs.drills.recovery.env:RecoveryEnv",
        "melee_env.envs.drills.recovery.env:RecoveryTask",
        "come back to the stage from beside it",
    ),
)


def vector_maker(entry: Entry) -> object:
    """Return a function that builds the native vector environment of an id."""

    def make(num_envs: int = 1, **kwargs: object) -> gym.vector.VectorEnv:
        from gymnasium.envs.registration import load_env_creator

        from melee_env.envs.vector import VersusVectorEnv

        return VersusVectorEnv(num_envs, task_type=load_env_creator(entry.task), **kwargs)  # type: ignore[arg-type]

    return make


def register_all() -> None:
    """Register every id; a second call changes nothing."""
    for entry in ENTRIES:
        if entry.env_id not in gym.registry:
            gym.register(entry.env_id, entry_point=entry.single, vector_entry_point=vector_maker(entry))  # type: ignore[arg-type]
