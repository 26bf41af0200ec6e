"""Demonstrations as flat arrays, split by game and served as lanes for truncated backpropagation through time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from melee_env.errors import OptionError


@dataclass(frozen=True)
class Window:
    """One window of every lane."""

    observations: Tensor
    """``[B, T, F]`` float32"""
    actions: Tensor
    """``[B, T, heads]`` int64"""
    episode_start: Tensor
    """``[B, T]`` bool"""
    previous_actions: Tensor
    """``[B, T, heads]`` int64; on the first frame of a game its own action, which the policy blanks"""
    valid: Tensor
    """``[B, T]`` bool, false in padding"""
    first: bool
    """whether the lanes begin here, with no state to carry over"""
    weights: Tensor | None = None
    """``[B, T]`` float32 of the frames in the loss, None for equal ones"""


class Demonstrations:
    """Trajectories laid end to end; everything else is an index into them.

    Args:
        trajectories: each with ``obs [T + 1, F]``, ``acts [T, heads]`` (or ``[T]``; ``imitation``'s format; the last
            observation has no action and is not used), and ``executed [T, heads]`` where something else was done
            than what is to be imitated: the next frame's previous action.
    """

    weights: Tensor | None = None
    """``[N]`` float32, of the frames in the loss; None for equal ones"""

    def __init__(self, trajectories: Sequence[Any]) -> None:
        if not len(trajectories):
            raise OptionError("no demonstrations: the list of trajectories is empty")
        for number, t in enumerate(trajectories):
            if len(t.obs) != len(t.acts) + 1 or not len(t.acts):
                raise OptionError(
                    f"trajectory {number} has {len(t.obs)} observations and {len(t.acts)} actions; "
                    "expected one observation more than actions, and at least one action"
                )
        self.observations = torch.from_numpy(
            np.concatenate([np.asarray(t.obs[:-1], np.float32) for t in trajectories])
        )
        self.actions = torch.from_numpy(
            np.concatenate([np.asarray(t.acts, np.int64).reshape(len(t.acts), -1) for t in trajectories])
        )
        self.executed = self.actions
        if any(hasattr(t, "executed") for t in trajectories):
            executed = [np.asarray(getattr(t, "executed", t.acts), np.int64) for t in trajectories]
            self.executed = torch.from_numpy(np.concatenate(executed))
        lengths = np.array([len(t.acts) for t in trajectories])
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        self.episode_start = torch.zeros(len(self.actions), dtype=torch.bool)
        self.episode_start[torch.from_numpy(self.starts)] = True
        self.games = _number_games(trajectories)

    def __len__(self) -> int:
        return len(self.actions)

    def digest(self) -> str:
        """Return a digest of every observation and action."""
        digest = sha256(self.observations.numpy().data)
        digest.update(self.actions.numpy().data)
        return digest.hexdigest()[:16]

    def split(self, fraction: float, seed: int) -> tuple[list[range], list[range]]:
        """Split into training and validation frames, never through a game.

        Both players of one game land on the same side. A single game is cut once: its last part validates. With
        fraction 0 the training games validate too: that measures how well they are remembered.
        """
        spans = [range(a, b) for a, b in zip(self.starts, self.ends, strict=True)]
        if fraction == 0:
            return spans, spans
        games = np.unique(self.games)
        if len(games) == 1:
            cuts = [int(len(span) * (1 - fraction)) for span in spans]
            pairs = list(zip(spans, cuts, strict=True))
            return [s[:cut] for s, cut in pairs], [s[cut:] for s, cut in pairs]
        held_out = np.random.default_rng([seed, 1]).permutation(games)
        held_out = held_out[: min(max(1, round(fraction * len(games))), len(games) - 1)]
        validates = np.isin(self.games, held_out)
        return (
            [span for span, v in zip(spans, validates, strict=True) if not v],
            [span for span, v in zip(spans, validates, strict=True) if v],
        )

    def lanes(
        self,
        spans: Sequence[range],
        batch_size: int,
        window: int,
        rng: np.random.Generator,
        rarity: Tensor | None = None,
    ) -> Iterator[Window]:
        """Shuffle the games, lay them end to end, cut the result into equal lanes and walk along them.

        With ``rarity`` ``[N]``, pieces of games of ``window`` frames are drawn instead, with replacement and in
        proportion to the highest rarity in them, until there are as many frames. Each piece starts anew.
        """
        if rarity is None:
            order = np.concatenate([np.asarray(spans[k]) for k in rng.permutation(len(spans))])
            order = np.roll(order, int(rng.integers(len(order))))
        else:
            order = _drawn_pieces(spans, window, rarity.numpy(), rng)
        lanes, length = _lane_shape(len(order), batch_size, window)
        table = order[: lanes * length].reshape(lanes, length)
        jumps = np.zeros(table.shape, bool)
        jumps[:, 1:] = table[:, 1:] != table[:, :-1] + 1
        for begin in range(0, length, window):
            index = table[:, begin : begin + window]
            jump = torch.from_numpy(jumps[:, begin : begin + window])
            yield self._window(index, np.ones(index.shape, bool), first=begin == 0, jump=jump)

    def whole_games(self, spans: Sequence[range], batch_size: int, window: int) -> Iterator[Window]:
        """Walk along whole games from their first frame, ``batch_size`` side by side, padded at the end."""
        by_length = sorted(spans, key=len)
        for k in range(0, len(by_length), batch_size):
            group = by_length[k : k + batch_size]
            begins = np.array([span.start for span in group])[:, None]
            lengths = np.array([len(span) for span in group])[:, None]
            for begin in range(0, int(lengths.max()), window):
                time = np.arange(begin, min(begin + window, int(lengths.max())))[None]
                yield self._window(begins + np.minimum(time, lengths - 1), time < lengths, first=begin == 0)

    def _window(
        self, index: NDArray[np.int64], valid: NDArray[np.bool_], first: bool, jump: Tensor | None = None
    ) -> Window:
        at = torch.from_numpy(index)
        start = self.episode_start[at] if jump is None else self.episode_start[at] | jump
        before = torch.where(start, at, at - 1).clamp_min(0)
        return Window(
            self.observations[at],
            self.actions[at].long(),
            start & torch.from_numpy(valid),
            self.executed[before].long(),
            torch.from_numpy(valid),
            first,
            None if self.weights is None else self.weights[at],
        )


def count_windows(frames: int, batch_size: int, window: int) -> int:
    """Return how many windows :meth:`Demonstrations.lanes` makes of so many frames."""
    return -(-_lane_shape(frames, batch_size, window)[1] // window)


def button_rarity(actions: Tensor, nvec: Sequence[int], press_rates: Tensor, factor: float) -> Tensor:
    """Return how rare what is pressed is, ``[N]``: the highest min(sqrt(1/r), factor) of the pressed buttons, else 1.

    Args:
        actions: ``[N, heads]``.
        nvec: choices per head; those with two are buttons.
        press_rates: ``[heads]``, r.
        factor: most.
    """
    buttons = [head for head, n in enumerate(nvec) if n == 2]
    rare = press_rates[buttons].clamp_min(1e-8).rsqrt().clamp(1.0, factor)
    return torch.where(actions[:, buttons] == 1, rare, 1.0).amax(1)


def _drawn_pieces(
    spans: Sequence[range], window: int, rarity: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return as many frames as there are, in pieces drawn by their rarity; the cuts differ from call to call."""
    cut = int(rng.integers(window))
    pieces = [
        piece
        for span in spans
        for piece in np.split(np.asarray(span), range(cut or window, len(span), window))
    ]
    chances = np.array([rarity[piece].max() for piece in pieces], np.float64)
    drawn = rng.choice(len(pieces), 2 * len(pieces), p=chances / chances.sum())
    return np.resize(np.concatenate([pieces[k] for k in drawn]), sum(len(span) for span in spans))


def _lane_shape(frames: int, batch_size: int, window: int) -> tuple[int, int]:
    """Return the number of lanes and their length; fewer lanes than asked for where they would be too short."""
    lanes = max(1, min(batch_size, frames // window))
    return lanes, frames // lanes


def _number_games(trajectories: Sequence[Any]) -> NDArray[np.int64]:
    """Number each trajectory's game; trajectories whose infos name the same ``game`` share one."""
    seen: dict[Any, int] = {}
    numbers = []
    for k, trajectory in enumerate(trajectories):
        infos = getattr(trajectory, "infos", None)
        info = infos[0] if infos is not None and len(infos) else {}
        numbers.append(seen.setdefault(info.get("game", ("trajectory", k)), len(seen)))
    return np.array(numbers)
