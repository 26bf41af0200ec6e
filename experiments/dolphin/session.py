"""Games of agents on the emulator, one after the other, until there are enough or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.dolphin.pacing import Beside, Locked, Pacing
from experiments.dolphin.player import SwappedPlayer
from experiments.dolphin.timing import STALE_LIMIT, spread
from experiments.dolphin.trace import next_trace, write_trace
from melee_env.backends.base import MatchOptions
from melee_env.backends.dolphin.game import DolphinGame
from melee_env.controller import make_controllers, neutral
from melee_env.errors import BackendError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, FRAME_DTYPE, Frames

TEST_FRAME = -100
"""First frame of the input test: long before anybody can move."""
TEST_FRAMES = 40
"""Frames that an input may take to be seen."""
PATIENCE = 0.5
"""Share of a frame that waits for its own answer before the last action is sent again."""
FRAME_SECONDS = 1 / 60


@dataclass(frozen=True)
class Plan:
    """What is played."""

    options: MatchOptions = MatchOptions(start_frame=FIRST_CONTROLLABLE_FRAME)
    """fighters and stage"""
    beside: bool = False
    """the game goes on while agents think"""
    games: int | None = None
    """how many games; None for no limit"""
    seconds: float | None = None
    """when the running game is left; None for never"""
    traces: Path | None = None
    """folder for the frames of every game"""
    seed: int = 0
    """of the agents' draws"""


@dataclass
class Session:
    """Plays a plan.

    Args:
        game: the emulator.
        players: who plays which seat.
        plan: what is played.
        say: is told what happens, in lines.
    """

    game: DolphinGame
    players: dict[int, SwappedPlayer]
    plan: Plan
    say: Callable[[str], None]
    _intervals: list[float] = field(default_factory=list)

    def run(self) -> dict[str, Any]:
        """Play; the emulator is gone afterwards, its replays complete.

        Returns:
            ``mode``, ``first_input_frames``, ``frames_per_s``, ``frame_ms``, ``players`` (by seat, see
            :class:`Timing`) and ``games[]``.

        Raises:
            BackendError: the emulator failed, or does not react to inputs.
        """
        plan = self.plan
        games: list[dict[str, Any]] = []
        patience = PATIENCE * FRAME_SECONDS
        pacings: dict[int, Pacing] = {
            seat: Beside(seat, patience) if plan.beside else Locked(seat) for seat in self.players
        }
        lag = 0
        try:
            self.game.start()
            self.game.connect()
            end = np.inf
            while len(games) != plan.games and time.monotonic() < end:
                number = len(games)
                self._begin_game(number, pacings)
                if number == 0:
                    lag = self._test_input()
                    end = np.inf if plan.seconds is None else time.monotonic() + plan.seconds
                games.append(self._play_game(number, pacings, end))
        finally:
            for pacing in pacings.values():
                pacing.close()
            self.game.close()
        summaries = {
            str(seat + 1): {"agent": player.name, "swaps": player.swaps, **pacings[seat].timing.summary()}
            for seat, player in self.players.items()
        }
        for seat, pacing in pacings.items():
            if pacing.timing.stale_share > STALE_LIMIT:
                self.say(
                    f"warning: player {seat + 1} repeated its last action on {pacing.timing.stale_share:.1%} of the "
                    "frames: these games say little about it"
                )
        return {
            "mode": "async" if plan.beside else "sync",
            "first_input_frames": lag,
            "frames_per_s": len(self._intervals) / sum(self._intervals) if self._intervals else 0.0,
            "frame_ms": spread([1000 * value for value in self._intervals]),
            "players": summaries,
            "games": games,
        }

    def _begin_game(self, number: int, pacings: dict[int, Pacing]) -> None:
        for seat, player in self.players.items():
            if number and (news := player.refresh()):
                self.say(f"player {seat + 1}: {news}")
            player.agent.reset(1, self.plan.seed + 2 * number + seat)
            pacings[seat].begin(player.agent)
        start = TEST_FRAME if number == 0 else self.plan.options.start_frame
        self.game.begin(replace(self.plan.options, start_frame=start))

    def _test_input(self) -> int:
        """Hold the stick while nobody can move yet, and count the frames until the game shows it.

        Raises:
            BackendError: it never does.
        """
        held = neutral(2)
        held[min(self.players)] = make_controllers(stick_x=-1.0)
        seen = 0
        for number in range(TEST_FRAMES):
            self.game.send(held)
            self.game.receive()
            if self.game.frames["seats"]["leader"]["controller"]["stick_x"][0, min(self.players)] < 0:
                seen = number + 1
                break
        if not seen:
            raise BackendError(
                f"the first input was not seen in {TEST_FRAMES} frames: is a pipe controller configured for port "
                f"{min(self.players) + 1}, and does nobody else use it?"
            )
        while self.game.frames["frame"][0] < self.plan.options.start_frame - 1:
            self.game.send(None)
            self.game.receive()
        return seen

    def _play_game(self, number: int, pacings: dict[int, Pacing], end: float) -> dict[str, Any]:
        frames = self.game.frames
        kept = [self.game.data.copy()]
        left = False
        try:
            while not frames["end_method"][0] and not left:
                began = time.perf_counter()
                controllers = neutral(2)
                for pacing in pacings.values():
                    pacing.offer(frames)
                for seat, pacing in pacings.items():
                    controllers[seat] = pacing.answer()[0]
                self.game.send(controllers)
                self.game.receive()
                self._intervals.append(time.perf_counter() - began)
                kept.append(self.game.data.copy())
                left = time.monotonic() >= end
        finally:
            played = np.concatenate(kept).view(FRAME_DTYPE)
            trace = self._keep(number, played)
        self.game.leave()  # only a game that is left through the menus has an end in its replay
        return {**_result(played), "left": left, "trace": trace}

    def _keep(self, number: int, frames: Frames) -> str | None:
        if self.plan.traces is None:
            return None
        about = {"game": number + 1, "players": {s + 1: p.name for s, p in self.players.items()}}
        return str(write_trace(next_trace(self.plan.traces), frames, about))


def _result(frames: Frames) -> dict[str, Any]:
    leaders = frames[-1]["seats"]["leader"]
    return {
        "frames": len(frames) - 1,
        "end_method": int(frames[-1]["end_method"]),
        "stocks": leaders["stocks"].tolist(),
        "percent": leaders["percent"].tolist(),
    }
