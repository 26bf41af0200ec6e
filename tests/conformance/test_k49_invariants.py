"""K48, K49: what holds for every input: mirror images, swapped seats, saving and loading, finite and inside."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.controller import Button, Controllers, make_controllers
from melee_env.engine.engine import Engine
from melee_env.engine.stages import STAGE_SLOT, STAGES
from melee_env.engine.states import NUM_STATES
from melee_env.ids import Character, Stage

SYMMETRIC = (Stage.FINAL_DESTINATION, Stage.BATTLEFIELD)
FRAMES = 240
APART = 12.0
"""distance of both fighters from the middle at the start"""
BUTTONS = (Button.A, Button.B, Button.X, Button.Z, Button.L)
SIGNED = ("x", "facing", "vel_air_x", "vel_ground_x", "knockback_x")
"""fields that a mirror turns round"""
SAME = (
    "action",
    "action_frame",
    "y",
    "percent",
    "shield",
    "stocks",
    "airborne",
    "jumps",
    "hitlag",
    "hitstun",
)
"""fields that neither a mirror nor another seat changes"""
TOLERANCE = 1e-3
"""game units; sine and cosine of an angle and of its mirror image may round differently"""

DEAD = 12
"""states up to here: fighters die and come back at a place of their seat, which no mirror or swap moves"""
NEAR = 20.0
"""distance below which any two bodies might push each other; in the game too they do in the order of the seats, so that
a fighter that jumps off still pushes the first seat's and no longer the second's"""
HELD = [213, 215, *range(223, 233), *range(239, 245)]
"""holding and being held: in the game too, seats act in turn, so that a victim is pulled now or on the next frame"""

SIDED = {347: 346, 353: 352, 355: 354, 361: 360, 367: 365, 368: 366, 371: 369, 372: 370}
"""Jigglypuff's states to one side, and the same ones to the other"""

fighters = st.tuples(st.sampled_from(list(Character)), st.sampled_from(list(Character)))
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=12, deadline=None, derandomize=True)


def random_inputs(seed: int) -> Controllers:
    """Return legal controllers ``[FRAMES, 2]``, each held for four frames."""
    rng = np.random.default_rng(seed)
    shape = (FRAMES // 4, 2)
    buttons = np.zeros(shape, np.int64)
    for button in BUTTONS:
        buttons |= np.where(rng.random(shape) < 0.12, int(button), 0)
    stick = rng.integers(-1, 2, (2, *shape)).astype(float)
    # The sine of a dodge straight to the left is not quite zero, so that only there a fast fall is allowed at once.
    stick[0, ((buttons & int(Button.L)) != 0) & (stick[1] == 0)] = 0
    return np.repeat(make_controllers(stick[0], stick[1], buttons=buttons), 4, axis=0)


def play(options: MatchOptions, seed: int, inputs: Controllers, facing: float = 1.0) -> NDArray[np.void]:
    """Return both fighters over a game ``[FRAMES, 2]``; the first seat looks to ``facing``, the other against it."""
    engine = Engine(1)
    engine.start(0, seed, options)
    engine.games["fighters"]["facing"] = [facing, -facing]
    return np.stack([engine.step(frame[None])["seats"]["leader"][0].copy() for frame in inputs])


def without_side(seen: NDArray[np.void]) -> NDArray[np.void]:
    """Return fighters whose states do not tell a side."""
    seen = seen.copy()
    for one, other in SIDED.items():
        seen["action"][(seen["character"] == Character.JIGGLYPUFF.internal) & (seen["action"] == one)] = other
    return seen


def positions(side: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the start positions with the first seat on ``side`` (-1 left, 1 right)."""
    return (side * APART, 0.0), (-side * APART, 0.0)


def first(happens: NDArray[np.bool_]) -> int:
    """Return the first frame on which something happens ``[FRAMES, 2]``, or ``FRAMES``."""
    frames = np.flatnonzero(happens.any(axis=1))
    return int(frames[0]) if len(frames) else FRAMES


@given(seeds, fighters, st.sampled_from(SYMMETRIC))
@few
def test_k49_a_mirrored_game_is_the_mirror_image(
    seed: int, characters: tuple[Character, Character], stage: Stage
) -> None:
    inputs = random_inputs(seed)
    turned = inputs.copy()
    for name in ("stick_x", "cstick_x", "raw_x", "raw_cx"):
        turned[name] *= -1
    games = [
        play(MatchOptions(characters, stage, positions=positions(side)), seed, frames, -side)
        for side, frames in ((-1.0, inputs), (1.0, turned))
    ]
    left, right = (without_side(game[: first(games[0]["action"] <= DEAD)]) for game in games)
    for name in SAME:
        np.testing.assert_allclose(right[name], left[name], atol=TOLERANCE, err_msg=name)
    for name in SIGNED:
        np.testing.assert_allclose(right[name], -left[name], atol=TOLERANCE, err_msg=name)


@given(seeds, fighters, st.sampled_from(SYMMETRIC))
@few
def test_k49_swapped_seats_give_the_swapped_game(
    seed: int, characters: tuple[Character, Character], stage: Stage
) -> None:
    inputs = random_inputs(seed)
    one = play(MatchOptions(characters, stage, positions=positions(-1.0)), seed, inputs)
    two = play(
        MatchOptions(characters[::-1], stage, positions=positions(1.0)), seed, inputs[:, ::-1].copy(), -1.0
    )
    near = np.abs(np.diff(one["x"], axis=1)) < NEAR
    jumps_off = np.diff(one["airborne"].astype(int), axis=0, prepend=1) > 0
    end = first((one["action"] <= DEAD) | np.isin(one["action"], HELD) | (near & jumps_off))
    for name in SAME + SIGNED:
        np.testing.assert_array_equal(two[name][:end, ::-1], one[name][:end], err_msg=name)


@given(seeds, fighters, st.sampled_from(list(Stage)), st.integers(0, FRAMES - 1))
@few
def test_k49_a_saved_game_goes_on_bit_for_bit_from_any_frame(
    seed: int, characters: tuple[Character, Character], stage: Stage, moment: int
) -> None:
    inputs = random_inputs(seed)
    one, many = Engine(1), Engine(3)
    one.start(0, seed, MatchOptions(characters, stage))
    for frame in inputs[:moment]:
        one.step(frame[None])
    many.load(0, one.save(0))
    many.load_many(np.array([2, 1]), np.repeat(one.save_many(np.array([0])), 2, axis=0))
    for frame in inputs[moment:]:
        alone = one.step(frame[None])[0].tobytes()
        assert [game.tobytes() for game in many.step(np.repeat(frame[None], 3, axis=0))] == [alone] * 3


@given(seeds, fighters, st.sampled_from(list(Stage)))
@few
def test_k48_everything_stays_finite_and_inside(
    seed: int, characters: tuple[Character, Character], stage: Stage
) -> None:
    seen = play(MatchOptions(characters, stage), seed, random_inputs(seed))
    for name in (*SAME, *SIGNED):
        assert np.isfinite(seen[name].astype(np.float64)).all(), name
    assert (seen["action"] < NUM_STATES).all()
    zone = STAGES[STAGE_SLOT[stage.external]]
    # Whoever has crossed a blast zone stays there for the rest of its death; it was alive one frame before.
    alive = seen["action"] > 10
    assert (seen["x"][alive] >= zone["blast_left"]).all() and (seen["x"][alive] <= zone["blast_right"]).all()
    assert (seen["y"][alive] >= zone["blast_bottom"]).all()
