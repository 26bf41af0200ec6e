"""The running program: waits for pads, moves through menus and games, sends what happens."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from melee_env.controller import Button
from melee_env.ids import Character
from melee_env.virtual_dolphin.character_select import CharacterSelect
from melee_env.virtual_dolphin.config import ADAPTER, STANDARD, DolphinConfig
from melee_env.virtual_dolphin.main_menu import MainMenu
from melee_env.virtual_dolphin.menu_event import MenuState, Scene
from melee_env.virtual_dolphin.online import OnlineSelect, read_account
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad, Pipe
from melee_env.virtual_dolphin.replay import ReplayFile
from melee_env.virtual_dolphin.server import SpectatorServer
from melee_env.virtual_dolphin.settings import Settings
from melee_env.virtual_dolphin.stage_select import StageSelect

if TYPE_CHECKING:
    from melee_env.virtual_dolphin.match import MatchSetup

FRAME_SECONDS = 1 / 60
IDLE_SECONDS = 0.02
"""how long a wait lasts before the network is looked after; never inside ENet, which keeps the interpreter's lock"""
TICK_SECONDS = 0.001
"""pause of a loop that waits for the network only"""
CLIENT_SECONDS = 600
"""how long a program without a client stays"""
RESULT_FRAMES = 60
"""frames of the results screen, unless START skips it"""


class Ended(Exception):
    """The program has nobody left to play with."""


