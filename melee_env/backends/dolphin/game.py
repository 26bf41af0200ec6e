"""One emulator that plays one game after the other, frame by frame."""

from __future__ import annotations

import os
import time

import melee
import numpy as np
from melee.slippstream import EnetDisconnected
from numpy.typing import NDArray

from melee_env.backends.base import MatchOptions
from melee_env.backends.dolphin.client import Message, SpectatorClient
from melee_env.backends.dolphin.inputs import PadWriter, held_by
from melee_env.backends.dolphin.launch import EXI_AI, Launch
from melee_env.backends.dolphin.menus import MenuWalker, describe
from melee_env.backends.dolphin.process import EmulatorProcess, ask_version, free_port
from melee_env.controller import Button, Controllers
from melee_env.errors import DolphinExited, MenuStuck, NoProgress, PipeTimeout
from melee_env.frame import FRAME_DTYPE, Frames, swap_seats
from melee_env.slp.frame_decoder import FrameDecoder

STOCK_OUT, NO_CONTEST = 2, 7
QUIT = int(Button.L | Button.R | Button.A | Button.START)
PRESS_SECONDS = 0.06
"""how long a button is held where the emulator waits for nobody"""
PAUSE_SECONDS = 0.5
"""how long a game that should be left may go on before it is tried again"""
QUIT_TRIES = 4
PAUSABLE_FRAME = 0
"""first frame that START stops: GO"""


