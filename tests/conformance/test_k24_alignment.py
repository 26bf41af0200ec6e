"""K24: the state of frame t goes with the input that acts from t to t + 1."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from demonstrations.columns import Columns
from demonstrations.tensors import Episode, Rows
from demonstrations.trajectories import align, stretches
from demonstrations.windows import Settings, Windows
from melee_env.actions import make_codec
from melee_env.errors import OptionError

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


def counting_game(length=200):
    """Every controller holds the number of the frame that it made (shifted to fit)."""
    game = GAMES.synthetic_game(length=length)
    game.frames["seats"]["leader"]["controller"]["buttons"] = (game.numbers + 1000)[:, None]
    return game


def encode(controllers):
    return controllers["buttons"].astype(np.int64) - 1000


@pytest.mark.parametrize("delay", [0, 1, 2, 5])
def test_k24_actions_shift_by_exactly_the_delay(delay):
    (stretch,) = stretches(counting_game(), [1])
    frames, actions = align(stretch.frames, encode, delay)
    assert len(frames) == len(actions) + 1
    np.testing.assert_array_equal(actions, frames["frame"][:-1] + 1 + delay)


def test_k24_first_and_last_frame():
    game = counting_game()
    (stretch,) = stretches(game, [0])
    frames, actions = align(stretch.frames, encode)
    assert frames["frame"][0] == -39 and frames["frame"][-1] == game.numbers[-1]
    assert actions[-1] == game.numbers[-1]


def test_k24_previous_action_is_in_the_observed_frame():
    (stretch,) = stretches(counting_game(), [0])
    frames, actions = align(stretch.frames, encode)
    previous = encode(frames["seats"]["leader"]["controller"][:, 0])
    np.testing.assert_array_equal(previous[1:-1], actions[:-1])


def test_k24_the_player_comes_first():
    game = counting_game()
    for stretch in stretches(game, [0, 1]):
        assert stretch.port == game.info.seats[stretch.seat].port
        assert (stretch.frames["seats"]["port"][:, 0] == stretch.port).all()


def test_k24_a_gap_begins_a_new_stretch():
    game = counting_game()
    game.frames = np.delete(game.frames, slice(120, 125))
    first, second = stretches(game, [0])
    assert not first.ended and second.ended
    assert second.frames["frame"][0] == first.frames["frame"][-1] + 6


def test_k24_a_damaged_frame_is_left_out():
    game = counting_game()
    game.frames["seats"]["leader"]["present"][150, 1] = 0
    assert len(list(stretches(game, [0]))) == 2


def test_k24_negative_delay_is_refused():
    (stretch,) = stretches(counting_game(), [0])
    with pytest.raises(OptionError, match="action_delay"):
        align(stretch.frames, encode, -1)


def counting_windows(**settings):
    """Windows of an episode of 60 steps whose numbers tell the row and whose actions tell the row plus 1."""
    rows = np.arange(61)
    part = Rows(
        rows[:, None].astype(np.float32),
        np.zeros((61, 0), np.uint8),
        np.repeat(rows[:, None] + 1, 13, 1),
        np.zeros(61, np.float32),
        (Episode(0, 60, "", "game", 0, 0, "", 0, 0, 32, True, 0.0),),
    )
    return Windows([part], Columns(1), ["own.x"], Settings(length=8, stride=1, **settings))


@pytest.mark.parametrize(("frame_delay", "action_delay"), [(0, 0), (3, 0), (0, 4), (5, 2)])
def test_k24_windows_shift_by_exactly_the_delays(frame_delay, action_delay):
    windows = counting_windows(frame_delay=frame_delay, action_delay=action_delay)
    assert len(windows) == 60 - frame_delay - action_delay - 8 + 1
    for number in range(len(windows)):
        window = windows[number]
        row, label = window.numbers[:, 0], window.actions[:, 0]
        np.testing.assert_array_equal(label - 1 - row, frame_delay + action_delay)
        np.testing.assert_array_equal(window.previous_actions[1:, 0], label[:-1])
        assert window.episode_start.tolist() == [number == 0] + [False] * 7
        before = number + frame_delay + action_delay  # the action of the row before the first label
        assert window.previous_actions[0, 0] == before


def test_k24_nothing_was_pressed_before_the_first_frame():
    window = counting_windows()[0]
    np.testing.assert_array_equal(window.previous_actions[0], make_codec("multidiscrete").neutral())


def test_k24_a_drawn_frame_delay_is_told_and_kept_within_its_bounds():
    windows = counting_windows(frame_delay=(1, 6))
    batch = windows.__getitems__(list(range(len(windows))))
    late = batch.actions[..., 0] - 1 - batch.numbers[..., 0]
    np.testing.assert_array_equal(late, np.repeat(batch.frame_delay[:, None], 8, 1))
    assert set(batch.frame_delay.tolist()) == set(range(1, 7))
