"""Recorded games as trajectories of the ``imitation`` library.

Alignment: the controller stored with frame t + 1 is the input that turned frame t into frame t + 1. So
observation t comes with action t, ``acts[t] = encode(controller of frame t + 1)``, and the last frame has
an observation but no action. Frames of the countdown before :data:`FIRST_CONTROLLABLE_FRAME`, on which the
game reads no input, are left out. Where a recording has a gap, a new trajectory begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from demonstrations.filters import GameFilter
from demonstrations.games import Source, game_key, iterate_games
from demonstrations.leaders import leaders
from melee_env.controller import Button
from melee_env.errors import MissingExtra, OptionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, Frames, seen_from
from melee_env.game import Game

if TYPE_CHECKING:
    from imitation.data.types import TrajectoryWithRew

ENDS = (1, 2, 3)
"""End methods by which a game is decided; the rest (no contest, not recorded) cut it short."""


@dataclass(frozen=True)
class Stretch:
    """A run of frames without a gap, seen by one player."""

    frames: Frames
    """``[T + 1]``, the player first"""
    ended: bool
    """the last frame is the end of the game"""
    game: str
    """see :func:`demonstrations.games.game_key`"""
    seat: int
    """the player's seat in the recording"""
    port: int
    """the player's port, 0-based"""
    player: str
    """the player's connect code or name, empty if not recorded"""


def runs(game: Game, min_length: int = 2, players: NDArray[np.void] | None = None) -> list[slice]:
    """Return the gapless runs of frames on which input counts and both players are there.

    Args:
        game: the game.
        min_length: shortest run to keep, frames.
        players: :func:`demonstrations.leaders.leaders` of its frames, if they are there already.
    """
    players = leaders(game.frames) if players is None else players
    # A player who is missing from a damaged frame cannot be learned from there.
    whole = (players["present"] != 0).all(-1)
    numbers = game.numbers
    kept = np.flatnonzero((numbers >= FIRST_CONTROLLABLE_FRAME) & whole)
    cuts = np.flatnonzero((np.diff(kept) != 1) | (np.diff(numbers[kept]) != 1)) + 1
    pieces = [piece for piece in np.split(kept, cuts) if len(piece) >= max(2, min_length)]
    return [slice(int(piece[0]), int(piece[-1]) + 1) for piece in pieces]


def practice(game: Game, seat: int) -> slice:
    """Return the part of a recorded drill that is learned from: from GO to before the self-destruct at its end.

    A player who ends a drill holds the stick left or up-left, without B or X, until the stocks are gone; the part
    ends behind the last frame on which the player does anything else (ExPhil ``scripts``, expert labels).

    Args:
        game: the drill.
        seat: whose.
    """
    players = leaders(game.frames)[:, seat]
    leaving = (players["stick_x"] < -0.5) & (players["stick_y"] > -0.2)
    leaving &= players["buttons"] & (Button.B | Button.X) == 0
    first = int(np.searchsorted(game.numbers, 0))
    stays = np.flatnonzero(~leaving[first:])
    return slice(first, first + int(stays[-1]) + 1 if len(stays) else first)


def stretches(game: Game, seats: Sequence[int], min_length: int = 2) -> Iterator[Stretch]:
    """Cut a game into :func:`runs`, once per seat.

    Args:
        game: the game.
        seats: whose view.
        min_length: shortest run to keep, frames.
    """
    key = game_key(game)
    pieces = [game.frames[run] for run in runs(game, min_length)]
    for seat in seats:
        info = game.info.seats[seat]
        for frames in pieces:
            ended = frames["end_method"][-1] in ENDS
            yield Stretch(seen_from(frames, seat), ended, key, seat, info.port, info.code or info.name)


def align(
    frames: Frames, encode: Callable[[NDArray[np.void]], NDArray[np.int64]], action_delay: int = 0
) -> tuple[Frames, NDArray[np.int64]]:
    """Pair frames with actions.

    Args:
        frames: ``[T]`` without gaps, the player first.
        encode: an action codec's ``encode``.
        action_delay: how many frames later than it is chosen an action acts.

    Returns:
        Frames ``[n + 1]`` and actions ``[n, …]``, ``n = T - 1 - action_delay``: ``actions[t]`` acts on
        the step from ``frames[t + action_delay]`` to the frame after it.

    Raises:
        OptionError: a negative delay.
    """
    if action_delay < 0:
        raise OptionError(f"action_delay must be 0 or more frames, not {action_delay}")
    inputs = frames["seats"]["leader"]["controller"][1 + action_delay :, 0]
    return frames[: len(inputs) + 1], np.asarray(encode(inputs))


