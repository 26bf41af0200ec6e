"""The pool of self-play: who is met, how results count, how it grows."""

import numpy as np
import pytest

from agents.base import Agent
from agents.ppo.config import PPOConfig
from agents.ppo.pool import OpponentPool
from agents.ppo.train import make_pool
from melee_env.controller import Controllers, make_controllers
from melee_env.errors import OptionError
from melee_env.frame import Frames, empty_frames

LANES = 64


class Tilt(Agent):
    """Tilts the stick by a fixed amount, and remembers for how many frames a game has run."""

    def __init__(self, amount: float) -> None:
        self.name, self.amount = f"tilt {amount}", amount

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        self.age = np.zeros(num_envs)

    def act(self, frames: Frames, episode_start: np.ndarray | None = None) -> Controllers:
        assert episode_start is not None
        self.age = np.where(episode_start, 0, self.age + 1)
        return make_controllers(np.full(len(frames), self.amount), -self.age / 5)


def pool(power: float = 1.0, capacity: int = 4) -> OpponentPool:
    made = OpponentPool([("a", Tilt(-0.5)), ("b", Tilt(0.5))], capacity, power)
    made.reset(LANES, seed=0)
    return made


def test_everyone_is_drawn_and_stays_for_the_game() -> None:
    made, start = pool(), np.zeros(LANES, bool)
    first = np.sign(made.act(empty_frames(LANES), start)["stick_x"])
    assert set(first) == {-1, 1}
    for _ in range(5):
        assert (np.sign(made.act(empty_frames(LANES), start)["stick_x"]) == first).all()


def test_a_new_game_draws_anew_and_starts_the_members_memory() -> None:
    made, start = pool(), np.zeros(LANES, bool)
    for _ in range(4):
        made.act(empty_frames(LANES), start)
    start[:32] = True
    after = made.act(empty_frames(LANES), start)
    assert (after["stick_y"][:32] == 0).all() and (after["stick_y"][32:] < 0).all()


def test_who_is_beaten_less_is_met_more() -> None:
    made = pool()
    assert made.probabilities().tolist() == [0.5, 0.5]
    for lane in range(LANES):
        made.playing[lane] = made.members[0]
        made.finish(lane, 1.0)
    assert made.members[0].win_rate == pytest.approx(65 / 66)
    assert made.probabilities()[1] > 0.9
    assert pool(power=0.0).probabilities().tolist() == [0.5, 0.5]


def test_copies_join_and_the_oldest_copy_makes_room() -> None:
    made, policy = pool(capacity=3), Tilt(0.75)
    made.add("copy 1", policy)
    policy.amount = 1.0
    assert isinstance(made.members[2].agent, Tilt)
    assert made.members[2].agent.amount == 0.75, "a copy must not learn on"
    made.add("copy 2", policy)
    assert [member.name for member in made.members] == ["a", "b", "copy 2"]


def test_same_seed_same_opponents() -> None:
    frames, start = empty_frames(LANES), np.zeros(LANES, bool)
    assert pool().act(frames, start).tobytes() == pool().act(frames, start).tobytes()


def test_a_pool_needs_its_first_members() -> None:
    assert make_pool(PPOConfig()) is None
    with pytest.raises(OptionError, match="opponents"):
        make_pool(PPOConfig(copy_every=5))
    made = make_pool(PPOConfig(opponents=("scripted:idle", "scripted:walk")))
    assert made is not None and [member.name for member in made.members] == ["scripted:idle", "scripted:walk"]
