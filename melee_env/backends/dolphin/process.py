"""One emulator as a process: its own user directory, its log's tail, and an end that leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from melee_env.errors import DolphinExited

LOG_LINES = 200
GUARD = 'read -r _; kill -9 -- "-$1" 2>/dev/null; rm -rf -- "$2"'
"""Waits for the end of its standard input, which our own end closes however it comes, then clears up."""


def free_port() -> int:
    """Return a UDP port that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def ask_version(program: str, seconds: float) -> str:
    """Run ``program --version`` first, because libmelee waits for it without a limit.

    Returns:
        What it said.

    Raises:
        DolphinExited: it cannot be run, or says nothing in time.
    """
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise DolphinExited(
            f"{program} cannot be run ({error.strerror}): is it Slippi Dolphin for this machine?"
        ) from None
    except subprocess.TimeoutExpired:
        raise DolphinExited(f"{program} --version said nothing in {seconds:g} s") from None
    text = (answer.stdout + answer.stderr).strip()
    if answer.returncode not in (0, 1, 255):
        last = text.splitlines()[-1] if text else "no output"
        raise DolphinExited(
            f"{program} --version ended with code {answer.returncode} ({last}): a library is missing, or it is "
            "not Slippi Dolphin"
        )
    return text


class EmulatorProcess:
    """The program, from its user directory to its end.

    Attributes:
        folder: a new directory that holds ``User``; gone after :meth:`stop`.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="melee_env_dolphin_"))
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._reader: threading.Thread | None = None

    @property
    def user(self) -> Path:
        """Dolphin's user directory."""
        return self.folder / "User"

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the program in a process group of its own, with a guard that outlives us."""
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "sh", str(self._process.pid), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read_log, args=(self._process,), daemon=True)
        self._reader.start()

    def _read_log(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._log.append(line[:2000].decode(errors="replace").rstrip())

    @property
    def pid(self) -> int:
        """Process id of the program."""
        assert self._process is not None
        return self._process.pid

    def check_alive(self) -> None:
        """Raise if the program ended.

        Raises:
            DolphinExited: with its exit code and the end of its log.
        """
        code = None if self._process is None else self._process.poll()
        if code is not None:
            if self._reader is not None:
                self._reader.join(1)
            raise DolphinExited(f"Dolphin ended by itself with code {code}; {self.log_tail()}")

    def log_tail(self, lines: int = 3) -> str:
        """Return the last lines of what the program printed, in one line."""
        said = [line for line in self._log if line][-lines:]
        return "its last words: " + " | ".join(said) if said else "it printed nothing"

    def stop(self, seconds: float) -> None:
        """Kill the program and its children, remove the directory; calling it twice is fine."""
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.kill()
            guard.wait()
            assert guard.stdin is not None
            guard.stdin.close()
        process, self._process = self._process, None
        if process is not None:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait(seconds)
            if self._reader is not None:
                self._reader.join(seconds)
            assert process.stdout is not None
            process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)
