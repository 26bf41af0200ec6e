"""Codecs by name, for batches of any shape."""

import numpy as np
import pytest

from melee_env.actions import codec_names, make_codec
from melee_env.actions.discrete import CHOICES, DIRECTIONS
from melee_env.controller import Button, make_controllers
from melee_env.errors import OptionError


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
