"""K10: a bad option is named with its alternatives and does no harm; None draws from the seed."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from melee_env.envs.options import DEFAULTS, MODELLED_CHARACTERS, MODELLED_STAGES, resolve
from melee_env.errors import OptionError

VERSUS = "melee_env/Versus-v0"

BAD_EPISODES: list[tuple[Any, str]] = [
    ({"stokcs": 1}, "'stokcs'.*stocks"),
    ({"Stage": "BATTLEFIELD"}, "'Stage'.*stage"),
    ({1: 2}, "unknown option 1"),
    ({"stocks": 0}, "'stocks'.*1..99.*0"),
    ({"stocks": 100}, "'stocks'.*1..99.*100"),
    ({"stocks": "3"}, "'stocks'.*number.*'3'"),
    ({"stocks": True}, "'stocks'.*number.*True"),
    ({"stocks": 1.5}, "'stocks'.*whole number.*1.5"),
    ({"opponent_stocks": -1}, "'opponent_stocks'.*1..99.*-1"),
    ({"percent": -1}, "'percent'.*0..999.*-1"),
    ({"percent": 1000}, "'percent'.*0..999.*1000"),
    ({"percent": float("nan")}, "'percent'.*0..999.*nan"),
    ({"opponent_percent": "a lot"}, "'opponent_percent'.*number"),
    ({"time_limit": 0}, "'time_limit'.*0"),
    ({"time_limit": float("inf")}, "'time_limit'.*inf"),
    ({"position": 3}, "'position'.*pair.*3"),
    ({"position": (1, 2, 3)}, "'position'.*pair"),
    ({"position": "up"}, "'position'.*pair"),
    ({"position": (float("nan"), 0)}, "'position'.*within"),
    ({"opponent_position": (500, 0)}, "'opponent_position'.*within.*500"),
    ({"character": "FOXX"}, "'FOXX'.*FOX"),
    ({"character": 2}, "2"),
    ({"character": "NANA"}, "POPO"),
    ({"opponent_character": "BOWZER"}, "'BOWZER'.*BOWSER"),
    ({"stage": "BATTLEFEILD"}, "'BATTLEFEILD'.*BATTLEFIELD"),
    ({"stage": 31}, "31"),
    ([("stocks", 1)], "mapping.*list"),
    ({"costume": 6}, "'costume'.*0..5.*6"),
    ({"opponent_costume": "red"}, "'opponent_costume'.*number.*'red'"),
    ({"opponent": "scripted:figther-3"}, "'scripted:figther-3'.*scripted:fighter"),
    ({"opponent": 5}, "opponent.*5"),
    ({"action_delay": 25}, "'action_delay'.*0..24.*25"),
    ({"action_delay": 1.5}, "'action_delay'.*whole number.*1.5"),
    ({"seat": 2}, "'seat'.*0..1.*2"),
    ({"mirror": 1}, "'mirror'.*True, False or None.*1"),
    ({"mirror": True, "stage": "YOSHIS_STORY"}, "'mirror'.*BATTLEFIELD.*YOSHIS_STORY"),
]


@pytest.mark.parametrize(("options", "message"), BAD_EPISODES)
def test_k10_a_bad_option_is_named_and_does_no_harm(options: Any, message: str) -> None:
    env = gym.make(VERSUS).unwrapped
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(OptionError, match=message):
        env.reset(options=options)
    assert repr(env.get_state()) == repr(before)
    env.step(env.action_space.sample())


@pytest.mark.parametrize(("options", "message"), [row for row in BAD_EPISODES if isinstance(row[0], dict)])
def test_k10_vectors_refuse_the_same(options: dict[str, Any], message: str) -> None:
    envs = gym.make_vec(VERSUS, 2)
    envs.reset(seed=0)
    before = envs.unwrapped.games.frames.tobytes()
    with pytest.raises(OptionError, match=message):
        envs.reset(options={"lanes": [{}, options]})
    assert envs.unwrapped.games.frames.tobytes() == before
    envs.step(envs.action_space.sample())


BAD_ENVIRONMENTS: list[tuple[dict[str, Any], str]] = [
    ({"observation": "compakt"}, "'compakt'.*compact"),
    ({"observation": 3}, "3.*compact.*full"),
    ({"action": "multidiscreet"}, "'multidiscreet'.*multidiscrete"),
    ({"reward": "damge"}, "'damge'.*damage"),
    ({"reward": "damage*much"}, "'much'.*'damage'"),
    ({"reward": "damage*inf"}, "'inf'.*'damage'"),
    ({"reward": "damage+damage"}, "'damage'.*twice"),
    ({"opponent": "scripted:figther-3"}, "'scripted:figther-3'.*scripted:fighter"),
    ({"opponent": "scripted:fighter-10"}, "scripted:fighter"),
    ({"opponent": 5}, "opponent.*5"),
    ({"action_delay": 25}, "action_delay.*0..24.*25"),
    ({"action_delay": -1}, "action_delay.*0..24.*-1"),
    ({"action_delay": 1.5}, "action_delay.*0..24.*1.5"),
    ({"sticky_actions": 1.0}, "sticky_actions.*1.0"),
    ({"sticky_actions": True}, "sticky_actions.*True"),
    ({"action_delay": True}, "action_delay.*0..24.*True"),
    ({"frame_skip": 0}, "frame_skip.*0"),
    ({"frame_skip": 1.5}, "frame_skip.*1.5"),
    ({"backend": "embeded"}, "'embeded'.*embedded"),
    ({"render_mode": "ansi"}, "render_mode.*rgb_array.*'ansi'"),
    ({"stokcs": 1}, "'stokcs'.*stocks"),
    ({"stocks": 0}, "'stocks'.*1..99"),
    ({"stage": "BATTLEFEILD"}, "'BATTLEFEILD'.*BATTLEFIELD"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ENVIRONMENTS)
@pytest.mark.filterwarnings("ignore:.*render_mode:UserWarning")
@pytest.mark.parametrize("kind", ["single", "vector"])
def test_k10_a_bad_argument_is_named(kind: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        if kind == "single":
            gym.make(VERSUS, **arguments)
        else:
            gym.make_vec(VERSUS, 2, **arguments)


@pytest.mark.parametrize("mask", [[True, False], np.ones(3, bool), np.ones(2, int), np.zeros(2, bool)])
def test_k10_a_bad_mask_is_named(mask: Any) -> None:
    envs = gym.make_vec(VERSUS, 2)
    with pytest.raises(OptionError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


def test_k10_a_wrong_number_of_lanes_or_seeds_is_named() -> None:
    envs = gym.make_vec(VERSUS, 2)
    with pytest.raises(OptionError, match="'lanes'.*2.*3"):
        envs.reset(options={"lanes": [{}] * 3})
    with pytest.raises(OptionError, match="seed.*2.*3"):
        envs.reset(seed=[1, 2, 3])


def test_k10_none_draws_every_stage() -> None:
    env = gym.make(VERSUS).unwrapped
    seen = set()
    for seed in range(60):
        env.reset(seed=seed, options={"stage": None})
        seen.add(int(env.frame["stage"]))
    assert seen == {stage.external for stage in MODELLED_STAGES}


def test_k10_none_is_fixed_by_the_seed() -> None:
    env = gym.make(VERSUS, stage=None).unwrapped
    runs = []
    for _ in range(2):
        env.reset(seed=5)
        runs.append([int(env.frame["stage"])] + [(env.reset(), int(env.frame["stage"]))[1] for _ in range(9)])
    assert runs[0] == runs[1]


def test_k10_none_draws_every_other_option() -> None:
    drawn = [
        resolve({**dict.fromkeys(DEFAULTS), "stage": "BATTLEFIELD"}, np.random.default_rng(n))
        for n in range(400)
    ]
    assert {start.match.characters[0] for start in drawn} == set(MODELLED_CHARACTERS)
    assert {start.match.stocks for start in drawn} == {(a, b) for a in range(1, 5) for b in range(1, 5)}
    assert {start.match.costumes[1] for start in drawn} == set(range(6))
    assert {start.action_delay for start in drawn} == set(range(25))
    assert {start.opponent for start in drawn} == {f"scripted:fighter-{level}" for level in range(1, 10)}
    assert {(start.seat, start.mirror) for start in drawn} == {(a, b) for a in (0, 1) for b in (False, True)}
    assert all(0 <= start.match.percents[0] <= 150 for start in drawn)
    assert all(1_800 <= start.match.time_limit <= 28_800 for start in drawn)
    assert {start.match.positions for start in drawn} == {(None, None)}


def test_k10_lanes_have_options_of_their_own() -> None:
    """Characters, stage, stocks, percent, places, opponent, clock and delay differ from game to game."""
    lanes = [
        {"character": "FOX", "stage": "BATTLEFIELD", "opponent": "scripted:walk", "action_delay": 3},
        {"character": "MARTH", "stocks": 2, "percent": 40, "position": (-20, 0), "opponent": "scripted:idle"},
        {"opponent_character": "FALCO", "time_limit": 1, "seat": 1, "opponent": "scripted:jump"},
    ]
    envs = gym.make_vec(VERSUS, 3, autoreset_mode="Disabled").unwrapped
    envs.reset(seed=0, options={"lanes": lanes})
    envs.step(np.tile(envs.games.codec.neutral(), (3, 1)))
    leaders = envs.games.frames["seats"]["leader"]
    assert leaders["character"].tolist() == [[1, 1], [18, 1], [1, 22]]
    assert envs.games.frames["stage"].tolist() == [31, 32, 32]
    assert (leaders["stocks"][1, 0], leaders["percent"][1, 0], leaders["x"][1, 0]) == (2, 40, -20)
    assert envs.games.controls.delays.tolist() == [3, 0, 0]
    sticks = leaders["controller"]["stick_x"][:, 1].tolist()
    assert sticks[0] == -0.5 and sticks[1:] == [0, 0]


@pytest.mark.parametrize("key", ["character", "opponent_character", "stage", "stocks", "opponent", "seat"])
def test_k10_fixing_one_option_does_not_change_the_other_draws(key: str) -> None:
    rngs = [np.random.default_rng(4), np.random.default_rng(4)]
    resolve({**DEFAULTS, key: None}, rngs[0])
    resolve(DEFAULTS, rngs[1])
    assert rngs[0].integers(2**32) == rngs[1].integers(2**32)


def test_k10_numbers_of_numpy_are_numbers() -> None:
    start = resolve(
        {**DEFAULTS, "stocks": np.int64(3), "percent": np.float32(12.5)}, np.random.default_rng(0)
    )
    assert (start.match.stocks[0], start.match.percents[0]) == (3, 12.5)


@pytest.mark.parametrize("stage", ["BATTLEFIELD", "FINAL_DESTINATION", None])
def test_k10_a_recovery_starts_beside_the_stage_that_is_played(stage: str | None) -> None:
    """The start is drawn for the stage of this episode, not for the default one."""
    from melee_env.envs.drills.recovery.starts import EDGE_DISTANCE
    from melee_env.observations.features import EDGE_X

    env = gym.make("melee_env/Recovery-v0").unwrapped
    for seed in range(10):
        env.reset(seed=seed, options={"stage": stage})
        beside = abs(float(env.frame["seats"]["leader"]["x"][0])) - EDGE_X[int(env.frame["stage"])]
        assert EDGE_DISTANCE[0] - 0.01 <= beside <= EDGE_DISTANCE[1] + 0.01


def test_k10_a_recovery_starts_where_it_is_told_to() -> None:
    env = gym.make("melee_env/Recovery-v0", position=(-100.0, 10.0)).unwrapped
    env.reset(seed=0)
    assert env.frame["seats"]["leader"][["x", "y"]][0].tolist() == (-100.0, 10.0)
