"""Starts and stops of the virtual Dolphin, and what they leave behind."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

from melee_env.backends.dolphin.game import DolphinGame
from melee_env.backends.dolphin.launch import VIRTUAL, make_launch


def bench_dolphin_cycles(cycles: int) -> dict[str, Any]:
    """Start an emulator, connect to it and stop it, again and again.

    Args:
        cycles: starts.

    Returns:
        ``cycles``, ``seconds_per_cycle`` and what is left of all cycles: ``processes`` that run, ``directories`` (with
        the FIFOs in them), UDP ``ports`` that cannot be bound, ``descriptors`` and ``threads`` of this process.
    """
    game = DolphinGame(make_launch(VIRTUAL, None))
    pids: set[int] = set()
    folders: set[Path] = set()
    ports: set[int] = set()
    for number in range(cycles):
        if number == min(1, cycles - 1):  # what the libraries open once is no leftover
            descriptors, threads, began = _descriptors(), _threads(), time.perf_counter()
        try:
            game.start()
            game.connect()
            assert game.emulator is not None
            pids |= _children()
            folders.add(game.emulator.folder)
            ports.add(game.port)
        finally:
            game.close()
    return {
        "cycles": cycles,
        "seconds_per_cycle": (time.perf_counter() - began) / max(1, cycles - 1),
        "processes": sum(map(_runs, pids)),
        "directories": sum(folder.exists() for folder in folders),
        "ports": sum(not _is_free(port) for port in ports),
        "descriptors": _descriptors() - descriptors,
        "threads": _threads() - threads,
    }


def left(result: dict[str, Any]) -> int:
    """Return the number of all leftovers of a result."""
    return sum(result[name] for name in ("processes", "directories", "ports", "descriptors", "threads"))


def _children() -> set[int]:
    import psutil

    return {child.pid for child in psutil.Process().children(recursive=True)}


def _runs(pid: int) -> bool:
    import psutil

    return psutil.pid_exists(pid)


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))
