"""Which games to use."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from demonstrations.quality import score
from melee_env.game import Game, GameInfo
from melee_env.ids import Character, Stage, parse

RANKS = ("bronze", "silver", "gold", "platinum", "diamond", "master", "grandmaster")
"""Ladder ranks as public sets write them."""


@dataclass(frozen=True)
class GameFilter:
    """Conditions on a two-player game; ``None`` and empty mean no condition."""

    characters: tuple[str | Character, ...] = ()
    """at least one player plays one of these"""
    opponents: tuple[str | Character, ...] = ()
    """... against one of these"""
    stages: tuple[str | Stage, ...] = ()
    """played on one of these"""
    min_version: tuple[int, int, int] = (0, 0, 0)
    """oldest Slippi version"""
    min_frames: int = 0
    """fewest frames, countdown included"""
    humans_only: bool = False
    """no CPU player"""
    min_quality: float = 0
    """fewest points of :func:`demonstrations.quality.score`; 0 does not score"""
    ranks: tuple[str, ...] = ()
    """ranks that the recording's name begins with, as in public sets (``diamond-platinum-….slp``)"""
    normal_ratios: bool = True
    """offence, defence and model scale are 1 (others change the physics)"""

    def refusal_of_name(self, name: str) -> str:
        """Return ``rank`` if a recording's name does not begin with wanted ranks only, else nothing."""
        if not self.ranks:
            return ""
        words = itertools.takewhile(RANKS.__contains__, Path(name).name.lower().split("-"))
        found = set(words)
        return "" if found and found <= {rank.lower() for rank in self.ranks} else "rank"

    def refusal_of(self, game: Game) -> str:
        """Return why a game does not fit, quality included; see :meth:`refusal`."""
        refusal = self.refusal(game.info, len(game))
        if not refusal and self.min_quality:
            quality = score(game)
            if quality.total < self.min_quality:
                refusal = quality.rejected or "quality"
        return refusal

    def refusal(self, info: GameInfo, frames: int | None = None) -> str:
        """Return why a game does not fit, a stable code; empty if it fits.

        Args:
            info: the game's description.
            frames: how many frames it has; None skips that condition.

        Raises:
            OptionError: a name in the filter is unknown.
        """
        if self.stages and info.stage not in {parse(Stage, stage).external for stage in self.stages}:
            return "stage"
        if info.version < self.min_version:
            return "version"
        if frames is not None and frames < self.min_frames:
            return "too_short"
        if self.humans_only and any(seat.kind for seat in info.seats):
            return "cpu_player"
        if self.normal_ratios and any(ratio != 1.0 for seat in info.seats for ratio in seat.ratios):
            return "ratios"
        if (self.characters or self.opponents) and not self.seats(info):
            return "character"
        return ""

    def seats(self, info: GameInfo) -> list[int]:
        """Return the seats whose player is wanted: both, if both are; never a default."""
        wanted = {parse(Character, name).external for name in self.characters}
        others = {parse(Character, name).external for name in self.opponents}
        played = [seat.character for seat in info.seats]
        return [
            seat
            for seat, character in enumerate(played)
            if (not wanted or character in wanted) and (not others or played[1 - seat] in others)
        ]
