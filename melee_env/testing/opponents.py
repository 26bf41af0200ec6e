"""Rules of opponents and agents, one function each; :func:`check_opponent` runs them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.backends.embedded import EmbeddedBackend
from melee_env.controller import (
    CONTROLLER_DTYPE,
    STICK_STEPS,
    Controllers,
    clamp_to_gate,
    decode_stick,
    fill_processed,
    neutral,
)
from melee_env.frame import Frames, empty_frames, seen_from
from melee_env.opponents import Opponent, make_opponent
from melee_env.testing.rules import require


def check_opponent(opponent: Opponent | str, num_envs: int = 3, steps: int = 120, seed: int = 0) -> None:
    """Assert that an opponent or agent can play any seat of any batch: every function of :data:`OPPONENT_RULES`.

    Args:
        opponent: an object with ``reset`` and ``act``, or a name.
        num_envs: games in the batch.
        steps: frames to play.
        seed: seed of everything.

    Example:
        >>> from melee_env.testing import check_opponent
        >>> check_opponent("scripted:fighter-5")
    """
    player = make_opponent(opponent) if isinstance(opponent, str) else opponent
    frames = sample_frames(num_envs, steps, seed)
    for rule in OPPONENT_RULES:
        rule(player, frames, seed)


def check_controllers(player: Opponent, frames: Frames, seed: int = 0) -> None:
    """K12: controllers have the right type and shape, and a hand can hold them."""
    require(
        legal_controllers(_play(player, frames, seed)).all(),
        "it returned controllers that no hand can hold",
        "build them with melee_env.controller.make_controllers, which rounds, clamps and fills every field",
    )


def check_frames_unchanged(player: Opponent, frames: Frames, seed: int = 0) -> None:
    """The frames that it is shown are not its own to write on."""
    shown = frames.tobytes()
    _play(player, frames, seed)
    require(
        frames.tobytes() == shown,
        "it changed the frames that it was shown",
        "copy a frame before changing it",
    )


def check_player_seeding(player: Opponent, frames: Frames, seed: int = 0) -> None:
    """K2: ``reset`` with a seed fixes what it plays."""
    first, second = (_play(player, frames, seed).tobytes() for _ in range(2))
    require(
        first == second,
        "the same seed played differently",
        "make one generator per game from the seed in reset(), forget everything else there",
    )


def check_batch_independence(player: Opponent, frames: Frames, seed: int = 0) -> None:
    """K6: a game is played the same alone and among others."""
    among = _play(player, frames, seed)[:, :1]
    alone = _play(player, np.ascontiguousarray(frames[:, :1]), seed)
    require(
        alone.tobytes() == np.ascontiguousarray(among).tobytes(),
        "game 0 alone is played differently from game 0 among others",
        "spawn a generator per game (np.random.SeedSequence(seed).spawn) and let no game look at another",
    )


def check_other_seat(player: Any, frames: Frames, seed: int = 0) -> None:
    """``act_from(frames, 1)``, where there is one, plays what ``act`` plays on turned frames."""
    if not hasattr(player, "act_from"):
        return
    going_on = np.zeros(frames.shape[1], np.bool_)
    plain = _play(player, np.array([seen_from(step, 1) for step in frames]), seed)
    player.reset(frames.shape[1], seed=seed)
    for number, step in enumerate(frames):
        start = ~going_on if number == 0 else going_on
        require(
            player.act_from(step, 1, start).tobytes() == plain[number].tobytes(),
            "act_from() from seat 1 plays differently from act() on frames with the seats exchanged",
            "read the own fighter from seats[seat] and the other from seats[1 - seat]",
        )


def check_player_states(player: Any, frames: Frames, seed: int = 0) -> None:
    """K42: ``set_state(game, get_state(game))``, where there is one, continues in every game."""
    if not (hasattr(player, "get_state") and hasattr(player, "set_state")):
        return
    half = len(frames) // 2
    first, rest = frames[:half], frames[half:]
    _play(player, first, seed)
    going_on = np.zeros(frames.shape[1], np.bool_)
    states = [player.get_state(game) for game in range(frames.shape[1])]
    wanted = [player.act(step, going_on).copy() for step in rest]
    for game, state in enumerate(states):
        player.set_state(game, state)
    for step, controllers in zip(rest, wanted, strict=True):
        require(
            player.act(step, going_on).tobytes() == controllers.tobytes(),
            "set_state() does not continue where get_state() was called",
            "put all that is remembered of a game into its state, the generator too, and copy it",
        )


OPPONENT_RULES: tuple[Callable[[Any, Frames, int], None], ...] = (
    check_frames_unchanged,
    check_controllers,
    check_player_seeding,
    check_batch_independence,
    check_other_seat,
    check_player_states,
)
"""each takes ``(player, frames [steps, num_envs], seed)``"""


def sample_frames(num_envs: int, steps: int, seed: int = 0) -> Frames:
    """Return frames ``[steps, num_envs]`` of games between two random players."""
    backend = EmbeddedBackend(num_envs)
    players = [make_opponent("scripted:random") for _ in range(2)]
    for k, player in enumerate(players):
        player.reset(num_envs, seed=seed + k)
    out = empty_frames(steps, num_envs)
    seeds = np.arange(seed, seed + num_envs, dtype=np.uint32)
    frames = backend.reset(seeds, [MatchOptions(positions=((-8.0, 0.0), (8.0, 0.0)))] * num_envs)
    controllers = neutral(num_envs, 2)
    for step in range(steps):
        out[step] = frames
        for seat, player in enumerate(players):
            controllers[:, seat] = player.act(frames)
        frames = backend.step(controllers)
    return out


def legal_controllers(controllers: Controllers) -> NDArray[np.bool_]:
    """Return which controllers a hand can hold: sticks in the gate and on their grid, all fields agreeing."""
    ok = np.ones(controllers.shape, np.bool_)
    for x, y in (("raw_x", "raw_y"), ("raw_cx", "raw_cy")):
        clamped = clamp_to_gate(controllers[x], controllers[y])
        ok &= (clamped[0] == controllers[x]) & (clamped[1] == controllers[y])
        ok &= np.abs(controllers[x].astype(np.int64)) <= STICK_STEPS
    pairs = (("stick_x", "raw_x"), ("stick_y", "raw_y"), ("cstick_x", "raw_cx"), ("cstick_y", "raw_cy"))
    for value, raw in pairs:
        ok &= controllers[value] == decode_stick(controllers[raw])
    for name in ("trigger", "trigger_l", "trigger_r"):
        ok &= (controllers[name] >= 0) & (controllers[name] <= 1)
    cleaned = controllers.copy()
    fill_processed(cleaned)
    for name in ("trigger", "processed_buttons"):
        ok &= cleaned[name] == controllers[name]
    return ok


def _play(player: Opponent, frames: Frames, seed: int) -> Controllers:
    steps, num_envs = frames.shape
    player.reset(num_envs, seed=seed)
    out = np.empty((steps, num_envs), CONTROLLER_DTYPE)
    for step in range(steps):
        controllers = player.act(frames[step], np.full(num_envs, step == 0))
        require(
            controllers.dtype == CONTROLLER_DTYPE and controllers.shape == (num_envs,),
            f"controllers are {controllers.dtype} of shape {controllers.shape}",
            f"return an array [{num_envs}] of melee_env.controller.CONTROLLER_DTYPE",
        )
        out[step] = controllers
    return out
