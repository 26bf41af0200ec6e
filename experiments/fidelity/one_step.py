"""One-step check: recorded frame t and the inputs of t+1 in, the engine's frame t+1 out, compared.

Nothing of frame t+1 but its inputs and RNG seed reaches the engine. What Slippi does not record goes on
from the engine's own simulation of the frames before.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.fidelity.cardinals import straightens
from melee_env.backends.base import MatchOptions
from melee_env.engine.engine import Engine
from melee_env.engine.sync import sync_games
from melee_env.frame import FIRST_CONTROLLABLE_FRAME
from melee_env.game import Game
from melee_env.ids import character_from_external, stage_from_external

EXACT = (
    "action",
    "facing",
    "stocks",
    "airborne",
    "jumps",
    "hitlag",
    "hitstun",
    "hurtbox",
    "l_cancel",
    "ground",
)
CLOSE = ("x", "y", "percent", "shield", "action_frame")
SPEEDS = ("vel_air_x", "vel_y", "knockback_x", "knockback_y", "vel_ground_x")
FIELDS = EXACT + CLOSE + SPEEDS
SOMETIMES_RECORDED = ("vel_ground_x", "hitlag", "hurtbox", "instance")
"""fields that tell what a version holds, in the order of ``sync_games``"""
STAGE_EVENTS_SINCE = (3, 18, 0)
HITS_RECORDED_SINCE = (3, 5, 0)
"""older versions record a frame before its hits: a hit shows one frame late (all 674 hits of 0.1 to 3.3 do, and 792 of
3.6 to 3.19 do not)"""
STICK_STEPS = 80
"""raw steps from the stick's middle to its rim"""
TOLERANCE = 1e-3
"""largest difference of a position, speed or health that passes"""


START_EVERY = 600
"""frames between the points from which a free run starts"""


@dataclass(frozen=True)
class Start:
    """An engine state that shows recorded frame ``index``."""

    index: int
    """place of the frame in the recording"""
    state: np.void
    """one ``GAME_STATE``"""


@dataclass(frozen=True)
class OneStep:
    """Result of one game; arrays are ``[T-1, 2]`` over compared frames and seats."""

    frames: NDArray[np.int32]
    """recorded frame numbers ``[T-1]``"""
    passed: dict[str, NDArray[np.bool_]]
    """by field: within tolerance"""
    exact: dict[str, NDArray[np.bool_]]
    """by recorded position and speed: equal bit for bit"""
    predicted: NDArray[np.void]
    """the engine's fighters"""
    recorded: NDArray[np.void]
    """the recorded fighters"""
    before: NDArray[np.void]
    """the recorded fighters one frame earlier"""
    starts: list[Start]
    """every :data:`START_EVERY`-th frame as a state to run on from"""

    @property
    def all_passed(self) -> NDArray[np.bool_]:
        """Frames on which every field passes."""
        return np.logical_and.reduce(list(self.passed.values()))

    @property
    def bit_exact(self) -> NDArray[np.bool_]:
        """Frames on which all recorded positions and speeds are equal bit for bit."""
        return np.logical_and.reduce(list(self.exact.values()))

    @property
    def speeds_exact(self) -> NDArray[np.bool_] | None:
        """Frames on which all five speeds are equal bit for bit; None where the recording's version lacks them."""
        if not set(SPEEDS) <= set(self.exact):
            return None
        return np.logical_and.reduce([self.exact[name] for name in SPEEDS])


def match_options(game: Game) -> MatchOptions:
    """Return the options that start the engine on a recorded game."""
    seats = game.info.seats
    return MatchOptions(
        characters=(character_from_external(seats[0].character), character_from_external(seats[1].character)),
        stage=stage_from_external(game.info.stage),
        stocks=(seats[0].stocks, seats[1].stocks),
        start_frame=-122,
    )


def recorded_inputs(game: Game) -> NDArray[np.void]:
    """Return the controllers ``[T, 2]``; where the raw vertical byte is not recorded, the stick tells it."""
    controllers = game.frames["seats"]["leader"]["controller"].copy()
    if "raw_y" in game.info.absent:
        controllers["raw_y"] = np.rint(controllers["stick_y"] * STICK_STEPS)
    return controllers


def compare(game: Game) -> OneStep:
    """Check every controllable frame of ``game``."""
    engine = Engine(1)
    engine.start(0, game.info.seed, match_options(game))
    engine.games["cardinals"] = int(straightens(game))
    engine.games["fighters"]["ucf"] = [seat.ucf for seat in game.info.seats]
    leaders = np.ascontiguousarray(game.frames["seats"]["leader"])
    controllers = recorded_inputs(game)
    count = len(game.frames)
    predicted = np.zeros((count - 1, 2), leaders.dtype)
    numbers = game.frames["frame"]
    begin = int(np.searchsorted(numbers, FIRST_CONTROLLABLE_FRAME - 1))
    recorded = np.array([name not in game.info.absent for name in SOMETIMES_RECORDED])
    scenery = stage_events(game)
    early = game.info.version < HITS_RECORDED_SINCE
    starts = []
    for t in range(count - 1):
        seeds = game.frames["seed"][t + 1 : t + 2]
        sync_games(
            engine.games,
            leaders[max(t - 1, 0) : max(t, 1)],
            leaders[t : t + 1],
            seeds,
            numbers[t : t + 1],
            recorded,
            scenery[t + 1 : t + 2],
            early,
        )
        if t >= begin and (t - begin) % START_EVERY == 0:
            starts.append(Start(t, engine.games[0].copy()))
        predicted[t] = engine.replay(controllers[t + 1 : t + 2], early)["seats"]["leader"][0]
    keep = numbers[1:] >= FIRST_CONTROLLABLE_FRAME
    passed = judge(predicted[keep], leaders[1:][keep], game.info.absent)
    exact = {
        name: predicted[name][keep] == leaders[name][1:][keep]
        for name in ("x", "y", *SPEEDS)
        if name not in game.info.absent
    }
    return OneStep(
        numbers[1:][keep], passed, exact, predicted[keep], leaders[1:][keep], leaders[:-1][keep], starts
    )


def stage_events(game: Game) -> NDArray[np.float32]:
    """Return what a recording tells of the stage ``[T, 3]``: platform heights, wind; NaN before Slippi 3.18."""
    if game.info.version < STAGE_EVENTS_SINCE:
        return np.full((len(game.frames), 3), np.nan, np.float32)
    return np.stack([game.frames[name].astype(np.float32) for name in ("fod_left", "fod_right", "whispy")], 1)


def judge(
    predicted: NDArray[np.void], recorded: NDArray[np.void], absent: Collection[str] = ()
) -> dict[str, NDArray[np.bool_]]:
    """Compare fighters field by field; fields that the recording's version lacks are left out."""
    passed = {name: predicted[name] == recorded[name] for name in EXACT if name not in absent}
    for name in CLOSE + SPEEDS:
        if name not in absent:
            with np.errstate(invalid="ignore"):  # a damaged recording may hold infinities; they do not pass
                passed[name] = np.abs(predicted[name] - recorded[name]) <= TOLERANCE
    return passed
