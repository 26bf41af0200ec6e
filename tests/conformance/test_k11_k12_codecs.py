"""K11, K12: controllers and policy actions, exhaustively."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from melee_env.actions import clean_actions, codec_names, make_codec
from melee_env.actions.controllers import controllers_from
from melee_env.actions.multidiscrete import BUTTONS
from melee_env.actions.multidiscrete import mirrored as mirrored_actions
from melee_env.controller import (
    STICK_DEAD_STEPS,
    STICK_STEPS,
    TRIGGER_DEAD_STEPS,
    TRIGGER_STEPS,
    Button,
    Controllers,
    clamp_to_gate,
    decode_stick,
    decode_trigger,
    encode_stick,
    encode_trigger,
    fill_processed,
    make_controllers,
)
from melee_env.mirror import mirrored_controllers
from melee_env.testing import legal_controllers

STEPS = np.arange(-STICK_STEPS, STICK_STEPS + 1)
PROCESSED = ("stick_x", "stick_y", "cstick_x", "cstick_y", "trigger", "buttons", "processed_buttons")


def gate_positions() -> tuple[np.ndarray, np.ndarray]:
    """Every stick position of the 161 × 161 grid inside the gate."""
    x, y = (axis.ravel() for axis in np.meshgrid(STEPS, STEPS))
    inside = x * x + y * y <= STICK_STEPS * STICK_STEPS
    return x[inside], y[inside]


def random_actions(codec_name: str, count: int = 20_000) -> np.ndarray:
    space = make_codec(codec_name).space
    rng = np.random.default_rng(0)
    if isinstance(space, spaces.MultiDiscrete):
        return rng.integers(0, space.nvec, (count, len(space.nvec)))
    if isinstance(space, spaces.Discrete):
        return np.arange(space.n)
    return rng.uniform(-1.5, 1.5, (count, *space.shape)).astype(np.float32)


def assert_same(ours: Controllers, theirs: Controllers, names: tuple[str, ...] | None = None) -> None:
    for name in names or ours.dtype.names:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


def test_k11_stick_axis_round_trip() -> None:
    live = np.where(np.abs(STEPS) <= STICK_DEAD_STEPS, 0, STEPS)
    np.testing.assert_array_equal(encode_stick(decode_stick(STEPS)), live)


def test_k11_stick_grid_round_trip() -> None:
    x, y = gate_positions()
    made = make_controllers(x / STICK_STEPS, y / STICK_STEPS, x / STICK_STEPS, y / STICK_STEPS)
    for name, steps in (("raw_x", x), ("raw_y", y), ("raw_cx", x), ("raw_cy", y)):
        np.testing.assert_array_equal(made[name], steps)
    np.testing.assert_array_equal(made["stick_x"], decode_stick(x))
    np.testing.assert_array_equal(made["cstick_y"], decode_stick(y))


def test_k11_trigger_grid_round_trip() -> None:
    steps = np.arange(TRIGGER_STEPS + 1)
    live = np.where(steps <= TRIGGER_DEAD_STEPS, 0, steps)
    np.testing.assert_array_equal(encode_trigger(decode_trigger(steps)), live)
    made = make_controllers(trigger=steps / TRIGGER_STEPS)
    np.testing.assert_array_equal(encode_trigger(made["trigger_l"]), steps)
    np.testing.assert_array_equal(made["trigger"], decode_trigger(steps))


def test_k11_the_gate_is_idempotent_and_symmetric() -> None:
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(-128, 128), np.arange(-128, 128)))
    cx, cy = clamp_to_gate(x, y)
    assert (cx.astype(int) ** 2 + cy.astype(int) ** 2).max() <= STICK_STEPS**2
    np.testing.assert_array_equal(clamp_to_gate(cx, cy), (cx, cy))
    np.testing.assert_array_equal(clamp_to_gate(-x, y), (-cx, cy))


def test_k11_the_box_codec_holds_every_stick_position_and_trigger() -> None:
    codec = make_codec("box")
    x, y = gate_positions()
    made = make_controllers(x / STICK_STEPS, y / STICK_STEPS, y / STICK_STEPS, x / STICK_STEPS)
    assert_same(codec.decode(codec.encode(made)), made, PROCESSED)
    pulls = make_controllers(trigger=np.arange(TRIGGER_STEPS + 1) / TRIGGER_STEPS)
    assert_same(codec.decode(codec.encode(pulls)), pulls, PROCESSED)


@pytest.mark.parametrize("name", codec_names())
def test_k11_decoded_actions_come_back(name: str) -> None:
    codec = make_codec(name)
    decoded = codec.decode(random_actions(name))
    again = codec.decode(codec.encode(decoded))
    if name == "multidiscrete":  # a position outside the gate has no class of its own
        inside = np.hypot(*(random_actions(name)[:, 8:10].T - 8)) <= 8
        inside &= np.hypot(*(random_actions(name)[:, 10:12].T - 8)) <= 8
        decoded, again = decoded[inside], again[inside]
        assert inside.sum() > 1000
    assert_same(again, decoded, PROCESSED)


def test_k11_multidiscrete_takes_the_nearest_class_of_every_position() -> None:
    codec = make_codec("multidiscrete")
    x, y = gate_positions()
    made = make_controllers(x / STICK_STEPS, y / STICK_STEPS)
    actions = codec.encode(made)
    for k, name in ((8, "stick_x"), (9, "stick_y")):
        assert np.abs((actions[:, k] - 8) / 8 - made[name]).max() <= 1 / 16 + 1e-6


def test_k11_multidiscrete_rounds_half_steps_away_from_the_centre() -> None:
    halves = np.array([-75, -25, 25, 75])
    actions = make_codec("multidiscrete").encode(make_controllers(halves / STICK_STEPS))
    assert actions[:, 8].tolist() == [0, 5, 11, 16]


def test_k11_every_button_has_its_own_input() -> None:
    for name in ("multidiscrete", "box"):
        codec = make_codec(name)
        for button in BUTTONS:
            held = make_controllers(buttons=int(button))
            assert codec.decode(codec.encode(held))["buttons"] == int(button)


@pytest.mark.parametrize("name", codec_names())
@pytest.mark.parametrize(("x", "y"), [(-1, 0), (1, 0), (0, 1), (0, -1)])
def test_k11_full_directions_are_reachable(name: str, x: int, y: int) -> None:
    decoded = make_codec(name).decode(random_actions(name))
    if name == "box":
        action = make_codec(name).neutral()
        action[8:10] = x, y
        decoded = make_codec(name).decode(action[None])
    assert ((decoded["raw_x"] == 80 * x) & (decoded["raw_y"] == 80 * y)).any()


@pytest.mark.parametrize("name", codec_names())
def test_k11_mirroring_commutes(name: str) -> None:
    codec = make_codec(name)
    x, y = gate_positions()
    made = make_controllers(x / STICK_STEPS, y / STICK_STEPS, y / STICK_STEPS, x / STICK_STEPS)
    ours = codec.decode(codec.encode(mirrored_controllers(made)))
    theirs = mirrored_controllers(codec.decode(codec.encode(made)))
    assert_same(ours, theirs)


def test_k11_mirrored_actions_are_actions_of_mirrored_controllers() -> None:
    codec = make_codec("multidiscrete")
    x, y = gate_positions()
    made = make_controllers(x / STICK_STEPS, y / STICK_STEPS, y / STICK_STEPS, x / STICK_STEPS)
    np.testing.assert_array_equal(
        codec.encode(mirrored_controllers(made)), mirrored_actions(codec.encode(made))
    )
    actions = random_actions("multidiscrete")
    assert_same(codec.decode(mirrored_actions(actions)), mirrored_controllers(codec.decode(actions)))


@pytest.mark.parametrize("name", codec_names())
def test_k12_every_action_is_legal(name: str) -> None:
    assert legal_controllers(make_codec(name).decode(random_actions(name, 100_000))).all()


@pytest.mark.parametrize("name", codec_names())
def test_k12_cleaning_is_idempotent(name: str) -> None:
    decoded = make_codec(name).decode(random_actions(name))
    cleaned = decoded.copy()
    fill_processed(cleaned)
    assert cleaned.tobytes() == decoded.tobytes()


def test_k12_cleaned_actions_mean_the_same_and_are_clean() -> None:
    codec, actions = make_codec("multidiscrete"), random_actions("multidiscrete", 100_000)
    cleaned = clean_actions(actions)
    np.testing.assert_array_equal(clean_actions(cleaned), cleaned)
    assert (cleaned != actions).any()
    before, after = codec.decode(actions), codec.decode(cleaned)
    for field in ("stick_x", "stick_y", "cstick_x", "cstick_y", "trigger"):
        np.testing.assert_array_equal(before[field], after[field])
    jumps, shields = int(Button.X | Button.Y), int(Button.L | Button.R)
    for either in (jumps, shields, int(Button.A | Button.Z), int(Button.B)):
        np.testing.assert_array_equal(before["buttons"] & either != 0, after["buttons"] & either != 0)


def test_k12_the_fast_decoder_is_the_plain_one() -> None:
    actions = random_actions("multidiscrete")
    masks = np.array([int(button) for button in BUTTONS])
    sticks = [(actions[:, k] - 8) / 8 for k in range(8, 12)]
    plain = make_controllers(*sticks, trigger=actions[:, 12] / 4, buttons=actions[:, :8] @ masks)
    assert make_codec("multidiscrete").decode(actions).tobytes() == plain.tobytes()


def test_k12_compiled_controllers_are_the_plain_ones() -> None:
    """On the grid and its halves, inside and outside the gate."""
    rng = np.random.default_rng(0)
    hands, buttons = (
        np.round(rng.uniform(-1.1, 1.1, (100_000, 5)) * 160) / 160,
        rng.integers(0, 0x2000, 100_000),
    )
    plain = make_controllers(*hands[:, :4].T, trigger=hands[:, 4], buttons=buttons)
    assert controllers_from(hands, buttons).tobytes() == plain.tobytes()


@pytest.mark.parametrize("name", codec_names())
def test_k12_neutral_presses_nothing(name: str) -> None:
    codec = make_codec(name)
    still = codec.decode(codec.neutral()[None])[0]
    resting = codec.neutral()
    assert codec.space.contains(resting if resting.ndim else int(resting))
    assert still.tobytes() == make_controllers().tobytes()


def test_k12_what_is_not_finite_counts_as_rest() -> None:
    codec = make_codec("box")
    made = codec.decode(np.full((1, 13), np.nan, np.float32))
    assert made.tobytes() == make_controllers(np.zeros(1)).tobytes()


def test_k12_illegal_controllers_are_recognised() -> None:
    """The check that the others rely on fails when a field does not agree."""
    made = make_controllers(np.full(4, 1.0), buttons=int(Button.Z))
    made["stick_x"][1] = 0.5
    made["raw_y"][2] = 80
    made["processed_buttons"][3] = 0
    assert legal_controllers(made).tolist() == [True, False, False, False]
