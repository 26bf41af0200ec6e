"""A recorded technique as a yardstick: how often an agent, shown its frames, presses what was pressed.

High agreement and failure in play mean that the agent leaves the recorded states and cannot come back; low agreement
means that it did not learn. Agreement says nothing about play by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import OptionError

if TYPE_CHECKING:
    from agents.network_agent import NetworkAgent

BUTTONS = ("B", "X")
OFFSETS = tuple(range(9))
MIN_FRAMES = 60
"""frames to the last press without which shares say nothing"""


@dataclass
class Fixture:
    """One player's technique, in ``imitation``'s format."""

    obs: NDArray[np.float32]
    """``[T + 1, F]``"""
    acts: NDArray[np.int64]
    """``[T, heads]``"""
    infos: NDArray[Any]
    """``[T]`` dictionaries that name the game"""
    terminal: bool = False


def load_fixture(
    path: str | Path,
    seat: int = 0,
    observation: str = "compact",
    action: str = "multidiscrete",
    delay: int = 0,
) -> Fixture:
    """Read the stretch from frame 0 to the last press of B or X; the walk to the self-destruct is left out.

    Args:
        path: a ``.slp`` file.
        seat: whose technique.
        observation: observation encoder by name.
        action: action codec by name; B and X must be heads of their own.
        delay: action delay that the agent was trained with: what it has committed to is in its observations. The
            recorded actions stay those that act at once.

    Raises:
        OptionError: the actions have no such buttons, or the player presses neither for long enough.
    """
    from demonstrations.trajectories import observe
    from melee_env.actions import make_codec
    from melee_env.frame import seen_from
    from melee_env.observations import make_encoder
    from melee_env.slp import read_game

    codec = make_codec(action)
    game = read_game(path)
    frames = seen_from(game.frames[game.numbers >= 0], seat)
    acts = np.asarray(codec.encode(frames["seats"][:, 0]["leader"]["controller"]), np.int64)
    columns = _columns(acts)
    if columns is None:
        raise OptionError(f"an agent with {action!r} actions has no heads {' and '.join(BUTTONS)} to compare")
    pressed = np.flatnonzero(acts[:, columns].any(1))
    if not len(pressed):
        raise OptionError(f"{path}: seat {seat} presses neither {' nor '.join(BUTTONS)}")
    end = int(pressed[-1]) + 1
    if end < MIN_FRAMES + delay:
        raise OptionError(
            f"{path}: seat {seat} stops pressing {' or '.join(BUTTONS)} after {end} frames, too few"
        )
    _, obs, _ = observe(frames, make_encoder(observation), codec, delay)
    end = min(end, len(obs))
    obs = obs[:end]
    # The controller of frame t + 1 is the answer to frame t.
    infos = np.array([{"game": Path(path).name}] * (end - 1))
    return Fixture(obs, acts[1:end], infos)


def _columns(acts: NDArray[np.int64]) -> list[int] | None:
    """Return the heads of :data:`BUTTONS` in actions ``[T, heads]``; None where they have none."""
    from agents.networks.heads import head_names

    names = head_names(acts[0]) if acts.ndim == 2 and len(acts) else []
    return [names.index(button) for button in BUTTONS] if set(BUTTONS) <= set(names) else None


def fixture_agreement(
    agent: NetworkAgent, fixture: Fixture, offsets: Sequence[int] = OFFSETS
) -> dict[str, Any]:
    """Show the frames to ``agent`` one by one, its own last action fed back, and compare its presses.

    Args:
        agent: plays its most likely action.
        fixture: what is shown.
        offsets: the agent's answer to frame t is compared with the recorded one to frame t + offset. The best offset
            is the shift that the agent learned: 0 unless it was trained with another delay.

    Returns:
        ``frames``; ``agreement`` per offset: share of frames on which all of :data:`BUTTONS` agree; per button its
        own share, press rates of recording and agent, and the majority baseline; ``best_offset``.
    """
    deterministic, agent.deterministic = agent.deterministic, True
    try:
        agent.reset(1, seed=0)
        answers = np.concatenate([agent.act_on(frame[None]) for frame in fixture.obs[:-1]])
    finally:
        agent.deterministic = deterministic
    columns = _columns(fixture.acts)
    assert columns is not None, "load_fixture has checked them"
    ours, theirs = answers[:, columns], fixture.acts[:, columns]
    length = len(ours)
    agreement = [float((ours[: length - offset] == theirs[offset:]).all(1).mean()) for offset in offsets]
    _, counts = np.unique(theirs, axis=0, return_counts=True)
    return {
        "frames": length,
        "offsets": list(offsets),
        "agreement": agreement,
        "majority_baseline": float(counts.max() / length),
        "best_offset": offsets[int(np.argmax(agreement))],
        "buttons": {
            button: {
                "agreement": float((ours[:, k] == theirs[:, k]).mean()),
                "majority_baseline": float(max(theirs[:, k].mean(), 1 - theirs[:, k].mean())),
                "recorded": float(theirs[:, k].mean()),
                "predicted": float(ours[:, k].mean()),
            }
            for k, button in enumerate(BUTTONS)
        },
    }
