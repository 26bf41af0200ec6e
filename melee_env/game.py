"""One whole game in memory: what was played, and every frame of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from melee_env.frame import Frames, empty_frames


@dataclass(frozen=True)
class SeatInfo:
    """One player of a game, from its start."""

    port: int
    """controller port, 0-based"""
    character: int
    """external character id"""
    kind: int = 0
    """0 human, 1 CPU"""
    stocks: int = 4
    """stocks at the start"""
    costume: int = 0
    """costume number"""
    cpu_level: int = 0
    """CPU level, 0 for humans"""
    name: str = ""
    """display name or name tag"""
    code: str = ""
    """connect code"""
    ratios: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """offence, defence and model scale; other than 1 changes the physics"""
    ucf: bool = True
    """whether UCF's dash back helps the controller"""


@dataclass(frozen=True)
class GameInfo:
    """What the start and end events of a game say."""

    stage: int
    """external stage id"""
    seats: tuple[SeatInfo, ...]
    """the players by port"""
    version: tuple[int, int, int] = (3, 19, 0)
    """Slippi version of the recording"""
    timer: int = 480
    """seconds on the clock"""
    seed: int = 0
    """RNG seed at the start"""
    pal: bool = False
    """PAL rules"""
    frozen_stadium: bool = True
    """Pokémon Stadium does not transform"""
    end_method: int = 0
    """how the game ended (0 unknown, 1 time, 2 stock-out, 7 no contest)"""
    absent: frozenset[str] = frozenset()
    """fighter fields that this version did not record; their values are zero and mean nothing"""
    started_at: str = ""
    """ISO time of the start, empty if unknown"""
    played_on: str = ""
    """dolphin, nintendont, network or the name of a backend"""


@dataclass
class Game:
    """A recorded two-player game: its description and frames ``[T]`` of ``FRAME_DTYPE``, first to last."""

    info: GameInfo
    frames: Frames = field(default_factory=lambda: empty_frames(0))

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.frames)

    @property
    def numbers(self) -> np.ndarray:
        """Frame numbers ``[T] int32``, strictly increasing."""
        return self.frames["frame"]
