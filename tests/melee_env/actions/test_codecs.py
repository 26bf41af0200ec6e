"""Codecs by name, for batches of any shape."""

import gymnasium as gym
import numpy as np
import pytest

import melee_env  # noqa: F401 (registers the ids)
from melee_env.actions import (
    codec_names,
    fit_centres,
    make_codec,
    press_edges,
    released_first,
    with_hysteresis,
)
from melee_env.actions.discrete import CHOICES, DIRECTIONS
from melee_env.controller import Button, make_controllers
from melee_env.errors import OptionError
from melee_env.testing import legal_controllers


@pytest.mark.parametrize(
    ("name", "near"), [("boxx", "box"), ("discret", "discrete"), (None, "multidiscrete")]
)
def test_an_unknown_name_lists_what_is_known(name: object, near: str) -> None:
    with pytest.raises(OptionError, match=near):
        make_codec(name)


@pytest.mark.parametrize("name", codec_names())
@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_any_leading_shape(name: str, shape: tuple[int, ...]) -> None:
    codec = make_codec(name)
    actions = np.broadcast_to(codec.neutral(), shape + codec.neutral().shape)
    controllers = codec.decode(actions)
    assert controllers.shape == shape
    np.testing.assert_array_equal(codec.encode(controllers), actions)


@pytest.mark.parametrize("name", codec_names())
def test_codecs_do_not_share_their_space(name: str) -> None:
    assert make_codec(name).space is not make_codec(name).space


def test_classes_beyond_the_space_are_clipped() -> None:
    codec = make_codec("multidiscrete")
    wild = codec.decode(np.array([[1] * 8 + [99, -5, 8, 8, 9]]))[0]
    assert (wild["raw_x"], wild["raw_y"], wild["trigger_l"]) == (56, -56, 1)


def test_z_means_a_and_a_light_shield() -> None:
    codec = make_codec("multidiscrete")
    action = codec.neutral()
    action[4] = 1
    held = codec.decode(action[None])[0]
    assert held["processed_buttons"] & Button.A and held["trigger"] == np.float32(0.35)


def test_discrete_actions_are_directions_times_buttons() -> None:
    codec = make_codec("discrete")
    decoded = codec.decode(np.arange(codec.space.n))
    seen = {(int(c["raw_x"]), int(c["raw_y"]), int(c["buttons"])) for c in decoded}
    assert len(seen) == codec.space.n == len(DIRECTIONS) * len(CHOICES)


def test_discrete_takes_the_nearest_direction() -> None:
    codec = make_codec("discrete")
    held = make_controllers(stick_x=[0.9, 0.3, -0.6, 0.1], stick_y=[0.1, -0.9, 0.7, 0.2])
    directions = [DIRECTIONS[action // len(CHOICES)] for action in codec.encode(held)]
    assert directions == [(1, 0), (0, -1), (-1, 1), (0, 0)]


def test_a_small_set_for_movement() -> None:
    codec = make_codec("movement")
    assert codec.space.n == 27
    assert set(codec.decode(np.arange(27))["buttons"].tolist()) == {0, int(Button.X), int(Button.L)}


def test_clusters_choose_the_nearest_centre() -> None:
    codec = make_codec("clusters")
    held = make_controllers(stick_x=[0.95, -0.95, 0.0, 0.7], stick_y=[0.05, 0.05, -0.98, -0.7])
    chosen = codec.centres[codec.encode(held)[:, 8]]
    np.testing.assert_allclose(chosen, [(1, 0), (-1, 0), (0, -1), (0.675, -0.7125)], atol=1e-6)


def test_centres_are_fitted_to_what_is_used() -> None:
    spots = np.array([(0.6, 0.5), (0.8, -0.3)])
    rng = np.random.default_rng(0)
    positions = np.concatenate(
        [spots + rng.normal(0, 0.01, (500, 1, 2)), spots * [-1, 1] + np.zeros((9, 1, 2))]
    )
    centres = fit_centres(positions, 2)
    assert len(centres) == 9
    for spot in (*spots, *(spots * [-1, 1])):
        assert np.abs(centres - spot).max(1).min() < 0.03
    with pytest.raises(OptionError, match="distinct"):
        fit_centres(np.zeros((5, 2)), 3)


def test_press_edges() -> None:
    codec = make_codec("multidiscrete")
    before, now = np.stack([codec.neutral()] * 2), np.stack([codec.neutral()] * 2)
    before[0, 2] = now[:, 2] = 1
    assert press_edges(now, before)[:, 2].tolist() == [False, True]
    assert released_first(now, before)[:, 2].tolist() == [0, 1]


def test_hysteresis_holds_between_its_thresholds() -> None:
    held, shown = np.zeros(1, bool), []
    for value in (0.5, 0.61, 0.5, 0.41, 0.39, 0.5):
        held = with_hysteresis(np.array([value]), held)
        shown.append(bool(held[0]))
    assert shown == [False, True, True, True, False, False]
    with pytest.raises(ValueError, match="release"):
        with_hysteresis(np.zeros(1), held, press=0.3, release=0.5)


def test_edges_make_every_press_count_and_let_shields_be_held() -> None:
    codec = make_codec("multidiscrete:edges=on")
    action = codec.neutral()
    action[[2, 5]] = 1  # X and L
    held, downs = np.zeros(1, np.uint16), []
    for _ in range(4):
        made = codec.decode_after(action[None], held)
        held = made["buttons"]
        downs.append(int(held[0]))
    assert downs == [Button.X | Button.L, Button.L] * 2
    assert legal_controllers(made).all()


def test_hysteresis_holds_what_hovers_at_the_threshold() -> None:
    codec = make_codec("box:hysteresis=0.3")
    action = codec.neutral()
    held, downs = np.zeros((), np.uint16), []
    for value in (0.2, 0.4, 0.1, -0.2, -0.4, 0.2):
        action[1] = value
        held = codec.decode_after(action, held)["buttons"]
        downs.append(bool(held & Button.B))
    assert downs == [False, True, True, True, False, False]


def test_cleaning_is_part_of_encoding_and_decoding() -> None:
    codec = make_codec("multidiscrete:clean=on")
    made = codec.decode(make_codec("multidiscrete").encode(make_controllers(buttons=int(Button.Y))))
    assert made["buttons"] == Button.X
    assert codec.encode(make_controllers(buttons=int(Button.Y)))[2:4].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("box:hysteresis=2", "0..0.9"),
        ("multidiscrete:hysteresis=0.1", "box only"),
        ("discrete:clean=on", "multidiscrete only"),
        ("multidiscrete:edge=on", "edges"),
        ("multidiscrete:edges=maybe", "on or off"),
    ],
)
def test_an_impossible_switch_is_refused(name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_codec(name)


def test_switches_reach_the_environment_and_its_states() -> None:
    env = gym.make("melee_env/Versus-v0", action="multidiscrete:edges=on", opponent="scripted:idle").unwrapped
    action = env.games.codec.neutral()
    action[1] = 1
    env.reset(seed=0)

    def down() -> bool:
        env.step(action)
        return bool(env.frame["seats"][0]["leader"]["controller"]["buttons"] & Button.B)

    assert [down() for _ in range(3)] == [True, False, True]
    state = env.get_state()
    assert [down(), down()] == [False, True]
    env.set_state(state)
    assert [down(), down()] == [False, True]
    env.reset()
    assert down()
