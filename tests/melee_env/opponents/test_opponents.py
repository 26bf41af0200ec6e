"""Every opponent plays by the rules, and does what its name says."""

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.errors import OptionError
from melee_env.frame import empty_frames
from melee_env.opponents import Fighter, Random, make_opponent, opponent_names
from melee_env.testing import check_opponent, sample_frames


@pytest.mark.parametrize("name", opponent_names())
def test_the_kit_accepts_every_opponent(name: str) -> None:
    check_opponent(name, steps=80)


@pytest.mark.parametrize(
    ("name", "near"),
    [("scripted:figter-3", "scripted:fighter"), ("random", "scripted:random"), ("", "scripted:idle")],
)
def test_an_unknown_name_lists_what_is_known(name: str, near: str) -> None:
    with pytest.raises(OptionError, match=near):
        make_opponent(name)


@pytest.mark.parametrize("level", [0, 10, "5", 2.5])
def test_a_fighter_has_nine_levels(level: object) -> None:
    with pytest.raises(OptionError, match=r"1\.\.9"):
        Fighter(level)


def held(name: str, **leader: object) -> np.void:
    """What an opponent holds when its own fighter is as given."""
    player = make_opponent(name)
    player.reset(1, seed=0)
    frames = empty_frames(1)
    for field, value in leader.items():
        frames["seats"]["leader"][field][:, 0] = value
    return player.act(frames)[0].copy()


def test_idle_touches_nothing() -> None:
    assert held("scripted:idle") == make_controllers()[()]


def test_walk_goes_toward_the_other() -> None:
    assert (held("scripted:walk", x=-50)["stick_x"], held("scripted:walk", x=50)["stick_x"]) == (0.5, -0.5)


def test_jump_lets_go_in_the_air() -> None:
    pressed = [held("scripted:jump", airborne=airborne)["buttons"] for airborne in (0, 1)]
    assert pressed == [int(Button.X), 0]


def test_shield_rests_when_it_is_small() -> None:
    pressed = [held("scripted:shield", shield=shield)["buttons"] for shield in (60, 10)]
    assert pressed == [int(Button.L), 0]


def play(player: object, frames: np.ndarray) -> np.ndarray:
    return np.array([player.act(step).copy() for step in frames])


@pytest.mark.parametrize("name", ["scripted:random", "scripted:fighter-7"])
def test_another_seed_plays_differently(name: str) -> None:
    frames = sample_frames(1, 100)
    runs = set()
    for seed in range(2):
        player = make_opponent(name)
        player.reset(1, seed=seed)
        runs.add(play(player, frames).tobytes())
    assert len(runs) == 2


@pytest.mark.parametrize("name", ["scripted:random", "scripted:fighter-7"])
def test_seeding_one_game_leaves_the_others_alone(name: str) -> None:
    frames = sample_frames(2, 80)
    runs = []
    for mask in ([False, False], [True, False]):
        player = make_opponent(name)
        player.reset(2, seed=0)
        player.seed_games(np.array([77, 78]), np.array(mask))
        runs.append(play(player, frames))
    assert runs[0][:, 1].tobytes() == runs[1][:, 1].tobytes()
    assert runs[0][:, 0].tobytes() != runs[1][:, 0].tobytes()


@pytest.mark.parametrize("name", ["scripted:random", "scripted:fighter-7"])
def test_a_seeded_game_forgets_what_was_before(name: str) -> None:
    frames = sample_frames(1, 80)
    runs = []
    for warm_up in (0, 33):
        player = make_opponent(name)
        player.reset(1, seed=warm_up)
        play(player, frames[:warm_up])
        player.seed_games(np.array([5]), np.array([True]))
        runs.append(play(player, frames).tobytes())
    assert runs[0] == runs[1]


class Peeking(Random):
    """Breaks a rule: its first game depends on how many others there are."""

    def act(self, frames, episode_start=None):
        return make_controllers(stick_x=np.full(len(frames), len(frames) / 10))


class Meddling(Random):
    """Breaks a rule: it changes the frames."""

    def act(self, frames, episode_start=None):
        frames["stage"] = 0
        return super().act(frames)


class Forging(Random):
    """Breaks a rule: no hand holds this."""

    def act(self, frames, episode_start=None):
        made = super().act(frames)
        made["stick_x"] = 0.9
        return made


class Unseeded(Random):
    """Breaks a rule: it draws anew every time."""

    def reset(self, num_envs, seed=None):
        super().reset(num_envs, seed=None)


class Forgetting(Random):
    """Breaks a rule: its state is not all of it."""

    def set_state(self, game, state):
        self._left[game] = 0


class Confused(Fighter):
    """Breaks a rule: from the other seat it plays the wrong fighter."""

    def act_from(self, frames, seat, episode_start=None):
        return super().act_from(frames, 0, episode_start)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Peeking, "among others"),
        (Meddling, "changed the frames"),
        (Forging, "no hand can hold"),
        (Unseeded, "same seed"),
        (Forgetting, "does not continue"),
        (Confused, "from seat 1"),
    ],
)
def test_the_kit_finds_a_broken_opponent(broken: type, message: str) -> None:
    with pytest.raises(AssertionError, match=f"{message}.*To repair: "):
        check_opponent(broken(), steps=60)