class VirtualConsole:
    """Everything between a start and an end of the program.

    Args:
        settings: what was asked for.
        config: what libmelee configured.
        server: the spectator server, already listening.
        parent: process id of the program that started this one; the run ends with it.
    """

    def __init__(
        self, settings: Settings, config: DolphinConfig, server: SpectatorServer, parent: int
    ) -> None:
        self._settings, self._config, self._server = settings, config, server
        self._faults = settings.faults
        self._parent = parent
        self._account = read_account(settings.user)
        self._pipes: dict[int, Pipe] = {}
        self._pads: dict[int, Pad] = {}
        self._games = 0
        self._played = 0
        self._due = time.monotonic()
        # Loading the engine takes seconds on a busy machine; clients are answered meanwhile.
        self._engine = threading.Thread(target=_load_engine, daemon=True)
        self._engine.start()
        if self._faults.number("no-pipe") is None:
            self._open_pipes(settings.user / "Pipes")
        plugged = frozenset(
            port
            for port in range(4)
            if config.devices[port] == ADAPTER or (config.devices[port] == STANDARD and port in self._pipes)
        )
        self._people = plugged - set(self._pipes)
        self._select = CharacterSelect(plugged)
        self._stages = StageSelect(self._select.slots)

    def _open_pipes(self, folder: Path) -> None:
        for port in range(4):
            path = folder / f"slippibot{port + 1}"
            if path.is_fifo():
                self._pipes[port] = Pipe(path)

    def run(self) -> None:
        """Play until nobody is left.

        Raises:
            Ended: the client, the parent or all writers are gone.
        """
        patience = time.monotonic() + CLIENT_SECONDS
        while not self._server.clients:
            self._look_around()
            time.sleep(IDLE_SECONDS)
            if time.monotonic() > patience:
                raise Ended("nobody connected")
        # Every frame answers one FLUSH; this is the one for the first.
        self._next_pads()
        while True:
            if self._show_main_menu() == "direct":
                self._play_direct()
            else:
                self._play_versus()

    def _show_main_menu(self) -> str:
        menu = MainMenu()
        while True:
            mode = self._show(menu.state, menu.advance)
            # Without an account nobody gets online.
            if mode == "versus" or self._account is not None:
                return mode

    def _play_versus(self) -> None:
        """Select, play, show results, until the character screen is left."""
        while self._select_characters():
            self._play(self._set_up())
            while "Instant Match" in self._config.codes:
                self._stages.stage = None
                self._play(self._set_up())
            self._show_results()

    def _select_characters(self) -> bool:
        """Walk between the two select screens until a game starts; returns False if they are left."""
        while True:
            self._select.enter(self._pads)
            for port in self._people:
                self._select.choose(port, Character.FOX)
            if self._show(self._select.state, self._select.advance) == "back":
                return False
            self._stages.enter(self._pads)
            if self._show(self._stages.state, self._stages.advance) == "start":
                return True

    def _play_direct(self) -> None:
        """Find the partner and play, until the character screen is left."""
        select = OnlineSelect(self._settings.partner, np.random.default_rng(self._settings.seed))
        stages = StageSelect(select.slots, Scene.ONLINE_STAGE_SELECT)
        while True:
            select.enter(self._pads)
            if self._show(select.state, select.advance) == "back":
                return
            stages.enter(self._pads)
            if self._show(stages.state, stages.advance) == "start":
                self._await_engine()
                from melee_env.virtual_dolphin.match_setup import set_up_online

                assert self._account is not None
                setup = set_up_online(self._settings, select, stages, self._account, self._games)
                self._play(setup, side=self._settings.side)

    def _show_results(self) -> None:
        state = MenuState(Scene.RESULTS)

        def advance(pads: Mapping[int, Pad]) -> str | None:
            skipped = any(pad.pressed(Button.START) for pad in pads.values())
            return "end" if skipped or state.frame >= RESULT_FRAMES else None

        self._show(state, advance)

    def _show(self, state: MenuState, advance: Callable[[Mapping[int, Pad]], str | None]) -> str:
        """Show a screen until it is left; returns how."""
        ignored = self._faults.number("stuck-menu") is not None
        while True:
            self._send("menu_event", state.encode())
            pads = self._next_pads()
            state.frame += 1
            if result := advance({} if ignored else pads):
                return result

    def _await_engine(self) -> None:
        while self._engine.is_alive():
            self._look_around()
            self._engine.join(IDLE_SECONDS)

    def _set_up(self) -> MatchSetup:
        self._await_engine()
        from melee_env.virtual_dolphin.match_setup import set_up

        return set_up(
            self._settings,
            self._select,
            self._stages,
            self._pads,
            self._people,
            endless="Infinite Time Mode" in self._config.codes,
            number=self._games,
        )

    def _play(self, setup: MatchSetup, side: int | None = None) -> None:
        """Play one game.

        Args:
            setup: who plays what where.
            side: port of the player at pipe 1, None if every pipe drives its own.
        """
        from melee_env.virtual_dolphin.match import Match

        match = Match(setup)
        replay = None
        if self._config.replays is not None:
            replay = ReplayFile(self._config.replays, self._config.monthly)

        def emit(events: bytes) -> None:
            if replay is not None:
                replay.append(events)
            self._send("game_event", events)

        emit(match.start())
        packets: list[bytes] = []
        while not match.over:
            pads = self._next_pads()
            packets = match.advance(pads if side is None else {side - 1: pads.get(0, NEUTRAL)})
            for number, packet in enumerate(packets):
                if number:
                    self._next_pads()
                emit(packet)
                if self._faults.number("repeat-frame") == match.frames:
                    self._next_pads()
                    emit(packet)
            self._played += bool(packets)
            self._break_down()
        self._games += 1
        if (
            packets
        ):  # the last frame answered a FLUSH, the end answers the next; a game that was left has it already
            self._next_pads()
        emit(match.end())
        if replay is not None:
            replay.close(match.metadata())

    def _send(self, kind: str, payload: bytes) -> None:
        if not self._faults.due("stop-sending", self._played):
            self._server.send(kind, payload)

    def _next_pads(self) -> dict[int, Pad]:
        """Return what every pipe says for the next frame, once it is time for it."""
        if (delay := self._faults.number("slow")) is not None:
            time.sleep(delay / 1000)
        self._keep_pace()
        reading = not self._faults.due("stop-reading", self._played)
        if self._config.blocking:
            while not (reading and all(pipe.flushed for pipe in self._pipes.values())):
                self._wait_for_pipes(reading)
            self._server.service()
            if not self._pipes:
                self._look_around()
                time.sleep(TICK_SECONDS)
            for port, pipe in self._pipes.items():
                self._pads[port] = pipe.flushed.popleft()
        else:
            self._look_around()
            for port, pipe in self._pipes.items():
                while reading and pipe.read():
                    pass
                if pipe.flushed:
                    self._pads[port] = pipe.flushed[-1]
                    pipe.flushed.clear()
        return dict(self._pads)

    def _wait_for_pipes(self, reading: bool) -> None:
        ready, _, _ = select.select(list(self._pipes.values()) if reading else [], [], [], IDLE_SECONDS)
        if not any([pipe.read() for pipe in ready]):
            self._look_around()
            if ready:
                time.sleep(TICK_SECONDS)  # a FIFO without a writer is always readable

    def _keep_pace(self) -> None:
        speed = self._config.speed
        if speed > 0 and "FFW VS Mode" not in self._config.codes:
            self._due = max(self._due + FRAME_SECONDS / speed, time.monotonic() - 0.1)
            while (left := self._due - time.monotonic()) > 0:
                self._look_around()
                time.sleep(min(left, IDLE_SECONDS))
        elif not self._config.blocking:
            while self._server.congested():
                self._look_around()
                time.sleep(TICK_SECONDS)

    def _look_around(self) -> None:
        """Serve the network; end when nobody is left.

        Raises:
            Ended: the client, the parent or all writers are gone.
        """
        self._server.service()
        if os.getppid() != self._parent:
            raise Ended("the parent is gone")
        if self._server.had_client and not self._server.clients:
            raise Ended("the client is gone")
        if self._pipes and all(pipe.closed for pipe in self._pipes.values()):
            raise Ended("every controller is gone")

    def _break_down(self) -> None:
        if self._faults.due("die", self._played):
            print("virtual-dolphin: fault 'die'", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)


def _load_engine() -> None:
    """Import what a game needs; compile it first where that was never done."""
    import numpy as np

    from melee_env.backends.base import MatchOptions
    from melee_env.backends.embedded import EmbeddedBackend
    from melee_env.controller import neutral
    from melee_env.engine.engine import compiled

    if not compiled():
        # Not in this process: the compiler would keep the network waiting until clients give up.
        subprocess.run(
            [sys.executable, "-c", "from melee_env.engine.engine import warm_up; warm_up()"], check=True
        )
    engine = EmbeddedBackend(1)
    engine.reset(np.zeros(1, np.uint32), [MatchOptions()])
    engine.step(neutral(1, 2))
