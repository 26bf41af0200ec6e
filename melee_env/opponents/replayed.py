"""Recorded inputs as an opponent: what someone pressed in a game, pressed again."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers, neutral
from melee_env.errors import OptionError
from melee_env.frame import NUM_SEATS, Frames
from melee_env.game import Game

PREFIX = "replay:"


class ReplayedInputs:
    """Presses on every frame what a recorded player pressed on the frame of that number, and nothing outside of it.

    The recorded player does not see this game: give it the characters, stage and starts of the recording, or use it as
    somebody who moves like a person.
    """

    def __init__(self, game: Game, seat: int = 0) -> None:
        """Take the inputs of a recorded game.

        Args:
            game: the recording.
            seat: whose inputs, 0 for the lower port.

        Raises:
            OptionError: no such seat.
        """
        if seat not in range(NUM_SEATS):
            raise OptionError(f"the seat of a recording must be 0 or 1, got {seat!r}")
        numbers = game.numbers
        self._first = int(numbers[0]) if len(numbers) else 0
        length = int(numbers[-1]) - self._first + 1 if len(numbers) else 0
        self._inputs = neutral(length)
        if length:
            self._inputs[numbers - self._first] = game.frames["seats"]["leader"]["controller"][:, seat]

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget: the frame's number says what is pressed."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the recorded controllers ``[N]`` of the frames after ``frames``."""
        places = frames["frame"].astype(np.int64) + 1 - self._first
        there = (places >= 0) & (places < len(self._inputs))
        out = neutral(len(frames))
        out[there] = self._inputs[places[there]]
        return out

    def act_from(
        self, frames: Frames, seat: int, episode_start: NDArray[np.bool_] | None = None
    ) -> Controllers:
        """Do the same from any seat."""
        return self.act(frames)


def replayed_inputs(name: str) -> ReplayedInputs:
    """Return the opponent ``replay:<file>`` or ``replay:<file>#<seat>``.

    Raises:
        OptionError: no such file or seat.
        ReplayError: the file cannot be read.
    """
    path, _, seat = name.removeprefix(PREFIX).partition("#")
    if seat not in ("", "0", "1"):
        raise OptionError(f"opponent {name!r}: the seat behind # must be 0 or 1")
    if not Path(path).is_file():
        raise OptionError(f"opponent {name!r}: there is no file {path}")
    return ReplayedInputs(_read(path, Path(path).stat().st_mtime_ns), int(seat or 0))


@lru_cache(maxsize=16)
def _read(path: str, changed: int) -> Game:
    """Read a recording; ``changed`` is in the key, so that a changed file is read again."""
    from melee_env.slp import read_game

    return read_game(path)
