"""The near end of the spectator stream: what libmelee's console reads its messages from."""

from __future__ import annotations

import base64
import json
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from melee.slippstream import EnetDisconnected

Message = dict[str, Any]


class SpectatorClient:
    """Takes the place of ``melee.slippstream.SlippstreamClient``.

    Args:
        port: UDP port of the spectator server.
        tap: called with every game event's bytes before anybody else sees them.
    """

    # Attributes that the console copies into every game state.
    playedOn = "dolphin"  # noqa: N815 (libmelee's name)
    timestamp = ""
    consoleNick = ""  # noqa: N815
    players: dict[str, Any] = {}

    def __init__(self, port: int, tap: Callable[[bytes], None]) -> None:
        self._port, self._tap = port, tap
        self._worker: subprocess.Popen[bytes] | None = None
        self._buffer = bytearray()

    def connect(self, seconds: float, alive: Callable[[], None]) -> bool:
        """Shake hands with the server.

        Args:
            seconds: how long to try.
            alive: called now and then; raises when there is nobody to wait for any more.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.shutdown()
            self._worker = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("spectator.py")), str(self._port)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            attempt = min(end, time.monotonic() + 10)
            while time.monotonic() < attempt:
                alive()
                try:
                    message = self.dispatch(True, 0.1)
                except EnetDisconnected:
                    break
                if message is not None and message["type"] == "connect_reply":
                    return True
        return False

    def dispatch(self, polling_mode: bool, timeout: float = 0) -> Message | None:
        """Return the next message, None if there is none in time.

        Raises:
            EnetDisconnected: there will be none.
        """
        end = time.monotonic() + timeout
        while (message := self._take()) is None:
            if self._worker is None or self._worker.stdout is None:
                raise EnetDisconnected
            source = self._worker.stdout.fileno()
            if polling_mode and not select.select([source], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            data = os.read(source, 1 << 16)
            if not data:
                raise EnetDisconnected
            self._buffer += data
        return message

    def _take(self) -> Message | None:
        if len(self._buffer) < 4:
            return None
        (length,) = struct.unpack_from(">I", self._buffer)
        if len(self._buffer) < 4 + length:
            return None
        message: Message = json.loads(self._buffer[4 : 4 + length] or b'{"type":""}')
        del self._buffer[: 4 + length]
        if message["type"] == "game_event":
            self._tap(base64.b64decode(message["payload"]))
        return message

    def shutdown(self) -> None:
        """End the reading process; calling it twice is fine."""
        worker, self._worker = self._worker, None
        self._buffer.clear()
        if worker is None:
            return
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.close()
        worker.stdout.close()
        try:
            worker.wait(1)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()

    def interrupt(self) -> None:
        """Make a waiting :meth:`dispatch` raise."""
        if self._worker is not None:
            self._worker.terminate()
