"""K13: the reward ledger, on made-up frames and in games of the engine."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from melee_env.frame import Frames, empty_frames, seen_from
from melee_env.rewards import TERMS, make_reward

EVERYTHING = "damage*0.5+stock*2+win*3+approach*0.25"


def story(**seats: list[tuple[float, float]]) -> Frames:
    """Frames of one game from lists of ``(own, other)`` per field of the leader."""
    length = len(next(iter(seats.values())))
    frames = empty_frames(length)
    frames["seats"]["leader"]["stocks"] = 4
    for name, pairs in seats.items():
        frames["seats"]["leader"][name] = pairs
    return frames


def values(frames: Frames, spec: str, seat: int = 0) -> list[float]:
    seen = seen_from(frames, seat)
    return make_reward(spec).step(seen[:-1], seen[1:]).tolist()


def test_k13_damage_is_percent_in_hundreds() -> None:
    frames = story(percent=[(0, 0), (0, 12), (3, 12), (3, 12)])
    assert values(frames, "damage") == pytest.approx([0.12, -0.03, 0])


def test_k13_a_reset_of_percent_is_no_healing() -> None:
    frames = story(percent=[(80, 120), (0, 120), (0, 0)])
    assert values(frames, "damage") == [0, 0]


def test_k13_a_stock_counts_once_on_its_death_frame() -> None:
    frames = story(stocks=[(4, 4), (4, 3), (4, 3), (3, 3), (3, 3)])
    assert values(frames, "stock") == [1, 0, -1, 0]


@pytest.mark.parametrize(
    ("stocks", "percent", "result"),
    [
        ((2, 0), (0, 0), 1),
        ((0, 2), (0, 0), -1),
        ((1, 1), (10, 30), 1),
        ((1, 1), (30, 10), -1),
        ((1, 1), (5, 5), 0),
    ],
)
def test_k13_the_end_of_a_game_is_won_or_lost_once(stocks, percent, result) -> None:
    frames = story(stocks=[stocks] * 3, percent=[percent] * 3)
    frames["end_method"] = [0, 2, 2]
    assert values(frames, "win") == [result, 0]
    assert values(frames, "win", seat=1) == [-result, 0]


def test_k13_nana_counts_for_herself_and_only_while_she_is_there() -> None:
    frames = story(percent=[(0, 0)] * 4)
    nana = frames["seats"]["nana"]
    nana["present"][:, 1] = [1, 1, 0, 1]
    nana["percent"][:, 1] = [0, 7, 0, 9]
    assert values(frames, "damage") == pytest.approx([0.07, 0, 0])


def test_k13_the_total_is_the_weighted_sum_of_the_terms() -> None:
    rng = np.random.default_rng(0)
    frames = story(percent=rng.uniform(0, 90, (50, 2)), x=rng.normal(0, 50, (50, 2)))
    frames["seats"]["leader"]["stocks"] = rng.integers(0, 5, (50, 2))
    frames["end_method"][-1] = 2
    total, parts = make_reward(EVERYTHING).ledger(frames[:-1], frames[1:])
    weights = {"damage": 0.5, "stock": 2, "win": 3, "approach": 0.25}
    plain = {name: np.array(values(frames, name)) for name in weights}
    np.testing.assert_allclose(total, sum(weights[name] * plain[name] for name in weights), atol=1e-5)
    for name, weight in weights.items():
        np.testing.assert_allclose(parts[name], weight * plain[name], atol=1e-6)


def test_k13_combos_edge_guards_and_risk() -> None:
    frames = story(percent=[(0, 0), (0, 9), (0, 14), (4, 14)], x=[(0, 0), (0, 90), (90, 90), (95, 0)])
    frames["seats"]["leader"]["action"] = 14
    frames["seats"]["leader"]["hitstun"][1, 1] = 20
    assert values(frames, "combo") == pytest.approx([0, 0.05, 0])
    assert values(frames, "edge_guard") == pytest.approx([0.09, 0.05, -0.04])
    assert values(frames, "recovery_risk") == pytest.approx([1 / 60, 0, -1 / 60])
    assert values(frames, "stalling") == pytest.approx([-1 / 60, 0, -1 / 60])
    assert values(frames, "damage_dealt") == pytest.approx([0.09, 0.05, 0])
    assert values(frames, "damage_taken") == pytest.approx([0, 0, -0.04])


@pytest.mark.parametrize("name", sorted(TERMS))
def test_k13_a_term_is_zero_sum_exactly_if_it_says_so(name: str) -> None:
    rng = np.random.default_rng(1)
    frames = story(percent=rng.uniform(0, 200, (80, 2)), x=rng.normal(0, 50, (80, 2)))
    frames["seats"]["leader"]["stocks"] = rng.integers(0, 5, (80, 2))
    frames["seats"]["leader"]["action"] = 14
    frames["seats"]["leader"]["hitstun"] = rng.integers(0, 2, (80, 2))
    frames["end_method"] = rng.integers(0, 2, 80) * 2
    ours, theirs = np.array(values(frames, name)), np.array(values(frames, name, seat=1))
    assert np.abs(ours).sum() > 0
    assert TERMS[name].zero_sum == bool((ours == -theirs).all())


def test_k13_the_ledger_of_a_game_in_the_engine() -> None:
    """Damage terms add up to the percent gained, stocks to those lost, over deaths and respawns."""
    env = gym.make(
        "melee_env/Versus-v0",
        opponent="scripted:fighter-9",
        reward=EVERYTHING,
        stocks=2,
        percent=60,
        position=(-10, 0),
        opponent_position=(10, 0),
    ).unwrapped
    env.action_space.seed(1)
    env.reset(seed=1)
    frames, ledger, over = [env.frame], [], False
    while not over and len(ledger) < 8000:
        action = env.action_space.sample()
        action[8:12] = action[8:12] // 6 * 8  # mostly neutral or full
        _, reward, terminated, truncated, info = env.step(action)
        frames.append(env.frame)
        ledger.append({name[7:]: value for name, value in info.items() if name.startswith("reward.")})
        assert reward == pytest.approx(sum(ledger[-1].values()), abs=1e-6)
        over = terminated or truncated
    leaders = np.array(frames)["seats"]["leader"]
    gained = np.maximum(np.diff(leaders["percent"], axis=0), 0).sum(0)
    assert gained.min() > 0
    assert sum(part["damage"] for part in ledger) == pytest.approx((gained[1] - gained[0]) * 0.005, abs=1e-4)
    lost = leaders["stocks"][0].astype(int) - leaders["stocks"][-1]
    assert over and lost[0] == 2
    assert sum(part["stock"] for part in ledger) == 2 * (lost[1] - lost[0])
    assert [part["win"] for part in ledger if part["win"]] == [-3]


def test_k13_a_held_action_pays_for_all_its_frames() -> None:
    """One step of four frames earns what four steps earn."""
    totals = []
    for skip in (1, 4):
        env = gym.make(
            "melee_env/Versus-v0", opponent="scripted:fighter-9", frame_skip=skip, position=(-10, 0)
        )
        env.reset(seed=3, options={"opponent_position": (0, 0)})
        still = env.unwrapped.games.codec.neutral()
        totals.append(sum(env.step(still)[1] for _ in range(400 // skip)))
    assert totals[0] < 0
    assert totals[1] == pytest.approx(totals[0], abs=1e-5)
