"""Demonstrations as lanes: nothing lost, nothing mixed, split by game."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from agents.bc.lanes import Demonstrations, button_rarity, count_windows
from melee_env.errors import OptionError


def counting(lengths: list[int], games: list[str] | None = None) -> Demonstrations:
    """Trajectories whose observation is (trajectory, frame) and whose action is the frame."""
    trajectories = []
    for k, length in enumerate(lengths):
        obs = np.stack([np.full(length + 1, k), np.arange(length + 1)], -1).astype(np.float32)
        infos = None if games is None else np.array([{"game": games[k]}] * length)
        trajectories.append(SimpleNamespace(obs=obs, acts=np.arange(length)[:, None], infos=infos))
    return Demonstrations(trajectories)


def spans_of(data: Demonstrations) -> list[range]:
    return [range(a, b) for a, b in zip(data.starts, data.ends, strict=True)]


def test_observation_and_action_stay_together() -> None:
    data = counting([30, 20])
    assert (data.observations[:, 1] == data.actions[:, 0]).all()


def test_an_epoch_shows_every_frame_once() -> None:
    data = counting([50, 30, 16])
    windows = list(data.lanes(spans_of(data), batch_size=3, window=8, rng=np.random.default_rng(0)))
    seen = torch.cat([w.observations.flatten(0, 1) for w in windows])
    assert len(torch.unique(seen, dim=0)) == len(seen) == len(data)


def test_lanes_carry_on_where_the_window_before_ended() -> None:
    data = counting([64, 64])
    windows = list(data.lanes(spans_of(data), batch_size=2, window=8, rng=np.random.default_rng(1)))
    for left, right in zip(windows, windows[1:], strict=False):
        follows = right.observations[:, 0, 1] == left.observations[:, -1, 1] + 1
        assert (follows | right.episode_start[:, 0] | (right.observations[:, 0, 1] == 0)).all()
    assert [w.first for w in windows] == [True] + [False] * (len(windows) - 1)


def test_episode_start_marks_every_game_and_nothing_else() -> None:
    data = counting([40, 40, 40])
    windows = list(data.lanes(spans_of(data), batch_size=2, window=10, rng=np.random.default_rng(2)))
    for w in windows:
        assert ((w.observations[..., 1] == 0) == w.episode_start).all()


def test_previous_action_is_the_action_of_the_frame_before() -> None:
    data = counting([40, 40])
    for w in data.lanes(spans_of(data), batch_size=2, window=10, rng=np.random.default_rng(3)):
        expected = torch.where(w.episode_start, w.actions[..., 0], w.actions[..., 0] - 1)
        assert (w.previous_actions[..., 0] == expected).all()


def test_whole_games_begin_at_their_first_frame_and_are_padded_at_the_end() -> None:
    data = counting([7, 19, 12])
    frames = 0
    for w in data.whole_games(spans_of(data), batch_size=2, window=5):
        if w.first:
            assert w.episode_start[:, 0].all()
        frames += int(w.valid.sum())
        assert not w.episode_start[~w.valid].any()
    assert frames == len(data)


def test_split_keeps_both_players_of_a_game_on_one_side() -> None:
    data = counting([10] * 8, games=["a", "a", "b", "b", "c", "c", "d", "d"])
    training, validation = data.split(0.3, seed=0)
    game_of = {int(start): game for start, game in zip(data.starts, data.games, strict=True)}
    assert not {game_of[s.start] for s in training} & {game_of[s.start] for s in validation}
    assert len(training) == 6 and len(validation) == 2


def test_a_single_game_validates_on_its_last_part() -> None:
    training, validation = counting([100]).split(0.1, seed=0)
    assert training == [range(0, 90)] and validation == [range(90, 100)]


def test_split_always_leaves_something_on_both_sides() -> None:
    training, validation = counting([10, 10]).split(0.01, seed=0)
    assert len(training) == len(validation) == 1


@pytest.mark.parametrize("trajectories", [[], [SimpleNamespace(obs=np.zeros((5, 2)), acts=np.zeros((5, 1)))]])
def test_bad_demonstrations_are_refused(trajectories: list[SimpleNamespace]) -> None:
    with pytest.raises(OptionError):
        Demonstrations(trajectories)


@pytest.mark.parametrize(("batch_size", "window"), [(3, 8), (7, 16), (64, 64), (1, 1000)])
def test_windows_are_counted_without_making_them(batch_size: int, window: int) -> None:
    data = counting([50, 30, 17])
    windows = list(data.lanes(spans_of(data), batch_size, window, np.random.default_rng(0)))
    assert count_windows(len(data), batch_size, window) == len(windows)


def test_rare_pieces_are_drawn_more_often_and_start_anew() -> None:
    data = counting([400, 300, 100])
    data.actions = torch.arange(len(data))[:, None]
    rarity = torch.ones(len(data))
    rarity[100:110] = 3.0
    rng = np.random.default_rng(0)
    epochs = [list(data.lanes(spans_of(data), 4, 10, rng, rarity)) for _ in range(200)]
    frames = torch.cat([w.actions[:, :, 0].flatten() for epoch in epochs for w in epoch])
    counts = torch.bincount(frames, minlength=len(data)) / len(epochs)
    assert counts.mean().item() == pytest.approx(1.0)
    assert counts[102:108].mean() / counts[200:350].mean() == pytest.approx(3.0, rel=0.15)
    assert len(epochs[0]) == count_windows(len(data), 4, 10)
    for epoch in epochs[:3]:
        lanes = torch.cat([w.actions[:, :, 0] for w in epoch], 1)
        starts = torch.cat([w.episode_start for w in epoch], 1)
        assert torch.equal(
            starts[:, 1:], (lanes[:, 1:] != lanes[:, :-1] + 1) | (data.episode_start[lanes[:, 1:]])
        )


def test_rarity_is_that_of_the_rarest_button_up_to_the_factor() -> None:
    actions = torch.tensor([[0, 0, 5], [1, 0, 1], [1, 1, 5]])
    rarity = button_rarity(actions, (2, 2, 17), torch.tensor([0.25, 0.01, 0.3]), 3.0)
    assert rarity.tolist() == [1.0, 2.0, 3.0]
