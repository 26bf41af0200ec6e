"""Slippi Dolphin as a backend: one process per game, all in lock-step with the learner."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import Capabilities, MatchOptions
from melee_env.backends.dolphin.budgets import Budgets
from melee_env.backends.dolphin.game import NO_CONTEST, DolphinGame
from melee_env.backends.dolphin.launch import VIRTUAL, make_launch
from melee_env.controller import Controllers
from melee_env.errors import BackendError, OptionError
from melee_env.frame import FRAME_DTYPE, Frames, empty_frames

FIXED = ("stocks", "percents", "positions", "time_limit")
"""Options that a game on the emulator cannot start with: it plays by the rules of its menus."""


class DolphinBackend:
    """``num_games`` emulators. See :class:`melee_env.backends.base.Backend`.

    Each has its own user directory, ports and pipes. An emulator that fails is started again, at most ``restarts``
    times in a row without a game between: its running game ends as no contest (7) and the next reset plays on.
    """

    def __init__(
        self,
        num_games: int = 1,
        dolphin: str | os.PathLike[str] | None = None,
        iso: str | os.PathLike[str] | None = None,
        player2: str = "agent",
        speed: float = 0.0,
        headless: bool = True,
        replays: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        budgets: Mapping[str, float] | None = None,
        restarts: int = 2,
        account: str | os.PathLike[str] | None = None,
    ) -> None:
        """Check the options; the emulators start with the first reset.

        Args:
            num_games: emulators.
            dolphin: the executable, a directory of an installation, or ``virtual`` for the virtual Dolphin.
            iso: your Melee disc image (NTSC 1.02); the virtual Dolphin needs none.
            player2: who plays the second seat: ``agent`` (the environment's opponent), ``human`` (a real controller at
                port 2), ``cpu-1`` to ``cpu-9``, or a connect code such as ``ABCD#123`` for direct online play.
            speed: 1 is 60 frames a second, 0 as fast as it can.
            headless: no picture and no sound where the build allows.
            replays: folder for the emulator's own replays; None writes none.
            environment: variables for the emulator.
            budgets: seconds by wait, see :class:`Budgets`.
            restarts: how often a failing emulator is started again before its error is raised; 0 never.
            account: your ``user.json``, for online play.

        Raises:
            OptionError: an impossible option.
        """
        if type(restarts) is not int or restarts < 0:
            raise OptionError(f"option 'restarts' must be a whole number, 0 or more, got {restarts!r}")
        try:
            limits = Budgets(**(budgets or {}))
        except TypeError:
            names = ", ".join(Budgets.__dataclass_fields__)
            raise OptionError(f"option 'budgets' may hold {names}; got {', '.join(budgets or {})}") from None
        self._launch = make_launch(
            dolphin,
            iso,
            player2=player2,
            account=None if account is None else Path(account),
            speed=speed,
            headless=headless,
            replays=None if replays is None else Path(replays).absolute(),
            environment=dict(environment or {}),
            budgets=limits,
        )
        self._virtual = str(dolphin) == VIRTUAL
        self.num_games = num_games
        self.capabilities = Capabilities(vector=True, realtime=speed == 1.0, any_stocks=False)
        self.restarts = np.zeros(num_games, np.int64)
        self._allowed = restarts
        self._failures = np.zeros(num_games, np.int64)
        self._games = [DolphinGame(self._launch) for _ in range(num_games)]
        self._frames = empty_frames(num_games)
        self._bytes = self._frames.view(np.uint8).reshape(num_games, FRAME_DTYPE.itemsize)
        self._finalizer = weakref.finalize(self, _close_all, self._games)

    def reset(
        self,
        seeds: NDArray[np.uint32],
        options: Sequence[MatchOptions],
        mask: NDArray[np.bool_] | None = None,
    ) -> Frames:
        """Start new games where ``mask`` is true (None: everywhere); the emulator draws its own seeds.

        Raises:
            OptionError: an option that the emulator's menus do not have.
            BackendError: an emulator failed too often.
        """
        lanes = [lane for lane in range(self.num_games) if mask is None or mask[lane]]
        for lane in lanes:
            _check_options(options[lane])
        if self._virtual:
            _compile_engine()
        for lane in lanes:
            self._try(lane, self._run)
        for lane in lanes:
            while not self._try(lane, lambda game, lane=lane: self._begin(game, options[lane])):
                self._try(lane, self._run)
            self._bytes[lane] = self._games[lane].data
            self._failures[lane] = 0
        return self._frames

    def _run(self, game: DolphinGame) -> None:
        if not game.running:
            game.start()

    def _begin(self, game: DolphinGame, options: MatchOptions) -> None:
        if not game.running:
            game.start()
        if not game.connected:
            game.connect()
        game.begin(options)

    def _try(self, lane: int, act: Any) -> bool:
        """Act on an emulator; a failure costs one restart.

        Raises:
            BackendError: no restart is left.
        """
        game = self._games[lane]
        try:
            act(game)
        except BackendError as error:
            game.close()
            self._failures[lane] += 1
            if self._failures[lane] > self._allowed:
                raise
            self.restarts[lane] += 1
            warnings.warn(f"Dolphin {lane} is started again: {error}", stacklevel=3)
            return False
        except BaseException:
            game.close()
            raise
        return True

    def step(self, controllers: Controllers) -> Frames:
        """Advance every running game by one frame with controllers ``[num_games, 2]``.

        Raises:
            BackendError: an emulator failed too often.
        """
        if controllers.shape != (self.num_games, 2):
            raise BackendError(f"controllers must have shape {(self.num_games, 2)}, got {controllers.shape}")
        playing = [lane for lane in range(self.num_games) if not self._frames["end_method"][lane]]
        # All inputs first, so that the emulators compute side by side.
        sent = [lane for lane in playing if self._try(lane, lambda game, i=lane: game.send(controllers[i]))]
        received = [lane for lane in sent if self._try(lane, lambda game: game.receive())]
        for lane in received:
            self._bytes[lane] = self._games[lane].data
        for lane in set(playing) - set(received):
            self._frames["end_method"][lane] = NO_CONTEST
        return self._frames

    def save(self, game: int) -> bytes:
        """Refuse: the emulator's state cannot be copied.

        Raises:
            BackendError: always.
        """
        raise BackendError("the dolphin backend has no save states; use backend='embedded' for them")

    def load(self, game: int, state: bytes) -> Frames:
        """Refuse, as :meth:`save`.

        Raises:
            BackendError: always.
        """
        raise BackendError("the dolphin backend has no save states; use backend='embedded' for them")

    def close(self) -> None:
        """End the emulators; calling it twice is fine."""
        self._finalizer()

    def __getstate__(self) -> dict[str, Any]:
        """Refuse: a running emulator cannot be copied.

        Raises:
            BackendError: always.
        """
        raise BackendError("a dolphin backend cannot be pickled; make the environment where it runs")


def _check_options(options: MatchOptions) -> None:
    standard = MatchOptions()
    for name in FIXED:
        if getattr(options, name) != getattr(standard, name):
            raise OptionError(
                f"the dolphin backend plays whole games by the rules of the menus: {name} must be "
                f"{getattr(standard, name)}, not {getattr(options, name)}"
            )


def _compile_engine() -> None:
    """Compile what the virtual Dolphin plays on, which would take longer than any budget."""
    from melee_env.engine.engine import compiled, warm_up

    if not compiled():
        warm_up()


def _close_all(games: list[DolphinGame]) -> None:
    for game in games:
        game.close()