def observe(
    frames: Frames, encoder: Any, codec: Any, action_delay: int = 0
) -> tuple[Frames, NDArray[np.float32], NDArray[np.int64]]:
    """Pair what a player saw with what the player chose.

    Args:
        frames: ``[T]`` without gaps, the player first.
        encoder: of observations.
        codec: of actions.
        action_delay: see :func:`align`.

    Returns:
        Frames ``[n + 1]`` and actions ``[n, …]`` of :func:`align`, and between them the observations ``[n + 1, F]``.
    """
    from melee_env.observations.encoder import controller_history

    seen, acts = align(frames, codec.encode, action_delay)
    # What the player had chosen by frame t acts up to frame t + action_delay.
    pads = frames["seats"]["leader"]["controller"][action_delay:, 0]
    committed = controller_history(pads[: len(seen)], encoder.previous)
    return seen, encoder.encode(seen, committed=committed, delays=action_delay), acts


def load_trajectories(
    path: Source,
    character: str | None = None,
    observation: str = "compact",
    action: str = "multidiscrete",
    reward: str | Any = "damage+stock",
    opponent: str | None = None,
    stage: str | Sequence[str] | None = None,
    action_delay: int = 0,
    min_frames: int = 0,
    filters: GameFilter | None = None,
    on_skip: Callable[[Path, str], None] | None = None,
) -> list[TrajectoryWithRew]:
    """Load the play of everyone who plays ``character``, whatever the port; both players, if both do.

    Args:
        path: a ``.slp`` file, a folder, a store, or games in memory.
        character: whose play; None takes every player.
        observation: name of the observation encoder.
        action: name of the action codec.
        reward: name of the reward, or an object with ``step(previous, frames)``.
        opponent: against whom; None for anyone.
        stage: name or names of stages; None for all.
        action_delay: see :func:`align`.
        min_frames: shortest game to use, frames.
        filters: further conditions; an argument above that is given replaces the field of its name.
        on_skip: called with every file that is not used and the reason.

    Returns:
        One trajectory per player and gapless run, ``len(obs) == len(acts) + 1``; ``terminal`` tells that
        the game was decided. Every ``infos`` entry names ``game``, ``seat``, ``port`` and ``player``.

    Raises:
        MissingExtra: ``imitation`` is not installed.
        OptionError: an unknown name; nothing at ``path``.
    """
    try:
        from imitation.data.types import TrajectoryWithRew
    except ImportError as error:
        raise MissingExtra("imitation", "imitation") from error
    from melee_env.actions import make_codec
    from melee_env.observations import make_encoder

    encoder, codec, reward_sum = make_encoder(observation), make_codec(action), _make_reward(reward)
    wanted: dict[str, Any] = {
        "characters": (character,) if character else (),
        "opponents": (opponent,) if opponent else (),
        "stages": (stage,) if isinstance(stage, str) else tuple(stage or ()),
        "min_frames": min_frames,
    }
    filters = replace(filters or GameFilter(), **{key: value for key, value in wanted.items() if value})
    trajectories = []
    for game in iterate_games(path, filters, on_skip=on_skip):
        for stretch in stretches(game, filters.seats(game.info), min_length=action_delay + 2):
            frames, obs, acts = observe(stretch.frames, encoder, codec, action_delay)
            infos = {key: getattr(stretch, key) for key in ("game", "seat", "port", "player")}
            trajectories.append(
                TrajectoryWithRew(
                    obs=obs,
                    acts=acts,
                    infos=np.array([infos] * len(acts), object),
                    terminal=stretch.ended and action_delay == 0,
                    rews=np.asarray(reward_sum.step(frames[:-1], frames[1:]), np.float32),
                )
            )
    return trajectories


def _make_reward(reward: Any) -> Any:
    if not isinstance(reward, str):
        return reward
    from melee_env.rewards import make_reward

    return make_reward(reward)