class DolphinGame:
    """The emulator of one lane.

    Every frame of a blocking emulator waits for one FLUSH of every pipe and answers with one event, so the two never
    drift apart; this object flushes by itself, libmelee's console does not.

    Attributes:
        port: UDP port of the spectator stream, 0 before the first start.
    """

    def __init__(self, launch: Launch) -> None:
        """Remember what to run; :meth:`start` runs it."""
        self._launch = launch
        self._process: EmulatorProcess | None = None
        self.port = 0
        self._client: SpectatorClient | None = None
        self._decoder = FrameDecoder()
        self._playing = False
        self._last = 0
        self._closed = 0
        self._connected = False
        self._seat = 0
        self._turned = np.zeros(FRAME_DTYPE.itemsize, np.uint8)

    @property
    def connected(self) -> bool:
        """It takes inputs and sends events."""
        return self._connected

    @property
    def running(self) -> bool:
        """An emulator is there."""
        return self._process is not None

    @property
    def emulator(self) -> EmulatorProcess | None:
        """The running program, None when there is none."""
        return self._process

    def start(self) -> None:
        """Run the emulator, without waiting for it.

        Raises:
            DolphinExited: it cannot be run.
        """
        launch = self._launch
        version = ask_version(launch.program, launch.budgets.version)
        fast = EXI_AI in version
        self._process = EmulatorProcess()
        self.port = free_port()
        self._client = SpectatorClient(self.port, self._take_events)
        self._decoder = FrameDecoder()
        self._playing = False
        try:
            self._console = melee.Console(
                path=launch.program,
                dolphin_home_path=str(self._process.user),
                tmp_home_directory=False,
                slippi_port=self.port,
                blocking_input=launch.blocking,
                polling_mode=True,
                polling_timeout=0.1,
                skip_rollback_frames=False,
                setup_gecko_codes=True,
                fullscreen=False,
                gfx_backend="Null" if launch.headless and ("mainline" in version or fast) else "",
                disable_audio=launch.headless,
                emulation_speed=launch.speed,
                save_replays=launch.replays is not None,
                replay_dir=str(launch.replays) if launch.replays is not None else None,
                user_json_path=None if launch.account is None else str(launch.account),
                use_exi_inputs=fast,
                enable_ffw=fast and launch.speed == 0,
            )
        except (ValueError, RuntimeError, AssertionError, OSError) as error:
            self.close()
            raise DolphinExited(f"libmelee refuses {launch.program}: {error}") from error
        self._console._slippstream = self._client
        ports = (1,) if launch.player2 == "human" or launch.online else (1, 2)
        self._controllers = {number: melee.Controller(console=self._console, port=number) for number in ports}
        if launch.player2 == "human":
            melee.Controller(console=self._console, port=2, type=melee.ControllerType.GCN_ADAPTER)
        self._pads = {number: PadWriter(controller) for number, controller in self._controllers.items()}
        level = int(launch.player2.removeprefix("cpu-")) if launch.player2.startswith("cpu-") else 0
        self._walker = MenuWalker(self._controllers, level, launch.player2 if launch.online else None)
        self._process.start(self._command(version), launch.environment)

    def _command(self, version: str) -> list[str]:
        assert self._process is not None
        command = [self._launch.program, "-u", str(self._process.user)]
        if self._launch.iso:
            command += ["-e", self._launch.iso]
        if self._launch.headless and "mainline" in version:
            command += ["--platform", "headless"]
        return command

    def connect(self) -> None:
        """Wait until the emulator takes inputs and sends events.

        Raises:
            DolphinExited: it ended.
            PipeTimeout: it never opened a pipe.
            NoProgress: it never answered.
        """
        assert self._process is not None and self._client is not None
        budget = self._launch.budgets.start
        end = time.monotonic() + budget
        for number, controller in self._controllers.items():
            self._wait_for_reader(controller.pipe_path, number, end)
            controller.connect()
        # The console must not flush: a step that waits in vain would do it twice.
        self._console.controllers.clear()
        if not self._client.connect(max(1.0, end - time.monotonic()), self._process.check_alive):
            raise NoProgress(
                f"Dolphin did not answer on its spectator port in {budget:g} s; {self._process.log_tail()}"
            )
        self._connected = True

    def wait_for_menu(self) -> str:
        """Wait for the first menu, which needs libmelee's menu code; returns its name.

        Raises:
            BackendError: as :meth:`begin`.
        """
        for pad in self._pads.values():
            pad.flush()
        return str(self._next_state(time.monotonic() + self._launch.budgets.menus, None).menu_state.name)

    def _wait_for_reader(self, path: str, number: int, end: float) -> None:
        assert self._process is not None
        while True:
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                return
            except OSError:  # ENXIO: nobody reads it
                self._process.check_alive()
            if time.monotonic() > end:
                raise PipeTimeout(
                    f"Dolphin did not open the controller pipe of port {number} in {self._launch.budgets.start:g} s: "
                    "is this build made for pipes (Slippi's netplay or ExiAI build)?"
                )
            time.sleep(0.02)

    @property
    def frames(self) -> Frames:
        """The newest frame ``[1]``, the player at pipe 1 in seat 0; the next one overwrites it."""
        return self.data.view(FRAME_DTYPE)

    @property
    def data(self) -> NDArray[np.uint8]:
        """The newest frame as bytes, which NumPy copies many times faster than a nested record."""
        return self._turned if self._seat else self._decoder.data

    def begin(self, options: MatchOptions) -> None:
        """Walk to a new game, to the frame before ``options.start_frame``.

        Raises:
            BackendError: one of its kinds, see :class:`Budgets`.
        """
        assert self._process is not None
        self.leave()
        end = time.monotonic() + self._launch.budgets.menus
        state: melee.GameState | None = None
        shown: melee.GameState | None = None
        while state is None or state.menu_state is not melee.Menu.IN_GAME:
            if state is not None:
                self._walker.press(state, options)
            for pad in self._pads.values():
                pad.flush()
            state = self._next_state(end, shown)
            shown = state
        self._playing, self._closed = True, 0
        self._last = int(self._decoder.frame["frame"])
        for pad in self._pads.values():
            pad.release()
        self._check_started(options)
        self._show()
        while self._last < options.start_frame - 1:
            self.send(None)
            self.receive()

    def _next_state(self, end: float, shown: melee.GameState | None) -> melee.GameState:
        assert self._process is not None
        while True:
            try:
                state = self._console.step()
            except EnetDisconnected:
                self._process.check_alive()
                raise NoProgress(f"Dolphin closed the connection; {self._process.log_tail()}") from None
            if time.monotonic() > end:
                seconds = self._launch.budgets.menus
                raise MenuStuck(f"no game after {seconds:g} s in menus: {describe(state or shown)}")
            if state is not None:
                return state
            self._process.check_alive()

    def _check_started(self, options: MatchOptions) -> None:
        info = self._decoder.info
        assert info is not None
        wanted = [character.external for character in options.characters]
        # Online either may be the first player; before Slippi 3.9 nothing tells which.
        codes = [seat.code for seat in info.seats]
        own = self._launch.own_code() if self._launch.online else ""
        self._seat = codes.index(own) if own in codes else 0
        shown = [seat.character for seat in info.seats][:: -1 if self._seat else 1]
        chosen = 2 if len(self._pads) == 2 else 1
        if shown[:chosen] != wanted[:chosen] or info.stage != options.stage.external:
            raise MenuStuck(
                f"the menus led to characters {shown} on stage {info.stage} (external ids), "
                f"not {wanted} on {options.stage.external}"
            )

    def _take_events(self, events: bytes) -> None:
        """Follow the stream; a game start waits for one more FLUSH, which decides nothing yet."""
        games = self._decoder.games
        self._closed += sum(1 for _ in self._decoder.feed(events))
        if self._decoder.games != games:
            for pad in self._pads.values():
                pad.release()
                pad.flush()

    def send(self, controllers: Controllers | None) -> None:
        """Give the inputs of the next frame, ``[2]``, or neutral ones.

        Raises:
            DolphinExited: nobody reads them.
        """
        for number, pad in self._pads.items():
            pad.hold(held_by(controllers[number - 1]) if controllers is not None else (0,) * 7)
        self._flush()

    def _flush(self) -> None:
        assert self._process is not None
        try:
            for pad in self._pads.values():
                pad.flush()
        except BrokenPipeError:
            time.sleep(0.05)
            self._process.check_alive()
            raise PipeTimeout(f"Dolphin closed a controller pipe; {self._process.log_tail()}") from None

    def receive(self) -> None:
        """Wait for the next frame; the last one stays, with an ``end_method``, when the game is over.

        Raises:
            DolphinExited: the emulator ended.
            NoProgress: no frame came in time.
        """
        end = time.monotonic() + self._launch.budgets.frame
        while True:
            message = self._next_message(end)
            if message["type"] == "menu_event":
                self._playing = False
                self._decoder.frame["end_method"] = self._decoder.end_method or NO_CONTEST
                break
            if not self._closed or self._decoder.end_method:
                continue
            self._closed = 0
            number = int(self._decoder.frame["frame"])
            if number <= self._last:
                if self._launch.blocking:
                    self._flush()  # a frame that was sent again; it waited for a FLUSH as well
                continue
            self._last = number
            if not self._decoder.frame["seats"]["leader"]["stocks"].all():
                # The event that says so comes with the next frame only.
                self._decoder.frame["end_method"] = STOCK_OUT
            break
        self._show()

    def _show(self) -> None:
        if self._seat:
            swap_seats(self._decoder.data[None], self._turned[None])

    def _next_message(self, end: float) -> Message:
        assert self._client is not None and self._process is not None
        while True:
            try:
                message = self._client.dispatch(True, 0.25)
            except EnetDisconnected:
                self._process.check_alive()
                raise NoProgress(f"Dolphin closed the connection; {self._process.log_tail()}") from None
            if message is not None:
                return message
            self._process.check_alive()
            if time.monotonic() > end:
                raise NoProgress(
                    f"no frame after frame {self._last} in {self._launch.budgets.frame:g} s; {self._process.log_tail()}"
                )

    def leave(self) -> None:
        """Go on until the menus: play out an ended game, or pause and quit with L, R, A and START.

        Its replay is complete then. Without a game this does nothing.

        Raises:
            BackendError: the game cannot be left.
        """
        while self._playing and self._last < PAUSABLE_FRAME:
            self.send(None)
            self.receive()
        for number in range(QUIT_TRIES if self._playing else 0):
            if not self._decoder.frame["end_method"]:
                # While the game stands still nothing is sent, so nothing is waited for. If the first START came to
                # nothing, that of the quitting buttons has paused.
                for buttons in (int(Button.START), 0) if number % 2 == 0 else ():
                    self._press(buttons)
                self._hold_buttons(QUIT)
            self._flush()
            end = time.monotonic() + PAUSE_SECONDS
            while time.monotonic() < end:
                try:
                    message = self._next_message(end)
                except NoProgress:
                    break
                if message["type"] == "menu_event":
                    self._playing = False
                    for pad in self._pads.values():
                        pad.release()
                    return
            self._press(0)
        if self._playing:
            raise NoProgress("the game cannot be left with pause and L+R+A+START")

    def _press(self, buttons: int) -> None:
        self._hold_buttons(buttons)
        self._flush()
        if not self._launch.blocking:
            time.sleep(PRESS_SECONDS)

    def _hold_buttons(self, buttons: int) -> None:
        self._pads[1].hold((0, 0, 0, 0, 0, 0, buttons))

    def close(self) -> None:
        """End the emulator; calling it twice is fine."""
        client, self._client = self._client, None
        process, self._process = self._process, None
        for controller in getattr(self, "_controllers", {}).values():
            try:
                controller.disconnect()
            except OSError:
                pass
        self._playing = self._connected = False
        if process is not None:
            process.stop(self._launch.budgets.stop)
        if client is not None:
            client.shutdown()
