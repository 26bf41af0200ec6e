"""Checks of opponents; an agent's ``reset`` and ``act`` keep the same rules."""

from __future__ import annotations

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
from melee_env.frame import Frames, empty_frames
from melee_env.opponents import Opponent, make_opponent


def check_opponent(opponent: Opponent | str, num_envs: int = 3, steps: int = 120, seed: int = 0) -> None:
    """Assert that an opponent (or an agent) can play any seat of any batch.

    Its controllers are legal, of shape ``[N]``; the frames that it saw are unchanged; a seed fixes it; a game
    does not depend on the others in its batch; if it has ``get_state`` and ``set_state``, they go together.

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
    shown = frames.tobytes()
    first = _play(player, frames, seed)
    assert frames.tobytes() == shown, "the opponent changed the frames that it was shown"
    assert legal_controllers(first).all(), "the opponent returned controllers that no hand can hold"
    assert first.tobytes() == _play(player, frames, seed).tobytes(), "the same seed played differently"
    alone = _play(player, np.ascontiguousarray(frames[:, :1]), seed)
    assert alone.tobytes() == np.ascontiguousarray(first[:, :1]).tobytes(), (
        "game 0 alone is played differently from game 0 among others"
    )
    if hasattr(player, "get_state") and hasattr(player, "set_state"):
        _check_state(player, frames, seed)


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
        assert controllers.dtype == CONTROLLER_DTYPE, f"controllers have dtype {controllers.dtype}"
        assert controllers.shape == (num_envs,), f"controllers have shape {controllers.shape}"
        out[step] = controllers
    return out


def _check_state(player: Any, frames: Frames, seed: int) -> None:
    half = len(frames) // 2
    first, rest = frames[:half], frames[half:]
    _play(player, first, seed)
    going_on = np.zeros(frames.shape[1], np.bool_)
    states = [player.get_state(game) for game in range(frames.shape[1])]
    wanted = [player.act(step, going_on).copy() for step in rest]
    for game, state in enumerate(states):
        player.set_state(game, state)
    for step, controllers in zip(rest, wanted, strict=True):
        assert player.act(step, going_on).tobytes() == controllers.tobytes(), (
            "set_state() does not continue where get_state() was called"
        )
