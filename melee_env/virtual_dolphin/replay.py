"""Replays: the events of the stream as a ``.slp`` file, named like Slippi Dolphin names them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from melee_env.slp.container import wrap_footer, wrap_header


class ReplayFile:
    """One file; what was appended is in it at once."""

    def __init__(self, folder: Path, monthly: bool, now: float | None = None) -> None:
        moment = time.localtime(now)
        folder = folder / time.strftime("%Y-%m", moment) if monthly else folder
        folder.mkdir(parents=True, exist_ok=True)
        self.started_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        stem = time.strftime("Game_%Y%m%dT%H%M%S", moment)
        # Fast games can begin in the same second.
        for number in range(1000):
            self.path = folder / (f"{stem}.slp" if not number else f"{stem}_{number}.slp")
            try:
                self._file = open(self.path, "xb")  # noqa: SIM115 (closed by close())
                break
            except FileExistsError:
                continue
        self._file.write(wrap_header(0))

    def append(self, events: bytes) -> None:
        """Write events."""
        self._file.write(events)
        self._file.flush()

    def close(self, metadata: dict[str, Any]) -> None:
        """Write metadata and length."""
        length = self._file.tell() - len(wrap_header(0))
        self._file.write(wrap_footer({"startAt": self.started_at, **metadata, "playedOn": "dolphin"}))
        self._file.seek(0)
        self._file.write(wrap_header(length))
        self._file.close()
