"""One game that someone watches: agents and hands at a keyboard or gamepad, or a recorded game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from experiments.evaluation.games import FIRST_INPUT_FRAME
from experiments.evaluation.players import make_player
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Button, Controllers, make_controllers, neutral
from melee_env.frame import Frames, seen_from
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import Character, Stage, parse

HUMAN = "human"
WALK_TILT = 0.5
"""main stick while the walk key is held"""
_KEY_BUTTONS = {
    "j": Button.A,
    "k": Button.B,
    "l": Button.X,
    "space": Button.X,
    "i": Button.L,
    "u": Button.Z,
    "return": Button.START,
}


def human_controller(keys: frozenset[str]) -> Controllers:
    """Return the controller ``[]`` that held keys stand for."""
    tilt = WALK_TILT if "left shift" in keys else 1.0

    def axis(negative: str, positive: str) -> float:
        return float(positive in keys) - float(negative in keys)

    buttons = 0
    for key, button in _KEY_BUTTONS.items():
        buttons |= button if key in keys else 0
    return make_controllers(
        stick_x=axis("left", "right") * tilt,
        stick_y=axis("down", "up"),
        cstick_x=axis("a", "d"),
        cstick_y=axis("s", "w"),
        buttons=buttons,
    )


class Match:
    """One game of two players.

    Args:
        players: a name in ``hands``, a checkpoint folder or an agent's name, for seat 0 and 1.
        characters: their fighters.
        stage: stage.
        stocks: stocks of both.
        backend: backend by name.
        seed: fixes what is drawn.
        hands: who plays by hand, by name: returns the controller of this moment.
    """

    def __init__(
        self,
        players: tuple[str, str],
        characters: tuple[str | Character, str | Character],
        *,
        stage: str | Stage = Stage.BATTLEFIELD,
        stocks: int = 4,
        backend: str = "embedded",
        seed: int = 0,
        hands: Mapping[str, Callable[[], Controllers]] | None = None,
    ) -> None:
        self.options = MatchOptions(
            characters=(parse(Character, characters[0]), parse(Character, characters[1])),
            stage=parse(Stage, stage),
            stocks=(stocks, stocks),
            start_frame=FIRST_INPUT_FRAME,
        )
        self.backend, self.seed = backend, seed
        hands = hands or {}
        self._hands = [hands.get(name) for name in players]
        self._agents = [None if name in hands else make_player(name) for name in players]

    def frames(self) -> Iterator[Frames]:
        """Play to the end; yields one frame after the other."""
        engine = make_backend(self.backend, 1)
        try:
            frames = engine.reset(np.array([self.seed], np.uint32), [self.options])
            for seat, agent in enumerate(self._agents):
                if agent is not None:
                    agent.reset(1, self.seed + seat)
            start = np.ones(1, bool)
            controllers = neutral(1, 2)
            yield frames[0].copy()
            while frames["end_method"][0] == 0:
                for seat, (agent, hand) in enumerate(zip(self._agents, self._hands, strict=True)):
                    if hand is not None:
                        controllers[:, seat] = hand()
                    elif agent is not None:
                        controllers[:, seat] = agent.act(seen_from(frames, seat), start)
                start = np.zeros(1, bool)
                frames = engine.step(controllers)
                yield frames[0].copy()
        finally:
            engine.close()

    def game(self, frames: Frames) -> Game:
        """Describe ``frames`` ``[T]`` of this match as a recorded game."""
        seats = tuple(
            SeatInfo(
                port=seat, character=self.options.characters[seat].external, stocks=self.options.stocks[seat]
            )
            for seat in range(2)
        )
        info = GameInfo(
            stage=self.options.stage.external,
            seats=seats,
            seed=self.seed,
            timer=self.options.time_limit // 60,
            end_method=int(frames["end_method"][-1]),
            played_on=f"melee_env {self.backend}",
        )
        return Game(info, frames)


def replay_frames(path: str | Path) -> Iterator[Frames]:
    """Yield the frames of a recorded game."""
    from melee_env.slp import read_game

    yield from read_game(path).frames
