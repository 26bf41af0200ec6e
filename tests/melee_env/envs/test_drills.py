"""The academy: every drill starts where it says, its teacher succeeds, doing nothing does not."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import agents
from melee_env.envs.drills.curriculum import CURRICULUM, next_lesson
from melee_env.envs.drills.multishine.chain import count_chains
from melee_env.envs.options import RECOVERING_CHARACTERS
from melee_env.envs.registry import ENTRIES
from melee_env.ids import Character
from melee_env.opponents import make_opponent

TEACHERS = {"Wavedash": 0.95, "LCancel": 0.95, "Ledgedash": 0.8, "DI": 0.5, "ShieldPressure": 0.95}
"""drill → share of successes that its teacher reaches at least"""
OFFENCE = ("Juggle", "TechChase", "ShieldPressure", "EdgeGuard")


def success_rate(drill: str, player: object, games: int = 24, seed: int = 0, **options: str) -> float:
    """Play one episode per lane with a player of frames."""
    envs = gym.make_vec(f"melee_env/{drill}-v0", games, autoreset_mode="Disabled", **options).unwrapped
    envs.reset(seed=seed)
    player.reset(games, seed)
    running, succeeded = np.ones(games, bool), np.zeros(games, bool)
    start = np.ones(games, bool)
    while running.any():
        controllers = player.act(envs.games.frames, start)
        start = np.zeros(games, bool)
        _, _, over, cut, info = envs.games.play(controllers, running)
        succeeded |= running & info["success"]
        running &= ~(over | cut)
    return float(succeeded.mean())


@pytest.mark.parametrize(("drill", "share"), TEACHERS.items())
def test_a_teacher_knows_its_drill(drill: str, share: float) -> None:
    assert success_rate(drill, agents.make(f"teacher:{drill.lower()}")) >= share


@pytest.mark.parametrize("drill", ["Wavedash", "LCancel", "Ledgedash", *OFFENCE])
def test_doing_nothing_is_no_success(drill: str) -> None:
    assert success_rate(drill, make_opponent("scripted:idle"), games=8) == 0


@pytest.mark.parametrize("character", RECOVERING_CHARACTERS)
def test_the_fighter_recovers_with_every_character_that_has_an_up_special(character: Character) -> None:
    """A start beside the stage can be survived, so the drill is fair."""
    assert success_rate("Recovery", make_opponent("scripted:fighter-9"), 8, character=character.name) >= 0.75


@pytest.mark.parametrize("drill", ["TechChase", "EdgeGuard"])
def test_a_fighter_succeeds_sometimes(drill: str) -> None:
    assert success_rate(drill, make_opponent("scripted:fighter-9"), games=32) > 0


def test_the_tech_chase_begins_with_a_throw() -> None:
    env = gym.make("melee_env/TechChase-v0").unwrapped
    env.reset(seed=1)
    assert 239 <= env.frame["seats"]["leader"]["action"][1] <= 243


def test_the_blow_has_just_connected() -> None:
    env = gym.make("melee_env/DI-v0").unwrapped
    for seed in range(6):
        env.reset(seed=seed)
        own = env.frame["seats"]["leader"][0]
        assert 75 <= own["action"] <= 91
        assert own["hitlag"] > 0


def test_starts_can_be_chosen() -> None:
    env = gym.make("melee_env/Juggle-v0").unwrapped
    env.reset(seed=0, options={"opponent_position": (10.0, 50.0), "opponent_percent": 33})
    other = env.frame["seats"]["leader"][1]
    assert (other["x"], other["percent"]) == (10.0, 33.0)


def test_the_curriculum_names_registered_drills() -> None:
    assert {lesson.env_id for lesson in CURRICULUM} <= {entry.env_id for entry in ENTRIES}
    assert next_lesson({}) == 0
    assert next_lesson({place: 1.0 for place in range(len(CURRICULUM))}) is None


@pytest.mark.parametrize(
    ("actions", "shines"),
    [
        ([14, 360, 361, 363, 14], 1),
        ([14, 360, 364, 361, 364, 361, 363, 14], 1),
        ([14, 360, 361, 24, 365, 369, 366, 361, 24], 2),
    ],
)
def test_turning_in_the_reflector_is_no_new_shine(actions, shines):
    assert int(count_chains(actions).onsets.sum()) == shines
