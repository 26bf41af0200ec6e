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
    vector: str
    """entry point of the native vector environment; a name, not a function, so that a spec can be saved"""
    summary: str
    """one line for listings"""


def _drill(name: str, summary: str) -> Entry:
    folder = f"melee_env.envs.drills.{name.lower()}.env"
    return Entry(f"melee_env/{name}-v0", f"{folder}:{name}Env", f"{folder}:make_vector", summary)


ENTRIES = (
    Entry(
        "melee_env/Versus-v0",
        "melee_env.envs.versus:VersusEnv",
        "melee_env.envs.vector:VersusVectorEnv",
        "a game against an opponent",
    ),
    _drill("Wavedash", "jump, air-dodge into the floor, slide: five times"),
    _drill("LCancel", "land five aerial attacks with half their landing lag"),
    _drill("Multishine", "Fox's multishine: shine as often as possible"),
    _drill("DI", "survive a smash attack by steering its knockback"),
    _drill("Recovery", "come back to the stage from beside it"),
    _drill("Ledgedash", "from the ledge onto the stage with intangibility to spare"),
    _drill("Juggle", "hit the other three times before it lands"),
    _drill("TechChase", "follow a knocked-down fighter and hit it again"),
    _drill("ShieldPressure", "hit a shield eight times without being grabbed"),
    _drill("EdgeGuard", "keep the other from coming back to the stage"),
)


def register_all() -> None:
    """Register every id; a second call changes nothing."""
    for entry in ENTRIES:
        if entry.env_id not in gym.registry:
            gym.register(entry.env_id, entry_point=entry.single, vector_entry_point=entry.vector)
